"""Exact bytes in the UI and in a search: found where they are, and never given to the terminal as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.find.matcher import Wanted
from capture_core.local import LocalSource
from capture_core.sought import Search
from capture_core.source import Address
from tests.commands import capview
from tests.core.test_binary import NOISE, png
from tests.view.driving import ByHand, Driven
from tests.view.waiting import settled

if TYPE_CHECKING:
    from pathlib import Path

ODD = b"\x1b]52;c;aGk=\x07\x1b[2J\x9b31m" + NOISE[:600] + b"needle" + NOISE[:600]


def captured(place: Path, data: bytes) -> Address:
    """Run a command that prints ``data``, its exact bytes kept."""
    (place / "data").write_bytes(data)
    conversation = place / "conversation"
    options = ("--quiet", "--raw-binary", "--conversation", str(conversation))
    assert capview("run", *options, "--", "cat", str(place / "data")).returncode == 0
    [receipt] = (conversation / "tool-outputs/shell").glob("*Z-*.json")
    return Address("conversation", f"tool-outputs/shell/{receipt.stem}")


async def test_the_screen_shows_them_escaped(tmp_path: Path) -> None:
    address = captured(tmp_path, ODD)
    feed = ByHand()
    source = LocalSource([str(tmp_path / "conversation")], feed=feed)
    ui = Driven(source, feed, first=address)
    async with ui.app.run_test(size=(120, 40)) as pilot:
        ui.pilot = pilot
        await ui.until(lambda: "␛]52;c;aGk=␇␛[2J" in ui.text())
        await settled(pilot)
        drawn = "".join(
            segment.text
            for strip in ui.app.screen._compositor.render_strips()
            for segment in strip
            if not segment.control
        )
        assert [character for character in drawn if not character.isprintable()] == []
    await source.aclose()


async def test_a_search_finds_the_byte(tmp_path: Path) -> None:
    address = captured(tmp_path, ODD)
    source = LocalSource([str(tmp_path / "conversation")])
    hits = [hit async for hit in source.search(Search(Wanted("needle", fixed=True)), (address,))]
    assert [(hit.stream, hit.start) for hit in hits] == [("stdout", ODD.index(b"needle"))]
    page = await source.range(address, "stdout", 0, 1 << 20)
    assert page.data == ODD
    await source.aclose()


async def test_an_image_opens_like_any_log(tmp_path: Path) -> None:
    address = captured(tmp_path, png())
    source = LocalSource([str(tmp_path / "conversation")])
    entry = await source.receipt(address)
    assert [(status.name, status.committed) for status in entry.streams] == [("stdout", len(png())), ("stderr", 0)]
    await source.aclose()
