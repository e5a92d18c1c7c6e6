"""``capview show``: a receipt for people and for scripts, whatever text it holds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from capture_core.facts import ByteRange, PreviewFacts, ResourceFacts
from tests.captures import FAILED, Owner, finished
from tests.commands import Here

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    return Here(tmp_path, capfdbinary)


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
