"""One reader for all pipes of a job: real pipes, both ends in our hands, nothing timed."""

from __future__ import annotations

import os
import queue
import threading
from typing import TYPE_CHECKING

import pytest

from capture_core.handoff import Chunk, Handoff, StreamEnd
from capture_core.limits import Limits
from capture_core.outlet import Outlet
from capture_core.pipe import PipeReader

if TYPE_CHECKING:
    from collections.abc import Iterator


class Rig:
    """A reader over real pipes; ``write`` are the child's ends."""

    def __init__(self, *streams: str, outlets: dict[str, Outlet] | None = None, drain_seconds: float = 60) -> None:
        pipes = {stream: os.pipe() for stream in streams}
        self.write = {stream: ends[1] for stream, ends in pipes.items()}
        self.handoff = Handoff(streams, Limits())
        self.over = threading.Event()
        self.reader = PipeReader(
            {stream: ends[0] for stream, ends in pipes.items()},
            self.handoff,
            Limits(drain_seconds=drain_seconds),
            outlets=outlets,
            on_streams_ended=self.over.set,
        )
        self.reader.start()

    def hang_up(self, stream: str) -> None:
        os.close(self.write.pop(stream))

    def taken(self) -> dict[str, bytes]:
        """Wait for the streams' end, then take all that was handed over."""
        assert self.over.wait(30)
        self.handoff.close()
        data: dict[str, bytes] = {}
        self.ends: list[StreamEnd] = []
        while (item := self.handoff.take()) is not None:
            if isinstance(item, Chunk):
                data[item.stream] = data.get(item.stream, b"") + item.data
            elif isinstance(item, StreamEnd):
                self.ends.append(item)
        return data


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    yield read, write
    for fd in (read, write):
        try:
            os.close(fd)
        except OSError:
            continue


def test_both_streams_are_read_to_their_ends() -> None:
    rig = Rig("stdout", "stderr")
    os.write(rig.write["stdout"], b"out")
    os.write(rig.write["stderr"], b"err")
    rig.hang_up("stdout")
    rig.hang_up("stderr")
    assert rig.taken() == {"stdout": b"out", "stderr": b"err"}
    assert {(end.stream, end.eof) for end in rig.ends} == {("stdout", True), ("stderr", True)}
    rig.reader.join()


@pytest.mark.parametrize("size", [65535, 65536, 65537, 4 * 2**20 - 1, 4 * 2**20 + 1])
def test_lines_of_any_length_pass_whole(size: int) -> None:
    """A reader built on readline dies at 64 KiB, and its child hangs on the full pipe."""
    rig = Rig("stdout")
    line = b"x" * size
    view = memoryview(line)
    while view:
        view = view[os.write(rig.write["stdout"], view) :]
    rig.hang_up("stdout")
    assert rig.taken() == {"stdout": line}


def test_a_held_pipe_ends_with_the_drain_window_and_not_with_eof() -> None:
    rig = Rig("stdout", drain_seconds=0.01)
    os.write(rig.write["stdout"], b"before the end")
    rig.reader.child_exited()
    assert rig.taken() == {"stdout": b"before the end"}
    assert [end.eof for end in rig.ends] == [False]
    os.write(rig.write["stdout"], b"late")  # what is left behind must not die of SIGPIPE, nor block
    rig.hang_up("stdout")
    rig.reader.join()
    assert rig.handoff.counts("stdout").refused == 4
    assert rig.handoff.counts("stdout").observed == 14 + 4


def held_up(screen: int) -> Rig:
    """A reader whose screen is full; its child wrote in two pieces and has ended, and the drain window is short."""
    os.set_blocking(screen, False)
    _fill(screen)
    os.set_blocking(screen, True)
    rig = Rig("stdout", outlets={"stdout": Outlet(screen)}, drain_seconds=0.01)
    os.write(rig.write["stdout"], b"first ")
    rig.reader.child_exited()
    os.write(rig.write["stdout"], b"second ")
    return rig


def test_what_lies_in_the_pipe_when_the_window_closes_still_belongs_to_the_stream(pipe: tuple[int, int]) -> None:
    """A reader held up by a slow terminal must not lose what the child wrote before its exit."""
    shown, screen = pipe
    rig = held_up(screen)
    filler = _drain_until(shown, b"second ")
    assert rig.taken() == {"stdout": b"first second "}
    assert filler.endswith(b"first second ")
    rig.hang_up("stdout")
    rig.reader.join()


