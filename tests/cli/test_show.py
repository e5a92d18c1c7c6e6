"""``capview show``: a receipt for people and for scripts, whatever text it holds."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from capture_core.facts import ByteRange, PreviewFacts, ResourceFacts
from tests.captures import FAILED, Owner, finished
from tests.commands import Here, capview

if TYPE_CHECKING:
    from pathlib import Path


def facts(out: bytes) -> dict[str, str]:
    return {line[:14].strip(): line[15:] for line in out.decode().splitlines()}


def test_a_finished_capture_for_people(here: Here, tmp_path: Path) -> None:
    owner = finished(tmp_path, b"12345\n", b"err", process=FAILED, label="make -j8")
    code, out, err = here("show", "@last")
    assert (code, err) == (0, b"")
    said = facts(out)
    assert said["capture"] == owner.ref
    assert said["label"] == "make -j8"
    assert said["state"] == "failed, log complete"
    assert said["process"] == "exited, exit code 2"
    assert said["took"] == "2.5 s"
    assert said["stdout"] == f"6 B readable, 6 B observed; {owner.id}.stdout.txt"
    assert said["liveness"] == "final"


def test_all_that_a_receipt_may_hold(here: Here, tmp_path: Path) -> None:
    owner = Owner(tmp_path, label=None)
    representation = replace(owner.receipt.representation, redactions={"vendor-token": 2})
    used = ResourceFacts(user_seconds=1.5, system_seconds=None, peak_rss_bytes=2048)
    owner.announce(replace(owner.receipt, representation=representation, resources=used, call_id="call_42"))
    said = facts(here("show", "@last")[1])
    assert said["label"] == "(none kept)"
    assert said["redacted"] == "vendor-token ×2"
    assert said["used"] == "1.5 s user, – system, peak memory 2 KiB"
    assert said["call id"] == "call_42"
    assert said["liveness"].startswith("live")


def test_text_of_a_receipt_cannot_do_anything(here: Here, tmp_path: Path) -> None:
    owner = Owner(tmp_path, label="\x1b]52;c;eA==\x07\n[bold]", host="evil\x1b[2J")
    owner.announce(replace(owner.receipt, call_id="a\nb"))
    _, out, _ = here("show", "@last")
    assert b"\x1b" not in out
    assert facts(out)["label"] == "\\e]52;c;eA==\\x07\\n[bold]"
    assert facts(out)["call id"] == "a\\nb"


def test_json_is_the_whole_receipt(here: Here, tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    preview = PreviewFacts(head=ByteRange(start=0, end=1), returned_bytes=1, omitted_bytes=0, tail_text="the end")
    owner.announce(replace(owner.receipt, preview={"stdout": preview}))
    code, out, _ = here("show", owner.id, "--json")
    said = json.loads(out)
    assert code == 0
    assert said["capture_id"] == owner.id
    assert said["liveness"] == "live"
    assert said["preview"]["stdout"]["tail_text"] == "the end"


TOKEN = "ghp_" + "a1B2" * 9


def captured(here: Here, script: str, *options: str) -> None:
    done = capview("run", "--quiet", "--conversation", str(here.conversation), *options, "--", "sh", "-c", script)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_ledger_names_stream_offset_line_and_rule_and_never_the_value(here: Here) -> None:
    captured(here, f"echo first; echo 'key {TOKEN} end'; printf 'DB_PASSWORD=hunter2hunter2 ' >&2")
    code, out, err = here("show", "@last", "--redactions")
    assert (code, err) == (0, b"")
    assert [line.split() for line in out.decode().splitlines()] == [
        ["stdout", "10", "line", "2", "gh-token"],
        ["stderr", "12", "line", "1", "assignment"],
    ]
    assert TOKEN.encode() not in out
    assert b"hunter2" not in out


def test_its_offsets_are_those_that_read_takes(here: Here) -> None:
    captured(here, f"seq 1000; echo 'key {TOKEN} end'; seq 1000")
    entry = json.loads(here("show", "@last", "--redactions", "--json")[1])
    assert {**entry, "ref": "", "offset": 0} == {
        "ref": "",
        "stream": "stdout",
        "offset": 0,
        "line": 1001,
        "rule": "gh-token",
    }
    around = here("read", entry["ref"], "--around", str(entry["offset"]), "--max-bytes", "64")[1]
    assert b"key [redacted:gh-token] end\n" in around
    start = here("read", entry["ref"], "--bytes", f"{entry['offset']}:{entry['offset'] + 19}")[1]
    assert start == b"[redacted:gh-token]"


def test_what_was_left_out_is_in_it(here: Here) -> None:
    captured(here, f"head -c 5000 {sys.executable}")
    code, out, _ = here("show", "@last", "--redactions")
    assert (code, out.split(maxsplit=4)) == (0, [b"stdout", b"0", b"line", b"1", b"omitted: binary output, ELF file\n"])
    assert json.loads(here("show", "@last", "--redactions", "--json")[1])["omitted"] == "binary output, ELF file"


def test_a_mark_that_the_command_printed_is_told_by_the_numbers(here: Here) -> None:
    captured(here, f"echo '[redacted:gh-token] {TOKEN} [redacted:\x1bx]'")
    code, out, err = here("show", "@last", "--redactions")
    assert (code, out.count(b"gh-token")) == (0, 2)
    assert b"gh-token: 2 in the text, 1 by the receipt: perhaps the command prints such marks itself" in err


def test_what_a_cut_took_is_told_by_the_numbers(here: Here) -> None:
    captured(here, f"seq 100; echo '{TOKEN}'", "--limit", "100")
    code, out, err = here("show", "@last", "--redactions")
    assert (code, out) == (1, b"")
    assert err == b"capview: gh-token: 0 in the text, 1 by the receipt: what came behind a cut is counted, not kept\n"


def test_an_empty_ledger_is_a_no_and_exact_bytes_have_none(here: Here) -> None:
    captured(here, "echo nothing to hide")
    assert here("show", "@last", "--redactions") == (1, b"", b"")
    captured(here, f"echo {TOKEN}", "--raw-binary")
    code, out, err = here("show", "@last", "--redactions")
    assert (code, out) == (2, b"")
    assert b"holds exact bytes, in which nothing was masked" in err


def test_a_large_ledger_takes_little_memory(here: Here, tmp_path: Path) -> None:
    finished(tmp_path, b"some words [redacted:gh-token] and more, and more, and more\n" * 100_000 + b"x" * 60_000_000)
    code = (
        "import re, sys; from capview.cli.main import main; code = main(sys.argv[1:]);"
        "print(re.search('VmHWM:\\s*(.*) kB', open('/proc/self/status').read())[1], file=sys.stderr); sys.exit(code)"
    )
    words = ("show", "@last", "--redactions", "--conversation", str(here.conversation))
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, check=True)
    assert done.stdout.count(b"\n") == 100_000
    said, peak_kib = done.stderr.splitlines()
    assert said.startswith(b"capview: gh-token: 100000 in the text, 0 by the receipt")
    assert int(peak_kib) < 80 * 1024
