"""The one reader of a job's pipes: poll, read, hand over, pass on; never a line, never a wait for the disk.

The process's end and the pipe's end are two events.  After the child's exit a stream may stay open for the drain
window; what lies in the pipe when the window closes is still read, then the stream ends without EOF.  A pipe that
somebody still holds is read and dropped until its real end, so that nothing the child left behind dies of SIGPIPE.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
from time import monotonic, monotonic_ns, time_ns
from typing import TYPE_CHECKING

from capture_core.inlet import Inlet

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture_core.facts import OtherProcess
    from capture_core.handoff import Handoff
    from capture_core.holders import Search
    from capture_core.limits import Limits
    from capture_core.outlet import Outlet

_READABLE = select.POLLIN | select.POLLHUP | select.POLLERR


class PipeReader:
    """Reads every pipe of one job in one thread, to its end or to the end of the drain window."""

    def __init__(
        self,
        pipes: dict[str, int],
        handoff: Handoff,
        limits: Limits,
        *,
        outlets: dict[str, Outlet] | None = None,
        on_streams_ended: Callable[[], None],
        max_output_bytes: int | None = None,
        on_max_output: Callable[[], None] | None = None,
        undo_newlines: bool = False,
    ) -> None:
        """``pipes``: stream name to the read end, owned from here on; a terminal's master is one, too.

        ``on_streams_ended`` is called once, in the reader's thread, when every stream is over; ``on_max_output``
        when so much has come of all streams together, at most once.
        """
        self._output_left = max_output_bytes
        self._on_max_output = on_max_output
        self._searches: dict[str, Search] = {}
        """Of the streams that were given up: who holds them."""
        outlets = outlets or {}
        self._outlets = tuple(outlets.values())
        self._inlets = {fd: Inlet(name, fd, outlets.get(name), limits.read_bytes) for name, fd in pipes.items()}
        self._handoff = handoff
        self._limits = limits
        self._on_streams_ended = on_streams_ended
        self._poll = select.poll()
        try:
            if undo_newlines:
                for inlet in self._inlets.values():
                    inlet.undo_newlines()
            self._wake_read, self._wake_write = os.pipe()
        except BaseException:
            for fd in self._inlets:
                os.close(fd)
            raise
        os.set_blocking(self._wake_read, False)
        self._exited = threading.Event()
        self._detached = threading.Event()
        self._deadline: float | None = None
        self._told = False
        # Arrival times never go back, whatever is done to the clock meanwhile.
        self._epoch = time_ns() - monotonic_ns()
        self._lock = threading.Lock()
        self._gone = False
        self._behind: list[threading.Event] = []
        """Who waits until nothing is left to read or to pass on."""
        self._thread = threading.Thread(target=self._run, name="pipe-reader", daemon=True)
        self.failure: BaseException | None = None

    def start(self) -> None:
        """Begin to read.  Raises ``RuntimeError`` where no thread can be had: :meth:`abandon` it then."""
        self._poll.register(self._wake_read, select.POLLIN)
        for inlet in self._inlets.values():
            self._poll.register(inlet.fd, select.POLLIN)
        self._thread.start()

    def abandon(self) -> None:
        """Give back what it owns, when it was not started; once it was, it does so at its end."""
        if self._thread.ident is None and not self._gone:
            self._give_back()

    def child_exited(self) -> None:
        """Open the drain window."""
        self._exited.set()
        self._wake()

    def stop_passing_on(self) -> None:
        """Close every outlet, also one whose far end does not take what waits for it."""
        self._detached.set()
        self._wake()

    def catch_up(self, seconds: float) -> None:
        """Wait until all that was printed so far is passed on, for so long at most: the far end may take nothing."""
        caught_up = threading.Event()
        with self._lock:
            if self._gone:
                return
            self._behind.append(caught_up)
        self._wake()
        caught_up.wait(seconds)

    def not_passed_on(self) -> str | None:
        """Why an outlet was given up, where something else than its reader's end was the reason."""
        return next((outlet.failure for outlet in self._outlets if outlet.failure is not None), None)

    def held_by(self, mask: Callable[[str], str]) -> dict[str, tuple[OtherProcess, ...]]:
        """Who held the streams when they were given up, where anybody can tell in a moment; once all are over."""
        answers = {stream: search.result(mask) for stream, search in self._searches.items()}
        return {stream: holders for stream, holders in answers.items() if holders is not None}

    def join(self) -> None:
        """Wait until every pipe has really ended; raises what failed in the thread."""
        self._thread.join()
        if self.failure is not None:
            raise self.failure

    def _wake(self) -> None:
        with self._lock:
            if not self._gone:
                os.write(self._wake_write, b"x")

    def _run(self) -> None:
        try:
            while self._inlets:
                for fd, events in self._poll.poll(self._timeout_ms()):
                    self._serve(fd, events)
                self._look_at_clock()
                self._look_whether_behind()
        except BaseException as error:  # noqa: BLE001 — raised again in join()
            self.failure = error
            for inlet in self._inlets.values():
                self._end(inlet, eof=False)
        finally:
            self._tell_when_over()
            self._give_back()

    def _give_back(self) -> None:
        with self._lock:
            self._gone = True
            self._tell_caught_up()
            for fd in (self._wake_read, self._wake_write, *self._inlets):
                os.close(fd)
        # Whoever reads what is passed on waits for its end, and the owner may have to wait for a disk first.
        for outlet in self._outlets:
            outlet.close()

    def _serve(self, fd: int, events: int) -> None:
        if fd == self._wake_read:
            self._woken()
        elif fd in self._inlets:
            if events & _READABLE:
                self._read(self._inlets[fd])
        else:
            self._flush(fd)

    def _woken(self) -> None:
        os.read(self._wake_read, 64)
        if self._exited.is_set() and self._deadline is None:
            self._deadline = monotonic() + self._limits.drain_seconds
        if self._detached.is_set():
            for inlet in self._inlets.values():
                self._stop_passing_on(inlet)

    def _stop_passing_on(self, inlet: Inlet) -> None:
        outlet = inlet.outlet
        if outlet is not None and outlet.open:
            fd, waited = outlet.fd, outlet.waiting
            outlet.close()
            if waited:
                self._resume(inlet, fd)

    def _read(self, inlet: Inlet) -> None:
        data = inlet.read()
        if data is None:
            return
        if not data:
            self._close(inlet)
            return
        if inlet.ended:
            self._handoff.refuse(inlet.stream, len(data))
            return
        self._take(inlet, data)
        self._count(len(data))
        if inlet.outlet is not None and inlet.outlet.open:
            inlet.outlet.write(data)
            if inlet.outlet.waiting:
                self._poll.unregister(inlet.fd)
                self._poll.register(inlet.outlet.fd, select.POLLOUT)

    def _count(self, size: int) -> None:
        """Policy, not loss: all that is read is still handed over."""
        if self._output_left is not None:
            self._output_left -= size
            if self._output_left <= 0 and self._on_max_output is not None:
                self._output_left = None
                self._on_max_output()

    def _take(self, inlet: Inlet, data: bytes) -> None:
        arrived = self._epoch + monotonic_ns()
        if inlet.left is None:
            self._offer(inlet, data, arrived)
            return
        own, late = inlet.part(data)
        self._offer(inlet, own, arrived)
        if inlet.left == 0:
            self._end(inlet, eof=not late and inlet.is_hung_up())
        self._handoff.refuse(inlet.stream, len(late))

    def _offer(self, inlet: Inlet, data: bytes, arrived: int) -> None:
        if inlet.newlines is not None:
            data = inlet.newlines.feed(data)
        if data:
            self._handoff.offer(inlet.stream, data, arrived)

    def _flush(self, fd: int) -> None:
        for inlet in self._inlets.values():
            outlet = inlet.outlet
            if outlet is not None and outlet.waiting and outlet.fd == fd and outlet.flush():
                self._resume(inlet, fd)

    def _resume(self, inlet: Inlet, outlet_fd: int) -> None:
        self._poll.unregister(outlet_fd)
        self._poll.register(inlet.fd, select.POLLIN)
        self._tell_when_over()

    def _look_whether_behind(self) -> None:
        if self._behind and not any(outlet.waiting for outlet in self._outlets) and not self._poll.poll(0):
            with self._lock:
                self._tell_caught_up()

    def _tell_caught_up(self) -> None:
        while self._behind:
            self._behind.pop().set()

    def _look_at_clock(self) -> None:
        if self._deadline is None or monotonic() < self._deadline:
            return
        for inlet in list(self._inlets.values()):
            if inlet.left is None and not inlet.ended and inlet.close_window() == 0:
                self._end(inlet, eof=inlet.is_hung_up())

    def _close(self, inlet: Inlet) -> None:
        self._poll.unregister(inlet.fd)
        os.close(inlet.fd)
        del self._inlets[inlet.fd]
        self._end(inlet, eof=True)

    def _end(self, inlet: Inlet, *, eof: bool) -> None:
        if not inlet.ended:
            inlet.ended = True
            if not eof:
                self._look_for_holders(inlet)
            if inlet.newlines is not None and (rest := inlet.newlines.finish()):
                self._handoff.offer(inlet.stream, rest, self._epoch + monotonic_ns())
            self._handoff.end(inlet.stream, eof=eof)
        self._tell_when_over()

    def _look_for_holders(self, inlet: Inlet) -> None:
        """Begin to: what is asked for when the writer is done may be gone by then."""
        # Where nothing can be loaded (no descriptor left), and where no thread is to be had, nobody knows.
        with contextlib.suppress(ImportError, OSError, RuntimeError):
            from capture_core.holders import Search

            self._searches[inlet.stream] = Search(inlet.fd)

    def _tell_when_over(self) -> None:
        if not self._told and all(inlet.over for inlet in self._inlets.values()):
            self._told = True
            self._on_streams_ended()

    def _timeout_ms(self) -> int | None:
        if self._deadline is None or all(i.ended or i.left is not None for i in self._inlets.values()):
            return None
        return max(0, int((self._deadline - monotonic()) * 1000) + 1)
