"""The command table: no key twice where it works, and every view of it whole."""

from __future__ import annotations

from itertools import chain

from textual.binding import Binding

from capview.tui.commands import COMMANDS, Where, bindings, commands, help_rows, key_name, markdown_table


def test_no_key_means_two_things_in_one_place() -> None:
    for together in ((Where.JOBS, Where.EVERYWHERE), (Where.CAPTURE, Where.LOG, Where.EVERYWHERE), (Where.PROMPT,)):
        keys = list(chain.from_iterable(c.keys for where in together for c in commands(where)))
        assert len(keys) == len(set(keys))


def test_bindings_help_and_readme_hold_every_command() -> None:
    for where in Where:
        actions = [binding.action for binding in bindings(where) if isinstance(binding, Binding)]
        assert actions == [command.name for command in commands(where)]
    rows = [words for _, part in help_rows(*Where) for _, words in part]
    assert sorted(rows) == sorted(command.help for command in COMMANDS)
    table = markdown_table().splitlines()
    assert len(table) == len(COMMANDS) + 2
    assert all(line.startswith(("| ", "|-")) for line in table)


def test_help_fits_on_a_line_at_80_columns() -> None:
    assert max(len(command.help) for command in COMMANDS) <= 49


def test_keys_have_short_names() -> None:
    assert [key_name(key) for key in ("ctrl+f", "slash", "G", "pagedown")] == ["^f", "/", "G", "PgDn"]
