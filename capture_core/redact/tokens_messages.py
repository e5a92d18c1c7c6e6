"""Tokens of chats, and of services that send mail and messages."""

from __future__ import annotations

from capture_core.redact.rule import HEX, LETTERS, URL_SAFE, token

MESSAGES = (
    token(
        name="slack-token",
        source="Slack, Developer Docs: Tokens",
        introducer=r"xox(?:[bpares]-|e\.xox[bp]-|[cd]-)",
        body="[A-Za-z0-9%-]{10}",
        alphabet="A-Za-z0-9%-",
        masks=(
            "as «xoxb-123456789012-AbCdEfGhIjKl».",
            "«xoxe.xoxp-1-Mi0yLTEyMzQ1Njc4OTAtMTIz»",
        ),
        passes=("xoxb-", "xoxb-token", "xoxo-hugs-and-kisses"),
    ),
    token(
        name="slack-token",
        source="Slack, Developer Docs: Tokens, App-level tokens",
        introducer="xapp-",
        body="[A-Za-z0-9-]{20}",
        alphabet="A-Za-z0-9-",
        apart=True,
        masks=("«xapp-1-A0123456789-1234567890123-0123456789abcdef»",),
        passes=("xapp-", "xapp-launcher", "foxapp-1-A0123456789-1234567890123"),
    ),
    token(
        name="slack-webhook",
        source="Slack, Developer Docs: Sending messages using incoming webhooks",
        context=r"hooks\.slack\.com/(?:services|workflows)/",
        introducer="T",
        body="[A-Z0-9]{5,14}/[A-Za-z0-9_]{6}",
        alphabet="A-Za-z0-9_/",
        masks=("https://hooks.slack.com/services/«T00000000/B00000000/aBcDeFgHiJkLmNoPqRsTuVwX» ok",),
        passes=("https://hooks.slack.com/services/", "see hooks.slack.com/services/T.../B.../"),
    ),
    token(
        name="discord-token",
        source="Discord, Developer Docs: Reference, Authentication",
        # The bot's id in base64: of digits alone.
        introducer="[MNO][DTjz][AEIMQUYcgk][w-z0-5]",
        body=rf"(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){{3}}[{LETTERS}]{{7,12}}\.[{URL_SAFE}]{{6}}\.[{URL_SAFE}]{{27}}",
        alphabet=URL_SAFE,
        apart=True,
        masks=("Bot «MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs»",),
        passes=("MTk4NjIyNDgzNDcxOTI1MjQ4", "MTk4NjIyNDgzNDcx"),
    ),
    token(
        name="telegram-token",
        source="Telegram, Bot API: Authorizing your bot",
        context="[0-9]{8,10}:",
        introducer="AA",
        body=f"[{URL_SAFE}]{{33}}",
        alphabet=URL_SAFE,
        exact=True,
        masks=("https://api.telegram.example/bot110201543:«AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawq»/getMe",),
        passes=("110201543:AAHd", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawq"),
    ),
    token(
        name="sendgrid-key",
        source="Twilio SendGrid, Docs: API keys",
        introducer=r"SG\.",
        body=rf"[{URL_SAFE}]{{22}}\.[{URL_SAFE}]{{43}}",
        alphabet=URL_SAFE,
        exact=True,
        masks=("«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»",),
        passes=("SG.", "SG.ngeVfQFYQlKU0ufo8x5d1A", "MSG.send"),
    ),
    token(
        name="mailgun-key",
        source="Mailgun, Docs: API authentication",
        introducer="key-",
        body=f"[{HEX}]{{32}}",
        alphabet=LETTERS,
        exact=True,
        apart=True,
        masks=("api:«key-0123456789abcdef0123456789abcdef»",),
        passes=("key-value", "key-0123456789abcdef", "hotkey-0123456789abcdef0123456789abcdef"),
    ),
    token(
        name="mailchimp-key",
        source="Mailchimp, Developer: About API keys",
        # Fewer digits than these are not held for it.
        context=f"[{HEX}]{{5}}",
        introducer=f"[{HEX}]{{27}}-us",
        body="[0-9]",
        alphabet="0-9",
        exact=True,
        # Lines that end in such digits are too many to be looked at.
        solid=True,
        apart=True,
        masks=("anystring:3f9a1«c7e5b2d8046af13c9e7b05d2864-us19»",),
        passes=("0123456789abcdef0123456789abcdef-user", "0123456789abcdef0123456789abcdef"),
    ),
    token(
        name="twilio-key",
        source="Twilio, Docs: API keys; Account SID",
        introducer="(?:SK|AC)",
        body=f"[{HEX}]{{32}}",
        alphabet=LETTERS,
        exact=True,
        apart=True,
        masks=("-u «SK0123456789abcdef0123456789abcdef»:", "/Accounts/«AC0123456789abcdef0123456789abcdef»/"),
        passes=("SK0123456789abcdef", "MASK0123456789abcdef0123456789abcdef"),
    ),
)
