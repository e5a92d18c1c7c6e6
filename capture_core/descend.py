"""A reader's way down from a conversation to one file: by descriptors, no links, regular files only."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from capture_core import names
from capture_core.errors import PlaceRefused, system_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Without O_NONBLOCK a FIFO that stands at one of our names would hold the open until somebody writes to it.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SAYS_HOW: Final = "capview doctor says how to mend it"
_KINDS: Final = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISREG, "a file"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_NOT_THERE: Final = frozenset({errno.ENOENT})
_NOT_A_STEP: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.ENXIO})


class NotOurs(PlaceRefused):
    """A link or a special file stands where a reader expected a folder or a regular file; not opened."""


@contextmanager
def conversation(path: str) -> Iterator[int]:
    """Open the conversation as the user names it, links allowed; :class:`PlaceRefused` when it is none."""
    try:
        fd = os.open(path, _DIRECTORY)
    except (OSError, ValueError) as error:  # ValueError: NUL, or what no file name can hold
        raise PlaceRefused(
            f"conversation {path!r}: {system_words(error)}; name the folder that holds {names.TOOL_OUTPUTS}/"
        ) from error
    with _closing(fd):
        yield fd


@contextmanager
def tool_outputs(path: str) -> Iterator[int | None]:
    """Open ``<path>/tool-outputs``; ``None`` when nothing was captured yet."""
    with conversation(path) as fd, step(fd, names.TOOL_OUTPUTS) as outputs:
        yield outputs


@contextmanager
def tool_folder(path: str, tool: str) -> Iterator[int | None]:
    """Open ``<path>/tool-outputs/<tool>``; ``None`` when it is not there."""
    with tool_outputs(path) as outputs:
        if outputs is None:
            yield None
            return
        with step(outputs, names.tool_name(tool)) as folder:
            yield folder


@contextmanager
def step(parent: int, name: str) -> Iterator[int | None]:
    """Open the directory ``name`` below ``parent``; ``None`` when missing, :class:`NotOurs` when it is none.

    ``name`` must have been validated: O_NOFOLLOW still opens ``..`` and absolute names.
    """
    try:
        fd = os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    except OSError as error:
        if error.errno in _NOT_THERE:
            yield None
            return
        raise _refusal(parent, name, error, "folder") from error
    with _closing(fd):
        yield fd


def open_file(folder: int, name: str) -> int | None:
    """Open a regular file for reading; ``None`` when missing, :class:`NotOurs` when it is another thing.

    The caller owns the descriptor.
    """
    try:
        fd = os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        if error.errno in _NOT_THERE:
            return None
        raise _refusal(folder, name, error, "file") from error
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise _not_ours(folder, name, "file")


def regular(folder: int, name: str) -> os.stat_result | None:
    """What stands at ``name``, when it is a regular file; nothing is opened and no link followed."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def _refusal(parent: int, name: str, error: OSError, wanted: str) -> PlaceRefused:
    if error.errno in _NOT_A_STEP:
        return _not_ours(parent, name, wanted)
    where, mend = _where(parent, name), _SAYS_HOW
    if error.errno == errno.EACCES:
        mend = f"its owner mends it with: chmod u+{'rwx' if wanted == 'folder' else 'r'} {where!r}"
    return PlaceRefused(f"{where!r}: {system_words(error)}; {mend}")


def _not_ours(parent: int, name: str, wanted: str) -> NotOurs:
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except OSError:
        mode = 0
    kind = kind_of(mode)
    expected = "a regular file" if wanted == "file" else "a folder"
    return NotOurs(f"{_where(parent, name)!r}: {kind}, not {expected}, and not followed; {_SAYS_HOW}")


def _where(parent: int, name: str) -> str:
    """The path of ``name``: callers have many folders of one name."""
    try:
        above = os.readlink(f"/proc/self/fd/{parent}")
    except OSError:
        return name
    return os.path.join(above, name) if os.path.isabs(above) else name


@contextmanager
def _closing(fd: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(fd)


def kind_of(mode: int) -> str:
    """Return what stands there, in words, by the mode that ``stat`` gives."""
    return next((kind for is_so, kind in _KINDS if is_so(mode)), "a special file")
