"""Nothing of a secret is in any byte that a reader can see, at any moment: real children, whatever they do to it."""

from __future__ import annotations

import os
import re
import tempfile
from enum import StrEnum, auto
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture_core import Conversation, Limits
from capture_core.known_sources import KnownSources
from capture_core.limits import LIBRARY
from capture_core.masking import EngineMasking
from tests.captures import Relay
from tests.commands import Here
from tests.core.test_sanitise import RUN
from tests.cuts import pieces, places, three_ways
from tests.onlooker import Onlooker, said
from tests.shapes import (
    DOUBTFUL,
    OWN,
    OWN_RULE,
    VARIABLE,
    Draw,
    Secret,
    cut,
    drawn,
    examples,
    known,
    leaks,
    own,
    windows,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from capture_core.facts import Receipt


# ---- In this process: many -------------------------------------------------------------------------------------------


@cache
def masking(value: str) -> EngineMasking:
    environ = {VARIABLE.encode(): value.encode()} if value else {}
    made = EngineMasking(LIBRARY, user_rules=[OWN_RULE], known=KnownSources(environ))
    made.require()
    return made


def streamed(secret: Secret, parts: list[bytes], *, eof: bool) -> bytes:
    stage = masking(secret.known).stage()
    return b"".join(map(stage.feed, parts)) + stage.finish(eof=eof)


def nothing_leaks_in_a_stream(one: Draw, stop: int, at: list[int], *, eof: bool) -> None:
    secret, raw = cut(one, stop)
    texts = {streamed(secret, parts, eof=eof) for parts in three_ways(raw, at)}
    assert len(texts) == 1
    assert not leaks(secret, texts.pop())


@settings(max_examples=150)
@given(one=drawn(), stop=st.integers(min_value=0), at=places, eof=st.booleans())
def test_nothing_leaks_in_a_stream(one: Draw, stop: int, at: list[int], *, eof: bool) -> None:
    nothing_leaks_in_a_stream(one, stop, at, eof=eof)


@pytest.mark.long
@settings(max_examples=20_000)
@given(one=drawn(), stop=st.integers(min_value=0), at=places, eof=st.booleans())
def test_nothing_leaks_in_a_stream_long(one: Draw, stop: int, at: list[int], *, eof: bool) -> None:
    nothing_leaks_in_a_stream(one, stop, at, eof=eof)


def beginnings_given_out(secrets: Iterable[Secret], after: str = "", *, eof: bool = True) -> set[str]:
    """Return beginnings of values, up to half of each, of which something is seen when a stream ends there."""
    found = set()
    for secret in secrets:
        least = len(secret.introducer) + RUN
        for size in range(least, max(len(secret.value) // 2, least + 1)):
            begun = secret.value[:size]
            runs = secret.runs & windows(begun[least - RUN :])
            if leaks(secret._replace(runs=runs), streamed(secret, [(secret.before + begun + after).encode()], eof=eof)):
                found.add(begun)
    return found


@pytest.mark.parametrize("eof", [True, False])
def test_whatever_value_an_end_cuts_it_is_masked(*, eof: bool) -> None:
    begun = beginnings_given_out(examples, eof=eof)
    assert not [each for each in begun if not any(doubtful.startswith(each) for doubtful in DOUBTFUL)]


def test_an_unfinished_token_is_masked_where_its_line_ends() -> None:
    """But for what looks like a word behind an introducer, and for tokens in which no line is broken."""
    unbroken = ("eyJ", "01234")  # JSON web tokens, and keys of Mailchimp as the example has them
    secrets = [secret for secret in examples if secret.introducer and not secret.value.startswith(unbroken)]
    assert not [begun for begun in beginnings_given_out(secrets, "\n") if not re.search("[A-Z]{6,}$|[a-z]{6,}$", begun)]


def test_half_a_character_at_the_end_shows_nothing_of_what_it_cuts() -> None:
    raws = {one: (one.before + one.value[: len(one.value) * 3 // 4]).encode() for one in [*known, *own]}
    assert not [one for one, raw in raws.items() if leaks(one, streamed(one, [raw + b"\xe6\xbc"], eof=True))]


# ---- In real captures ------------------------------------------------------------------------------------------------


class Ending(StrEnum):
    """How a capture comes to its end."""

    EOF = auto()
    KILL = auto()
    CANCEL = auto()
    DRAIN = auto()
    """The child ends; a descendant of it holds the pipes, and prints the rest of the value."""


class Happened(NamedTuple):
    """What was done to a capture."""

    one: Draw
    stop: int
    at: list[int]
    waits: list[bool]
    """Before each piece but the first, whether the owner has looked at those before it."""
    stream: str
    merge: bool
    ending: Ending
    quota: int
    """Bytes that may be retained, of the text before the value and on."""


happenings = st.builds(
    Happened,
    one=drawn(),
    stop=st.integers(min_value=0),
    at=places,
    waits=st.lists(st.booleans(), min_size=9, max_size=9),
    stream=st.sampled_from(["stdout", "stderr"]),
    merge=st.booleans(),
    ending=st.sampled_from(Ending),
    quota=st.just(LIBRARY.capture_bytes) | st.integers(1, 60),
)


def relayed(happened: Happened, secret: Secret, raw: bytes, place: Path, onlooker: Onlooker) -> Receipt:
    """Have a child print the raw bytes, and come to its end."""
    quota = len(secret.before.encode()) + happened.quota
    limits = Limits(capture_bytes=quota, drain_seconds=0.01, kill_grace_seconds=0.05)
    conversation = Conversation.open(str(place / "conversation"), limits=limits, rules=[OWN_RULE])
    env = {"PATH": os.environ["PATH"]} | ({VARIABLE: secret.known} if secret.known else {})
    relay = Relay(lambda argv: conversation.start(argv, env=env, merge=happened.merge), place)
    for piece, wait in zip(pieces(raw, happened.at), happened.waits, strict=False):
        relay.print(happened.stream, piece)
        if wait:
            relay.wait_until_taken()
            onlooker.look()
    _come_to_end(relay, happened, secret)
    receipt = relay.job.wait()
    assert receipt is not None
    if happened.ending is Ending.DRAIN:
        relay.print(happened.stream, happened.one.raw[len(raw) :])
    relay.close()
    return receipt


def _come_to_end(relay: Relay, happened: Happened, secret: Secret) -> None:
    match happened.ending:
        case Ending.EOF:
            relay.finish()
        case Ending.KILL:
            relay.wait_until_taken()
            relay.kill()
        case Ending.CANCEL:
            relay.wait_until_taken()
            relay.job.cancel(secret.before + secret.value)
        case Ending.DRAIN:
            relay.wait_until_taken()
            relay.leave()


def nothing_leaks(happened: Happened, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    secret, raw = cut(happened.one, happened.stop)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with Onlooker(place / "conversation", secret) as onlooker:
            receipt = relayed(happened, secret, raw, place, onlooker)
        assert not onlooker.found
        here = Here(place / "conversation", capfdbinary)
        assert not leaks(secret, said(here, receipt.capture_id))


fixtures_are_fine = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@settings(fixtures_are_fine, max_examples=40)
@given(happened=happenings)
def test_nothing_leaks_from_a_capture(happened: Happened, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    nothing_leaks(happened, capfdbinary)


@pytest.mark.long
@settings(fixtures_are_fine, max_examples=3000)
@given(happened=happenings)
def test_nothing_leaks_from_a_capture_long(happened: Happened, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    nothing_leaks(happened, capfdbinary)


def test_an_onlooker_sees_what_is_not_masked(tmp_path: Path) -> None:
    """Else it could not fail."""
    conversation = Conversation.open(str(tmp_path / "conversation"))
    with Onlooker(tmp_path / "conversation", own[0]) as onlooker:
        relay = Relay(lambda argv: conversation.start(argv, raw_binary=True), tmp_path)
        relay.print("stderr", OWN.encode())
        relay.wait_until_taken()
        while not onlooker.found:
            onlooker.look()  # what is taken is written a moment later
        live = {os.path.basename(path).split(".", 1)[1] for path, _ in onlooker.found}
        relay.finish()
        relay.close()
    final = {os.path.basename(path).split(".", 1)[1] for path, _ in onlooker.found} - live
    assert (live, final) == ({"stderr.live"}, {"stderr.bin"})


def committed(raw: Sequence[bytes], *, wait: bool) -> bytes:
    """Return what is kept of a child's pieces."""
    with tempfile.TemporaryDirectory() as folder:
        conversation = Conversation.open(folder, rules=[OWN_RULE])
        relay = Relay(lambda argv: conversation.start(argv, env={"PATH": os.environ["PATH"]}), Path(folder))
        for piece in raw:
            relay.print("stdout", piece)
            if wait:
                relay.wait_until_taken()
        relay.finish()
        receipt = relay.job.wait()
        relay.close()
        assert receipt is not None
        stdout = receipt.streams["stdout"]
        assert (stdout.observed, stdout.pending) == (stdout.accepted, 0)
        return Path(folder, f"{receipt.ref}.stdout.txt").read_bytes()


outputs = st.lists(drawn().map(lambda one: one.raw) | st.sampled_from([b"\n", b"ok ", b"\xff", b"\r\n"]), max_size=4)


@settings(max_examples=5)
@given(raw=outputs.map(b"".join), at=places)
def test_the_committed_text_is_the_same_for_any_cuts(raw: bytes, at: list[int]) -> None:
    whole, bytewise, cuts = three_ways(raw[:400], at)
    texts = [committed(whole, wait=False), committed(bytewise, wait=True), committed(cuts, wait=True)]
    assert len(set(texts)) == 1