def test_a_screen_that_takes_its_time_does_not_turn_the_end_into_a_drain_timeout(pipe: tuple[int, int]) -> None:
    """As ``capview run -- make | less``: the pipe is at its end long before what waits for the screen is shown."""
    shown, screen = pipe
    rig = held_up(screen)
    rig.hang_up("stdout")
    _drain_until(shown, b"second ")
    assert rig.taken() == {"stdout": b"first second "}
    assert [end.eof for end in rig.ends] == [True]
    rig.reader.join()


def _fill(fd: int) -> None:
    try:
        while True:
            os.write(fd, b"#" * 65536)
    except BlockingIOError:
        return


def _drain_until(fd: int, end: bytes) -> bytes:
    data = b""
    while not data.endswith(end):
        data += os.read(fd, 65536)
    return data


def test_pass_through_has_the_backpressure_of_tee(pipe: tuple[int, int]) -> None:
    shown, screen = pipe
    rig = Rig("stdout", outlets={"stdout": Outlet(screen)})
    line = b"y" * 400_000
    written: queue.SimpleQueue[bool] = queue.SimpleQueue()

    def produce() -> None:
        view = memoryview(line)
        while view:
            view = view[os.write(rig.write["stdout"], view) :]
        rig.hang_up("stdout")
        written.put(True)

    threading.Thread(target=produce).start()
    with pytest.raises(queue.Empty):
        written.get(timeout=0.05)  # nobody reads the screen: the producer waits
    passed = b""
    while len(passed) < len(line):
        passed += os.read(shown, 65536)
    assert written.get(timeout=30)
    assert passed == line
    assert rig.taken() == {"stdout": line}


def test_a_closed_screen_stops_the_pass_through_alone(pipe: tuple[int, int]) -> None:
    shown, screen = pipe
    os.close(shown)
    rig = Rig("stdout", outlets={"stdout": Outlet(screen)})
    for _ in range(3):
        os.write(rig.write["stdout"], b"goes on ")
    rig.hang_up("stdout")
    assert rig.taken() == {"stdout": b"goes on " * 3}


def test_passing_on_can_be_stopped_while_the_screen_takes_nothing(pipe: tuple[int, int]) -> None:
    _, screen = pipe
    rig = Rig("stdout", outlets={"stdout": Outlet(screen)})
    done = threading.Event()

    def produce() -> None:
        view = memoryview(b"z" * 400_000)
        while view:
            view = view[os.write(rig.write["stdout"], view) :]
        rig.hang_up("stdout")
        done.set()

    threading.Thread(target=produce).start()
    assert not done.wait(0.05)
    rig.reader.stop_passing_on()
    assert done.wait(30)
    assert len(rig.taken()["stdout"]) == 400_000


def test_flags_of_inherited_descriptors_stay_as_they_are(pipe: tuple[int, int]) -> None:
    _, screen = pipe
    assert os.get_blocking(screen)
    outlet = Outlet(screen)
    outlet.write(b"x")
    assert os.get_blocking(screen)


def test_more_than_1024_descriptors(pipe: tuple[int, int]) -> None:
    """``select`` fails beyond 1,024; ``poll`` does not."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4096, hard)), hard))
    held = [os.dup(pipe[0]) for _ in range(1100)]
    try:
        rig = Rig("stdout")
        assert rig.write["stdout"] > 1024
        os.write(rig.write["stdout"], b"far out")
        rig.hang_up("stdout")
        assert rig.taken() == {"stdout": b"far out"}
    finally:
        for fd in held:
            os.close(fd)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_reader_that_cannot_be_made_gives_the_pipes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()

    def none_left() -> tuple[int, int]:
        raise OSError(24, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pipe", none_left)
        with pytest.raises(OSError, match="Too many"):
            PipeReader({"stdout": read}, Handoff(("stdout",), Limits()), Limits(), on_streams_ended=lambda: None)
    with pytest.raises(OSError, match="Broken pipe"):
        os.write(write, b"x")
    os.close(write)
