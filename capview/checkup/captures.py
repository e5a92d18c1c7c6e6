"""The captures of one conversation: leftovers of dead owners, damage, receipts that nobody can believe."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from capture_core import names
from capture_core.facts import CaptureReason, Liveness
from capture_core.standing import Standing
from capview import present
from capview.checkup.remark import Check, Remark, move, quoted, remove

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from capture_core.source import Entry
    from capture_core.standing import Found

_SPOILT: Final = frozenset({CaptureReason.DAMAGED, CaptureReason.MISSING_FILE})
_SCRATCH: Final = re.compile(r"\.([0-9]{1,9})-[0-9a-f]{20}", re.ASCII)


def check_captures(path: str, found: Sequence[Found]) -> Iterator[Remark]:
    """What is wrong with any of the captures of the conversation at ``path``, oldest first."""
    for each in sorted(found, key=lambda each: each.started):
        folder = os.path.join(path, names.TOOL_OUTPUTS, each.name.tool)
        if each.standing is Standing.UNREADABLE:
            mend = f"rm -f -- {quoted(os.path.join(folder, each.name.capture))}.*"
            yield Remark(Check.UNREADABLE, _where(path, each), each.words, mend)
        elif each.entry is not None:
            yield from _check_entry(path, folder, each, each.entry)
        elif each.standing in (Standing.FREE, Standing.VIEWED):
            words = "files without a receipt, of an owner that died in its start"
            yield Remark(Check.LEFTOVER, _where(path, each), words, _rm(path, each))


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
            yield Remark(Check.TEMPORARY, where, "a temporary file whose writer is gone", remove(where))


def _check_entry(path: str, folder: str, found: Found, entry: Entry) -> Iterator[Remark]:
    match entry.liveness:
        case Liveness.OWNER_DIED:
            size = present.size(present.committed(entry))
            yield Remark(Check.LEFTOVER, _where(path, found), f"its owner died; {size} can be read", _rm(path, found))
        case Liveness.UNKNOWN:
            words = f"nobody here can tell whether its owner on {entry.receipt.host!r} lives"
            yield Remark(Check.LEFTOVER, _where(path, found), words)
        case Liveness.FINAL:
            yield from _check_final(path, folder, found, entry)
        case Liveness.LIVE:
            return


def _check_final(path: str, folder: str, found: Found, entry: Entry) -> Iterator[Remark]:
    if entry.capture.reason in _SPOILT:
        yield Remark(Check.DAMAGED, _where(path, found), present.log(entry).words, _rm(path, found))
    if found.standing is Standing.RUNNING:
        return  # its owner is about to put this in order
    for name in (file.name for file in found.files):
        where = os.path.join(folder, name)
        if name.endswith(".request"):
            yield Remark(Check.REQUEST, where, "asks the owner of a capture that has ended", remove(where))
        elif name.endswith((".live.json", ".live")):
            words = "stands beside the final capture, since its owner died in its last step"
            yield Remark(Check.LEFTOVER, where, words, remove(where))


def _where(path: str, found: Found) -> str:
    return os.path.join(path, found.ref)


def _rm(path: str, found: Found) -> str:
    return f"capview rm --conversation {quoted(path)} {found.name.capture}"


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
