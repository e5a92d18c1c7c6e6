"""What is piped through a ``Tee``: the same bytes behind it, and kept the same however they were cut; real pipes.

The naive implementation, a loop of ``read``, ``write`` to stdout and ``write`` to the file, ends with its reader
(EPIPE) and stands still with its disk.
"""

from __future__ import annotations

import os
import threading
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture_core.catalog import Catalogue
from capture_core.errors import BadName, PlaceRefused, Refused
from capture_core.facts import CaptureState, Producer
from capture_core.limits import Limits
from capture_core.masking import EngineMasking
from capture_core.outlet import Outlet
from capture_core.tee import Piped, Tee
from tests.cuts import pieces, places

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from capture_core.facts import Receipt

TOKEN = b"ghp_" + b"a1B2" * 9
PIPED = Piped(tool="shell", producer=Producer(adapter="test", version="1", source="pipe"))
LIMITS = Limits()


class Through:
    """A tee with both its ends in our hands; what it passes on is taken by a thread."""

    def __init__(self) -> None:
        read, self.feed = os.pipe()
        self._out, self._in = os.pipe()
        self.over = threading.Event()
        self.tee = Tee(read, LIMITS, outlet=Outlet(self._in), on_passed_on=self._passed_on)
        self.passed = b""
        self._reader = threading.Thread(target=self._take)
        self._reader.start()

    def give(self, parts: Iterable[bytes]) -> None:
        for part in parts:
            view = memoryview(part)
            while view:
                view = view[os.write(self.feed, view) :]
        os.close(self.feed)

    def taken(self) -> bytes:
        self._reader.join()
        return self.passed

    def capture(self, place: str) -> Receipt:
        return self.tee.capture(PIPED, place, EngineMasking(LIMITS))

    def _passed_on(self) -> None:
        self.over.set()
        os.close(self._in)

    def _take(self) -> None:
        while piece := os.read(self._out, 2**16):
            self.passed += piece
        os.close(self._out)


def run(place: str, parts: Iterable[bytes]) -> tuple[bytes, bytes, Receipt]:
    """What was passed on, what was kept, and the receipt."""
    through = Through()
    feeder = threading.Thread(target=through.give, args=(parts,))
    feeder.start()
    receipt = through.capture(place)
    feeder.join()
    with open(os.path.join(place, "tool-outputs", "shell", receipt.streams["output"].file), "rb") as file:
        return through.taken(), file.read(), receipt


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from([TOKEN, b"\xe2\x82\xac", b"\xff", b"\x1b[31m", b"\r", b"text\n", b"\0"]), max_size=9),
    places,
)
def test_what_is_passed_on_is_what_came_and_what_is_kept_does_not_show_the_cuts(
    words: list[bytes], at: list[int]
) -> None:
    """Fails where what is passed on was decoded, masked or put together anew on its way."""
    data = b"".join(words)
    with TemporaryDirectory() as place:
        _, whole, _ = run(place, [data])
        passed, kept, receipt = run(place, pieces(data, at))
    assert passed == data
    assert kept == whole
    assert TOKEN not in kept
    assert receipt.streams["output"].observed == len(data)


def test_it_reads_and_passes_on_before_anybody_captures(place: Path) -> None:
    through = Through()
    through.give([b"all of it\n"])
    assert through.over.wait(30), "what came was held back"
    assert through.taken() == b"all of it\n"
    receipt = through.capture(str(place))
    assert (receipt.capture.state, receipt.streams["output"].retained) == (CaptureState.COMPLETE, 10)
    assert receipt.ref == through.tee.ref


@pytest.mark.parametrize("tool", ["../x", "shell"], ids=["name", "place"])
def test_refused_it_is_a_pipe_still(place: Path, tool: str) -> None:
    place.write_text("no folder")
    through = Through()
    with pytest.raises((BadName, PlaceRefused)):
        through.tee.capture(PIPED._replace(tool=tool), str(place), EngineMasking(LIMITS))
    assert through.tee.ref is None
    feeder = threading.Thread(target=through.give, args=([b"x" * (3 * LIMITS.queue_bytes)],))
    feeder.start()
    through.tee.pass_on()
    feeder.join()
    assert through.taken() == b"x" * (3 * LIMITS.queue_bytes)


def test_stopped_it_keeps_what_was_in_the_pipe(place: Path) -> None:
    through = Through()
    os.write(through.feed, b"in the pipe\n")
    through.tee.stop()
    receipt = through.capture(str(place))
    os.close(through.feed)
    through.taken()
    assert (receipt.capture.reason, receipt.streams["output"].retained) == ("upstream-truncated", 12)
    catalogue = Catalogue(str(place))
    catalogue.refresh()
    assert [entry.capture.state for entry in catalogue.entries] == [CaptureState.PARTIAL]


def test_a_tee_for_which_no_thread_is_to_be_had_loses_no_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a reader that was never started stayed open."""
    read, write = os.pipe()

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    before = len(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(Refused, match="no thread"):
            Tee(read, LIMITS)
    assert len(os.listdir("/proc/self/fd")) == before - 1, "the source was its own, too"
    os.close(write)
