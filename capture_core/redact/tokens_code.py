"""Tokens of the services that keep code and what is to be done about it."""

from __future__ import annotations

from capture_core.redact.rule import URL_SAFE, WORD, token

CODE = (
    token(
        # Not "github": a marker must not repeat six characters of what it hides.
        name="gh-token",
        source="GitHub, Changelog: Authentication token format updates are generally available",
        introducer="gh[pousr]_",
        body=f"[{WORD}]{{36}}",
        alphabet=WORD,
        exact=True,
        masks=(
            "remote: «ghp_16C7e42F292c6912E7710c838347Ae178B4a»",
            "https://x-access-token:«ghs_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8»@git.example",
        ),
        passes=("ghp_", "ghp_16C7e42F292c", "ghs_ is the prefix"),
    ),
    token(
        name="gh-token",
        source="GitHub, Docs: Managing your personal access tokens",
        introducer="github_pat_",
        body=f"[{WORD}]{{40}}",
        alphabet=WORD,
        masks=("«github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456»",),
        passes=("github_pat_", "github_pat_11ABCDEFG0"),
    ),
    token(
        name="gitlab-token",
        source="GitLab, Docs: GitLab token overview, Token prefixes",
        introducer="gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-",
        body=f"[{WORD}.-]{{20}}",
        alphabet=f"{WORD}.-",
        masks=("PRIVATE-TOKEN: «glpat-z_sxgtrfAxKr8q1TPY8Y»", "«glrt-t1_x9Yz8Wv7Ut6Sr5Qp4On3»\r"),
        passes=("glpat-", "glpat-example"),
    ),
    token(
        name="bitbucket-token",
        source="Atlassian, Bitbucket Cloud: App passwords; Access tokens",
        introducer="AT(?:BB|CTT3xFfG)",
        body=f"[={URL_SAFE}]{{32}}",
        alphabet=f"={URL_SAFE}",
        apart=True,
        masks=("git clone https://me:«ATBBaBcDeFgHiJkLmNoPqRsTuVwXyZ012345»@bitbucket.example/r",),
        passes=("ATBBX", "FLATBBaBcDeFgHiJkLmNoPqRsTuVwXyZ012345"),
    ),
    token(
        name="atlassian-token",
        source="Atlassian, Support: Manage API tokens for your Atlassian account",
        introducer="ATATT3xFfG",
        body=f"[={URL_SAFE}]{{32}}",
        alphabet=f"={URL_SAFE}",
        masks=("curl -u me:«ATATT3xFfGF0aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789=ABCDEF01»",),
        passes=("ATATT3xFfG",),
    ),
)
