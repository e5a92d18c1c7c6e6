"""A search that begins where the reader is, goes on around, and grows with the file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from capview.pager.search import Search
from tests.view.files import File

LINES = st.lists(st.sampled_from([b"needle\n", b"nothing\n", b"needle needle\n", b"\n"]), max_size=20)


def naive(data: bytes) -> list[tuple[int, int]]:
    found, at = [], data.find(b"needle")
    while at >= 0:
        found.append((at, at + 6))
        at = data.find(b"needle", at + 6)
    return found


@given(LINES, LINES, st.data())
@settings(max_examples=60)
async def test_all_matches_are_found_in_order_wherever_it_begins(
    lines: list[bytes], more: list[bytes], draw: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = File(Path(folder) / "log")
        file.path.write_bytes(b"")
        committed = file.append(b"".join(lines))
        origin = len(b"".join(lines[: draw.draw(st.integers(0, len(lines)))]))
        search = Search("needle", origin)
        for part in (b"", b"".join(more)):
            committed = file.append(part)
            while not search.complete(committed):
                await search.step(file.fetch, committed)
            expected = naive(file.path.read_bytes())
            assert search.between(0, committed) == expected
            assert search.count == len(expected)
            assert [search.ordinal(start) for start, _ in expected] == list(range(1, len(expected) + 1))
            for offset in range(committed + 1):
                assert search.after(offset) == next((m for m in expected if m[0] >= offset), None)
                assert search.before(offset) == next((m for m in expected[::-1] if m[0] < offset), None)
