"""Every range of ``capview read`` beside what ``head``, ``tail``, ``sed -n`` and ``dd`` print, at any page size."""

from __future__ import annotations

import gzip
import json
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture_core import line_count, line_index, lines
from capview.cli import read
from tests.captures import Owner, finished
from tests.commands import Here

if TYPE_CHECKING:
    from collections.abc import Iterator

RAW = sorted(path for path in (Path(__file__).parents[1] / "raw").rglob("*") if path.is_file())
PAGES = (5, 16, 4096)

corpora = st.lists(
    st.sampled_from([b"\n", b"error: no\n", b"x" * 40, "é€😀\n".encode(), "😀".encode(), b"\0\0", b"\r\n"]), max_size=60
).map(b"".join)
numbers = st.integers(0, 30)


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    return Here(tmp_path, capfdbinary)


@contextmanager
def pages_of(size: int) -> Iterator[None]:
    """Read everything in blocks of ``size`` bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "LINE_BLOCK_BYTES", size)
        patch.setattr(line_count, "LINE_BLOCK_BYTES", 3 * size)
        patch.setattr(line_count, "LINE_INDEX_BLOCK_BYTES", size)
        patch.setattr(line_index, "LINE_INDEX_BLOCK_BYTES", size)
        patch.setattr(read, "READ_PIECE_BYTES", size)
        yield


def capture(conversation: Path, data: bytes, *, state: str) -> None:
    if state == "final":
        finished(conversation, data, has_digest=True)
        return
    Owner(conversation, streams=("stdout",)).append("stdout", data)


def printed(data: bytes, *command: str) -> bytes:
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(corpora, numbers, numbers, st.sampled_from(PAGES), st.sampled_from(["live", "final"]))
def test_lines(
    here: Here, tmp_path_factory: pytest.TempPathFactory, data: bytes, first: int, more: int, page: int, state: str
) -> None:
    conversation = tmp_path_factory.mktemp("c")
    capture(conversation, data, state=state)
    options = {
        ("--head", f"{more}"): ("head", "-n", f"{more}"),
        ("--tail", f"{more}"): ("tail", "-n", f"{more}"),
        ("--lines", f"{first + 1}:{first + more + 1}"): ("sed", "-n", f"{first + 1},{first + more + 1}p"),
        ("--lines", f"{first + 1}:"): ("sed", "-n", f"{first + 1},$p"),
        ("--lines", f":{more + 1}"): ("sed", "-n", f"1,{more + 1}p"),
    }
    plenty = ("--stream", "stdout", "--max-bytes", "1MiB")
    with pages_of(page):
        for ours, theirs in options.items():
            answer = here.bare("read", "@last", "--conversation", str(conversation), *plenty, *ours)
            assert answer == (0, printed(data, *theirs), b""), ours


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(corpora, st.integers(0, 200), st.integers(0, 200), st.sampled_from(PAGES), st.sampled_from(["live", "final"]))
def test_bytes(
    here: Here, tmp_path_factory: pytest.TempPathFactory, data: bytes, start: int, size: int, page: int, state: str
) -> None:
    """Both ends are moved back to where a character begins; what is asked for within one gives that one."""
    conversation = tmp_path_factory.mktemp("c")
    capture(conversation, data, state=state)
    edges = [len(data.decode()[:n].encode()) for n in range(len(data.decode()) + 1)]
    low, high = (max(edge for edge in edges if edge <= at) for at in (start, start + size))
    if low == high and size and start < len(data):
        high = min(edge for edge in edges if edge > low)
    dd = ("dd", "iflag=skip_bytes,count_bytes", f"skip={low}", f"count={high - low}", "status=none")
    with pages_of(page):
        words = ("--conversation", str(conversation), "--stream", "stdout", "--bytes", f"{start}:{start + size}")
        assert here.bare("read", "@last", *words) == (0, printed(data, *dd), b"")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(corpora, st.integers(0, 300), st.integers(1, 200), st.sampled_from(PAGES))
def test_around(
    here: Here, tmp_path_factory: pytest.TempPathFactory, data: bytes, offset: int, size: int, page: int
) -> None:
    """A part of the text that holds the place, and whole lines where they fit."""
    conversation = tmp_path_factory.mktemp("c")
    capture(conversation, data, state="final")
    with pages_of(page):
        words = ("--conversation", str(conversation), "--around", str(offset), "--max-bytes", str(size), "--json")
        code, out, _ = here.bare("read", "@last", "--stream", "stdout", *words)
    part = json.loads(out)
    low, high = part["start"], part["end"]
    assert code == 0
    assert part["text"].encode() == data[low:high]
    assert low - 3 <= min(offset, len(data)) <= high or not data
    assert high - low <= max(size, 4)


@pytest.mark.parametrize("path", RAW, ids=lambda path: path.name)
def test_recorded_output(here: Here, tmp_path: Path, path: Path) -> None:
    whole = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    data = whole[: 1 << 20].decode("utf-8", "replace").encode()
    capture(tmp_path, data, state="final")
    middle = data.count(b"\n") // 2 + 1
    for page in (4096, 65_536):
        with pages_of(page):
            for ours, theirs in {
                ("--head", "7"): ("head", "-n", "7"),
                ("--tail", "7"): ("tail", "-n", "7"),
                ("--lines", f"{middle}:{middle + 3}"): ("sed", "-n", f"{middle},{middle + 3}p"),
            }.items():
                expected = printed(data, *theirs)
                assert here("read", "@last", "--stream", "stdout", "--max-bytes", "4MiB", *ours) == (0, expected, b"")
