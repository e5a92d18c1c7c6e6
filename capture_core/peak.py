"""What the kernel's figure for a child's peak memory is worth: it begins with what the forking process had.

Until a child has replaced its program it shares or copies the memory of the process that forked it, and Linux counts
the peak of that (``setmax_mm_hiwater_rss`` in ``exec_mmap``).  A way round is none: ``vfork`` and ``posix_spawn`` share
the very same memory, and a process that has ended has no ``VmHWM`` any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.limits import KIB, MIB

if TYPE_CHECKING:
    from resource import struct_rusage

_STATUS_BYTES: Final = 8192
_PEAK: Final = b"\nVmHWM:"
_MARGIN_BYTES: Final = MIB
"""The kernel counts pages by processor, and sums up roughly."""


def own_peak_bytes() -> int | None:
    """The most that this process's own program has had resident, so far; ``None`` where nobody tells."""
    try:
        with open("/proc/self/status", "rb", buffering=0) as file:
            return int(file.read(_STATUS_BYTES).partition(_PEAK)[2].split(maxsplit=1)[0]) * KIB
    except (OSError, ValueError, IndexError):
        return None


def peak_bytes(usage: struct_rusage, forker_peak: int | None) -> int | None:
    """The peak of a reaped child and of those it waited for; ``None`` where it may be that of its forking process.

    ``forker_peak``: :func:`own_peak_bytes` of that, right after the child had begun its program.
    """
    peak = usage.ru_maxrss * KIB
    return peak if forker_peak is not None and peak > forker_peak + _MARGIN_BYTES else None
