"""A job is begun whole, or nothing of it stays behind: real children, and a system that refuses one thing."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from pathlib import Path

import pytest

from capture_core import Conversation, parts
from capture_core.errors import Refused


def refuse_thread(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Have the system give no thread of this name, as at a limit on processes."""
    start = threading.Thread.start

    def start_or_refuse(thread: threading.Thread) -> None:
        if thread.name == name:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_or_refuse)


def children() -> set[str]:
    found: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        # A thread may end between the listing and the reading.
        with contextlib.suppress(OSError):
            found.update((task / "children").read_text().split())
    return found


def descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("refused", ["child-watch", "pipe-reader"])
def test_where_no_thread_is_to_be_had_no_descriptor_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    """Four were, each time: of a reader that was never started."""
    Conversation.open(str(tmp_path / "c")).start(["true"]).wait()
    refuse_thread(monkeypatch, refused)
    before = descriptors()
    with pytest.raises(Refused, match="no more threads"):
        Conversation.open(str(tmp_path / "c")).start(["sh", "-c", "exec sleep 60"])
    gc.collect()
    assert descriptors() <= before


@pytest.mark.parametrize("failure", [OSError(24, "Too many open files"), ImportError("no module"), KeyboardInterrupt()])
@pytest.mark.parametrize("part", ["PipeReader", "Writer", "Ending"])
def test_whatever_fails_after_the_child_began_nothing_stays_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, failure: BaseException
) -> None:
    """The child ran on, unwatched and never reaped, with live files of which nobody wrote the end."""
    Conversation.open(str(tmp_path / "warm")).start(["true"]).wait()

    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(parts, part, fail)
    before = children()
    with pytest.raises(KeyboardInterrupt if isinstance(failure, KeyboardInterrupt) else Refused):
        Conversation.open(str(tmp_path / "c")).start(["sh", "-c", "exec sleep 60"])
    assert os.listdir(tmp_path) == ["warm"]
    assert children() <= before


def test_a_policy_whose_words_cannot_be_loaded_is_refused_before_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were loaded in the reader's thread, which ended of it, and with the pipes the child."""
    monkeypatch.setitem(sys.modules, "capture_core.units", None)
    with pytest.raises(Refused, match="does not run"):
        Conversation.open(str(tmp_path / "c")).start(["touch", str(tmp_path / "ran")], max_output=10)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("refused", ["child-watch", "pipe-reader", "capture-writer"])
def test_where_no_thread_is_to_be_had_nothing_stays_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    refuse_thread(monkeypatch, refused)
    before = children()
    with pytest.raises(Refused, match="no more threads"):
        Conversation.open(str(tmp_path / "c")).start(["sh", "-c", "exec sleep 60"])
    assert os.listdir(tmp_path) == []
    assert children() <= before, "the child is ended and reaped"
