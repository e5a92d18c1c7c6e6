"""``capview run``: a command under capture, with the exit code and the terminal that it has without us."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from capture_core.errors import BadInput, system_words
from capture_core.exit_codes import NO, NOT_STARTED
from capview.cli import kept_options
from capview.cli.quantities import budget, niceness, seconds, size

if TYPE_CHECKING:
    import argparse

    from capture_core.limits import Limits
    from capture_core.order import Order
    from capview.cli.place import NoDirectory
    from capview.folders import NoHome
    from capview.settings import Settings

EXAMPLE = """\
examples:
  capview run -- make -j8
  capview run --quiet --limit 2GiB -- ./export-everything
  capview run --promote-after 30s -- pytest -q
  capview run --detach --label 'nightly build' -- make nightly
  capview run --inline --budget 4KiB -- pytest -q

An explicit --limit is your word: what all captures here may retain together counts as at least as much more than
what they have.  Without it a capture ends at whichever limit comes first; the command runs on.

exit code: the command's own; 128+N for a signal; 124 for --timeout, and for a job that goes on; never 0 when it was
ended by cancel or by a limit: 143 if it exited with 0 then; 125 when capview could not start it; 126 not executable;
127 not found
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``run``."""
    parser.add_argument("command", nargs="+", metavar="CMD", help="the command and its arguments, after --")
    _add_what_is_shown(parser)
    _add_descriptors(parser)
    _add_ends(parser)
    kept_options.add_limits(parser)
    _add_names(parser)
    kept_options.add_masks(parser)
    kept_options.add_engine(parser)
    parser.add_argument(
        "--on-complete",
        metavar="CMD",
        help="run CMD by sh -c when the receipt is final; its environment has CAPVIEW_REF, CAPVIEW_EXIT_CODE and more",
    )
    parser.add_argument(
        "--no-capture", action="store_true", help="just run the command; keep nothing, and look on at nothing"
    )


def _add_what_is_shown(parser: argparse.ArgumentParser) -> None:
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--quiet", action="store_true", help="pass nothing through, and print no receipt line")
    shown.add_argument("--json", action="store_true", help="pass nothing through; print the receipt as JSON")
    shown.add_argument("--inline", action="store_true", help="pass nothing through; print what a model is to see of it")
    shown.add_argument("--detach", action="store_true", help="print the ref and return; the job goes on by itself")
    parser.add_argument("--budget", type=budget, metavar="N", help="bytes that --inline may take in all (18KiB)")


def _add_descriptors(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--merge", action="store_true", help="one pipe for both streams, so that their order is kept")
    parser.add_argument(
        "--pty",
        nargs="?",
        choices=("auto", "always", "never"),
        default="auto",
        const="always",
        help="a pseudo-terminal instead of pipes; auto: when stdin, stdout and stderr are one",
    )
    parser.add_argument("--stdin", metavar="FILE|close", help="what the command reads instead of our stdin")


def _add_ends(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--timeout", type=seconds, metavar="S", help="end the job after this long (90, 5m, 1h; 0: no limit)"
    )
    parser.add_argument(
        "--promote-after",
        type=seconds,
        metavar="S",
        help="wait no longer than this (30s, 5m): then print the ref; the job goes on by itself",
    )
    parser.add_argument("--nice", type=niceness, default=0, metavar="N", help="run it so much nicer, as nice(1) does")
    parser.add_argument(
        "--memory-limit",
        type=size,
        metavar="N",
        help="kill the job when all its processes together have more memory than this (2GiB)",
    )
    parser.add_argument(
        "--max-output", type=size, metavar="N", help="end the job at so much output (1GiB); none is too much without it"
    )


def _add_names(parser: argparse.ArgumentParser) -> None:
    label = parser.add_mutually_exclusive_group()
    label.add_argument("--label", metavar="TEXT", help="name the job; without it, its command line, masked")
    label.add_argument("--no-label", action="store_true", help="keep no command line in the receipt")
    kept_options.add_call_id(parser)
    parser.add_argument("--tool", default="shell", metavar="T", help="whose output this is (default: shell)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; its exit code."""
    if arguments.budget is not None and not arguments.inline:
        raise BadInput("--budget is that of --inline: add --inline")
    if arguments.no_capture:
        from capview.cli import uncaptured

        uncaptured.refuse_what_needs_us(arguments)
        return uncaptured.become(arguments)
    from capture_core.answer import die_of
    from capture_core.front import run as run_front
    from capview.cli.place import NoDirectory
    from capview.folders import NoHome

    try:
        order = _order(arguments)
    except (OSError, NoHome, NoDirectory) as error:
        return not_started(error)
    ending = run_front(order, meanwhile=_load_words)
    from capview.cli.report import report

    if not report(ending, order, arguments) and arguments.detach:
        # Whoever started the job does not have its ref.
        return NO
    if ending.died_of is not None:
        die_of(ending.died_of)
    return ending.code


