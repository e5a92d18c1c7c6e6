"""Tokens of shops and of what they are paid by."""

from __future__ import annotations

from capture_core.redact.rule import URL_SAFE, token

SHOPS = (
    token(
        name="stripe-key",
        source="Stripe, Docs: API keys",
        introducer="(?:sk|rk)_(?:live|test)_",
        body="[A-Za-z0-9]{16}",
        alphabet="A-Za-z0-9",
        apart=True,
        masks=("«sk_live_AbCdEfGhIjKlMnOp»", "-u «rk_test_0123456789abcdef»:"),
        passes=("sk_live_", "sk_live_key", "pk_live_AbCdEfGhIjKlMnOp", "task_test_0123456789abcdef"),
    ),
    token(
        name="stripe-webhook-secret",
        source="Stripe, Docs: Receive Stripe events in your webhook endpoint",
        introducer="whsec_",
        body="[A-Za-z0-9]{24}",
        alphabet="A-Za-z0-9+/=",
        apart=True,
        masks=("«whsec_AbCdEfGhIjKlMnOpQrStUvWxYz012345»",),
        passes=("whsec_", "whsec_test"),
    ),
    token(
        name="square-token",
        source="Square, Developer: Access tokens and other credentials",
        introducer="sq0[a-z]{3}-",
        body=f"[{URL_SAFE}]{{22}}",
        alphabet=URL_SAFE,
        masks=("«sq0atp-AbCdEfGhIjKlMnOpQrStUv»", "«sq0csp-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfG»"),
        passes=("sq0atp-", "sq0idp-short"),
    ),
    token(
        name="square-token",
        source="Square, Developer: Access tokens and other credentials",
        introducer="EAAA",
        body=f"[{URL_SAFE}]{{60}}",
        alphabet=URL_SAFE,
        exact=True,
        apart=True,
        # Zeros in base64.
        spared=".*A{6}.*",
        masks=("«EAAAEOuLQObrVwJvCvoio3H13b8Ssqz1ighmTBKZvIENW9qxirHGHkqsGcPBC1uN»",),
        passes=("EAAA", "EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    ),
    token(
        name="shopify-token",
        source="Shopify, Developer changelog: Access token prefixes",
        introducer="shp(?:at|ca|pa|ss|ua|tka)_",
        body="[A-Fa-f0-9]{32}",
        alphabet="A-Za-z0-9",
        exact=True,
        apart=True,
        masks=("X-Shopify-Access-Token: «shpat_0123456789abcdef0123456789ABCDEF»",),
        passes=("shpat_", "shpat_0123"),
    ),
)
