"""Whether a capture may be removed, and what that frees: judged from its files, its receipt and their locks.

Names come from the listing of the capture's own folder and are of the forms that belong to its id; a receipt's word
names nothing here.  Nothing is changed.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from capture_core import names
from capture_core.catalog import Catalogue, Name
from capture_core.clock import moment
from capture_core.descend import open_file, tool_folder
from capture_core.errors import PlaceRefused
from capture_core.facts import Liveness
from capture_core.liveness import Use, here, is_local, use_of
from capture_core.look import Folder, look
from capture_core.source import Entry, Unreadable

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

_LOCKED: Final = (".live", ".txt", ".bin", ".lock")
NOT_THERE: Final = "it is not there"


class Standing(StrEnum):
    """What stands between a capture and its removal."""

    FREE = "free"
    """Nothing: it is final, or a dead owner's leftover, and nobody looks at it."""
    RUNNING = "running"
    VIEWED = "viewed"
    UNTOLD = "untold"
    """Nobody here can tell whether its owner lives."""
    UNREADABLE = "unreadable"
    """Its receipt cannot be believed."""
    STRANGE = "strange"
    """Something that is no file of ours stands at one of its names."""
    GONE = "gone"


class File(NamedTuple):
    """One of a capture's files, as its folder lists it.  ``is_ours``: regular, and of this user."""

    name: str
    is_ours: bool
    inode: int
    size: int
    links: int


class Found(NamedTuple):
    """One capture as it stands now.  ``size``: bytes that are free when it has gone; ``words``: why it may not go."""

    conversation: str
    """Its conversation's path."""
    name: Name
    files: tuple[File, ...]
    size: int
    standing: Standing
    words: str
    entry: Entry | None

    @property
    def ref(self) -> str:
        """``tool-outputs/<tool>/<capture-id>``."""
        return names.ref(self.name.tool, self.name.capture)

    @property
    def started(self) -> tuple[str, str, str]:
        """What captures are ordered by: the second in the id, the exact start, the id."""
        capture = self.name.capture
        return capture.partition("-")[0], "" if self.entry is None else self.entry.receipt.times.started, capture

    @property
    def ended(self) -> float | None:
        """Seconds since the epoch; of a leftover, when last something was written.  ``None``: not ended."""
        if self.standing in (Standing.RUNNING, Standing.UNTOLD):
            return None
        return (_ended(self.entry) if self.entry is not None else None) or _second(self.name.capture)


def _ended(entry: Entry) -> float | None:
    times = entry.receipt.times
    written = [stream.modified for stream in entry.streams if stream.modified is not None]
    return moment(times.ended) or max(written, default=moment(times.started))


def survey(conversation: str) -> list[Found]:
    """Every capture of the conversation at this path, in no order; raises :class:`PlaceRefused`."""
    by_tool: dict[str, list[Name]] = {}
    for name in Catalogue(conversation).names():
        by_tool.setdefault(name.tool, []).append(name)
    return [found for tool, listed in by_tool.items() for found in examine(conversation, tool, listed)]


def examine(conversation: str, tool: str, wanted: Iterable[Name]) -> list[Found]:
    """These captures of one tool; one that is not there is ``GONE``."""
    with tool_folder(conversation, tool) as fd:
        files = {} if fd is None else _listed(fd, frozenset(name.capture for name in wanted))
        return [_found(conversation, fd, name, tuple(files.get(name.capture, ()))) for name in wanted]


def files_of(folder: int, captures: Container[str]) -> dict[str, list[str]]:
    """By capture id the names below the open folder that belong to it, in the order in which they go."""
    found: dict[str, list[str]] = {}
    for item in os.listdir(folder):
        if item.partition(".")[0] in captures and (name := names.parse_file_name(item)) is not None:
            found.setdefault(name.capture_id, []).append(item)
    for listed in found.values():
        listed.sort(key=_turn)
    return found


def is_receipt(name: str) -> bool:
    """Whether a capture's file is one of its receipts."""
    return _turn(name) > 0


def is_lockable(name: str) -> bool:
    """Whether an owner holds such a file while it lives, and a reader while it shows it."""
    return name.endswith(_LOCKED)


def _turn(name: str) -> int:
    """Which of a capture's files go later: its receipts, the final one last."""
    return (".live.json", ".json").index(name[name.index(".") :]) + 1 if name.endswith(".json") else 0


def is_ours(status: os.stat_result) -> bool:
    """Whether it is a regular file of this user."""
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()


def not_ours(name: str) -> str:
    """Why nothing of a capture is removed."""
    return f"{name!r} is no regular file of this user; nothing was touched"


