"""``capview tee``: what is piped through it, passed on and captured from its first byte on."""

from __future__ import annotations

import os
import signal
import sys
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Final

from capture_core.errors import BadName, CaptureError, PlaceGone, SourceFailed, no_thread
from capture_core.facts import CaptureState
from capview.cli.quantities import size
from capview.cli.standard import silence

if TYPE_CHECKING:
    import argparse
    from types import FrameType

    from capture_core.facts import Receipt
    from capture_core.limits import Limits
    from capture_core.stage import Masking
    from capture_core.tee import Piped, Tee
    from capview.settings import Settings

EXAMPLE: Final = """\
examples:
  make 2>&1 | capview tee
  ./server 2>&1 | capview tee --label 'dev server' | grep ERROR
  tar -c photos | capview tee --raw-binary --quiet

A reader that has read enough (| head) ends the passing on, not the capture.  ^C ends what feeds it, and all that came
is kept; a second ^C, or TERM, ends it at once.

exit code: 0 all of it was kept; 1 not all of it was kept or passed on (the receipt or a line says why); 2 bad input, or
nothing was kept: the place or its disk takes nothing, and all was passed on all the same; 128+N ended by a signal
"""

_NOT_KEPT: Final = 1
_NOTHING: Final = 2
_SIGNAL_BASE: Final = 128
_ENDS_ITS_SOURCE: Final = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
"""What a terminal sends to the whole pipeline: who feeds us ends of it, and its last words are still to be read."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``tee``."""
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--quiet", action="store_true", help="pass nothing on, and print no receipt line")
    shown.add_argument("--json", action="store_true", help="pass nothing on; print the receipt as JSON")
    parser.add_argument(
        "--tool", type=_tool, default="shell", metavar="T", help="whose output this is (default: shell)"
    )
    parser.add_argument("--label", metavar="TEXT", help="one line to call it by, masked")
    parser.add_argument("--call-id", metavar="ID", help="the tool call that this is; sets the limits of a library call")
    parser.add_argument("--limit", type=size, metavar="N", help="retain at most N bytes of it (64MiB, 2GiB)")
    parser.add_argument(
        "--conversation-limit", type=size, metavar="N", help="let all captures of the conversation retain N bytes"
    )
    parser.add_argument("--raw-binary", action="store_true", help="keep the exact bytes: nothing is masked")
    parser.add_argument(
        "--mask-env",
        action="append",
        default=[],
        metavar="GLOB",
        help="mask the values of environment variables with such names too ('*_CODE'); may be repeated",
    )
    parser.add_argument(
        "--mask-file",
        action="append",
        default=[],
        metavar="F",
        help="mask what this file holds: all of it as one value, and each of its lines; may be repeated",
    )
    parser.add_argument(
        "--engine", choices=("slow",), help="slow: find secrets without hyperscan, for machines that have none"
    )


def expect_end_of_source() -> None:
    """Take what ends the pipeline's other commands for news; called first of all, for those have begun already."""
    if os.isatty(0):
        # Nobody else feeds us, who could be ended by it.
        return
    for number in _ENDS_ITS_SOURCE:
        # What the caller had ignored, as a shell does for what it runs in the background, stays ignored.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _go_on)


def run(arguments: argparse.Namespace) -> int:
    """Capture all of stdin; 0 when all of it was kept."""
    if (words := _unreadable()) is not None:
        _warn(f"stdin: {words}; pipe something to it")
        return _NOTHING
    from capview.cli.place import chosen

    try:
        conversation = chosen(arguments.conversation)
        settings = _settings(arguments, conversation)
    except (CaptureError, OSError) as error:
        return _pass_on(_begin(_limits(arguments), arguments), error)
    tee = _begin(settings.limits, arguments)
    try:
        ends = _Ends(tee)
        receipt = tee.capture(_piped(arguments), conversation, _masking(arguments, settings))
    except SourceFailed as error:
        if error.receipt is not None:
            _report(error.receipt, arguments)
        _warn(str(error))
        return _NOT_KEPT
    except (CaptureError, OSError) as error:
        return _pass_on(tee, error) if tee.ref is None else _not_finished(tee.ref, error)
    _report(receipt, arguments)
    return _code(receipt, tee, ends)


class _Ends:
    """Takes the signals that end us: the first that ends the whole pipeline leaves the end to whoever feeds us."""

    def __init__(self, tee: Tee) -> None:
        """Begin to take them; ``Refused`` where no thread can be had."""
        from threading import Thread

        from capture_core.wakeup import signals_to_pipe

        self.number: int | None = None
        """The signal that ended it before its source did."""
        self._tee = tee
        self._is_the_sources = not os.isatty(0)
        wake = signals_to_pipe((*_ENDS_ITS_SOURCE, signal.SIGTERM))
        try:
            Thread(target=self._take, args=(wake,), name="tee-signals", daemon=True).start()
        except RuntimeError as error:
            raise no_thread(error) from error

    def _take(self, wake: int) -> None:
        while True:
            self._told(os.read(wake, 1)[0])

    def _told(self, number: int) -> None:
        if number in (signal.SIGHUP, signal.SIGCONT):
            return
        if self.number is not None:
            # Asked once more: not even what is on its way to the disk is waited for.
            os._exit(_SIGNAL_BASE + number)
        if number != signal.SIGTERM and self._is_the_sources:
            self._is_the_sources = False
            return
        self.number = number
        self._tee.stop()


