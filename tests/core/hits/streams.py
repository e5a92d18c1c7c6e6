"""A stream to be searched: a finished capture's stdout, opened as readers do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.find.matcher import Wanted, compile_wanted
from capture_core.hits.stream import Sizes, StreamSearch
from capture_core.reader import StreamReader
from tests.captures import entry_of, finished

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from capture_core.hits.matches import Found
    from capture_core.hits.stream import Batch
    from tests.captures import Owner

SMALL = Sizes(block=7, piece=20, parallel=50, back=11)


def reader_of(folder: Path, data: bytes) -> StreamReader:
    """A new capture of ``data``."""
    return opened(folder, finished(folder, data))


def opened(folder: Path, owner: Owner) -> StreamReader:
    """One that is there."""
    return StreamReader(str(folder), entry_of(folder, owner), "stdout")


def over(
    reader: StreamReader,
    pattern: str,
    *,
    fixed: bool = False,
    invert: bool = False,
    every_match: bool = False,
    sizes: Sizes = SMALL,
) -> StreamSearch:
    """A search through all of it."""
    matcher = compile_wanted(Wanted(pattern, fixed=fixed))
    end = reader.committed
    return StreamSearch(reader, matcher, end, invert=invert, every_match=every_match, skips_zeros=fixed, sizes=sizes)


def each(batches: Iterator[Batch]) -> list[Found]:
    """The hits of all batches."""
    return [hit for batch in batches for hit in batch]
