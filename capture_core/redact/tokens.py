"""Tokens that are known by how they begin, one row for each form that a vendor describes: in the order that decides."""

from __future__ import annotations

from capture_core.redact.tokens_clouds import AMAZON, CLOUDS
from capture_core.redact.tokens_code import CODE
from capture_core.redact.tokens_messages import MESSAGES
from capture_core.redact.tokens_models import MODELS
from capture_core.redact.tokens_shops import SHOPS

TOKENS = (*AMAZON, *CODE, *MESSAGES, *MODELS, *SHOPS, *CLOUDS)
