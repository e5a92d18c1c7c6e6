"""Whether the owner of a capture still lives: asked of a lock that it holds, never of a process number."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

from capture_core.byte_locks import FLOCK
from capture_core.facts import Liveness

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.facts import Receipt

_BOOT_ID: Final = "/proc/sys/kernel/random/boot_id"
_MOUNTS: Final = "/proc/self/mountinfo"
_LOCAL_TYPES: Final = frozenset(
    {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "jfs", "overlay", "ramfs", "tmpfs", "xfs", "zfs"}
)
"""File systems that only one kernel can have open, so that its locks are the whole truth about them."""


class Lock(StrEnum):
    """What the kernel says of an owner's lock."""

    HELD = "held"
    FREE = "free"
    UNTOLD = "untold"
    """Such locks do not work here."""


class Use(StrEnum):
    """What the kernel says of a file that somebody wants to remove."""

    FREE = "free"
    WRITTEN = "written"
    """Its owner holds it."""
    VIEWED = "viewed"
    """A reader holds it."""
    UNTOLD = "untold"
    """Such locks do not work here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """This machine, as a receipt names it: its host name, and which of its boots this is."""

    host: str
    boot_id: str | None


@cache
def here() -> Host:
    """The host and boot that this process runs on."""
    try:
        with open(_BOOT_ID, encoding="ascii") as file:
            boot_id: str | None = file.read().strip()
    except OSError:
        boot_id = None
    return Host(host=os.uname().nodename, boot_id=boot_id)


def ask(fd: int) -> Lock:
    """Ask whether a read lock on ``fd`` would meet an owner's write lock; takes nothing, disturbs nobody."""
    kind = _met_by(fd, fcntl.F_RDLCK)
    if kind is None:
        return Lock.UNTOLD
    return Lock.FREE if kind == fcntl.F_UNLCK else Lock.HELD


def use_of(fd: int) -> Use:
    """Ask who holds ``fd``, an owner that writes it or a reader that shows it; takes nothing, disturbs nobody."""
    match _met_by(fd, fcntl.F_WRLCK):
        case None:
            return Use.UNTOLD
        case fcntl.F_UNLCK:
            return Use.FREE
        case fcntl.F_RDLCK:
            return Use.VIEWED
        case _:
            return Use.WRITTEN


def hold(fd: int) -> bool:
    """Take a shared lock on a final or leftover file for as long as ``fd`` is open, so that nobody prunes it.

    ``False`` when an owner still holds the file, or where such locks do not work.
    """
    command = getattr(fcntl, "F_OFD_SETLK", None)
    if command is None:
        return False
    try:
        fcntl.fcntl(fd, command, _question(fcntl.F_RDLCK))
    except OSError:
        return False
    return True


def judge(receipt: Receipt, lock: Lock, place: Host, *, is_local: Callable[[], bool]) -> Liveness:
    """What can be proved about the owner of a capture without a final receipt.

    A held lock proves life wherever it is seen.  A free one proves death only in the kernel that the owner
    ran in: the same boot, or an earlier boot of the machine of that name when the file system is its own.  Such an
    earlier boot proves it by itself: a power loss may have left no file that could be asked.
    """
    match lock:
        case Lock.HELD:
            return Liveness.LIVE
        case Lock.UNTOLD:
            return _died(_other_boot(receipt, place) and receipt.host == place.host and is_local())
        case Lock.FREE:
            return _died(_same_boot(receipt, place) or (receipt.host == place.host and is_local()))


def _died(is_so: bool) -> Liveness:  # noqa: FBT001 — it is all that there is to say
    return Liveness.OWNER_DIED if is_so else Liveness.UNKNOWN


def _same_boot(receipt: Receipt, place: Host) -> bool:
    return receipt.boot_id is not None and receipt.boot_id == place.boot_id


def _other_boot(receipt: Receipt, place: Host) -> bool:
    return None not in (receipt.boot_id, place.boot_id) and receipt.boot_id != place.boot_id


def is_local(fd: int) -> bool:
    """Tell whether ``fd`` lies on a file system of a kind that only this kernel can have open."""
    return file_system(fd) in _LOCAL_TYPES


def file_system(fd: int) -> str | None:
    """The kind of file system that ``fd`` lies on, by the kernel's name for it; ``None`` where that is not told."""
    # By the mount, not by st_dev: on btrfs each subvolume has a device number that no mount table names.
    mount = _mount_of(fd)
    return None if mount is None else _type_of(mount)


def _mount_of(fd: int) -> str | None:
    try:
        with open(f"/proc/self/fdinfo/{fd}", encoding="ascii") as file:
            return next((line.split()[1] for line in file if line.startswith("mnt_id:")), None)
    except OSError:
        return None


def _type_of(mount: str) -> str | None:
    try:
        with open(_MOUNTS, encoding="utf-8", errors="replace") as file:
            # 36 35 98:0 /root /mount rw,noatime master:1 - ext3 /dev/root rw: the type comes after the lone dash.
            of_it = (line.partition(" - ")[2] for line in file if line.split(" ", 1)[0] == mount)
            return next((rest.split(" ", 1)[0] for rest in of_it), None)
    except OSError:
        return None


def _met_by(fd: int, kind: int) -> int | None:
    """The kind of lock that one of ``kind`` would meet; ``F_UNLCK``: none, ``None``: nobody can tell."""
    command = getattr(fcntl, "F_OFD_GETLK", None)
    if command is None:
        return None
    try:
        answer = fcntl.fcntl(fd, command, _question(kind))
    except OSError:
        return None
    found: int = FLOCK.unpack(answer)[0]
    return found


def _question(kind: int) -> bytes:
    return FLOCK.pack(kind, os.SEEK_SET, 0, 0, 0)
