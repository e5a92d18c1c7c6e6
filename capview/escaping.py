"""Text from outside made safe to show, where commands and views look for it; the work is the core's."""

from __future__ import annotations

from capture_core.escaping import safe as safe  # noqa: PLC0414 — who shows text takes it from here
from capture_core.escaping import safe_body as safe_body  # noqa: PLC0414
