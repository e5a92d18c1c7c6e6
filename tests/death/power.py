"""What a power loss may leave of a disk, by the calls that were made on it: a model of the worst file system.

What a file held when it was synced, and the names that a folder had when it was synced, are there.  Of what came
later each name may be there or not, and each file may hold any beginning of what was written to it, or zeros.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tests.death.stepped import Call

_MODE = 0o600


class Chance(Protocol):
    """Decides what is lost."""

    def keeps(self, of: int) -> int:
        """How many of so many changes are there, 0 to ``of``."""


@dataclass
class _File:
    """A file, or a folder: what is safe, and what came later."""

    is_folder: bool = False
    safe: bytes = b""
    later: list[bytes] = field(default_factory=list)
    """What it held after each change since."""
    names: dict[str, int] = field(default_factory=dict)
    pending: list[tuple[tuple[str, int | None], ...]] = field(default_factory=list)
    """Changes of names since; those of one call happen together.  ``None``: the name is gone."""

    @property
    def now(self) -> bytes:
        return self.later[-1] if self.later else self.safe


class Disk:
    """The calls up to a power loss."""

    def __init__(self, place: int, calls: Iterable[Call]) -> None:
        """``place``: the inode of the folder that was there before, and is safe."""
        self._files = {0: _File(is_folder=True)}
        self._numbers = {place: 0}
        for call in calls:
            getattr(self, f"_{call.name}")(call.inode, *call.arguments)

    def lost(self, chance: Chance) -> dict[str, bytes | None]:
        """One disk that may be found after it: files by their paths, ``None`` for a folder."""
        return dict(self._below("", 0, chance))

    def _below(self, path: str, number: int, chance: Chance) -> Iterator[tuple[str, bytes | None]]:
        folder = self._files[number]
        names = dict(folder.names)
        for change in folder.pending:
            if chance.keeps(1):
                names.update((name, found) for name, found in change if found is not None)
                for name in (name for name, found in change if found is None):
                    names.pop(name, None)
        for name, found in names.items():
            file = self._files[found]
            yield f"{path}{name}", None if file.is_folder else self._content(file, chance)
            if file.is_folder:
                yield from self._below(f"{path}{name}/", found, chance)

    def _content(self, file: _File, chance: Chance) -> bytes:
        kept = chance.keeps(len(file.later))
        content = ([file.safe, *file.later])[kept]
        if len(file.now) > len(content) and not chance.keeps(1):
            # The length reached the disk, the data did not.
            return content + bytes(len(file.now) - len(content))
        return content

    def _new(self, inode: int, *, is_folder: bool = False) -> int:
        number = self._numbers[inode] = len(self._files)
        self._files[number] = _File(is_folder)
        return number

    def _at(self, inode: int) -> _File:
        return self._files[self._numbers[inode]]

    # -- each call ------------------------------------------------------------------------------------------------

    def _mkdir(self, inode: int, folder: int, name: str) -> None:
        self._at(folder).pending.append(((name, self._new(inode, is_folder=True)),))

    def _open(self, inode: int, folder: int = 0, name: str = "") -> None:
        number = self._new(inode)
        if name:
            self._at(folder).pending.append(((name, number),))

    def _link(self, inode: int, folder: int, name: str) -> None:
        self._at(folder).pending.append(((name, self._numbers[inode]),))

    def _replace(self, inode: int, source: int, name: str, target: int, new_name: str) -> None:
        number = self._numbers[inode]
        if source == target:
            self._at(source).pending.append(((new_name, number), (name, None)))
        else:
            self._at(target).pending.append(((new_name, number),))
            self._at(source).pending.append(((name, None),))

    def _unlink(self, _inode: int, folder: int, name: str) -> None:
        self._at(folder).pending.append(((name, None),))

    _rmdir = _unlink

    def _write(self, inode: int, at: int, data: bytes) -> None:
        file = self._at(inode)
        before = file.now
        file.later.append(before[:at].ljust(at, b"\0") + data + before[at + len(data) :])

    def _ftruncate(self, inode: int, size: int) -> None:
        file = self._at(inode)
        file.later.append(file.now[:size].ljust(size, b"\0"))

    def _posix_fallocate(self, inode: int, at: int, size: int) -> None:
        file = self._at(inode)
        file.later.append(file.now.ljust(at + size, b"\0"))

    def _fsync(self, inode: int) -> None:
        file = self._at(inode)
        file.safe, file.later = file.now, []
        for change in file.pending:
            for name, found in change:
                if found is None:
                    file.names.pop(name, None)
                else:
                    file.names[name] = found
        file.pending = []

    _fdatasync = _fsync

    def _nothing(self, _inode: int, *_: object) -> None:
        """Modes and locks are no matter here."""

    _fchmod = _chmod = _lock = _unlock = _nothing


def build(found: dict[str, bytes | None], place: Path) -> None:
    """Make the tree."""
    place.mkdir()
    for path, content in found.items():
        if content is None:
            (place / path).mkdir()
        else:
            (place / path).write_bytes(content)
