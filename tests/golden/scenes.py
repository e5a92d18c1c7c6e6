"""How each golden capture is made: by the product itself, and only where that cannot make a state, by an edit."""

from __future__ import annotations

import errno
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from capture_core.conversation import Conversation
from capture_core.limits import LIBRARY, Limits
from tests.death.stepped import StoppedOwner, end_of, forked, recorded, run_job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINES: Final = "printf 'one\\n\\033[1mtwo é漢\\033[0m\\nAPI_KEY=0123456789abcdef\\n'; printf 'warning: w' >&2"


def job(place: Path, command: str, limits: Limits = LIBRARY, **options: Any) -> None:  # noqa: ANN401
    """Own a job to its end."""
    label = options.pop("label", command[:40])
    started = Conversation.open(str(place), limits=limits, slow_engine=True).start(
        ["sh", "-c", command], label=label, **options
    )
    started.wait()
    started.join()


def cancelled(place: Path) -> None:
    """Somebody did not need it any more."""
    started = Conversation.open(str(place), slow_engine=True).start(["sleep", "600"])
    started.cancel("not needed any more")
    started.wait()
    started.join()


def saved(place: Path, upstream: str, text: str) -> None:
    """A text that was given."""
    Conversation.open(str(place), slow_engine=True).save("browser", text, upstream=upstream, label="a page")


def stopped(place: Path, when: str) -> None:
    """An owner that SIGKILL ended: while the command ran, at the first sync, or when all its streams were renamed."""
    numbered = place.with_name("numbered")
    calls = recorded(numbered, lambda: run_job(numbered, LINES))
    syncs = [number for number, call in enumerate(calls) if call.name == "fsync"]
    texts = [number for number, call in enumerate(calls) if call.name == "write" and call.arguments[1][:3] == b"one"]
    renames = [number for number, call in enumerate(calls) if call.name == "replace"]
    number = {"running": texts[0] + 1, "finalizing": syncs[0], "renamed": renames[-1] + 2}[when]
    owner = StoppedOwner(place, number, lambda: run_job(place, LINES))
    assert owner.before
    owner.kill()


def faulty(place: Path, fault: Callable[[], None], limits: Limits = LIBRARY) -> None:
    """An owner whose disk does not take all of its text."""

    def own() -> None:
        real = os.write

        def write(fd: int, data: bytes | memoryview) -> int:
            if bytes(data) == b"two\n":
                fault()
            return real(fd, data)

        os.write = write  # type: ignore[assignment]
        job(place, "echo one; sleep .2; echo two; sleep .2; seq 1 3000", limits, label="seq")

    assert end_of(forked(own)) == 0


def refuse(number: int) -> None:
    """Fail as a disk does."""
    raise OSError(number, os.strerror(number))


def stall() -> None:
    """Take longer than is allowed."""
    time.sleep(1)


def tightened(place: Path) -> None:
    """Two captures in a conversation that has room for one of them; the second is the golden one."""
    limits = Limits(conversation_bytes=8192)
    job(place.with_name("whole"), "true")
    job(place, "seq 1 3000", limits, label="seq")


PENDING: Final = Limits(pending_fragment_bytes=512)
NARROW: Final = Limits(queue_bytes=4096, stall_seconds=0.05, read_bytes=4096)

