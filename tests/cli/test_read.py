"""``capview read``: every way to ask for a part, the bound, and the command that goes on behind it."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture_core.line_index import LineIndex
from capview.cli import read
from tests.captures import Owner, finished

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands import Here

LINES = b"".join(b"line %d\n" % n for n in range(1, 101))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], LINES),
        (["--head", "2"], b"line 1\nline 2\n"),
        (["--head", "0"], b""),
        (["--tail", "2"], b"line 99\nline 100\n"),
        (["--tail", "0"], b""),
        (["--tail", "1000"], LINES),
        (["--lines", "3:4"], b"line 3\nline 4\n"),
        (["--lines", "99:"], b"line 99\nline 100\n"),
        (["--lines", ":1"], b"line 1\n"),
        (["--lines", "200:300"], b""),
        (["--bytes", "0:6"], b"line 1"),
        (["--bytes", "5:9"], LINES[5:9]),
        (["--bytes", "780:"], LINES[780:]),
        (["--bytes", "9999:99999"], b""),
        (["--around", "40", "--max-bytes", "20"], b"line 6\nline 7\n"),
    ],
)
def test_parts(here: Here, tmp_path: Path, options: list[str], expected: bytes) -> None:
    finished(tmp_path, LINES)
    code, out, _ = here("read", "@last", *options)
    assert (code, out) == (0, expected)


def test_what_does_not_fit_is_named_with_the_exact_command_that_goes_on(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, LINES, b"")
    whole, words = b"", ["read", "@last", "--conversation", str(tmp_path), "--max-bytes", "100"]
    while words:
        code, out, err = here.bare(*words)
        assert code == 0
        assert len(out) <= 100
        whole += out
        _, _, command = err.decode().strip().partition(" more: ")
        words = shlex.split(command)[1:]
    assert whole == LINES


def test_a_tail_that_does_not_fit_keeps_its_end_and_goes_on_before_it(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, LINES)
    code, out, err = here("read", "@last", "--tail", "50", "--max-bytes", "30")
    assert (code, out) == (0, LINES[-30:])
    _, _, command = err.decode().strip().partition(" before: ")
    _, before, _ = here.bare(*shlex.split(command)[1:])
    assert b"line 51\n" in before or b"line 51\n" in before + out
    assert "--bytes" in command


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(st.text(alphabet="ab\né€😀", min_size=1, max_size=40), st.integers(1, 9))
def test_text_cut_anywhere_is_whole_characters_and_goes_on(
    here: Here, tmp_path_factory: pytest.TempPathFactory, text: str, size: int
) -> None:
    conversation = tmp_path_factory.mktemp("conversation")
    finished(conversation, text.encode())
    whole, words = "", ["read", "@last", "--conversation", str(conversation), "--max-bytes", str(size)]
    while words:
        _, out, err = here.bare(*words)
        assert out
        whole += out.decode()
        words = shlex.split(err.decode().strip().partition(" more: ")[2])[1:]
    assert whole == text


def test_the_only_stream_with_text_is_meant_and_several_are_labelled(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"", b"only err\n", second=1)
    assert here("read", "@last")[1] == b"only err\n"
    finished(tmp_path, b"out without newline", b"err\n", second=2)
    assert here("read", "@last")[1] == b"==> stdout <==\nout without newline\n==> stderr <==\nerr\n"
    assert here("read", "@last", "--stream", "stdout")[1] == b"out without newline"
    finished(tmp_path, b"", b"", second=3)
    assert here("read", "@last")[1] == b"==> stdout <==\n==> stderr <==\n"


def test_the_bound_holds_for_all_streams_together_and_a_short_one_gives_way(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"o" * 1000, b"e" * 10)
    _, out, _ = here("read", "@last", "--max-bytes", "100")
    assert out.count(b"o" * 90) == 1
    assert out.count(b"e" * 10) == 1
    assert b"o" * 91 not in out


def test_a_stream_that_is_not_there_is_a_no(here: Here, tmp_path: Path) -> None:
    finished(tmp_path)
    code, out, err = here("read", "@last", "--stream", "output")
    assert (code, out) == (1, b"")
    assert b"has no stream 'output'; it has: stderr, stdout" in err


def test_a_file_that_somebody_cut_is_no_short_text(here: Here, tmp_path: Path) -> None:
    owner = finished(tmp_path, LINES)
    owner.path("stdout").chmod(0o600)
    words = f"capview: stdout: its file was cut to 10 bytes, {len(LINES) - 10} are missing\n".encode()
    os.truncate(owner.path("stdout"), 10)
    assert here("read", "@last") == (1, LINES[:10], words)
    assert here("read", "@last", "--bytes", "0:5") == (0, LINES[:5], words)
    assert here("read", "@last", "--lines", "2:2") == (1, LINES[7:10], words)
    assert json.loads(here("read", "@last", "--stream", "stdout", "--json")[1])["missing"] == len(LINES) - 10
    os.truncate(owner.path("stdout"), 0)
    code, out, err = here("read", "@last", "--stream", "stdout")
    assert (code, out) == (1, b"")
    assert b"cut to 0 bytes" in err


def test_json_says_where_to_go_on_and_whether_it_is_fixed(here: Here, tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"12345\xff")
    code, out, err = here("read", "@last", "--json", "--max-bytes", "4")
    assert (code, err) == (0, b"")
    assert json.loads(out) == {
        "ref": owner.ref,
        "stream": "stdout",
        "start": 0,
        "end": 4,
        "committed": 6,
        "missing": 0,
        "line": 1,
        "fixed": False,
        "rest": "4:6",
        "text": "1234",
    }


def test_a_huge_log_costs_what_is_shown(here: Here, tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    os.truncate(owner.path("stdout"), 1 << 40)
    code, out, err = here("read", "@last", "--bytes", f"{1 << 39}:")
    assert (code, out) == (0, bytes(16 * 1024))
    assert f"--bytes {(1 << 39) + 16 * 1024}:{1 << 40}".encode() in err
    code, out, _ = here("read", "@last", "--around", str(1 << 39), "--max-bytes", "10")
    assert (code, out) == (0, bytes(10))


def test_a_terminal_is_not_given_anything_to_obey(tmp_path: Path) -> None:
    finished(tmp_path, b"\x1b]52;c;eA==\x07\xc2\x9b31m tab\there \xff\nend")
    main_end, end = pty.openpty()
    child = subprocess.Popen(["capview", "read", "@last", "--conversation", str(tmp_path)], stdout=end)
    assert child.wait() == 0
    os.close(end)
    seen = os.read(main_end, 10_000)
    os.close(main_end)
    assert seen == b"\\e]52;c;eA==\\x07\\x9b31m tab\there \\xff\r\nend\r\n"


def test_lines_of_an_ended_capture_that_were_counted_once_need_no_scan(
    here: Here, tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished(tmp_path, b"".join(b"line %07d of three hundred thousand\n" % n for n in range(300_000)), has_digest=True)
    assert here("read", "@last", "--lines", "400000:")[:2] == (0, b"")
    (kept,) = (own_home / "xdg_cache_home" / "capview" / "lines").iterdir()

    def feed(index: LineIndex, data: bytes) -> None:
        raise AssertionError("counted again")

    monkeypatch.setattr(LineIndex, "feed", feed)
    lines = b"".join(b"line %07d of three hundred thousand\n" % n for n in range(250_000, 250_011))
    assert here("read", "@last", "--lines", "250001:250011") == (0, lines, b"")
    monkeypatch.undo()
    kept.write_bytes(kept.read_bytes()[:-1])
    assert here("read", "@last", "--lines", "250001:250011") == (0, lines, b"")


def test_an_object_tells_its_first_lines_number_where_that_takes_no_long_count(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "LINE_CACHE_FROM_BYTES", 200)
    finished(tmp_path, LINES)

    def line(*words: str) -> object:
        return json.loads(here("read", "@last", "--stream", "stdout", "--json", *words)[1])["line"]

    assert [line("--bytes", f"{start}:") for start in (0, 6, 7, 200, 201)] == [1, 1, 2, 27, None]
    assert line("--lines", "5:6") == 5


def test_an_object_is_bounded_whatever_is_asked_for_and_says_where_it_goes_on(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read, "RANGE_BYTES", 100)
    finished(tmp_path, LINES)
    _, out, _ = here("read", "@last", "--stream", "stdout", "--json", "--max-bytes", "1GiB")
    answer = json.loads(out)
    assert (answer["text"], answer["rest"]) == (LINES[:100].decode(), f"100:{len(LINES)}")
    assert here("read", "@last", "--max-bytes", "1GiB")[1] == LINES


def test_what_is_printed_is_read_in_pieces_whatever_is_asked_for(here: Here, tmp_path: Path) -> None:
    owner = Owner(tmp_path, streams=("stdout",))
    os.truncate(owner.path("stdout"), 64 << 20)
    with (tmp_path / "out").open("wb") as out:
        command = (sys.executable, "-c", _PEAK, "read", "@last", "--conversation", str(tmp_path), "--max-bytes", "1GiB")
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=True)
    assert (tmp_path / "out").stat().st_size == 64 << 20
    assert int(done.stderr) < 32 << 20


_PEAK = """
import sys, tracemalloc
from capview.cli.main import main
tracemalloc.start()
assert main(sys.argv[1:]) == 0
print(tracemalloc.get_traced_memory()[1], file=sys.stderr)
"""
