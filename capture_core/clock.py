"""What a receipt says of its moment: the time, and the boot since which a lock means something."""

from __future__ import annotations

import time


def boot_id() -> str | None:
    """The kernel's name for this boot; ``None`` where it gives none."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return None


def utc(seconds: float) -> str:
    """RFC 3339, in milliseconds."""
    milliseconds = int(seconds * 1000) % 1000
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{milliseconds:03d}Z"


def moment(text: str | None) -> float | None:
    """An RFC 3339 time as seconds since the epoch; ``None`` when it is missing or none."""
    from datetime import UTC, datetime

    try:
        found = datetime.fromisoformat(text or "")
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
