"""``capview save``: what is piped to it, as a finished text of its own."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Final

from capture_core.errors import BadInput, SourceFailed, system_words
from capture_core.exit_codes import NO, USAGE
from capture_core.facts import CaptureReason, Producer, StreamName, Upstream
from capture_core.upstream import WHOLE, parse
from capview import present
from capview.cli import kept_options
from capview.cli.interruptible import InterruptibleInput
from capview.cli.standard import silence
from capview.cli.words import put, say, warn

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from capture_core.facts import Receipt
    from capture_core.saved_text import Description

EXAMPLE: Final = """\
examples:
  curl -s https://api.example.com/report | capview save --tool curl --label 'report of today'
  tail -n 200 server.log | capview save --tool logs --upstream-truncated 'tail-kept: 200 lines'
  page-to-text < page.html | capview save --tool browser --upstream-truncated unknown --json

KIND: none (default), head-kept, tail-kept, clipped or unknown; behind it ': N UNIT' if you know the limit.
UNIT: bytes, characters, tokens, lines, pages, items or messages.

exit code: 0 all of it was kept; 1 not all of it (the receipt or a line says why), also where reading it failed, or the
ref could not be printed; 2 nothing was kept: for bad input, or where the place or its disk takes nothing
"""

_SAID_BEFORE: Final = frozenset({None, CaptureReason.UPSTREAM_TRUNCATED, CaptureReason.UPSTREAM_UNKNOWN})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``save``."""
    parser.add_argument("--tool", required=True, metavar="T", help="whose output this is; names its folder")
    parser.add_argument(
        "--upstream-truncated",
        type=_upstream,
        default=WHOLE,
        metavar="KIND",
        help="what had been cut before it came here",
    )
    parser.add_argument("--label", metavar="TEXT", help="one line to call it by, masked")
    kept_options.add_call_id(parser)
    kept_options.add_limits(parser)
    kept_options.add_engine(parser)
    parser.add_argument("--json", action="store_true", help="print the receipt as one JSON object, not the ref")


def run(arguments: argparse.Namespace) -> int:
    """Save all of stdin; 0 when all of it was kept."""
    from capview.cli.place import chosen

    conversation = chosen(arguments.conversation)
    leftovers: list[str] = []
    try:
        receipt = _save(arguments, conversation, leftovers.append)
    except SourceFailed as failure:
        if failure.receipt is not None:
            _print(failure.receipt, arguments)
        warn(str(failure))
        return NO
    except OSError as error:
        return _not_published(error, conversation, leftovers)
    if (code := _print(receipt, arguments)) != 0:
        return code
    if receipt.streams[StreamName.CONTENT].reason in _SAID_BEFORE:
        return 0
    say(present.receipt_line(receipt))
    return NO


def _upstream(text: str) -> Upstream:
    try:
        return parse(text)
    except BadInput as error:
        raise ArgumentTypeError(str(error)) from error


def _not_published(error: OSError, conversation: str, leftovers: list[str]) -> int:
    rest = f"what was written is left as {leftovers[0]}" if leftovers else "nothing was kept"
    warn(
        f"{conversation!r}: the text could not be published ({system_words(error)}), {rest}; make room there, "
        "or name another --conversation"
    )
    return NO if leftovers else USAGE


def _save(arguments: argparse.Namespace, conversation: str, on_leftover: Callable[[str], object]) -> Receipt:
    from capture_core.saved_text import save

    settings = kept_options.settings_of(arguments, conversation)
    masking = kept_options.masking(arguments, settings)
    given = InterruptibleInput(0)
    return save(given, _description(arguments), conversation, settings.limits, masking, on_leftover=on_leftover)


def _description(arguments: argparse.Namespace) -> Description:
    from capture_core.saved_text import Description
    from capview import __version__

    return Description(
        tool=arguments.tool,
        producer=Producer(adapter="capview-save", version=__version__, source="stdin"),
        upstream=arguments.upstream_truncated,
        label=arguments.label,
        call_id=arguments.call_id,
        limit_from=kept_options.limit_from(arguments),
    )


def _print(receipt: Receipt, arguments: argparse.Namespace) -> int:
    try:
        _put(receipt, as_json=arguments.json)
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(sys.stdout)
        warn(f"stdout: {system_words(error)}; the text is saved all the same, as {receipt.ref}")
        return NO
    return 0


def _put(receipt: Receipt, *, as_json: bool) -> None:
    if as_json:
        from capture_core.receipt import encode

        put(encode(receipt), sys.stdout)
    else:
        print(receipt.ref, flush=True)