MADE: Final[dict[str, Callable[[Path], object]]] = {
    "complete": lambda place: job(place, LINES, call_id="call_42"),
    "complete, nothing printed": lambda place: job(place, "true"),
    "complete, command failed": lambda place: job(place, f"{LINES}; exit 3"),
    "complete, killed by a signal": lambda place: job(place, "echo one; kill -TERM $$"),
    "complete, merged": lambda place: job(place, LINES, merge=True),
    "complete, exact bytes": lambda place: job(place, "printf '\\377\\000one\\033['", raw_binary=True),
    "complete, cancelled": cancelled,
    "complete, timed out": lambda place: job(place, "echo one; exec sleep 600", timeout=0.2),
    "complete, saved text": lambda place: saved(place, "none", "a page, é漢\nAPI_KEY=0123456789abcdef\n"),
    "partial, quota": lambda place: job(place, LINES, Limits(capture_bytes=9)),
    "partial, conversation-quota": tightened,
    "partial, disk-full": lambda place: faulty(place, partial(refuse, errno.ENOSPC)),
    "partial, write-error": lambda place: faulty(place, partial(refuse, errno.EIO)),
    "partial, writer-stalled": lambda place: faulty(place, stall, NARROW),
    "partial, drain-timeout": lambda place: job(place, "echo one; sleep 2 &", Limits(drain_seconds=0.05)),
    "partial, undecidable-omitted": lambda place: job(
        place, "printf API_KEY=; printf 'x%.0s' $(seq 1 2000)", PENDING, label="printf"
    ),
    "partial, binary-omitted": lambda place: job(place, "printf '\\177ELF\\002\\001'; head -c 2000 /dev/zero"),
    "partial, upstream-truncated": lambda place: saved(place, "tail-kept: 200 lines", "the last lines\n"),
    "partial, upstream-unknown": lambda place: saved(place, "unknown", "perhaps all\n"),
    "failed, quota": lambda place: job(place, "printf é", Limits(capture_bytes=1)),
    "owner died, running": lambda place: stopped(place, "running"),
    "owner died, finalizing": lambda place: stopped(place, "finalizing"),
    "owner died, before the final receipt": lambda place: stopped(place, "renamed"),
}
"""By the product."""


def _say(**said: object) -> Callable[[dict[str, Any]], None]:
    def edit(receipt: dict[str, Any]) -> None:
        receipt["capture"] = said
        receipt["streams"], receipt["preview"] = {}, {}

    return edit


def _later(receipt: dict[str, Any]) -> None:
    receipt["later"] = {"list": [1, None], "text": "é"}
    receipt["process"]["later"] = 1.5
    for stream in receipt["streams"].values():
        stream["later"] = [{}]


def _major(receipt: dict[str, Any]) -> None:
    receipt["schema"] = 2
    receipt["capture"] = {"of": "another form"}


def _pending(receipt: dict[str, Any]) -> None:
    receipt["capture"] = {"state": "pending", "reason": "finalizing"}


def _nothing(_receipt: dict[str, Any]) -> None:
    """Leave it as it is."""


DISABLED: Final = ("by-option", "suppressed-by-source")
UNAVAILABLE: Final = ("needs-transfer", "no-conversation", "platform")

EDITED: Final[dict[str, Callable[[dict[str, Any]], None]]] = {
    **{
        f"disabled, {reason}": _say(state="disabled", reason=reason) for reason in ("by-option", "suppressed-by-source")
    },
    **{f"unavailable, {reason}": _say(state="unavailable", reason=reason) for reason in UNAVAILABLE},
    "complete, a later minor version": _later,
    "refused, a later major version": _major,
    "damaged, pending by its word": _pending,
    "damaged, shorter": _nothing,
    "damaged, changed": _nothing,
    "missing, one file": _nothing,
    "unavailable, missing-file": _nothing,
    "unreadable, not JSON": _nothing,
    "no receipt": _nothing,
}
"""By an edit of the receipt of a complete capture, and by :data:`HARMED`."""


def _shorten(files: dict[str, Path]) -> None:
    os.truncate(files["stdout.txt"], 5)


def _change(files: dict[str, Path]) -> None:
    files["stdout.txt"].write_bytes(files["stdout.txt"].read_bytes().replace(b"one", b"One"))


def _lose(*ends: str) -> Callable[[dict[str, Path]], None]:
    def harm(files: dict[str, Path]) -> None:
        for end in ends:
            files[end].unlink()

    return harm


HARMED: Final[dict[str, Callable[[dict[str, Path]], None]]] = {
    "damaged, shorter": _shorten,
    "damaged, changed": _change,
    "missing, one file": _lose("stderr.txt"),
    "unavailable, missing-file": _lose("stderr.txt", "stdout.txt"),
    "unreadable, not JSON": lambda files: os.truncate(files["json"], 100),
    "no receipt": _lose("json"),
}
"""What is done to the files, by the ends of their names."""
