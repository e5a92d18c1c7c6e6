"""What a job is made of: all of it made and at work, or none of it."""

from __future__ import annotations

import contextlib
from queue import SimpleQueue
from typing import TYPE_CHECKING

from capture_core.capture import Capture
from capture_core.ending import Ending, cancelled, too_much_output
from capture_core.errors import Refused, system_words
from capture_core.facts import ProcessFacts, ProcessState, RequestKind
from capture_core.handoff import Handoff
from capture_core.happenings import Adopted, Promote, StreamsOver, WriterOver
from capture_core.launch import spawn
from capture_core.pipe import PipeReader
from capture_core.record import NamedTuple
from capture_core.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture_core.child import Child
    from capture_core.happenings import Cancel, Happening
    from capture_core.identity import Identity
    from capture_core.launch import Command
    from capture_core.limits import Limits
    from capture_core.outlet import Outlet
    from capture_core.receipt import Request
    from capture_core.stage import Masking


class Parts(NamedTuple):
    """All that is at work for one job."""

    command: Command
    child: Child
    capture: Capture
    handoff: Handoff
    reader: PipeReader
    writer: Writer
    ending: Ending
    happenings: SimpleQueue[Happening]


def begin(
    command: Command,
    identity: Identity,
    limits: Limits,
    masking: Masking,
    make_label: Callable[[], str | None],
    outlets: dict[str, Outlet],
) -> Parts:
    """Make the capture, start the child, begin to read and write; or undo what was begun, whatever the failure.

    Raises ``Refused`` or ``SpawnFailed``.
    """
    handoff = Handoff(identity.streams, limits)
    capture = Capture(identity, handoff, limits, masking)
    with contextlib.ExitStack() as undo:
        undo.callback(capture.abandon)
        if command.before_spawn is not None:
            command.before_spawn()
        with _refusing():
            # Made while there is no child yet: in the reader's thread, what cannot be loaded would end the reading.
            too_much = None if command.max_output_bytes is None else too_much_output(command.max_output_bytes)
            child, pipes = spawn(command, identity.streams, limits)
            undo.callback(child.end_unwatched)
            happenings: SimpleQueue[Happening] = SimpleQueue()
            tell = happenings.put
            reader = PipeReader(
                pipes,
                handoff,
                limits,
                outlets=outlets,
                on_streams_ended=lambda: tell(StreamsOver()),
                max_output_bytes=command.max_output_bytes,
                undo_newlines=command.undo_newlines,
                on_max_output=None if too_much is None else lambda: tell(too_much),
            )
            undo.callback(reader.abandon)
            if command.on_spawned is not None:
                command.on_spawned(child.pid)
            capture.set_process(ProcessFacts(state=ProcessState.RUNNING, pid=child.pid))
            writer = Writer(
                capture,
                handoff,
                limits,
                make_label=make_label,
                on_request=lambda request: tell(_asked(request, masking.line)),
                on_done=lambda: tell(WriterOver()),
                on_adopted=lambda receipt: tell(Adopted(receipt)),
                held_by=lambda: reader.held_by(masking.line),
            )
            ending = Ending(child, limits, command.timeout_seconds, masking.line)
            ending.watch_memory(command.memory_limit_bytes, tell)
            child.watch(tell)
            reader.start()
            # The last, so that whatever fails before it, nobody uses the capture.
            writer.start()
        undo.pop_all()
    return Parts(command, child, capture, handoff, reader, writer, ending, happenings)


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Within it, what the system does not give is refused by name."""
    try:
        yield
    except RuntimeError as error:
        raise Refused("the system gives no more threads (a limit on processes); the command does not run") from error
    except OSError as error:
        raise Refused(f"{system_words(error)}; the command does not run") from error
    except ImportError as error:
        raise Refused(f"{error}; the command does not run") from error


def _asked(request: Request, mask: Callable[[str], str]) -> Cancel | Promote:
    match request.kind:
        case RequestKind.CANCEL:
            return cancelled(request.words, mask)
        case RequestKind.PROMOTE:
            return Promote()
