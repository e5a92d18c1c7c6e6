"""The sanitiser as captures use it: one line masked, one engine kept, nothing believed that others may write."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.limits import LABEL_CHARS, SHORTEST_SECRET_BYTES, Limits
from capture_core.masking import EngineMasking, engine_from
from capture_core.redact.engine import Engine
from capture_core.sanitise import sanitised

if TYPE_CHECKING:
    from pathlib import Path

MASKING = EngineMasking(Limits())
TOKEN = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("make -j8", "make -j8"),
        (f"curl -H {TOKEN}", "curl -H [redacted:gh-token]"),
        ("sh -c 'a\nb\tc'", "sh -c 'a b c'"),
        ("a\x1b[31mb\x07c and more", "abc and more"),
        ("caf\udce9 au lait", "caf\N{REPLACEMENT CHARACTER} au lait"),
        ("\x1b[31m", ""),
    ],
)
def test_a_line_is_masked_whole_and_one(text: str, line: str) -> None:
    assert MASKING.line(text) == line


def test_a_long_line_is_cut_and_says_so() -> None:
    line = MASKING.line("x" * 10_000)
    assert (len(line), line[-1]) == (LABEL_CHARS, "…")


@given(st.text("pwdPWD_=:asktoenAKIA-x1 ", max_size=SHORTEST_SECRET_BYTES - 1))
def test_no_text_that_skips_the_engine_could_hold_a_secret(text: str) -> None:
    raw = text.encode()
    assert sanitised(raw, pending_bytes=65536) == raw


def test_a_kept_engine_is_loaded_and_one_that_others_may_write_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    engine_from(str(folder))
    kept = folder / "redaction-engine"
    assert kept.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(Engine, "compile", lambda: pytest.fail("compiled although a good engine is kept"))
    engine_from.cache_clear()
    engine_from(str(folder))
    monkeypatch.undo()
    kept.chmod(0o666)
    engine_from.cache_clear()
    before = kept.stat().st_ino
    engine_from(str(folder))
    assert kept.stat().st_ino != before, "compiled anew, and kept in its own file"


@pytest.mark.parametrize("data", [b"", b"nonsense", os.urandom(5000)])
def test_a_kept_engine_that_is_none_is_made_anew(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "redaction-engine").write_bytes(data)
    engine_from.cache_clear()
    engine_from(str(tmp_path))
    assert len((tmp_path / "redaction-engine").read_bytes()) > len(data)
