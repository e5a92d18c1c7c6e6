"""Which steps are open, which of them a new one lies in, and which it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core.limits.outline import OUTLINE_DEPTH, OUTLINE_OPEN_STEPS, OUTLINE_STEPS, OUTLINE_TITLE_BYTES
from capture_core.outline.form import Shape, Told
from capture_core.outline.step import Step

if TYPE_CHECKING:
    import re

    from capture_core.outline.form import Form
    from capture_core.outline.lines import Line

_THOUSAND: Final = 1_000


class _Open:
    """A step that has not ended, as far as it is known."""

    def __init__(self, form: Form, found: re.Match[bytes], at: int, parent: _Open | None) -> None:
        self.form = form
        self.at = at
        self.parent = parent
        self.key, self.level = _key(found)
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.told = -1
        """Where something was last told within it."""

    def takes(self, form: Form, level: int) -> bool:
        """Whether a step of this form lies in it when it begins now."""
        if self.form.told is Told.AFTER or self.depth >= OUTLINE_DEPTH:
            return False
        return self.form.rank < form.rank or (self.form is form and self.level < level)

    def lies_in(self, other: _Open) -> bool:
        """Whether ``other`` is one of those that it lies in, however deep."""
        parent = self.parent
        while parent is not None and parent is not other:
            parent = parent.parent
        return parent is not None


class Nesting:
    """Keeps the first ``OUTLINE_STEPS`` steps; those behind them are counted, and open nothing."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.more = 0
        self._open: list[_Open] = []
        self._told = 0
        """Where something was last told that lies in nothing."""

    def is_open(self, name: str) -> bool:
        """Whether there is an open step of the form called so."""
        return any(each.form.name == name for each in self._open)

    def open(self, form: Form, found: re.Match[bytes], line: Line) -> None:
        """Begin a step with this line, unless it only goes on."""
        key, level = _key(found)
        if key and self._is_known(form, key, level):
            return
        parent = next((each for each in reversed(self._open) if each.takes(form, level)), None)
        for each in [each for each in self._open if _gives_way(each, form)]:
            if parent is None or each.lies_in(parent):
                self._end(each, line.start, line.number_before, line.start, told=None)
        if len(self.steps) >= OUTLINE_STEPS:
            self.more += 1
        else:
            self._begin(form, found, line, parent)
        self._tell(parent, line.start)

    def _is_known(self, form: Form, key: bytes, level: int) -> bool:
        return any(each.key == key and each.form is form and each.level == level for each in self._open)

    def close(self, form: Form, found: re.Match[bytes], line: Line) -> None:
        """End the step that this line is the end of, if it is open."""
        key, level = _key(found)
        own = [each for each in self._open if each.form is form and (not key or (each.key, each.level) == (key, level))]
        for each in own[-1:]:
            self._end(each, line.end, line.number, line.start, told=_seconds(found))
            self._tell(each.parent, line.start)

    def finish(self, end: int, last_line: int) -> None:
        """The text ends here, and whatever is open has not."""
        for each in self._open:
            # A line that tells of what is over has no end to wait for.
            self._put(each, end, last_line, end, has_ended=each.form.told is Told.AFTER)
        self._open.clear()

    def _begin(self, form: Form, found: re.Match[bytes], line: Line, parent: _Open | None) -> None:
        opened = _Open(form, found, len(self.steps), parent)
        after = form.told is Told.AFTER
        if len(self._open) >= OUTLINE_OPEN_STEPS:
            self._put(self._open.pop(0), line.start, line.number_before, line.start, has_ended=False)
        self.steps.append(
            Step(
                form=form.name,
                title=found["title"][:OUTLINE_TITLE_BYTES].decode("utf-8", "ignore").strip(),
                depth=opened.depth,
                parent=None if parent is None else parent.at,
                start=line.start,
                end=line.end,
                first_line=line.number,
                last_line=line.number,
                since=self._last_told(parent) if after else line.start,
                until=line.start,
                told_seconds=_seconds(found),
                has_ended=False,
            )
        )
        self._open.append(opened)

    def _last_told(self, parent: _Open | None) -> int:
        if parent is None:
            return self._told
        return max(parent.told, self.steps[parent.at].start)

    def _tell(self, parent: _Open | None, at: int) -> None:
        if parent is None:
            self._told = at
        else:
            parent.told = at

    def _end(self, ended: _Open, end: int, last_line: int, until: int, *, told: float | None) -> None:
        """End it, and what lies in it."""
        for each in [each for each in self._open if each is ended or each.lies_in(ended)]:
            self._open.remove(each)
            self._put(each, end, last_line, until, has_ended=True)
        if told is not None:
            self.steps[ended.at] = self.steps[ended.at]._replace(told_seconds=told)

    def _put(self, each: _Open, end: int, last_line: int, until: int, *, has_ended: bool) -> None:
        step = self.steps[each.at]
        if each.form.told is Told.AFTER:
            until = step.until
        self.steps[each.at] = step._replace(end=end, last_line=last_line, until=until, has_ended=has_ended)


def _gives_way(each: _Open, form: Form) -> bool:
    """Whether an open step ends as one of this form begins beside or around it."""
    own = each.form
    if own.shape is Shape.SERIES:
        return own.rank >= form.rank or own.told is Told.AFTER
    if own is form:
        return not each.key
    # What has an end of its own waits for it, but where something broader begins, that line got lost.
    return form.shape is Shape.SERIES and own.rank > form.rank


def _key(found: re.Match[bytes]) -> tuple[bytes, int]:
    named = found.groupdict()
    return named.get("key") or b"", int(named.get("level") or -1)


def _seconds(found: re.Match[bytes]) -> float | None:
    named = found.groupdict()
    if named.get("milliseconds"):
        return int(named["milliseconds"]) / _THOUSAND
    return float(named["seconds"]) if named.get("seconds") else None