def _go_on(_number: int, _frame: FrameType | None) -> None:
    """Nothing is to be done: our end is that of our source."""


def _unreadable() -> str | None:
    """Why stdin cannot be read at all, if that is so."""
    try:
        os.read(0, 0)
    except BlockingIOError:
        return None
    except OSError as error:
        return _words(error)
    return None


def _tool(text: str) -> str:
    from capture_core.names import new_tool_name

    try:
        return new_tool_name(text)
    except BadName as error:
        raise ArgumentTypeError(str(error)) from error


def _limits(arguments: argparse.Namespace) -> Limits:
    from capture_core.limits import FOR_PEOPLE, LIBRARY

    return FOR_PEOPLE if arguments.call_id is None else LIBRARY


def _settings(arguments: argparse.Namespace, conversation: str) -> Settings:
    from capview.settings import load

    overrides = {"capture_bytes": arguments.limit, "conversation_bytes": arguments.conversation_limit}
    return load(overrides, defaults=_limits(arguments), conversation=conversation)


def _begin(limits: Limits, arguments: argparse.Namespace) -> Tee:
    """Read and pass on from now on, before what captures is even loaded."""
    from capture_core.outlet import Outlet
    from capture_core.tee import Tee

    if arguments.quiet or arguments.json:
        return Tee(os.dup(0), limits)
    # Whoever reads what was passed on waits for its end, and does not have to wait for a disk.
    return Tee(os.dup(0), limits, outlet=Outlet(1), on_passed_on=lambda: silence(sys.stdout))


def _piped(arguments: argparse.Namespace) -> Piped:
    from capture_core.facts import Producer
    from capture_core.limits import LimitFrom
    from capture_core.tee import Piped
    from capview import __version__

    return Piped(
        tool=arguments.tool,
        producer=Producer(adapter="capview-tee", version=__version__, source="pipe"),
        label=arguments.label,
        call_id=arguments.call_id,
        limit_from=LimitFrom.DEFAULT if arguments.limit is None else LimitFrom.ASKED,
    )


def _masking(arguments: argparse.Namespace, settings: Settings) -> Masking:
    from capture_core.known_sources import KnownSources, environment_of, read_mask_file
    from capture_core.masking import EngineMasking
    from capture_core.raw import RawStreams
    from capview import masks
    from capview.folders import cache_folder

    files = tuple(map(read_mask_file, (*settings.masked(masks.FILES), *arguments.mask_file)))
    masking = EngineMasking(
        settings.limits,
        engine_folder=cache_folder(),
        user_rules=settings.rules,
        known=KnownSources(environment_of(None), (*settings.masked(masks.ENV), *arguments.mask_env), files),
        slow=arguments.engine == "slow",
    )
    return RawStreams(masking) if arguments.raw_binary else masking


def _pass_on(tee: Tee, error: CaptureError | OSError) -> int:
    """Say why nothing is kept, and be a pipe: who feeds us is not to end of it."""
    _warn(f"nothing is captured: {_why(error)}")
    tee.pass_on()
    return _NOTHING


def _not_finished(ref: str, error: CaptureError | OSError) -> int:
    if isinstance(error, PlaceGone):
        _warn(f"the capture is gone: {error}")
        return _NOTHING
    _warn(f"the capture could not be finished ({_why(error)}); {ref} is a leftover")
    return _NOT_KEPT


def _report(receipt: Receipt, arguments: argparse.Namespace) -> None:
    if arguments.json:
        from capture_core.receipt import encode
        from capview.cli.words import put

        put(encode(receipt), sys.stdout)
    elif not arguments.quiet:
        from capview.cli.words import say
        from capview.present import receipt_line

        say(receipt_line(receipt))


def _code(receipt: Receipt, tee: Tee, ends: _Ends) -> int:
    if tee.not_passed_on is not None:
        _warn(f"not all could be passed on ({tee.not_passed_on}); the capture has it")
    if ends.number is not None:
        return _SIGNAL_BASE + ends.number
    is_all = receipt.capture.state is CaptureState.COMPLETE and tee.not_passed_on is None
    return 0 if is_all else _NOT_KEPT


def _why(error: CaptureError | OSError) -> str:
    if not isinstance(error, OSError):
        return str(error)
    where = "" if error.filename is None else f"{error.filename!r}: "
    return f"{where}{_words(error)}"


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _warn(text: str) -> None:
    from capview.cli.words import warn

    warn(text)
