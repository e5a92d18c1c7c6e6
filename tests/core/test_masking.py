"""The sanitiser as captures use it: one line masked, one engine kept, nothing believed that others may write."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.known_sources import KnownSources
from capture_core.limits import LABEL_CHARS, Limits
from capture_core.limits.sanitising import SHORTEST_SECRET_BYTES, SKIPPED_NAMES
from capture_core.masking import EngineMasking, engine_from
from capture_core.redact.engine import Engine
from capture_core.sanitise import sanitised
from capture_core.user_rule import UserRule

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


VALUE = "x9Kq-0rWzL"
KNOWN = KnownSources({b"A_TOKEN": VALUE.encode(), b"B_TOKEN": b"short", b"C_TOKEN": b"pass12"})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"curl -u me:{VALUE}", "curl -u me:[redacted:env]"),
        ("pass12", "[redacted:env]"),
        ("a=pass12", "a=[redacted:env]"),
        ("pass13", "pass13"),
        ("short", "short"),
    ],
)
def test_known_values_are_masked_in_every_line(text: str, line: str) -> None:
    masking = EngineMasking(Limits(), known=KNOWN)
    assert masking.line(text) == line
    assert masking.message(text) == line


def test_known_values_are_masked_in_streams_and_those_that_are_not_are_listed() -> None:
    masking = EngineMasking(Limits(), known=KNOWN)
    assert masking.facts([]).unmasked_values == ()
    stage = masking.stage()
    assert stage.feed(f"a {VALUE} ".encode()) + stage.finish(eof=True) == b"a [redacted:env] "
    facts = masking.facts([stage])
    assert facts.redactions == {"env": 1}
    assert facts.unmasked_values == ("B_TOKEN",)


def test_names_that_are_listed_are_masked_and_few() -> None:
    environ = {f"{TOKEN}_{number}_TOKEN".encode(): b"short" for number in range(SKIPPED_NAMES + 2)}
    masking = EngineMasking(Limits(), known=KnownSources(environ))
    stage = masking.stage()
    stage.feed(b"a")
    names = masking.facts([stage]).unmasked_values
    assert len(names) == SKIPPED_NAMES + 1
    assert names[0] == "[redacted:gh-token]"
    assert names[-1] == "and 2 more"


def test_nothing_is_collected_or_compiled_for_what_is_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    masking = EngineMasking(Limits(), known=KNOWN)
    monkeypatch.setattr(KnownSources, "collect", lambda _: pytest.fail("collected for nothing"))
    masking.stage()
    assert masking.line("true") == "true"


def test_a_message_that_cannot_be_masked_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    masking = EngineMasking(Limits(), engine_folder=str(tmp_path))
    message = masking.message(f"{TOKEN}: command not found")
    assert TOKEN not in message
    assert "not told" in message


def test_a_long_line_is_cut_and_says_so() -> None:
    line = MASKING.line("x" * 10_000)
    assert (len(line), line[-1]) == (LABEL_CHARS, "…")


@given(st.text("pwdPWD_=:asktoenAKIA-x1 ", max_size=SHORTEST_SECRET_BYTES - 1))
def test_no_text_that_skips_the_engine_could_hold_a_secret(text: str) -> None:
    raw = text.encode()
    assert sanitised(raw, pending_bytes=65536) == raw


anew = engine_from.__wrapped__
"""As another process has it, which knows nothing of what this one has compiled."""


def test_a_kept_engine_is_loaded_and_one_that_others_may_write_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    anew(str(folder))
    kept = folder / "redaction-engine"
    assert kept.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(Engine, "compile", lambda: pytest.fail("compiled although a good engine is kept"))
    anew(str(folder))
    monkeypatch.undo()
    kept.chmod(0o666)
    before = kept.stat().st_ino
    anew(str(folder))
    assert kept.stat().st_ino != before, "compiled anew, and kept in its own file"


@pytest.mark.parametrize("data", [b"", b"nonsense", os.urandom(5000)], ids=["empty", "words", "random"])
def test_a_kept_engine_that_is_none_is_made_anew(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "redaction-engine").write_bytes(data)
    anew(str(tmp_path))
    assert len((tmp_path / "redaction-engine").read_bytes()) > len(data)


def test_a_short_line_that_a_rule_of_the_user_matches_is_masked() -> None:
    masking = EngineMasking(Limits(), user_rules=[UserRule("badge", "EMP[0-9]{2}")])
    assert masking.line("EMP12") == "[redacted:badge]"


def test_a_rule_is_used_though_a_message_was_masked_before_it_was_required() -> None:
    masking = EngineMasking(Limits(), user_rules=[UserRule("badge", "EMP[0-9]{2}")])
    assert masking.message("no EMP12") == "no [redacted:badge]"
    masking.require()
    assert masking.line("no EMP12") == "no [redacted:badge]"
