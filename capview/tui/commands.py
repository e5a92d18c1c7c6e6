"""Every command of the UI, once: its keys, footer, palette entry, help line and README row are made of this table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from textual.binding import Binding, BindingType


class Where(StrEnum):
    """Where a command's keys work; the value heads its part of the help."""

    EVERYWHERE = "Everywhere"
    JOBS = "Jobs"
    CAPTURE = "Capture"
    LOG = "Log"
    PROMPT = "While you type"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """``name`` is the action (``action_<name>``) of the app, screen or widget that ``where`` stands for."""

    name: str
    keys: tuple[str, ...]
    title: str
    help: str
    where: Where
    footer: bool = False


def _everywhere(name: str, keys: str, title: str, text: str, *, footer: bool = False) -> Command:
    return Command(name=name, keys=tuple(keys.split()), title=title, help=text, where=Where.EVERYWHERE, footer=footer)


def _jobs(name: str, keys: str, title: str, text: str, *, footer: bool = False) -> Command:
    return Command(name=name, keys=tuple(keys.split()), title=title, help=text, where=Where.JOBS, footer=footer)


def _capture(name: str, keys: str, title: str, text: str, *, footer: bool = False) -> Command:
    return Command(name=name, keys=tuple(keys.split()), title=title, help=text, where=Where.CAPTURE, footer=footer)


def _log(name: str, keys: str, title: str, text: str, *, footer: bool = False) -> Command:
    return Command(name=name, keys=tuple(keys.split()), title=title, help=text, where=Where.LOG, footer=footer)


def _prompt(name: str, keys: str, title: str, text: str) -> Command:
    return Command(name=name, keys=tuple(keys.split()), title=title, help=text, where=Where.PROMPT)


COMMANDS: tuple[Command, ...] = (
    _jobs("open", "enter l right", "Open", "Open the selected job", footer=True),
    _jobs("filter", "slash", "Filter", "Show only jobs that match, as you type", footer=True),
    _jobs("sort", "s", "Sort", "Sort by the next column", footer=True),
    _jobs("reverse", "S", "Reverse", "Turn the order round"),
    _jobs("cursor_down", "j down", "Down", "Next job"),
    _jobs("cursor_up", "k up", "Up", "Previous job"),
    _jobs("page_down", "ctrl+f pagedown space", "Page down", "A screen of jobs down"),
    _jobs("page_up", "ctrl+b pageup", "Page up", "A screen of jobs up"),
    _jobs("first", "g home", "First", "First job"),
    _jobs("last", "G end", "Last", "Last job"),
    _capture("stdout", "1", "stdout", "Show standard output, or the only stream", footer=True),
    _capture("stderr", "2", "stderr", "Show standard error", footer=True),
    _capture("both", "3", "both", "Show both streams side by side", footer=True),
    _capture("receipt", "4 i", "receipt", "The receipt: what is known of process and log", footer=True),
    _capture("other_pane", "tab", "Other pane", "The other of two streams side by side"),
    _capture("search", "slash", "Search", "Search this log, as you type", footer=True),
    _capture("go_to", "colon", "Go to", "Go to a line (120), part (50%) or byte (@4096)", footer=True),
    _log("end", "G end", "End", "Go to the end and follow what is still written", footer=True),
    _log("top", "g home", "Start", "Go to the start"),
    _log("down", "j down", "Down", "One line down"),
    _log("up", "k up", "Up", "One line up; stops following"),
    _log("half_down", "d ctrl+d", "Half down", "Half a screen down"),
    _log("half_up", "u ctrl+u", "Half up", "Half a screen up"),
    _log("page_down", "ctrl+f pagedown space", "Page down", "A screen down"),
    _log("page_up", "ctrl+b pageup b", "Page up", "A screen up"),
    _log("left", "h left", "Left", "Scroll left, when lines are not wrapped"),
    _log("right", "l right", "Right", "Scroll right, when lines are not wrapped"),
    _log("line_start", "0", "Line start", "Scroll back to the start of lines"),
    _log("next_match", "n", "Next match", "Next match of the search"),
    _log("previous_match", "N", "Previous match", "Previous match of the search"),
    _log("follow", "f", "Follow", "Follow the end, or stop following"),
    _log("wrap", "w", "Wrap", "Wrap long lines, or scroll them"),
    _log("numbers", "number_sign", "Line numbers", "Show or hide line numbers"),
    _log("colours", "c", "Colours", "Colours as the command printed them, or none"),
    _log("redraws", "r", "Redraws", "Every redraw of a progress line, or only the last"),
    _prompt("submit", "enter", "Take", "Keep what you typed, go back to the list or log"),
    _prompt("cancel", "escape", "Leave", "Leave it, as it was before you typed"),
    _everywhere("back", "escape", "Back", "Back to where you came from; never quits", footer=True),
    _everywhere("help", "question_mark f1", "Help", "The keys of where you are", footer=True),
    _everywhere("command_palette", "ctrl+p", "Palette", "Every command by name"),
    _everywhere("theme", "T", "Theme", "Light or dark"),
    _everywhere("quit", "q", "Quit", "Quit; no job is touched", footer=True),
)


def commands(where: Where) -> tuple[Command, ...]:
    """The commands that work in one place, in the order of the table."""
    return tuple(command for command in COMMANDS if command.where is where)


def bindings(where: Where) -> list[BindingType]:
    """Textual's bindings for one place."""
    return [
        Binding(
            ",".join(command.keys),
            command.name,
            command.title,
            show=command.footer,
            key_display=key_name(command.keys[0]),
        )
        for command in commands(where)
    ]


_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "colon": ":",
    "number_sign": "#",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "escape": "Esc",
    "enter": "Enter",
    "space": "Space",
    "tab": "Tab",
    "home": "Home",
    "end": "End",
    "f1": "F1",
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
}


def key_name(key: str) -> str:
    """How a key is written for people: ``ctrl+f`` is ``^f``."""
    return _NAMES.get(key, key.replace("ctrl+", "^"))


def key_names(command: Command) -> str:
    """All keys of a command, for people."""
    return " ".join(key_name(key) for key in command.keys)


def help_rows(*places: Where) -> list[tuple[str, list[tuple[str, str]]]]:
    """For each place its heading, and keys and help of each command."""
    return [(place.value, [(key_names(command), command.help) for command in commands(place)]) for place in places]


def markdown_table() -> str:
    """The table of all keys for the README."""
    rows = [
        f"| {command.where.value} | {' '.join(f'`{key_name(key)}`' for key in command.keys)} | {command.help} |"
        for command in COMMANDS
    ]
    return "\n".join(["| where | keys | does |", "|---|---|---|", *rows])
