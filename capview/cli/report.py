"""What ``capview run`` prints when its command has ended, or goes on without it; loaded while the command runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from capture_core.errors import system_words
from capview.cli.words import put, say
from capview.present import receipt_line

if TYPE_CHECKING:
    import argparse

    from capture_core.answer import Ending
    from capture_core.order import Order


def report(ending: Ending, order: Order, arguments: argparse.Namespace) -> bool:
    """Print what the options ask for, then what went wrong, on stderr; ``False``: stdout took it not, which was said.

    The command has ended as it has, whoever takes our words.
    """
    try:
        _give_out(ending, order, arguments)
    except OSError as error:
        why = system_words(error)
        say(f"stdout: {why}" if ending.ref is None else f"stdout: {why}; see {ending.ref}")
        if ending.words:
            say(ending.words)
        return False
    return True


def _give_out(ending: Ending, order: Order, arguments: argparse.Namespace) -> None:
    if arguments.inline:
        from capview.cli import inline

        inline.report(ending, order, option=arguments.conversation, budget=arguments.budget)
    else:
        _print(ending, arguments)


def _print(ending: Ending, arguments: argparse.Namespace) -> None:
    receipt = ending.receipt or ending.live
    if arguments.json and receipt is not None:
        from capture_core.receipt import encode

        put(encode(receipt), sys.stdout)
    elif ending.receipt is not None and not arguments.quiet:
        say(receipt_line(ending.receipt))
    elif ending.goes_on and not arguments.json:
        put(f"{ending.ref}\n".encode(), sys.stdout)
    if ending.words:
        say(ending.words)