def held(folder: int, files: Iterable[str]) -> Standing:
    """Whether an owner or a reader holds one of these files; else ``FREE``, or ``UNTOLD`` where no lock tells it."""
    uses = {_use(folder, file) for file in files}
    for use, standing in ((Use.WRITTEN, Standing.RUNNING), (Use.VIEWED, Standing.VIEWED)):
        if use in uses:
            return standing
    return Standing.UNTOLD if Use.UNTOLD in uses else Standing.FREE


def _listed(fd: int, wanted: frozenset[str]) -> dict[str, list[File]]:
    return {capture: list(_files(fd, listed)) for capture, listed in files_of(fd, wanted).items()}


def _files(fd: int, listed: Iterable[str]) -> Iterator[File]:
    for name in listed:
        with suppress(FileNotFoundError):  # removed or renamed since it was listed
            status = os.stat(name, dir_fd=fd, follow_symlinks=False)
            yield File(name, is_ours(status), status.st_ino, status.st_size, status.st_nlink)


def _found(conversation: str, fd: int | None, name: Name, files: tuple[File, ...]) -> Found:
    entry, standing, words = None, Standing.GONE, NOT_THERE
    if fd is not None and files:
        entry, standing, words = _judge(Folder(fd, conversation, name.tool), name, files)
    return Found(conversation, name, files, _frees(files), standing, words, entry)


_Verdict = tuple[Entry | None, Standing, str]

_WORDS: Final = {
    Standing.FREE: "",
    Standing.RUNNING: "it is running",
    Standing.VIEWED: "a view shows it; leave that first",
    Standing.UNTOLD: "nobody here can tell whether its owner lives",
}


def _judge(folder: Folder, name: Name, files: Sequence[File]) -> _Verdict:
    if strange := [file.name for file in files if not file.is_ours]:
        return None, Standing.STRANGE, not_ours(strange[0])
    match look(folder, name.capture, here()):
        case Entry() as entry:
            return _judge_entry(folder.fd, entry, files)
        case Unreadable() as unreadable if any(is_receipt(file.name) for file in files):
            return None, Standing.UNREADABLE, unreadable.words
        case _:
            return _judge_orphan(folder.fd, files)


def _judge_entry(fd: int, entry: Entry, files: Sequence[File]) -> _Verdict:
    standing = _standing(fd, entry, files)
    words = _WORDS[standing]
    if standing is Standing.UNTOLD:
        host = entry.receipt.host
        words += "; no locks are to be had" if host == here().host else f"; remove it on {host!r}"
    return entry, standing, words


def _standing(fd: int, entry: Entry, files: Sequence[File]) -> Standing:
    match entry.liveness:
        case Liveness.LIVE:
            return Standing.RUNNING
        case Liveness.FINAL | Liveness.OWNER_DIED:
            standing = held(fd, _lockable(files))
            # Where no lock tells it, nobody can be seen to look.
            return Standing.FREE if standing is Standing.UNTOLD else standing
        case Liveness.UNKNOWN:
            return Standing.FREE if _is_empty_here(entry, files) else Standing.UNTOLD


def _is_empty_here(entry: Entry, files: Sequence[File]) -> bool:
    """Whether only its receipt is left, on the host that wrote it: nothing that a lock could be asked of."""
    return not _lockable(files) and entry.receipt.host == here().host


def _judge_orphan(fd: int, files: Sequence[File]) -> _Verdict:
    """Files without a receipt: of a start that is under way, or of an owner that died in it."""
    standing = held(fd, _lockable(files))
    if standing is Standing.FREE and not is_local(fd):
        standing = Standing.UNTOLD
    return None, standing, _WORDS[standing]


def _lockable(files: Iterable[File]) -> list[str]:
    return [file.name for file in files if is_lockable(file.name)]


def _use(folder: int, name: str) -> Use | None:
    try:
        fd = open_file(folder, name)
    except PlaceRefused:
        return Use.UNTOLD
    if fd is None:
        return None
    try:
        return use_of(fd)
    finally:
        os.close(fd)


def _frees(files: Iterable[File]) -> int:
    """Bytes of the inodes that have no other name than those among ``files``."""
    inodes: dict[int, list[File]] = {}
    for file in files:
        inodes.setdefault(file.inode, []).append(file)
    return sum(same[0].size for same in inodes.values() if same[0].links <= len(same))


def _second(capture: str) -> float | None:
    second = capture.partition("-")[0]
    return moment(f"{second[:4]}-{second[4:6]}-{second[6:11]}:{second[11:13]}:{second[13:]}")