def not_started(error: OSError | NoHome | NoDirectory) -> int:
    """Say why no job was started; the exit code for that."""
    from capview.cli.words import warn

    warn(f"{_why(error)}; or run it with --no-capture")
    return NOT_STARTED


def _why(error: OSError | NoHome | NoDirectory) -> str:
    if not isinstance(error, OSError):
        return str(error)
    where = "" if error.filename is None else f"{error.filename!r}: "
    return f"{where}{system_words(error)}"


def _load_words() -> None:
    """Load what the report will need; what cannot be loaded now is tried again then."""
    with contextlib.suppress(OSError):
        import capview.cli.report
        import capview.present  # noqa: F401


def _order(arguments: argparse.Namespace) -> Order:
    from capture_core import names
    from capture_core.facts import Producer
    from capture_core.order import Order
    from capview import __version__
    from capview.cli.place import chosen
    from capview.folders import cache_folder

    conversation = chosen(arguments.conversation)
    settings = kept_options.settings_of(arguments, conversation)
    order = Order(
        argv=tuple(arguments.command),
        conversation=conversation,
        tool=names.new_tool_name(arguments.tool),
        producer=Producer(adapter="capview-run", version=__version__, source="process"),
        limits=_fitting(settings.limits, arguments),
        limit_from=kept_options.limit_from(arguments),
        label=arguments.label,
        with_label=not arguments.no_label,
        call_id=arguments.call_id,
        raw_binary=arguments.raw_binary,
        on_complete=arguments.on_complete,
        engine_folder=cache_folder(),
    )
    return _ending(_connected(_masked(order, settings, arguments), arguments), arguments)


def _masked(order: Order, settings: Settings, arguments: argparse.Namespace) -> Order:
    return order._replace(
        user_rules=settings.rules,
        slow_engine=arguments.engine == "slow",
        mask_env=kept_options.mask_env(arguments, settings),
        mask_files=kept_options.mask_files(arguments, settings),
    )


def _connected(order: Order, arguments: argparse.Namespace) -> Order:
    return order._replace(
        merge=arguments.merge,
        pty=_wants_pty(arguments),
        inline=arguments.inline,
        pass_through=not (arguments.quiet or arguments.json or arguments.inline),
        detach=arguments.detach,
        stdin=_stdin(arguments),
    )


def _ending(order: Order, arguments: argparse.Namespace) -> Order:
    return order._replace(
        # As timeout(1) takes it: 0 is no limit.
        timeout_seconds=arguments.timeout or None,
        promote_after_seconds=arguments.promote_after,
        nice=arguments.nice,
        memory_limit_bytes=arguments.memory_limit,
        max_output_bytes=arguments.max_output,
    )


def _wants_pty(arguments: argparse.Namespace) -> bool:
    """Whether the command is to have a pseudo-terminal.  By itself only where it would have had our terminal as well.

    Exact bytes are not what a terminal makes of them, and who sees nothing of a command sits at no desk with it.
    """
    if arguments.pty != "auto":
        return bool(arguments.pty == "always")
    elsewhere = arguments.quiet or arguments.json or arguments.inline or arguments.detach or arguments.raw_binary
    return not elsewhere and arguments.stdin is None and _is_at_terminal()


def _is_at_terminal() -> bool:
    from capture_core.seat import has_pty

    if not (all(map(os.isatty, range(3))) and has_pty()):
        return False
    try:
        # Without control of it keys and signals cannot be passed on.
        return os.tcgetpgrp(0) >= 0
    except OSError:
        return False


def _fitting(limits: Limits, arguments: argparse.Namespace) -> Limits:
    """What does not fit the budget of an inline text is to be in a file."""
    if arguments.budget is None:
        return limits
    from dataclasses import replace

    from capture_core.limits import INLINE_FRAME_BYTES

    room = max(0, arguments.budget - INLINE_FRAME_BYTES)
    return replace(limits, preview_total_bytes=min(limits.preview_total_bytes, room))


def _stdin(arguments: argparse.Namespace) -> str | int | None:
    """What the command reads.  A detached one has no terminal to ask, so it reads nothing unless told what."""
    if arguments.stdin == "close" or (arguments.stdin is None and arguments.detach):
        return None
    return 0 if arguments.stdin is None else str(arguments.stdin)
