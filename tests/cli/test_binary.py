"""Binary output at the command line: a mark and a word by default, exact bytes when asked for, never to a terminal."""

from __future__ import annotations

import base64
import json
import os
import pty
import re
import sys
from pathlib import Path

import pytest

from capview.present import size
from tests.commands import Here, capview
from tests.core.test_binary import ENGLISH, NOISE, png

ODD = b"\x1b]52;c;aGk=\x07\x1b[2J" + NOISE[:600]
"""What a terminal would obey, and more."""


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    return Here(tmp_path / "conversation", capfdbinary)


def captured(here: Here, data: bytes, *options: str, stderr: bytes = b"") -> None:
    """Run a command that prints ``data`` under capture."""
    files = here.conversation.parent / "out", here.conversation.parent / "err"
    for file, content in zip(files, (data, stderr), strict=True):
        file.write_bytes(content)
    command = ("sh", "-c", f"cat {files[0]}; cat {files[1]} >&2")
    done = capview("run", "--quiet", "--conversation", str(here.conversation), *options, "--", *command)
    assert (done.returncode, done.stderr) == (0, b"")


def at_a_terminal(*words: str) -> bytes:
    """What the command prints when its stdout is a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp("capview", ["capview", *words])
    out = b""
    while True:
        try:
            block = os.read(terminal, 65_536)
        except OSError:  # EIO: the other side is closed
            break
        out += block
    os.waitpid(pid, 0)
    os.close(terminal)
    return out


def test_by_default_a_mark_stands_for_it_and_list_and_receipt_say_why(here: Here) -> None:
    captured(here, png())
    assert here("read", "@last")[1] == b"[omitted: binary output, PNG image]"
    assert b" lacks binary parts " in here("ls")[1]
    shown = here("show", "@last")[1].decode()
    assert "ok, log lacks binary parts" in shown
    assert re.search("omitted +1 fragments, each with a mark", shown)
    assert f"{size(len(png()))} observed" in shown
    assert f"{size(len(png()))} discarded" in shown
    assert NOISE[:16] not in b"".join(path.read_bytes() for path in here.conversation.rglob("*.*") if path.is_file())


def test_the_receipt_line_says_it(here: Here) -> None:
    done = capview("run", "--conversation", str(here.conversation), "--", "head", "-c", "5000", sys.executable)
    assert done.stdout == Path(sys.executable).read_bytes()[:5000]
    assert done.stderr.startswith(b"capview: ok, log lacks binary parts: tool-outputs/shell/")


def test_exact_bytes_come_out_as_they_went_in(here: Here) -> None:
    data = Path(sys.executable).resolve().read_bytes()[:300_000]
    captured(here, data, "--raw-binary")
    code, out, err = here("read", "@last", "--max-bytes", "1MiB")
    assert (code, out, err) == (0, data, b"")
    assert here("read", "@last", "--bytes", "100:200")[1] == data[100:200]


def test_what_does_not_fit_goes_on_at_the_byte(here: Here) -> None:
    data = "€".encode() * 100
    captured(here, data, "--raw-binary")
    _, out, err = here("read", "@last", "--max-bytes", "100")
    assert out == data[:100]
    assert b"--bytes 100:300" in err


def test_a_terminal_gets_no_byte_that_it_would_obey(here: Here) -> None:
    captured(here, ODD, "--raw-binary")
    for command in (["read", "@last"], ["follow", "@last"], ["show", "@last"]):
        out = at_a_terminal(*command, "--conversation", str(here.conversation))
        own_colours = re.sub(rb"\x1b\[[0-9;]*m", b"", out)
        assert re.findall(rb"[^\t\r\n\x20-\x7e]", own_colours.decode().encode("ascii", "ignore")) == []
        assert b"52;c" in out or command[0] == "show"


def test_follow_prints_exact_bytes_from_the_first_on(here: Here) -> None:
    captured(here, ODD + b"\n" * 30 + ODD, "--raw-binary")
    assert here("follow", "@last")[1] == ODD + b"\n" * 30 + ODD


@pytest.mark.parametrize("option", ["--head", "--tail", "--around", "--lines"])
def test_ways_of_text_are_refused(here: Here, option: str) -> None:
    captured(here, ODD, "--raw-binary")
    code, out, err = here("read", "@last", option, "1:2" if option == "--lines" else "1")
    assert (code, out) == (2, b"")
    assert err == f"capview: {option}: @last holds exact bytes, which have no lines; use --bytes A:B\n".encode()


def test_two_streams_are_not_mixed(here: Here) -> None:
    captured(here, ODD, "--raw-binary", stderr=b"err")
    code, out, err = here("read", "@last")
    assert (code, out) == (2, b"")
    assert b"holds the exact bytes of stdout, stderr: name one by --stream" in err
    assert here("read", "@last", "--stream", "stderr")[1] == b"err"


def test_nothing_printed_is_nothing_read(here: Here) -> None:
    captured(here, b"", "--raw-binary")
    assert here("read", "@last") == (0, b"", b"")


def test_json_carries_them_whole(here: Here) -> None:
    captured(here, ODD, "--raw-binary")
    answers = [json.loads(line) for line in here("read", "@last", "--json")[1].splitlines()]
    assert base64.b64decode(answers[0]["base64"]) == ODD
    assert "text" not in answers[0]


def test_show_claims_no_masking_of_them(here: Here) -> None:
    captured(here, ENGLISH, "--raw-binary")
    shown = here("show", "@last")[1].decode()
    assert "exact bytes, in which nothing is masked" in shown
    assert ".stdout.bin" in shown
    assert " lines" not in shown


def test_a_final_stream_is_a_ref(here: Here) -> None:
    captured(here, ODD, "--raw-binary")
    file = next((here.conversation / "tool-outputs/shell").glob("*.stdout.bin"))
    assert here.bare("read", str(file))[1] == ODD
