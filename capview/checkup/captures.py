"""The captures of one conversation: leftovers of dead owners, damage, receipts that nobody can believe.

What can be read is evidence.  A mend moves it aside at most; it removes what holds nothing, or nothing of its own.
"""

from __future__ import annotations

import json
import os
import re
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from capture_core import names
from capture_core.descend import open_file, tool_folder
from capture_core.errors import PlaceRefused
from capture_core.facts import SCHEMA, CaptureReason, Liveness
from capture_core.limits.reading import RECEIPT_READ_BYTES
from capture_core.standing import Standing, held, is_lockable, is_receipt
from capview import present
from capview.checkup.remark import Check, Remark, move, move_all, quoted, remove

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capture_core.source import Entry
    from capture_core.standing import Found

_SPOILT: Final = frozenset({CaptureReason.DAMAGED, CaptureReason.MISSING_FILE})
_SCRATCH: Final = re.compile(r"\.([0-9]{1,9})-[0-9a-f]{20}", re.ASCII)
_UPGRADE: Final = "python3 -m pip install --upgrade capview"


def check_captures(path: str, found: Sequence[Found]) -> Iterator[Remark]:
    """What is wrong with any of the captures of the conversation at ``path``, oldest first."""
    for each in sorted(found, key=lambda each: each.started):
        folder = os.path.join(path, names.TOOL_OUTPUTS, each.name.tool)
        if each.standing is Standing.UNREADABLE:
            yield from _check_unreadable(path, folder, each)
        elif each.entry is not None:
            yield from _check_entry(path, folder, each, each.entry)
        elif each.standing in (Standing.FREE, Standing.VIEWED):
            yield _without_receipt(path, folder, each)


def check_scratch(path: str, found: Sequence[Found]) -> Iterator[Remark]:
    """Temporary files whose writers are gone, while nothing runs: else nobody can be sure; and others' files there."""
    folder = os.path.join(path, names.PRIVATE, "tmp")
    if os.path.islink(folder):
        return
    may_be_written = any(each.standing is Standing.RUNNING for each in found)
    for name in sorted(_listed(folder)):
        where, writer = os.path.join(folder, name), _SCRATCH.fullmatch(name)
        if os.path.islink(where) or not os.path.isfile(where):
            continue  # it is told of as what it is
        if writer is None:
            yield Remark(Check.FOREIGN, where, "is no temporary file of a capture", move(where, path))
        elif not may_be_written and not os.path.lexists(f"/proc/{writer[1]}"):
            # It may be a receipt that its owner had no time left to publish.
            mend = move(where, path) if _size(where) else remove(where)
            yield Remark(Check.TEMPORARY, where, "a temporary file whose writer is gone", mend)


def _check_unreadable(path: str, folder: str, found: Found) -> Iterator[Remark]:
    if any(_may_not_read(os.path.join(folder, file.name)) for file in found.files):
        return  # the check of the tree says how to have it read
    # The final receipt is the one that was judged, where there are both; it comes last.
    receipt = next(file.name for file in reversed(found.files) if is_receipt(file.name))
    yield Remark(Check.UNREADABLE, _where(path, found), found.words, _believable(path, folder, found, receipt))


def _believable(path: str, folder: str, found: Found, receipt: str) -> str | None:
    """The command after which the capture can be judged; ``None`` while its owner may still write the receipt."""
    try:
        with tool_folder(path, found.name.tool) as fd:
            if fd is None:
                return None
            if _is_newer(fd, receipt):
                return _UPGRADE
            is_held = held(fd, [file.name for file in found.files if is_lockable(file.name)]) is Standing.RUNNING
    except PlaceRefused:
        return f"ls -l -- {quoted(os.path.join(folder, receipt))}"
    return None if is_held else move(os.path.join(folder, receipt), path)


def _is_newer(folder: int, receipt: str) -> bool:
    """Whether a later capview wrote a receipt, which this one cannot read."""
    fd = open_file(folder, receipt)
    if fd is None:
        return False
    with open(fd, "rb") as file, suppress(OSError, ValueError, RecursionError):
        said = json.loads(file.read(RECEIPT_READ_BYTES))
        schema = said.get("schema") if isinstance(said, dict) else None
        return isinstance(schema, int) and schema > SCHEMA
    return False


def _may_not_read(where: str) -> bool:
    """Whether its mode keeps its own user from reading a file."""
    try:
        return not os.lstat(where).st_mode & stat.S_IRUSR
    except OSError:
        return False


def _without_receipt(path: str, folder: str, found: Found) -> Remark:
    texts = sum(file.size for file in found.files)
    if not texts:
        words = "files without a receipt, of an owner that died in its start"
        return Remark(Check.LEFTOVER, _where(path, found), words, _rm(path, found))
    words = f"files without a receipt; {present.size(texts)} can be read"
    return Remark(Check.LEFTOVER, _where(path, found), words, _aside(path, folder, found))


def _check_entry(path: str, folder: str, found: Found, entry: Entry) -> Iterator[Remark]:
    match entry.liveness:
        case Liveness.OWNER_DIED:
            # What can be read of it is a capture like any other, and goes when its user says so: rm or prune.
            size = present.committed(entry)
            mend = None if size else _rm(path, found)
            words = f"its owner died; {present.size(size)} can be read"
            yield Remark(Check.LEFTOVER, _where(path, found), words, mend)
        case Liveness.UNKNOWN:
            words = f"nobody here can tell whether its owner on {entry.receipt.host!r} lives"
            yield Remark(Check.LEFTOVER, _where(path, found), words)
        case Liveness.FINAL:
            yield from _check_final(path, folder, found, entry)
        case Liveness.LIVE:
            return


def _check_final(path: str, folder: str, found: Found, entry: Entry) -> Iterator[Remark]:
    if entry.capture.reason in _SPOILT:
        yield Remark(Check.DAMAGED, _where(path, found), present.log(entry).words, _aside(path, folder, found))
    if found.standing is Standing.RUNNING:
        return  # its owner is about to put this in order
    for name, size in ((file.name, file.size) for file in found.files):
        where = os.path.join(folder, name)
        if name.endswith(".request"):
            yield Remark(Check.REQUEST, where, "asks the owner of a capture that has ended", remove(where))
        elif name.endswith((".live.json", ".live")):
            words = "stands beside the final capture, since its owner died in its last step"
            # The final receipt replaced the live one; a live text may hold what no other file does.
            mend = move(where, path) if size and not is_receipt(name) else remove(where)
            yield Remark(Check.LEFTOVER, where, words, mend)


def _size(where: str) -> int:
    try:
        return os.lstat(where).st_size
    except OSError:
        return 0


def _where(path: str, found: Found) -> str:
    return os.path.join(path, found.ref)


def _aside(path: str, folder: str, found: Found) -> str:
    """The command that takes all files of a capture out to where they can still be read."""
    return move_all(os.path.join(folder, found.name.capture), os.path.join(path, f"{found.name.capture}.moved"))


def _rm(path: str, found: Found) -> str:
    return f"capview rm --conversation {quoted(path)} {found.name.capture}"


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
