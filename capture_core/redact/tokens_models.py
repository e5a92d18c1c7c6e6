"""Keys of services that run language models."""

from __future__ import annotations

from capture_core.redact.rule import token

MODELS = (
    token(
        name="openai-key",
        source="OpenAI, API reference: Authentication",
        introducer="sk-",
        body="[A-Za-z0-9]{20}",
        alphabet="A-Za-z0-9",
        apart=True,
        masks=(
            "Incorrect API key provided: «sk-abcdEFGHijklMNOPqrstT3BlbkFJuvwxYZ0123456789ABCD».",
            r'{"error":"no\n«sk-abcdEFGHijklMNOPqrst»"}',
            "?key%3D«sk-abcdEFGHijklMNOPqrst»%26",
        ),
        passes=("task-abcdEFGHijklMNOPqrstuv", "sk-learn", "sk-SK.UTF-8", "disk-0123456789abcdef0123"),
    ),
    token(
        name="openai-key",
        source="OpenAI, API reference: Authentication, Admin and project keys",
        introducer="sk-(?:proj|svcacct|admin)-",
        body="[A-Za-z0-9_-]{20}",
        alphabet="A-Za-z0-9_-",
        apart=True,
        masks=("«sk-proj-AbC_dEfGh-IjKlMnOpQrStUvWxYz0123456789»",),
        passes=("sk-proj-", "sk-proj-short", "task-proj-0123456789-0123456789"),
    ),
    token(
        name="anthropic-key",
        source="Anthropic, Claude Docs: API overview, Authentication",
        introducer="sk-ant-",
        body="[A-Za-z0-9_-]{20}",
        alphabet="A-Za-z0-9_-",
        apart=True,
        masks=("x-api-key: «sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz-0123456789_AA»",),
        passes=("sk-ant-", "sk-ant-api03-..."),
    ),
    token(
        name="openrouter-key",
        source="OpenRouter, Docs: API authentication",
        introducer="sk-or-",
        body="[A-Za-z0-9-]{20}",
        alphabet="A-Za-z0-9-",
        apart=True,
        masks=("«sk-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef»",),
        passes=("sk-or-", "sk-or-v1-...", "risk-or-reward-in-the-long-run-of-things"),
    ),
    token(
        name="groq-key",
        source="Groq, Docs: API keys",
        introducer="gsk_",
        body="[A-Za-z0-9]{40}",
        alphabet="A-Za-z0-9",
        apart=True,
        masks=("«gsk_aBcDeFgHiJkLmNoPqRsTWGdyb3FYuVwXyZ0123456789aBcDeFgH»",),
        passes=("gsk_renderer",),
    ),
)
