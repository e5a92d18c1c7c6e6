"""All rules that are built in."""

from __future__ import annotations

from capture_core.redact.assignments import ASSIGNMENTS
from capture_core.redact.headers import HEADERS
from capture_core.redact.keys import KEYS
from capture_core.redact.named_values import NAMED_VALUES
from capture_core.redact.options import OPTIONS
from capture_core.redact.pairs import PAIRS
from capture_core.redact.tokens import TOKENS
from capture_core.redact.urls import URLS
from capture_core.redact.vendors import VENDORS

RULES = (*TOKENS, *ASSIGNMENTS, *OPTIONS, *PAIRS, *NAMED_VALUES, *HEADERS, *URLS, *VENDORS, *KEYS)
