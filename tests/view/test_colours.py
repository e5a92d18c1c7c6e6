"""The colours of a log are those that its command printed, and only those of what is in sight are read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.color import Color
from rich.style import Style

from capture_core.facts import CaptureFacts, CaptureReason, CaptureState, SidecarFacts, SidecarState
from capture_core.local import LocalSource
from capture_core.sidecar import Mark, encode
from capture_core.styles import Attribute, Colour, ColourKind, Look, Underline, pack
from capview.limits import VIEW_PAGE_BYTES
from capview.tui.colours import Colours, rich_style
from tests.captures import Owner, finished
from tests.view.driving import driven

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.facts import SidecarKind
    from capture_core.source import Address, Marks
    from tests.view.driving import Driven

RED = pack(Look(foreground=Colour(ColourKind.SIXTEEN, 1)))
BOLD = pack(Look(Attribute.BOLD))


def put(owner: Owner, marks: list[tuple[int, int]]) -> None:
    with (owner.folder / f"{owner.id}.stdout.sgr").open("ab") as file:
        file.write(encode(marks))


def drawn(ui: Driven, y: int = 0) -> list[tuple[str, Style]]:
    """The text of a line of the log beside the gutter, by style, without the blanks at its end."""
    segments = [segment for segment in ui.log.render_line(y) if segment.text.strip()][1:]
    return [(segment.text.rstrip(), segment.style or Style()) for segment in segments]


def is_red(style: Style) -> bool:
    return style.color == Color.from_ansi(1)


@pytest.mark.parametrize(
    ("look", "style"),
    [
        (Look(Attribute.BOLD | Attribute.ITALIC), Style(bold=True, italic=True)),
        (Look(Attribute.FAINT), Style(dim=True)),
        (Look(Attribute.CONCEALED | Attribute.BLINK), Style(dim=True)),
        (
            Look(Attribute.REVERSE | Attribute.STRUCK | Attribute.OVERLINE),
            Style(reverse=True, strike=True, overline=True),
        ),
        (Look(underline=Underline.CURLY), Style(underline=True)),
        (Look(underline=Underline.DOUBLE), Style(underline2=True)),
        (Look(foreground=Colour(ColourKind.SIXTEEN, 9)), Style(color=Color.from_ansi(9))),
        (Look(background=Colour(ColourKind.PALETTE, 200)), Style(bgcolor=Color.from_ansi(200))),
        (Look(foreground=Colour(ColourKind.RGB, 0x010203)), Style(color=Color.from_rgb(1, 2, 3))),
        (Look(foreground=Colour(ColourKind.SIXTEEN, 2**24 - 1)), Style(color=Color.from_ansi(255))),
    ],
)
def test_a_style_is_drawn_as_it_was_and_never_hides_text(look: Look, style: Style) -> None:
    assert rich_style(pack(look)) == style


def test_runs_are_cut_to_what_is_asked_for() -> None:
    colours = Colours(0, 100, [Mark(5, RED), Mark(10, 0), Mark(20, BOLD)])
    red, bold = rich_style(RED), rich_style(BOLD)
    assert colours.between(0, 100) == ((5, 10, red), (20, 100, bold))
    assert colours.between(7, 22) == ((7, 10, red), (20, 22, bold))
    assert colours.between(10, 20) == colours.between(0, 5) == Colours().between(0, 9) == ()
    assert colours.cover(0, 100)
    assert not colours.cover(50, 101)


async def test_text_has_the_colours_that_its_command_printed(tmp_path: Path) -> None:
    owner = finished(tmp_path, "plain réd bold\nnext\n".encode())
    put(owner, [(6, RED), (10, 0), (11, BOLD), (18, 0)])
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: len(drawn(ui)) > 1)
        line, following = drawn(ui), drawn(ui, 1)
        assert [text for text, _ in line] == ["plain", "réd", "bold"]
        assert [is_red(style) for _, style in line] == [False, True, False]
        assert [bool(style.bold) for _, style in line] == [False, False, True]
        assert [(text, bool(style.bold)) for text, style in following] == [("ne", True), ("xt", False)]
        await ui.press("c")
        assert [text for text, _ in drawn(ui)] == ["plain réd bold"]
        await ui.press("c")
        assert len(drawn(ui)) == 3


async def test_what_the_view_says_of_a_loss_has_no_colour_of_the_text(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"red to the end\n")
    put(owner, [(0, RED)])
    owner.finish(capture=CaptureFacts(state=CaptureState.PARTIAL, reason=CaptureReason.DRAIN_TIMEOUT))
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: is_red(drawn(ui)[0][1]) and "┆" in ui.text())
        [(words, style)] = drawn(ui, 2)
        assert "the rest was not kept" in words
        assert not is_red(style)


async def test_a_match_stands_out_in_coloured_text(tmp_path: Path) -> None:
    owner = finished(tmp_path, b"one two three\n")
    put(owner, [(0, RED)])
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: is_red(drawn(ui)[0][1]))
        await ui.press("slash")
        await ui.type("two")
        await ui.until(lambda: len(drawn(ui)) == 3)
        assert [(text, is_red(style)) for text, style in drawn(ui)] == [("one", True), ("two", False), (" three", True)]


async def test_colours_that_are_written_after_their_text_appear(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"red\n")
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: drawn(ui))
        assert not is_red(drawn(ui)[0][1])
        put(owner, [(0, RED)])
        await ui.until(lambda: is_red(drawn(ui)[0][1]))


async def test_a_receipt_says_from_where_on_colours_and_times_are_not_known(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    full = SidecarFacts(file=f"{owner.id}.stdout.sgr", state=SidecarState.FULL, retained=16, records=1, end=12_345)
    failed = SidecarFacts(file=None, state=SidecarState.FAILED, retained=0, records=0, end=0)
    stdout = replace(owner.receipt.streams["stdout"], sidecars={"sgr": full, "times": failed})
    owner.receipt = replace(owner.receipt, streams={**owner.receipt.streams, "stdout": stdout})
    owner.finish()
    async with driven(tmp_path, first=owner) as ui:
        await ui.press("4")
        await ui.until(lambda: "unknown from byte 12,345 on: no more room within the limit" in ui.text())
        assert "unknown from byte 0 on: they could not be written" in ui.text()


async def test_only_the_colours_in_sight_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = 200_000
    owner = finished(tmp_path, b"".join(b"%07d\n" % number for number in range(lines)))
    put(owner, [(8 * number, RED if number % 2 else 0) for number in range(1, lines)])
    asked: list[tuple[int, int]] = []
    marks = LocalSource.marks

    async def spied(self: LocalSource, address: Address, stream: str, kind: SidecarKind, start: int, end: int) -> Marks:
        asked.append((start, end))
        return await marks(self, address, stream, kind, start, end)

    monkeypatch.setattr(LocalSource, "marks", spied)
    async with driven(tmp_path, first=owner) as ui:
        await ui.until(lambda: is_red(drawn(ui, 1)[0][1]))
        assert not is_red(drawn(ui, 0)[0][1])
        await ui.press("G")
        await ui.until(
            lambda: ui.log.position().percent == 100 and is_red(drawn(ui, 0)[0][1]) != is_red(drawn(ui, 1)[0][1])
        )
        await ui.press("k", "k", "k")
    assert len(asked) == 2
    assert all(end - start <= 2 * VIEW_PAGE_BYTES + 8 * 40 for start, end in asked)
