"""All rules that are built in."""

from __future__ import annotations

from capture_core.redact.assignments import ASSIGNMENTS
from capture_core.redact.pairs import PAIRS
from capture_core.redact.tokens import TOKENS

RULES = (*TOKENS, *ASSIGNMENTS, *PAIRS)
