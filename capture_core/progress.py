"""How far a program says that it is, read in the last of what it printed: derived, for the eye, and never evidence."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from capture_core.limits.reading import PROGRESS_LINE_CHARS
from capture_core.progress_forms import FORMS
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.progress_forms import Form

_BREAK: Final = re.compile(r"[\r\n]+")
_PREFIX: Final = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,16}\]?:? +"
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]?:? +"
    r"|\[?(?:DEBUG|INFO|NOTICE|debug|info)\]?:? +"
)
"""What loggers put before a message; there may be several."""
_PREFIXES: Final = 4
_MOST_DAYS: Final = 31
_SIGNS: Final = ("%", "/", " of ", "##", "█", " 0:", "-:")
"""Without one of them no form is there; most lines have none."""
_UNITS: Final = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


class Progress(NamedTuple):
    """``percent`` of 0 to 100, and the count behind it where one was stated."""

    percent: float
    done: int | None = None
    total: int | None = None

    @property
    def words(self) -> str:
        """``12/340``, or ``61%``."""
        return f"{self.percent:.0f}%" if self.total is None else f"{self.done}/{self.total}"


def find(tail: str, *, is_cut: bool) -> Progress | None:
    """What the newest line says that says anything of it; ``is_cut``: ``tail`` may begin inside a line.

    What is all done is over when anything was printed after it: ``340/340`` says nothing of what comes next.
    """
    lines = _BREAK.split(tail)
    if is_cut:
        # Of ``[112/340]`` it could have ``12/340]``.
        del lines[0]
    at, found = next(_stated_in(lines), (0, None))
    if found is not None and found.percent >= 100 and any(map(str.strip, lines[at + 1 :])):  # noqa: PLR2004 — per cent
        return None
    return found


def read_line(line: str) -> Progress | None:
    """What one line says by itself; a line that is too long for one says nothing."""
    found = _read(line)
    return None if found is None or _may_be_a_date(*found) else found[1]


def _stated_in(lines: list[str]) -> Iterator[tuple[int, Progress]]:
    """With the number of its line, the newest first."""
    for at in reversed(range(len(lines))):
        if (found := _read(lines[at])) is None:
            continue
        if not _may_be_a_date(*found) or any(_precedes(earlier, found[1]) for earlier in map(_read, lines[:at])):
            yield at, found[1]


def _may_be_a_date(form: Form, progress: Progress) -> bool:
    """``[12/25] shopping``: a step of a few is known by the one before it alone, in these bare forms."""
    return form.may_be_a_date and (progress.total or 0) <= _MOST_DAYS


def _precedes(earlier: tuple[Form, Progress] | None, progress: Progress) -> bool:
    return earlier is not None and earlier[1].total == progress.total and (earlier[1].done or 0) + 1 == progress.done


def _read(line: str) -> tuple[Form, Progress] | None:
    text = line.replace("\t", " ").strip()
    if not text or len(text) > PROGRESS_LINE_CHARS:
        return None
    for _ in range(_PREFIXES):
        if (prefix := _PREFIX.match(text)) is None:
            break
        text = text[prefix.end() :]
    return next(_stated(text), None)


def _stated(text: str) -> Iterator[tuple[Form, Progress]]:
    if not any(sign in text for sign in _SIGNS):
        return
    for form, pattern in _patterns():
        for match in pattern.finditer(text):
            if (progress := _value(match.groupdict())) is not None:
                yield form, progress


@cache
def _patterns() -> tuple[tuple[Form, re.Pattern[str]], ...]:
    return tuple((form, re.compile(form.pattern)) for form in FORMS)


def _value(found: dict[str, str | None]) -> Progress | None:
    if found.get("total") is not None:
        return _counted(*(int((found[name] or "").replace(",", "")) for name in ("done", "total")))
    if (total := found.get("size_total")) is not None:
        return _measured(found["size_done"] or "", total)
    if (full := found.get("full")) is not None:
        return _measured(str(len(full)), str(len(full) + len(found["rest"] or "")))
    return _of_percent(float(found["percent"] or found.get("percent_of_all") or "nan"))


def _counted(done: int, total: int) -> Progress | None:
    return Progress(100 * done / total, done, total) if 0 <= done <= total and total else None


def _measured(done: str, total: str) -> Progress | None:
    # Where only the total has a unit (``6.1/10.0 MB``), it is that of both.
    unit = _unit(total)
    whole = _number(total) * unit
    return _of_percent(100 * _number(done) * (_unit(done) if _has_unit(done) else unit) / whole) if whole else None


def _of_percent(percent: float) -> Progress | None:
    return Progress(percent) if 0 <= percent <= 100 else None  # noqa: PLR2004 — per cent


def _number(size: str) -> float:
    return float(size.rstrip("kKMGTiB "))


def _unit(size: str) -> float:
    return _UNITS.get(size.rstrip("iB")[-1:], 1.0)


def _has_unit(size: str) -> bool:
    return size[-1:].isalpha()
