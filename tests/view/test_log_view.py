"""The log view on a real file: what is drawn, while it grows, is cut short, and vanishes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from capture_core.errors import StreamGone
from capview.pager.rows import Cuts
from capview.tui.text import show
from tests.view.files import File
from tests.view.log_app import LogApp
from tests.view.naive import naive_rows
from tests.view.waiting import press, settled, until

if TYPE_CHECKING:
    from capture_core.source import Page

SIZE = (60, 12)


def numbered(first: int, last: int) -> bytes:
    return b"".join(b"line %d\n" % n for n in range(first, last + 1))


def bodies(app: LogApp) -> list[str]:
    """The text beside the gutter."""
    return [line[app.view.model.digits + 2 :] for line in app.screen_text()]


def found(app: LogApp) -> tuple[int | None, int]:
    """Which match of how many; the search must have come to its end."""
    finding = app.view.finding()
    assert finding is not None
    assert finding.complete
    return finding.ordinal, finding.count


async def test_it_opens_at_the_start_of_what_is_final_and_at_the_end_of_what_is_live(file: File) -> None:
    file.append(numbered(1, 1000))
    app = LogApp(file)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert bodies(app)[0] == "line 1"
    app = LogApp(file, live=True)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert bodies(app)[-1] == "line 1000"
        assert app.view.position().following


async def test_a_followed_log_shows_each_append(file: File) -> None:
    app = LogApp(file, live=True)
    async with app.run_test(size=SIZE) as pilot:
        for part in (b"one\ntw", b"o\n", numbered(3, 40), b"unfinished"):
            app.grow(part)
            await settled(pilot)
        assert bodies(app)[-2:] == ["line 40", "unfinished"]
        assert app.view.position().unread == 0


async def test_scrolling_up_stops_following_and_counts_what_comes(file: File) -> None:
    file.append(numbered(1, 100))
    app = LogApp(file, live=True)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await press(pilot, "k")
        before = bodies(app)
        app.grow(numbered(101, 107))
        await settled(pilot)
        assert bodies(app) == before
        assert app.view.position().unread == 7
        await press(pilot, "j", "j")
        await settled(pilot)
        assert app.view.position().unread == 6
        await press(pilot, "G")
        await settled(pilot)
        assert bodies(app)[-1] == "line 107"
        assert app.view.position().unread == 0


async def test_the_first_lines_stay_where_they_are_while_more_comes(file: File) -> None:
    file.append(numbered(1, 100))
    app = LogApp(file)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        before = app.screen_text()
        app.grow(numbered(101, 5000))
        await settled(pilot)
        assert app.screen_text() == before


async def test_lines_have_numbers_as_soon_as_they_are_counted(file: File) -> None:
    file.append(numbered(1, 30_000))
    app = LogApp(file, live=True)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert app.screen_text()[-1].split() == ["30000", "line", "30000"]
        assert app.view.position().lines == 30_000


async def test_numbers_that_come_later_move_no_text(file: File) -> None:
    file.append(numbered(1, 30_000))
    app = LogApp(file, live=True)
    async with app.run_test(size=SIZE) as pilot:
        view = app.view
        await until(pilot, lambda: view.model.window.lines)
        before = bodies(app)
        await settled(pilot)
        assert bodies(app) == before


async def test_a_cut_stream_ends_in_a_marker_and_what_came_last(file: File) -> None:
    file.append(numbered(1, 3) + b"cut he")
    app = LogApp(file)
    async with app.run_test(size=SIZE) as pilot:
        app.grow(marker="\n… log cut at 25 B: the rest was not kept\n".encode(), rest=b"the\nend")
        await settled(pilot)
        text = [line for line in app.screen_text() if line]
        assert text[3].split(maxsplit=1) == ["4", "cut he"]
        assert [line.strip() for line in text[4:]] == [
            "┆ … log cut at 25 B: the rest was not kept",
            "┆ the",
            "┆ end",
        ]
        assert app.view.position().lines == 4


async def test_a_truncated_file_is_shown_anew_and_says_so(file: File) -> None:
    file.append(numbered(1, 100))
    app = LogApp(file, live=True)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        file.path.write_bytes(b"")
        app.grow(b"new\n")
        await settled(pilot)
        assert bodies(app)[0] == "new"
        assert "cut or replaced" in app.view.note
        app.grow(b"and more\n")
        await settled(pilot)
        assert bodies(app)[:2] == ["new", "and more"]


async def test_a_vanished_file_says_so_and_what_was_read_stays(file: File) -> None:
    file.append(numbered(1, 100_000))
    app = LogApp(file)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        before = bodies(app)

        async def gone(start: int, end: int) -> Page:
            raise StreamGone("its file was deleted or replaced")

        app.view.model.document.pages._fetch = gone
        await press(pilot, "G")
        await settled(pilot)
        assert bodies(app) == before
        assert app.view.note == "its file was deleted or replaced"
        app.view.model.document.pages._fetch = file.fetch
        await press(pilot, "G")
        await settled(pilot)
        assert bodies(app)[-1] == "line 100000"


async def test_redraws_are_one_line_with_their_count_and_r_shows_them(file: File) -> None:
    file.append(b"start\n" + b"".join(b"\r%3d%%" % n for n in range(101)) + b"\nend\n")
    app = LogApp(file)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert bodies(app)[:3] == ["start", "100%  ↻ 100 redraws", "end"]
        await press(pilot, "r")
        await settled(pilot)
        assert bodies(app)[:4] == ["start", "  0%", "  1%", "  2%"]


async def test_long_lines_scroll_sideways_or_wrap(file: File) -> None:
    file.append(("漢字" * 40 + "\n" + "x" * 100 + "\n").encode())
    app = LogApp(file)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await press(pilot, "l")
        assert bodies(app)[0].startswith("漢字")
        assert app.view.position().left == 8
        await press(pilot, "w")
        await settled(pilot)
        text = "".join(bodies(app)[:4])
        assert text.count("漢字") == 40


async def test_search_as_you_type_goes_to_the_next_match_and_around(file: File) -> None:
    file.append(numbered(1, 500))
    app = LogApp(file)
    async with app.run_test(size=SIZE) as pilot:
        view = app.view
        await settled(pilot)
        view.search_for("line 4", view.model.window.start)
        await settled(pilot)
        assert found(app) == (1, 111)
        await press(pilot, "n", "n")
        await settled(pilot)
        assert found(app) == (3, 111)
        assert "line 41" in bodies(app)
        await press(pilot, "N", "N", "N")
        await settled(pilot)
        assert found(app) == (111, 111)
        app.grow(b"line 4 again\n")
        await settled(pilot)
        assert found(app) == (111, 112)


async def test_a_match_far_to_the_right_comes_into_sight(file: File) -> None:
    file.append(b"x" * 300 + b"needle" + b"x" * 300 + b"\n")
    app = LogApp(file)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.view.search_for("needle", 0)
        await settled(pilot)
        assert "needle" in bodies(app)[0]


@pytest.mark.parametrize(
    ("line", "first"), [(1, "line 1"), (77, "line 77"), (29_000, "line 29000"), (99_999, "line 29989")]
)
async def test_jump_to_a_line(file: File, line: int, first: str) -> None:
    file.append(numbered(1, 30_000))
    app = LogApp(file)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.view.go_to_line(line)
        await settled(pilot)
        assert bodies(app)[0] == first


async def test_jump_to_percent_and_byte(file: File) -> None:
    file.append(numbered(1, 30_000))
    app = LogApp(file)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        app.view.go_to_byte(8)
        await settled(pilot)
        assert bodies(app)[0] == "line 2"
        app.view.go_to_percent(50)
        await settled(pilot)
        middle = app.view.position()
        assert middle.percent == 50


async def test_two_views_of_one_file_do_not_move_each_other(file: File) -> None:
    file.append(numbered(1, 100))
    one, other = LogApp(file, live=True), LogApp(file, live=True)
    async with one.run_test(size=SIZE) as first, other.run_test(size=SIZE) as second:
        await settled(first)
        await settled(second)
        await press(first, "k")
        one.grow(b"more\n")
        other.grow()
        await settled(first)
        await settled(second)
        assert (one.view.position().unread, other.view.position().unread) == (1, 0)


KEYS = st.lists(
    st.sampled_from(["j", "k", "d", "u", "pagedown", "pageup", "g", "G", "w", "r", "l", "0", "grow"]), max_size=8
)
PARTS = st.lists(
    st.one_of(
        st.sampled_from([b"\n", b"\r", b"\r\n", "漢字\t".encode(), "👩‍🔧e\u0301".encode(), b"\x1b[31m", b"\xff\x00"]),
        st.binary(max_size=30),
        st.integers(0, 9000).map(lambda n: b"x" * n),
        st.integers(0, 200).map(lambda n: b"".join(b"%d\n" % i for i in range(n))),
    ),
    max_size=12,
)


@given(PARTS, KEYS)
@settings(max_examples=25, phases=[Phase.explicit, Phase.reuse, Phase.generate])  # shrinking would take minutes
async def test_whatever_is_pressed_the_screen_is_a_part_of_the_naive_list(parts: list[bytes], keys: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = File(Path(folder) / "log")
        file.path.write_bytes(b"".join(parts))
        app = LogApp(file)
        async with app.run_test(size=(90, 9)) as pilot:
            await settled(pilot)
            model = app.view.model
            for key in keys:
                if key == "grow":
                    app.grow(b"".join(parts))
                    await settled(pilot)
                else:
                    await press(pilot, key)
            window = model.window
        cuts = Cuts(fold=model.fold)
        rows = naive_rows(file.path.read_bytes(), cuts)
        shown = [line.text for line in window.lines]
        if model.wrap:
            assert "".join(shown) in "".join(show(row.data).text for row in rows)
        else:
            texts = [show(row.data).text for row in rows]
            assert any(texts[at : at + len(shown)] == shown for at in range(len(texts) + 1))
            assert len(shown) == min(len(texts), model.height)
