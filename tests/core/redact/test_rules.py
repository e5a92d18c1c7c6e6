"""Every rule masks its examples, the marked value and nothing else, and lets pass what only looks alike."""

from __future__ import annotations

import functools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture_core.limits import KIB
from capture_core.limits.sanitising import LOOK_BACK_BYTES
from capture_core.redact.engine import Engine, shared_engine
from capture_core.redact.redactor import Redactor
from capture_core.redact.rule import Rule, token
from capture_core.redact.rules import RULES
from capture_core.redact.tokens import TOKENS
from tests.cuts import places, three_ways

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.name}: {rule.source}")


NEVER_TOKEN = token(
    name="never", source="", introducer="never-ever-", body="[a-z]{8}", alphabet="a-z", masks=(), passes=()
)
NEVER = Rule(
    name="never", source="", candidates=("never-ever",), opening="never-ever(?P<value>)", ends="x", masks=(), passes=()
)
"""An engine wants a rule of each kind."""


@functools.cache
def tokens_only() -> Engine:
    return Engine.compile([*TOKENS, NEVER])


def alone(rule: Rule) -> Engine:
    """The rule without those of the other kind, which may find the same value first."""
    return tokens_only() if rule in TOKENS else Engine.compile([rule, NEVER_TOKEN, NEVER])


def redact(parts: list[bytes], engine: Engine | None = None) -> str:
    engine = engine or shared_engine()
    redactor = Redactor(engine.exact, engine.scanner(), pending_bytes=64 * KIB)
    return (b"".join(map(redactor.feed, parts)) + redactor.finish(eof=True)).decode()


def redactions(text: str, engine: Engine | None = None) -> set[str]:
    return {redact(parts, engine) for parts in three_ways(text.encode(), [3, 11, 20, 33])}


def unnamed(text: str) -> str:
    """What two rules find, one masks: which of them does not matter."""
    return re.sub(r"\[redacted:[a-z-]+\]", "[redacted]", text)


@each_rule
def test_examples_are_masked_in_any_cuts(rule: Rule) -> None:
    engine_alone = alone(rule)
    for example in rule.masks:
        raw = example.replace("«", "").replace("»", "")
        masked = re.sub("«[^»]*»", f"[redacted:{rule.name}]", example)
        assert masked != example
        for engine in (engine_alone, None):
            assert set(map(unnamed, redactions(raw, engine))) == {unnamed(masked)}
            [between] = redactions(f"before\n{raw}\nafter\n", engine)
            assert unnamed(between) == f"before\n{unnamed(masked)}\nafter\n"
        assert redactions(raw, engine_alone) == {masked}


@each_rule
def test_what_looks_alike_passes(rule: Rule) -> None:
    for example in rule.passes:
        text = f"{example}\nand on\n"
        assert redactions(text) == {text}


@each_rule
def test_masked_text_has_nothing_to_mask(rule: Rule) -> None:
    for example in rule.masks:
        masked = redact([f"{example}\nand on\n".encode()])
        assert redact([masked.encode()]) == masked


@each_rule
def test_a_rule_says_where_it_comes_from_and_shows_both_sides(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z-]+", rule.name)
    vendor, _, page = rule.source.partition(", ")
    assert vendor
    assert page
    assert rule.masks
    assert rule.passes


def test_tokens_that_run_together_are_masked_to_the_end() -> None:
    for rule in TOKENS:
        for example in rule.masks:
            before, token = example[: example.index("»")].split("«")
            text = f"{before}{token}00000000,"
            assert redactions(text, tokens_only()) == {f"{before}[redacted:{rule.name}],"}


EXAMPLES = [re.sub("[«»]", "", example) for rule in RULES for example in (*rule.masks, *rule.passes)]


@settings(max_examples=60, deadline=None)
@given(
    parts=st.lists(st.sampled_from(EXAMPLES), min_size=1, max_size=6),
    between=st.sampled_from(["\n", "\r\n", " ", '"', ", ", ""]),
    lost=st.integers(min_value=0, max_value=400),
    at=places,
)
def test_examples_that_meet_are_masked_alike_in_any_cuts(
    parts: list[str], between: str, lost: int, at: list[int]
) -> None:
    text = between.join(parts)
    text = text[:lost] + text[lost + 1 :]
    assert len({redact(cut) for cut in three_ways(f"{text}\n".encode(), at)}) == 1


@pytest.mark.parametrize(
    "text",
    [
        "commit 4f1d2c0a9b8e7d6c5b4a39281706f5e4d3c2b1a0\n",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n",
        "request 123e4567-e89b-12d3-a456-426614174000 took 3 ms\n",
        "Failed password for invalid user admin from 203.0.113.9 port 22 ssh2\n",
        "Accepted publickey for x: RSA SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU\n",
        "expected token: next word, got secret: none\n",
        "token_count=12 total_tokens=4096 token_type=bearer\n",
        "secret = compute(x)\ntoken = next(tokens)\npassword = getpass.getpass()\n",
        "def login(self, password=None, token=self.token, *, api_key=config.api_key): ...\n",
        "if token == '(' or token=='[': push(token)\n",
        "-DOPENSSL_NO_SECRET -DTOKEN_BITS=256 -fstack-protector\n",
        "tests/test_password.py::test_token[secret] PASSED\n",
        'img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"\n',
        "!function(e,t){var n=t.token;e.password&&(n=e.secret),r.key=n}(window,{});\n",
        "echo $PASSWORD ${API_KEY} $(cat /run/secrets/token) TOKEN=$TOKEN\n",
    ],
)
def test_prose_code_and_numbers_pass(text: str) -> None:
    assert redactions(text) == {text}


def test_no_opening_looks_back_further_than_is_kept() -> None:
    for rule in RULES:
        _, longest = re._parser.parse(rule.opening).getwidth()  # type: ignore[attr-defined]
        assert longest < LOOK_BACK_BYTES, rule.opening
