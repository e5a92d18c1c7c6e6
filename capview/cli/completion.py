"""``capview completion``: a completion script, made of the same parsers that read the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capview.cli.commands import COMMANDS, Parser, declare, declare_top, load, sentence

if TYPE_CHECKING:
    import argparse

EXAMPLE: Final = """\
examples:
  capview completion bash > ~/.local/share/bash-completion/completions/capview
  capview completion zsh > ~/.zfunc/_capview
"""

_PLACES: Final = frozenset({"PATH", "FILE", "REF"})
"""Metavars that a path can stand for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the argument of ``completion``."""
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="the shell to complete in")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    print(shtab.complete(whole_parser(), arguments.shell))
    return 0


def whole_parser() -> argparse.ArgumentParser:
    """All commands below one parser: what no other command ever needs at once."""
    import shtab

    parser = Parser("capview", description="", example="")
    declare_top(parser)
    commands = parser.add_subparsers(dest="command")
    for name in COMMANDS:
        module = load(name)
        below = commands.add_parser(name, help=sentence(name), description=sentence(name), example=module.EXAMPLE)
        declare(below, name, module)
        for action in below._actions:  # noqa: SLF001 — argparse has no other way to walk them
            if action.metavar in _PLACES:
                action.complete = shtab.FILE  # type: ignore[attr-defined] # shtab's own convention
    return parser
