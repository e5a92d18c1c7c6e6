"""The table of commands, and their parsers: one word in it brings in one module, and no other."""

from __future__ import annotations

import argparse
import os
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, NoReturn, Protocol, cast

from capture_core.exit_codes import USAGE
from capture_core.record import NamedTuple
from capview import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence


class Command(NamedTuple):
    """Where a command lives, and what it does in one line."""

    module: str
    help: str
    has_conversation: bool = True
    mixes_words: bool = False
    """Options may stand between its other words, unless ``--`` stands before these."""


class _Module(Protocol):
    EXAMPLE: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> int: ...


# One table: help, completion and the README's table are made of it or compared with it.
COMMANDS: Final = {
    "run": Command("capview.cli.run", "run a command, pass its output through, and capture it from the first byte on"),
    "tee": Command("capview.cli.tee", "capture what is piped through it, and pass it on"),
    "save": Command("capview.cli.save", "publish what is piped to it as a finished text, masked"),
    "ls": Command("capview.cli.ls", "list captures, newest first: how each ended, and whether its log is whole"),
    "show": Command("capview.cli.show", "print the receipt of one capture"),
    "read": Command("capview.cli.read", "print a bounded part of a capture"),
    "search": Command("capview.cli.search", "print matching lines of captures, and where each is", mixes_words=True),
    "errors": Command("capview.cli.errors", "find what looks like a failure in a capture: a guess, never evidence"),
    "outline": Command("capview.cli.outline", "list the steps of a build with their times: derived, never evidence"),
    "diff": Command("capview.cli.diff", "compare two captures, but for times and the like: derived, never evidence"),
    "follow": Command("capview.cli.follow", "print a capture as it grows, and exit as the command did"),
    "wait": Command("capview.cli.wait", "block until captures are final"),
    "poll": Command("capview.cli.poll", "print what is new in a capture since this consumer's last poll"),
    "notices": Command("capview.cli.notices", "print which captures have ended, each once to each consumer"),
    "cancel": Command("capview.cli.cancel", "end a running command: TERM, and KILL after a grace"),
    "promote": Command("capview.cli.promote", "let a command go on in the background, and its shell go on at once"),
    "verify": Command("capview.cli.verify", "read final captures again, and compare size and digest"),
    "rm": Command("capview.cli.rm", "remove captures that have ended"),
    "prune": Command("capview.cli.prune", "remove captures by age, number or size, the oldest first"),
    "doctor": Command("capview.cli.doctor", "find what keeps captures from working, and say how to mend it"),
    "config": Command("capview.cli.config", "show every setting, its value, and where it comes from"),
    "demo": Command("capview.cli.demo", "make a sample conversation with real commands, and open the UI on it", False),
    "completion": Command("capview.cli.completion", "print a completion script for a shell", False),
}

EXAMPLE: Final = """\
examples:
  capview run -- make -j8       run a build under capture
  capview                       look at your captures, while they grow and after
  capview ls                    what ran here, newest first
  capview COMMAND --help        more on one command
"""


# argparse makes a formatter to check each argument that is declared; one that is told no width imports shutil for it,
# and with that every compressor, 4 ms.
_CHECKS: Final = partial(argparse.RawDescriptionHelpFormatter, width=80)


class Parser(argparse.ArgumentParser):
    """argparse, with errors of one line that say where to read on."""

    def __init__(self, prog: str, *, description: str, example: str, usage: str | None = None) -> None:
        super().__init__(
            prog=prog,
            usage=usage,
            description=description,
            epilog=example,
            formatter_class=_CHECKS,
            allow_abbrev=False,
        )

    def format_help(self) -> str:
        """Help, as wide as the terminal is."""
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and exit with 2."""
        from capview.cli.words import masked
        from capview.escaping import safe

        self.exit(USAGE, f"{self.prog}: {safe(masked(message))} (see: {self.prog} --help)\n")


def dispatch(words: Sequence[str]) -> int:
    """Read the command line and do what it says; the exit code.  Errors of usage are ``SystemExit``."""
    if words and words[0] in COMMANDS:
        name, module = words[0], load(words[0])
        parser = Parser(f"capview {name}", description=sentence(name), example=module.EXAMPLE)
        declare(parser, name, module)
        # argparse can do only one of both.
        is_mixed = COMMANDS[name].mixes_words and "--" not in words
        read = parser.parse_intermixed_args if is_mixed else parser.parse_args
        return module.run(read(words[1:]))
    parser = _top_parser()
    if len(words) > 1 and not words[0].startswith("-") and not os.path.lexists(words[0]):
        parser.error(f"{words[0]!r} is no command; commands: {', '.join(COMMANDS)}")
    return _open_ui(parser, parser.parse_args(words))


def _open_ui(parser: Parser, arguments: argparse.Namespace) -> int:
    path: str | None = arguments.path
    if path is not None and "://" in path:
        parser.error(f"{path!r}: remote captures are not supported yet; give a path")
    if path is not None and not os.path.lexists(path):
        parser.error(f"{path!r} is neither a command nor a path; commands: {', '.join(COMMANDS)}")
    from capview.tui.app import open_ui

    return open_ui(path, read_only=arguments.read_only)


def declare(parser: argparse.ArgumentParser, name: str, module: _Module) -> None:
    """Declare the arguments of one command."""
    if COMMANDS[name].has_conversation:
        parser.add_argument(
            "--conversation",
            metavar="PATH",
            help="the conversation's folder (else $CAPVIEW_CONVERSATION, else the one of the working directory)",
        )
    module.add_arguments(parser)


def sentence(name: str) -> str:
    """What a command does, as a sentence."""
    words = COMMANDS[name].help
    return f"{words[0].upper()}{words[1:]}."


def load(name: str) -> _Module:
    """Import the module of one command."""
    return cast("_Module", import_module(COMMANDS[name].module))


def _top_parser() -> Parser:
    width = max(map(len, COMMANDS)) + 2
    table = "\n".join(f"  {name:<{width}}{command.help}" for name, command in COMMANDS.items())
    parser = Parser(
        "capview",
        usage="capview [PATH] [--read-only]\n       capview COMMAND …",
        description="Watch what commands print, while they run and after.  Without a command: the terminal UI.",
        example=f"commands:\n{table}\n\n{EXAMPLE}",
    )
    parser.add_argument("path", nargs="?", metavar="PATH", help="a conversation, a folder of them, a capture or a log")
    declare_top(parser)
    return parser


def declare_top(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``capview`` without a command."""
    parser.add_argument("--read-only", action="store_true", help="no key changes anything")
    parser.add_argument("--version", action="version", version=f"capview {__version__}")
