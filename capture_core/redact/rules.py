"""What is masked, as data: each rule with its source and with examples of what it must mask and must let pass."""

from __future__ import annotations

from capture_core.redact.rule import Rule, token

TOKENS = (
    token(
        name="aws-access-key-id",
        source="Amazon Web Services, IAM User Guide: IAM identifiers",
        # Not ACCA, a context-specific credential: every 256th place in a genome begins so.
        introducers=("AKIA", "ASIA", "ABIA"),
        alphabet="0-9A-Z",
        least=16,
        # Proteins are spelt in the same letters.
        spared="[A-Z]{21,}",
        masks=("aws_access_key_id: «AKIAIOSFODNN7EXAMPLE»", '{"AccessKeyId":"«ASIAIOSFODNN7EXAMPLE»"}'),
        passes=(
            "AKIAIOSFODNN7",
            "AIDAIOSFODNN7EXAMPLE is a user, not a key",
            "ACCATTGCGGATTACAGGCA",
            "MKTAYIASIAKQRQISFVKSHFSRQLEERLGLIEVQ",
        ),
    ),
    token(
        # Not "github": a marker must not repeat six characters of what it hides.
        name="gh-token",
        source="GitHub, Changelog: Authentication token format updates are generally available",
        introducers=("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        alphabet="A-Za-z0-9_",
        least=36,
        masks=(
            "remote: «ghp_16C7e42F292c6912E7710c838347Ae178B4a»",
            "https://x-access-token:«ghs_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8»@github.com",
        ),
        passes=("ghp_", "ghp_16C7e42F292c", "ghs_ is the prefix"),
    ),
    token(
        name="gh-token",
        source="GitHub, Docs: Managing your personal access tokens",
        introducers=("github_pat_",),
        alphabet="A-Za-z0-9_",
        least=40,
        masks=("«github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456»",),
        passes=("github_pat_", "github_pat_11ABCDEFG0"),
    ),
    token(
        name="gitlab-token",
        source="GitLab, Docs: GitLab token overview, Token prefixes",
        introducers=(
            "glpat-",
            "gldt-",
            "glrt-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
        ),
        alphabet="A-Za-z0-9_.-",
        least=20,
        masks=("PRIVATE-TOKEN: «glpat-z_sxgtrfAxKr8q1TPY8Y»", "«glrt-t1_x9Yz8Wv7Ut6Sr5Qp4On3»\r"),
        passes=("glpat-", "glpat-example"),
    ),
    token(
        name="slack-token",
        source="Slack, Developer Docs: Tokens",
        introducers=(
            "xoxb-",
            "xoxp-",
            "xoxa-",
            "xoxr-",
            "xoxs-",
            "xoxe-",
            "xoxc-",
            "xoxd-",
            "xoxe.xoxb-",
            "xoxe.xoxp-",
        ),
        alphabet="A-Za-z0-9%-",
        least=10,
        masks=(
            "as «xoxb-123456789012-AbCdEfGhIjKl».",
            "«xoxe.xoxp-1-Mi0yLTEyMzQ1Njc4OTAtMTIz»",
        ),
        passes=("xoxb-", "xoxb-token", "xoxo-hugs-and-kisses"),
    ),
    token(
        name="slack-token",
        source="Slack, Developer Docs: Tokens, App-level tokens",
        introducers=("xapp-",),
        alphabet="A-Za-z0-9-",
        least=20,
        apart=True,
        masks=("«xapp-1-A0123456789-1234567890123-0123456789abcdef»",),
        passes=("xapp-", "xapp-launcher", "foxapp-1-A0123456789-1234567890123"),
    ),
    token(
        name="openai-key",
        source="OpenAI, API reference: Authentication",
        introducers=("sk-",),
        alphabet="A-Za-z0-9",
        least=20,
        apart=True,
        masks=(
            "Incorrect API key provided: «sk-abcdEFGHijklMNOPqrstT3BlbkFJuvwxYZ0123456789ABCD».",
            r'{"error":"no\n«sk-abcdEFGHijklMNOPqrst»"}',
        ),
        passes=("task-abcdEFGHijklMNOPqrstuv", "sk-learn", "sk-SK.UTF-8", "disk-0123456789abcdef0123"),
    ),
    token(
        name="openai-key",
        source="OpenAI, API reference: Authentication, Admin and project keys",
        introducers=("sk-proj-", "sk-svcacct-", "sk-admin-"),
        alphabet="A-Za-z0-9_-",
        least=20,
        apart=True,
        masks=("«sk-proj-AbC_dEfGh-IjKlMnOpQrStUvWxYz0123456789»",),
        passes=("sk-proj-", "sk-proj-short", "task-proj-0123456789-0123456789"),
    ),
    token(
        name="anthropic-key",
        source="Anthropic, Claude Docs: API overview, Authentication",
        introducers=("sk-ant-",),
        alphabet="A-Za-z0-9_-",
        least=20,
        apart=True,
        masks=("x-api-key: «sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_AA»",),
        passes=("sk-ant-", "sk-ant-api03-..."),
    ),
    token(
        name="stripe-key",
        source="Stripe, Docs: API keys",
        introducers=("sk_live_", "rk_live_", "sk_test_", "rk_test_"),
        alphabet="A-Za-z0-9",
        least=16,
        apart=True,
        masks=("«sk_live_AbCdEfGhIjKlMnOp»", "-u «rk_test_0123456789abcdef»:"),
        passes=("sk_live_", "sk_live_key", "pk_live_AbCdEfGhIjKlMnOp", "task_test_0123456789abcdef"),
    ),
    token(
        name="google-api-key",
        source="Google, Cloud Docs: Manage API keys",
        introducers=("AIza",),
        alphabet="A-Za-z0-9_-",
        least=35,
        masks=("?key=«AIzaSyA0b1C2d3E4f5G6h7I8j9K0l1M2n3O4p5Q»",),
        passes=("AIza", "AIzaSyA0b1C2d3"),
    ),
    token(
        name="npm-token",
        source="npm, Docs: About access tokens",
        introducers=("npm_",),
        alphabet="A-Za-z0-9",
        least=36,
        masks=("//registry.example/:_auth «npm_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8»",),
        passes=("npm_config_user_agent", "npm_package_json", "npm_A1b2C3d4"),
    ),
    token(
        name="pypi-token",
        source="PyPI, Help: How can I use API tokens to authenticate with PyPI?",
        # All are macaroons, and those begin with these characters.
        introducers=("pypi-AgE",),
        alphabet="A-Za-z0-9_-",
        least=16,
        masks=("username __token__ «pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAw»",),
        passes=("pypi-AgEnt", "pypi-attestations-0.0.21-py3-none-any.whl"),
    ),
    token(
        name="huggingface-token",
        source="Hugging Face, Hub Docs: User access tokens",
        introducers=("hf_",),
        alphabet="A-Za-z0-9",
        least=34,
        masks=("«hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh»",),
        passes=("hf_hub_download", "hf_AbCdEfGhIjKl", "self_hf_transfer"),
    ),
)

# How the name of a secret ends, but for a number.  What comes before does not matter: DB_PASSWORD, myApiKey.
_NAME = (
    r"(?i:passwords?|passwd|passphrase|secret|token|credentials?|[_-]pass|[_-]pwd|secret_key_base"
    r"|(?:api|access|private|secret|signing|encryption)[_-]?key)"
)
# In code and logs; each may stand before closing punctuation.
_PLACEHOLDER = (
    r"|\*+|[xX.]{3,}|\[[a-z]+:[a-z -]*\]?|\[(?i:redacted|filtered|hidden|masked)\]|<[A-Za-z_-]+>?"
    r"|\$\{[\w:?+-]*\}?|\$\(\w*|\$[A-Z][A-Z0-9_]*|%[A-Z][A-Z0-9_]*%|\{\{?[\w.]*\}{0,2}"
)
_BARE_SPARED = (
    r"(?:|\\|[fbruFBRU]{1,2}|[+-]?[0-9]{1,5}(?:\.[0-9]+)?|0x[0-9A-Fa-f]{1,16}"
    r"|(?i:true|false|yes|no|on|off|none|null|nil|undefined)"
    rf"|(?:[A-Za-z_]\w*\.)+\w*{_NAME}{_PLACEHOLDER})[),;:\]}}]*"
    # Comparisons and calls.
    r"|[=~>].*|[A-Za-z_][\w.]*\((?:[\w.=,\[\]-]*[),])?[),;:\]}]*"
)


def _assignment(*, opening: str, ends: str, spared: str, masks: tuple[str, ...], passes: tuple[str, ...]) -> Rule:
    return Rule(
        name="assignment",
        source="The Open Group, Shell Command Language: Simple commands; names by practice",
        # Apart, because the scanner is twice as fast on these as on one for all.
        candidates=(f"{_NAME} ?=", f"{_NAME}[0-9]=", f"{_NAME}_[0-9]="),
        opening=f"{_NAME}(?:_?[0-9])?{opening}(?P<value>)",
        ends=ends,
        spared=spared,
        masks=masks,
        passes=passes,
    )


ASSIGNMENTS = (
    _assignment(
        opening="=",
        ends=r"[ \t\r\n\"'`]",
        spared=_BARE_SPARED,
        masks=(
            "PASSWORD=«hunter2»",
            "export GITHUB_TOKEN=«abc,def»\n",
            "password=«hunter2,» host=db",
            "--api-key=«0a1b2c3d4e» --verbose",
            "AWS_SECRET_ACCESS_KEY=«wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»\r\n",
            "DB_PASS=«$ecret!» DB_PASSWORD_2=«(x)»",
            "clientSecret=«compute»",
            '["API_TOKEN=«0123456»"]',
        ),
        passes=(
            "token_count=12 max_tokens=4096 TOKEN=12 retries=3",
            "secret = compute(x)",
            "secret=compute(x), token=get_token(",
            "token: next word",
            "Failed password for invalid user x from 10.0.0.1",
            "PASSWORD= ",
            "PASSWORD_FILE=/run/secrets/db PWD=/home/x OLDPWD=/",
            "password=None, token=self.token, secret=args.client_secret)",
            "API_KEY=$API_KEY TOKEN=${TOKEN:-} SECRET=$(cat",
            "if token==other: token=>1",
            "requests-token==1.2.3",
            "PASSWORD=*** PASSWORD=<password> PASSWORD=[redacted:assignment]",
            "monkey=1234567 compass=northeast bypass=somewhere public_key=0123456789",
        ),
    ),
    _assignment(
        opening=r' ?= ?[fbruFBRU]{0,2}\\?"',
        ends=r'["\r\n](?<!\\")',
        spared=_PLACEHOLDER,
        masks=(
            'password = "«correct horse battery»"',
            r'TOKEN="«a\"b»" x',
            r'{"cmd": "PASSWORD=\"«hunter2\" make»"}',
            'secret=b"«0123»"',
            'API_KEY="«never closed»\nnext line"',
        ),
        passes=('password = ""', 'TOKEN="${TOKEN}"', 'password: "is asked for"', 'secret="[redacted:assignment]"'),
    ),
    _assignment(
        opening=r" ?= ?[fbruFBRU]{0,2}\\?'",
        ends=r"['\r\n](?<!\\')",
        spared=_PLACEHOLDER,
        masks=("export DB_PASSWORD='«it is \"quoted\"»'", "access_key = '«0123456789»'"),
        passes=("password = ''", "the user's token='", "TOKEN='$TOKEN'"),
    ),
)

RULES = (*TOKENS, *ASSIGNMENTS)
