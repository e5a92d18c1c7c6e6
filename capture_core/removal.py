"""Removing captures that somebody asked to remove: what may not go is left alone, and the receipt goes last.

What is removed are names in the capture's own folder, reached by descriptors and no link, of the forms that belong to
its id, where a regular file of this user stands.  Interrupted, it leaves a receipt that says what is missing.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final, NamedTuple

from capture_core import descend, names
from capture_core.descend import tool_folder
from capture_core.errors import PlaceRefused, system_words
from capture_core.limits.reading import REMOVED_TOGETHER
from capture_core.standing import NOT_THERE, Standing, files_of, held, is_lockable, is_ours, is_receipt, not_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from capture_core.standing import Found


class Removed(NamedTuple):
    """What became of one capture.  ``why_not``: empty when it was removed; ``freed``: bytes."""

    found: Found
    freed: int
    why_not: str = ""


def remove(chosen: Iterable[Found]) -> Iterator[Removed]:
    """Remove what is free to go, and tell of each what became of it; one tool after another, in order within each.

    Whoever began to look at one since it was judged keeps it.  Several may be at it at once: a capture counts as
    removed for the one who removed the last of it.  Raises :class:`PlaceRefused` when its folder cannot be reached.
    """
    by_folder: dict[tuple[str, str], list[Found]] = {}
    for found in chosen:
        by_folder.setdefault((found.conversation, found.name.tool), []).append(found)
    for (conversation, tool), same in by_folder.items():
        with tool_folder(conversation, tool) as fd:
            if fd is None:
                yield from (Removed(found, 0, NOT_THERE) for found in same)
                continue
            # Anew: an owner may have been renaming its files while they were listed before it was judged.
            listed = files_of(fd, frozenset(found.name.capture for found in same))
            for start in range(0, len(same), REMOVED_TOGETHER):
                batch = same[start : start + REMOVED_TOGETHER]
                removed = _batch([_Going(fd, found, listed.get(found.name.capture, [])) for found in batch], fd)
                _forget_shown(conversation, [done.found.name.capture for done in removed if not done.why_not])
                yield from removed


def _batch(going: Sequence[_Going], fd: int) -> list[Removed]:
    for step in going:
        step.remove(lambda name: not is_receipt(name))
    # Nor must a power loss leave text without its receipt.
    _sync(fd)
    for step in going:
        step.remove(is_receipt)
    _sync(fd)
    return [Removed(step.found, step.freed, step.why_not) for step in going]


def _forget_shown(conversation: str, captures: Sequence[str]) -> None:
    """Remove the notes of what was handed out: without its capture no text can be made again."""
    # They hold no output; what is in the way of removing them is doctor's to tell.
    with contextlib.ExitStack() as stack, contextlib.suppress(PlaceRefused):
        folder: int | None = stack.enter_context(descend.conversation(conversation))
        for name in (names.PRIVATE, names.SHOWN):
            folder = None if folder is None else stack.enter_context(descend.step(folder, name))
        for capture in captures if folder is not None else ():
            with contextlib.suppress(OSError):
                os.unlink(names.shown_file(capture), dir_fd=folder)


class _Going:
    """One capture on its way out; ``files`` are the names of what there is of it, in the order in which they go."""

    def __init__(self, fd: int, found: Found, files: list[str]) -> None:
        self._fd = fd
        self._files = files
        self.found = found
        self.freed = 0
        self.why_not = self._objection()

    def remove(self, is_wanted: Callable[[str], bool]) -> None:
        """Remove those of its files, unless something keeps it."""
        for name in () if self.why_not else filter(is_wanted, self._files):
            try:
                self._unlink(name)
            except FileNotFoundError:
                if name == self._files[-1]:
                    self.why_not = "somebody else has removed it"
            except OSError as error:
                self.why_not = f"{name!r} cannot be removed: {system_words(error)}"
                return

    def _objection(self) -> str:
        if self.found.standing is not Standing.FREE:
            return self.found.words
        if not self._files:
            return NOT_THERE
        if strange := [name for name in self._files if not self._is_ours(name)]:
            return not_ours(strange[0])
        return "somebody has begun to use it" if held(self._fd, filter(is_lockable, self._files)) in _IN_USE else ""

    def _is_ours(self, name: str) -> bool:
        try:
            return is_ours(os.stat(name, dir_fd=self._fd, follow_symlinks=False))
        except FileNotFoundError:
            return True

    def _unlink(self, name: str) -> None:
        status = os.stat(name, dir_fd=self._fd, follow_symlinks=False)
        os.unlink(name, dir_fd=self._fd)
        self.freed += status.st_size if status.st_nlink == 1 else 0


_IN_USE: Final = frozenset({Standing.RUNNING, Standing.VIEWED})


def _sync(fd: int) -> None:
    # The names are gone for every reader; that a crash may bring some back is no reason to stop half-way.
    with contextlib.suppress(OSError):
        os.fsync(fd)
