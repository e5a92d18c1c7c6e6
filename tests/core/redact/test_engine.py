"""One compiled engine for all streams: what is loaded finds what is compiled; what does not fit is not loaded."""

from __future__ import annotations

import re
import sys
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capture_core.errors import EngineUnavailable
from capture_core.redact.engine import Engine, shared_engine
from capture_core.redact.rules import RULES
from capture_core.strip import CONTROL, NOT_PLAIN

if TYPE_CHECKING:
    from capture_core.redact.scanning import Candidate

SECRETS = (
    "".join(example for rule in RULES for example in rule.masks).translate({ord("«"): None, ord("»"): None}).encode()
)


def candidates(engine: Engine, before: bytes, text: bytes) -> list[Candidate]:
    return engine.scanner().candidates(before, text)


def tokens(found: list[Candidate]) -> list[Candidate]:
    numbers = {number for number, _ in shared_engine().exact.joined}
    return [candidate for candidate in found if candidate[0] in numbers]


def test_a_loaded_engine_finds_the_same() -> None:
    loaded = Engine.load(shared_engine().serialise())
    assert loaded is not None
    compiled = shared_engine()
    found = candidates(loaded, b"", SECRETS)
    assert len({pattern for pattern, _, _ in tokens(found)}) == sum(rule.token is not None for rule in RULES)
    assert found != tokens(found)
    assert found == candidates(compiled, b"", SECRETS)
    assert loaded.exact.reach == compiled.exact.reach
    assert loaded.scanner().tails(b"see gh") == compiled.scanner().tails(b"see gh") != []


@given(st.data())
def test_damaged_bytes_are_not_loaded(data: st.DataObject) -> None:
    serialised = bytearray(shared_engine().serialise())
    place = data.draw(st.integers(min_value=0, max_value=len(serialised) - 1))
    serialised[place] ^= 1
    assert Engine.load(bytes(serialised)) is None
    assert Engine.load(bytes(serialised[:place])) is None


def test_an_engine_of_other_rules_is_not_loaded() -> None:
    others = RULES[1:]
    serialised = Engine.compile(others).serialise()
    assert Engine.load(serialised) is None
    assert Engine.load(serialised, others) is not None


def test_without_the_library_there_is_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    with pytest.raises(EngineUnavailable, match="hyperscan"):
        Engine.compile()
    with pytest.raises(EngineUnavailable):
        Engine.load(b"")


@given(st.binary(max_size=80))
def test_controls_are_what_the_pattern_says(text: bytes) -> None:
    assert shared_engine().scanner().has_control(text) == bool(re.search(CONTROL, text))


@given(st.binary(max_size=80))
def test_plain_is_what_the_pattern_says(raw: bytes) -> None:
    assert shared_engine().scanner().is_plain(raw) == (re.search(NOT_PLAIN, raw) is None)


def test_no_token_has_a_space() -> None:
    """What is behind the last space of a text is all that is looked at for the beginning of a token."""
    for _, tail in shared_engine().exact.tails:
        inside = re.sub(rb"[$]$", b"", tail)
        assert not any(re.search(b"(?:%b)" % part, b" ") for part in re.findall(rb"\[(?:\\.|[^\]\\])+\]", inside))
        assert b" " not in inside


@given(st.integers(min_value=0, max_value=len(SECRETS)))
@example(cut=SECRETS.index(b"MTk4NjIyNDgz") + 2)
def test_a_candidate_may_lie_across_two_parts(cut: int) -> None:
    """In vectored mode hyperscan missed a token that was cut behind its second byte."""
    whole, parts = candidates(shared_engine(), b"", SECRETS), candidates(shared_engine(), SECRETS[:cut], SECRETS[cut:])
    assert set(whole) <= set(parts)


@pytest.mark.parametrize("breaks", ["\n", "\r", "\r\n", "\n\n"])
def test_a_token_is_found_where_it_stands_also_when_lines_are_broken_in_it(breaks: str) -> None:
    text = f"first line\r\n\nand ghp_16C7e4{breaks}2F292c6912E7710c{breaks}838347Ae178B4a\nlast\n".encode()
    for cut in (0, 30):
        found = tokens(candidates(shared_engine(), text[:cut], text[cut:]))
        assert {start for _, start, _ in found} == {text.index(b"ghp_")}


def test_streams_scan_at_the_same_time() -> None:
    text = SECRETS * 50
    counts: list[int] = []

    def scan() -> None:
        scanner = shared_engine().scanner()
        counts.extend(len(scanner.candidates(b"", text)) for _ in range(20))

    threads = [Thread(target=scan, name=f"scan {number}") for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(counts) == 60
    assert len(set(counts)) == 1
