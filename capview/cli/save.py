"""``capview save``: what is piped to it, as a finished text of its own."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Final

from capture_core.errors import BadInput, SourceFailed
from capture_core.facts import CaptureReason, Producer, StreamName, Upstream
from capture_core.upstream import WHOLE, parse
from capview import present
from capview.cli.quantities import size
from capview.cli.standard import silence
from capview.cli.words import put, say, warn

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from capture_core.facts import Receipt
    from capture_core.masking import EngineMasking
    from capture_core.saved_text import Description
    from capview.settings import Settings

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

_NOT_KEPT: Final = 1
_NOTHING: Final = 2
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
    parser.add_argument("--call-id", metavar="ID", help="the tool call that this is; sets the limits of a library call")
    parser.add_argument("--limit", type=size, metavar="N", help="retain at most N bytes of it (64MiB, 2GiB)")
    parser.add_argument(
        "--conversation-limit", type=size, metavar="N", help="let all captures of the conversation retain N bytes"
    )
    parser.add_argument(
        "--engine", choices=("slow",), help="slow: find secrets without hyperscan, for machines that have none"
    )
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
        return _NOT_KEPT
    except OSError as error:
        return _not_published(error, conversation, leftovers)
    if (code := _print(receipt, arguments)) != 0:
        return code
    if receipt.streams[StreamName.CONTENT].reason in _SAID_BEFORE:
        return 0
    say(present.receipt_line(receipt))
    return _NOT_KEPT


def _upstream(text: str) -> Upstream:
    try:
        return parse(text)
    except BadInput as error:
        raise ArgumentTypeError(str(error)) from error


def _not_published(error: OSError, conversation: str, leftovers: list[str]) -> int:
    rest = f"what was written is left as {leftovers[0]}" if leftovers else "nothing was kept"
    warn(
        f"{conversation!r}: the text could not be published ({_words(error)}), {rest}; make room there, "
        "or name another --conversation"
    )
    return _NOT_KEPT if leftovers else _NOTHING


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _save(arguments: argparse.Namespace, conversation: str, on_leftover: Callable[[str], object]) -> Receipt:
    from capture_core.limits import FOR_PEOPLE, LIBRARY
    from capture_core.saved_text import save
    from capview.settings import load

    settings = load(
        {"capture_bytes": arguments.limit, "conversation_bytes": arguments.conversation_limit},
        defaults=FOR_PEOPLE if arguments.call_id is None else LIBRARY,
        conversation=conversation,
    )
    masking = _masking(settings, slow=arguments.engine == "slow")
    # Unbuffered: what came is written when it comes.
    with open(0, "rb", buffering=0, closefd=False) as stdin:
        return save(stdin, _description(arguments), conversation, settings.limits, masking, on_leftover=on_leftover)


def _masking(settings: Settings, *, slow: bool) -> EngineMasking:
    from capture_core.known_sources import KnownSources, environment_of, read_mask_file
    from capture_core.masking import EngineMasking
    from capview import masks
    from capview.folders import cache_folder

    files = tuple(map(read_mask_file, settings.masked(masks.FILES)))
    return EngineMasking(
        settings.limits,
        engine_folder=cache_folder(),
        user_rules=settings.rules,
        known=KnownSources(environment_of(None), settings.masked(masks.ENV), files),
        slow=slow,
    )


def _description(arguments: argparse.Namespace) -> Description:
    from capture_core.limits import LimitFrom
    from capture_core.saved_text import Description
    from capview import __version__

    return Description(
        tool=arguments.tool,
        producer=Producer(adapter="capview-save", version=__version__, source="stdin"),
        upstream=arguments.upstream_truncated,
        label=arguments.label,
        call_id=arguments.call_id,
        limit_from=LimitFrom.DEFAULT if arguments.limit is None else LimitFrom.ASKED,
    )


def _print(receipt: Receipt, arguments: argparse.Namespace) -> int:
    try:
        _put(receipt, as_json=arguments.json)
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(sys.stdout)
        warn(f"stdout: {_words(error)}; the text is saved all the same, as {receipt.ref}")
        return _NOT_KEPT
    return 0


def _put(receipt: Receipt, *, as_json: bool) -> None:
    if as_json:
        from capture_core.receipt import encode

        put(encode(receipt), sys.stdout)
    else:
        print(receipt.ref, flush=True)
