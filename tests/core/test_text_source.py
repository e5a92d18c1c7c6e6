"""A text as it is given: whatever it is in, its bytes are the same; what is no text is refused."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core import text_source
from capture_core.errors import BadInput
from capture_core.text_source import encoded, pieces
from tests.cuts import places, three_ways

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.text_source import Given

any_text = st.text(st.characters() | st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF))


def all_of(source: object, size: int = 7) -> bytes:
    return b"".join(pieces(cast("Given", source), size))


@given(any_text, places, st.integers(1, 9))
def test_a_text_is_the_same_bytes_however_it_is_given(text: str, at: list[int], size: int) -> None:
    whole = encoded(text)
    assert all_of(text, size) == whole
    for parts in three_ways(text, at):
        assert all_of(parts, size) == whole
        assert all_of(iter(parts), size) == whole
    assert all_of(io.StringIO(text, newline=""), size) == whole


@given(st.binary(), places, st.integers(1, 9))
def test_bytes_are_the_same_however_they_are_given(data: bytes, at: list[int], size: int) -> None:
    for whole in (data, bytearray(data), memoryview(data), io.BytesIO(data)):
        assert all_of(whole, size) == data
    for parts in three_ways(data, at):
        assert all_of(parts, size) == data


def test_text_and_bytes_may_be_mixed() -> None:
    assert all_of(["é", b"\xc3", bytearray(b"\xa9"), memoryview(b"!")]) == "éé!".encode()


def test_views_of_any_form() -> None:
    assert all_of(memoryview(b"abcdef")[::2]) == b"ace"
    assert all_of(memoryview(b"abcdefgh").cast("I")) == b"abcdefgh"


def test_a_lone_surrogate_is_one_byte_that_is_not_utf_8() -> None:
    assert encoded("a\ud800b") == b"a\xffb"
    assert encoded("a\ud800b").decode(errors="replace") == "a\N{REPLACEMENT CHARACTER}b"
    # What stands for a byte is that byte, whatever stands beside it.
    assert encoded(os.fsdecode(b"\xc3\xa9\xff")) == b"\xc3\xa9\xff"
    assert encoded("\ud800" + os.fsdecode(b"\xfe")) == b"\xff\xfe"


class Unshowable:
    def __str__(self) -> str:
        raise RuntimeError("no words for it")


@pytest.mark.parametrize(
    "nothing",
    [None, 0, 1.5, True, Path("a"), {"a": "b"}, {"a"}, object(), Unshowable(), str, Exception("x")],
    ids=lambda given: type(given).__name__,
)
def test_what_is_no_text_is_refused_at_once_in_one_line(nothing: object) -> None:
    with pytest.raises(BadInput, match=r"^(an? \w+|None) is no text; give a str, bytes, an open file, or an iter"):
        pieces(cast("Given", nothing), 7)


@pytest.mark.parametrize("part", [None, 5, ["a"]], ids=lambda given: type(given).__name__)
def test_a_part_that_is_no_text_is_told_when_it_is_reached(part: object) -> None:
    seen: list[bytes] = []
    with pytest.raises(TypeError, match=r"part 3 is .*, not text"):
        seen.extend(pieces(cast("Given", ["one ", "two ", part, "four"]), 7))
    assert b"".join(seen) == b"one two "


def test_what_came_before_an_error_is_given_before_it() -> None:
    def breaks() -> Iterator[str]:
        yield from "abc"
        raise ConnectionResetError

    seen: list[bytes] = []
    with pytest.raises(ConnectionResetError):
        seen.extend(pieces(breaks(), 7))
    assert b"".join(seen) == b"abc"


def test_a_source_that_is_left_in_the_middle_is_closed_in_silence() -> None:
    closed = threading.Event()

    def parts() -> Iterator[str]:
        try:
            while True:
                yield "a"
        finally:
            closed.set()

    source = pieces(parts(), 7)
    next(source)
    del source
    assert closed.is_set()


def test_small_parts_that_come_fast_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_source, "GATHER_SECONDS", 1e12)
    monkeypatch.setattr(text_source, "GATHER_BYTES", 10)
    assert [len(piece) for piece in pieces(["abc"] * 11, 7)] == [12, 12, 9]


def test_parts_that_come_slowly_are_given_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_source, "GATHER_SECONDS", 0.0)
    assert list(pieces(["a", "", "b"], 7)) == [b"a", b"b"]


def test_a_pipe_is_read_as_it_comes() -> None:
    read, write = os.pipe()
    with open(read, "rb") as file:
        source = pieces(file, 100)
        os.write(write, b"first")
        assert next(source) == b"first"
        os.write(write, b"second")
        os.close(write)
        assert list(source) == [b"second"]


class Watched(io.FileIO):
    """A file that tells when it had nothing to give."""

    def __init__(self, fd: int) -> None:
        super().__init__(fd)
        self.had_nothing = threading.Event()

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(-1 if size is None else size)
        if data is None:
            self.had_nothing.set()
        return data


@pytest.mark.parametrize("buffered", [False, True])
def test_nothing_yet_is_not_the_end(*, buffered: bool) -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    raw = Watched(read)
    raw.had_nothing.clear()

    def write_late() -> None:
        # Through a buffer the raw file is read by readinto(), which does not tell.
        assert buffered or raw.had_nothing.wait(30)
        os.write(write, b"late")
        os.close(write)

    writer = threading.Thread(target=write_late)
    with io.BufferedReader(raw) if buffered else raw as file:
        writer.start()
        assert all_of(file) == b"late"
    writer.join()


class Absent:
    def read(self, size: int, /) -> None:
        return None


class Wrong:
    def read(self, size: int, /) -> int:
        return 5


def test_files_that_are_none() -> None:
    with pytest.raises(BlockingIOError, match="no descriptor"):
        all_of(Absent())
    with pytest.raises(TypeError, match="reading gave an int, not text"):
        all_of(Wrong())
