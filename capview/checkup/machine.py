"""What captures stand on beside their folder: file watches, the engine that masks, the process's limits, settings."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import stat
from typing import TYPE_CHECKING, Final

from capture_core.errors import EngineUnavailable
from capview import present
from capview.checkup.remark import Check, Remark, chmod, move, quoted, remove
from capview.folders import cache_folder
from capview.limits import LEAST_OPEN_FILES
from capview.settings import BadSetting, Settings, files_of, load

if TYPE_CHECKING:
    from collections.abc import Iterator

_INOTIFY: Final = "/proc/sys/fs/inotify/"
_OF_USER: Final = "/proc/sys/user/"
_IN_CREATE: Final = 0x100
_ENGINE_FILE: Final = "redaction-engine"


def check_watches(path: str) -> Iterator[Remark]:
    """Whether the kernel gives one more file watch; it is given back at once."""
    failure = _try_watch(path)
    if not failure:
        limit = _number(f"{_INOTIFY}max_user_watches")
        yield Remark(Check.WATCHES, path, f"to be had, {present.UNKNOWN if limit is None else limit} at most")
        return
    kind = {errno.ENOSPC: "watches", errno.EMFILE: "instances"}.get(failure)
    if kind is None:
        words = f"none to be had ({os.strerror(failure).lower()}): capview polls"
        yield Remark(Check.WATCHES, path, words, f"ls -ld {quoted(path)}")
        return
    setting, limit = _exhausted(kind)
    words = f"none left of the {limit} inotify {kind} ({setting}): capview polls"
    yield Remark(Check.WATCHES, path, words, f"sudo sysctl {setting}={max(limit * 2, 128)}")


def check_engine() -> Iterator[Remark]:
    """Whether secrets can be found, and whether the engine that is kept is believed."""
    try:
        from capture_core.redact.library import hyperscan

        hyperscan()
    except EngineUnavailable as error:
        yield Remark(Check.ENGINE, "hyperscan", str(error).partition(";")[0], "python3 -m pip install hyperscan")
    else:
        yield Remark(Check.ENGINE, "hyperscan", "loads, and finds secrets in what is printed")
    kept_in = cache_folder()
    if kept_in is not None:
        yield from _check_kept_engine(os.path.join(kept_in, _ENGINE_FILE))


def check_limits(settings: Settings) -> Iterator[Remark]:
    """Whether this process's own limits cut captures."""
    size, files = (resource.getrlimit(which)[0] for which in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE))
    least = settings.limits.capture_bytes
    if size != resource.RLIM_INFINITY and size < least:
        words = f"files end at {present.size(size)}, before the {present.size(least)} that one capture may keep"
        yield Remark(Check.LIMITS, "file size", words, "ulimit -f unlimited")
    if files != resource.RLIM_INFINITY and files < LEAST_OPEN_FILES:
        yield Remark(Check.LIMITS, "open files", f"{files} at most", f"ulimit -n {LEAST_OPEN_FILES}")


def check_settings(conversation: str | None) -> tuple[Settings | None, list[Remark]]:
    """The settings that hold there, if they can be read, and what is wrong with their files."""
    paths = files_of(conversation)
    remarks = [remark for path in paths for remark in _check_settings_file(path)]
    try:
        return load(conversation=conversation), remarks
    except BadSetting as error:
        where = next((path for path in paths if repr(path) in str(error)), "environment")
        return None, [*remarks, Remark(Check.SETTINGS, where, str(error), _mend_of(where))]


def _mend_of(where: str) -> str:
    if where == "environment":
        return "capview config"
    if os.path.lexists(where) and not os.path.isfile(where):
        return move(where, os.path.dirname(where))  # an editor would wait for a pipe for ever
    return f"${{EDITOR:-vi}} {quoted(where)}"


def _check_settings_file(path: str) -> Iterator[Remark]:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        words = "others may write to it, and so decide what is masked"
        yield Remark(Check.SETTINGS, path, words, chmod(mode & 0o7777 & ~0o022, path))


def _check_kept_engine(path: str) -> Iterator[Remark]:
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return
    is_ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
    if not is_ours or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        words = "the kept engine is not believed, since others could have written it: each run compiles its own"
        yield Remark(Check.ENGINE, path, words, remove(path))


def _exhausted(kind: str) -> tuple[str, int]:
    """The setting that gives the fewest, and how many."""
    settings = {
        f"fs.inotify.max_user_{kind}": _number(f"{_INOTIFY}max_user_{kind}"),
        f"user.max_inotify_{kind}": _number(f"{_OF_USER}max_inotify_{kind}"),
    }
    known = {name: limit for name, limit in settings.items() if limit is not None}
    return min(known.items(), key=lambda item: item[1], default=(next(iter(settings)), 0))


def _number(path: str) -> int | None:
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None


def _try_watch(path: str) -> int:
    """0, or the error number."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.inotify_init1(os.O_CLOEXEC)
    if fd < 0:
        return ctypes.get_errno()
    try:
        return 0 if libc.inotify_add_watch(fd, os.fsencode(path), _IN_CREATE) >= 0 else ctypes.get_errno()
    finally:
        os.close(fd)
