"""``capview tee``: what is piped through it, passed on and captured from its first byte on."""

from __future__ import annotations

import os
import signal
import sys
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Final

from capture_core.errors import BadName, CaptureError, PlaceGone, SourceFailed, no_thread, system_words
from capture_core.exit_codes import NO, USAGE, of_signal
from capture_core.facts import CaptureState
from capview.cli import kept_options
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
    kept_options.add_call_id(parser)
    kept_options.add_limits(parser)
    kept_options.add_masks(parser)
    kept_options.add_engine(parser)


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
        return USAGE
    from capview.cli.place import chosen

    try:
        conversation = chosen(arguments.conversation)
        settings = kept_options.settings_of(arguments, conversation)
    except (CaptureError, OSError) as error:
        return _pass_on(_begin(kept_options.default_limits(arguments), arguments), error)
    tee = _begin(settings.limits, arguments)
    try:
        ends = _Ends(tee)
        receipt = tee.capture(_piped(arguments), conversation, _masking(arguments, settings))
    except SourceFailed as error:
        if error.receipt is not None:
            _report(error.receipt, arguments)
        _warn(str(error))
        return NO
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
            os._exit(of_signal(number))
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
        return system_words(error)
    return None


def _tool(text: str) -> str:
    from capture_core.names import new_tool_name

    try:
        return new_tool_name(text)
    except BadName as error:
        raise ArgumentTypeError(str(error)) from error


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
    from capture_core.tee import Piped
    from capview import __version__

    return Piped(
        tool=arguments.tool,
        producer=Producer(adapter="capview-tee", version=__version__, source="pipe"),
        label=arguments.label,
        call_id=arguments.call_id,
        limit_from=kept_options.limit_from(arguments),
    )


def _masking(arguments: argparse.Namespace, settings: Settings) -> Masking:
    from capture_core.raw import RawStreams

    masking = kept_options.masking(arguments, settings)
    return RawStreams(masking) if arguments.raw_binary else masking


def _pass_on(tee: Tee, error: CaptureError | OSError) -> int:
    """Say why nothing is kept, and be a pipe: who feeds us is not to end of it."""
    _warn(f"nothing is captured: {_why(error)}")
    tee.pass_on()
    return USAGE


def _not_finished(ref: str, error: CaptureError | OSError) -> int:
    if isinstance(error, PlaceGone):
        _warn(f"the capture is gone: {error}")
        return USAGE
    _warn(f"the capture could not be finished ({_why(error)}); {ref} is a leftover")
    return NO


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
        return of_signal(ends.number)
    is_all = receipt.capture.state is CaptureState.COMPLETE and tee.not_passed_on is None
    return 0 if is_all else NO


def _why(error: CaptureError | OSError) -> str:
    if not isinstance(error, OSError):
        return str(error)
    where = "" if error.filename is None else f"{error.filename!r}: "
    return f"{where}{system_words(error)}"


def _warn(text: str) -> None:
    from capview.cli.words import warn

    warn(text)
