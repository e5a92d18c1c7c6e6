"""The whole way: any cuts give one text, no run of a secret is ever given out, and every raw byte is counted once."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from capture_core.errors import EngineUnavailable
from capture_core.limits import KIB
from capture_core.limits.sanitising import ENDS_BYTES
from capture_core.redact.engine import Engine, shared_engine
from capture_core.redact.redactor import OMITTED
from capture_core.redact.rules import RULES
from capture_core.sanitise import Counts, Sanitiser, sanitised
from capture_core.strip import CONTROL
from tests.cuts import places, three_ways

LEAST = shared_engine().exact.reach + ENDS_BYTES
"""The least that a sanitiser holds of a value before it gives it up."""

RUN = 6
"""No run of a value that is this long may be given out."""

secrets = [
    (before, value, after)
    for rule in RULES
    for text in rule.masks
    for before, rest in [text.split("«", 1)]
    for value, after in [rest.split("»", 1)]
]
tokens = [
    tuple(text[: text.index("»")].split("«", 1))
    for rule in RULES
    if rule.token and not rule.token.solid and len(rule.masks)
    for text in rule.masks
]
breaks = ["\r", "\n", "\r\n"]
GH_TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
SLACK_TOKEN = "xoxb-123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx"
harmless = [text for rule in RULES for text in rule.passes]
controls = [
    *("\x1b[1;31m", "\x1b[0m", "\x1b]0;title\x07", "\x1bPdcs\x1b\\", "\x00", "\b", "\x1b(B"),
    *("\x9b1m", "\x9d0;t\x9c"),
]
broken = [b"\xff", b"\xe2\x82", "é".encode(), "漢".encode(), "�".encode(), b"\xf0\x9f\x98", b"\xed\xa0\x80"]
noise = [b" ", b"\n", b"\r\n", b"_", b"_\b_", b"c\bc", b"\x1b", b"token=", b'password = "', b"ghp_", b"sk-"]
long = [b"z" * (LEAST - 1)]

output = [text.encode() for text in (*map("".join, secrets), *harmless, *controls)] + broken + noise + long
raws = st.lists(st.sampled_from(output) | st.binary(max_size=4), max_size=10).map(b"".join)


def sanitise(parts: list[bytes], *, eof: bool = True, pending_bytes: int = 200) -> tuple[bytes, Sanitiser]:
    sanitiser, fed, text = Sanitiser(pending_bytes=pending_bytes), 0, b""
    for part in parts:
        given_out = sanitiser.feed(part)
        given_out.decode()
        text += given_out
        fed += len(part)
        assert fed == sanitiser.accepted + sanitiser.held + sanitiser.discarded
        assert sanitiser.held <= max(pending_bytes, LEAST) + 8
    text += sanitiser.finish(eof=eof)
    assert sanitiser.held == 0
    assert fed == sanitiser.accepted + sanitiser.discarded
    return text, sanitiser


@given(raw=raws, at=places, eof=st.booleans())
def test_any_cuts_give_one_text_and_one_account(raw: bytes, at: list[int], *, eof: bool) -> None:
    results = [sanitise(parts, eof=eof) for parts in three_ways(raw, at)]
    assert len({text for text, _ in results}) == 1
    assert len({(one.accepted, one.discarded, repr(one.counts())) for _, one in results}) == 1


@given(raws)
def test_no_control_is_left(raw: bytes) -> None:
    assert not re.search(CONTROL, sanitised(raw, pending_bytes=200))


def test_a_whole_text_is_sanitised_like_a_stream() -> None:
    label = b"curl \x1b[31m-u \xff TOKEN=hunter2"
    assert sanitised(label, pending_bytes=200).decode() == "curl -u � TOKEN=[redacted:assignment]"


def interrupted(value: str, interruptions: list[tuple[int, str]]) -> str:
    """Put each control before a character; a BS strikes the character over itself."""
    put = [""] * len(value)
    # A break of the line between a character and what strikes it over leaves both.
    for place, control in sorted(interruptions, key=lambda each: each[1] not in breaks):
        index = place % len(value)
        put[index] += value[index] + control if control == "\b" else control
    return "".join(controls + character for controls, character in zip(put, value, strict=True))


@given(
    secret=st.sampled_from(secrets),
    interruptions=st.lists(st.tuples(st.integers(min_value=0), st.sampled_from(controls))),
    at=places,
    eof=st.booleans(),
)
def test_no_run_of_a_secret_is_given_out(
    secret: tuple[str, str, str], interruptions: list[tuple[int, str]], at: list[int], *, eof: bool
) -> None:
    before, value, after = secret
    runs = {value[start : start + RUN] for start in range(max(1, len(value) - RUN + 1))}
    runs = {run for run in runs if run not in before + after}
    for parts in three_ways((before + interrupted(value, interruptions) + after).encode(), at):
        text = sanitise(parts, eof=eof, pending_bytes=64 * KIB)[0].decode()
        assert not [run for run in runs if run in text]
        assert text.startswith(before)


@given(
    secret=st.sampled_from(tokens),
    interruptions=st.lists(st.tuples(st.integers(min_value=0), st.sampled_from([*controls, *breaks])), max_size=6),
    context=st.sampled_from(
        ["", "TOKEN=", "token: ", "Authorization: Bearer ", 'password = "', '{"secret":"', "--token "]
    ),
    after=st.sampled_from(["\n", "\r\n", " and on\n", ""]),
    at=places,
    eof=st.booleans(),
)
def test_no_run_of_a_token_is_given_out_when_lines_are_broken_in_it(
    secret: tuple[str, str], interruptions: list[tuple[int, str]], context: str, after: str, at: list[int], *, eof: bool
) -> None:
    before, value = context + secret[0], secret[1]
    feeds = Counter(place % len(value) for place, control in interruptions if control == "\n")
    assume(max(feeds.values(), default=0) <= 2)  # more empty lines are not looked over
    runs = {value[start : start + RUN] for start in range(max(1, len(value) - RUN + 1))}
    texts = set()
    for parts in three_ways((before + interrupted(value, interruptions) + after).encode(), at):
        text = sanitise(parts, eof=eof, pending_bytes=64 * KIB)[0].decode()
        assert not [run for run in runs if run in text]
        texts.add(text)
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        # A break behind a whole token ends it, also one that might be longer.
        (f"see {GH_TOKEN}\nand on\n", "see [redacted:gh-token]\nand on\n"),
        (f"see {GH_TOKEN}\nA1b2C3d4 on\n", "see [redacted:gh-token]\nA1b2C3d4 on\n"),
        (f"{SLACK_TOKEN}\r\nDone in 3 s\r\n", "[redacted:slack-token]\r\nDone in 3 s\r\n"),
        (f"{SLACK_TOKEN}\nDone\nNext is\n", "[redacted:slack-token]\nDone\nNext is\n"),
        (f"{SLACK_TOKEN}\nls\nof\nshort\nnames", "[redacted:slack-token]\nls\nof\nshort\nnames"),
        (f"{SLACK_TOKEN}\nDone\n", "[redacted:slack-token]\nDone\n"),
        (f"{SLACK_TOKEN[:40]}\nS\n{SLACK_TOKEN[40:]}\nx y\n", "[redacted:slack-token]\nx y\n"),
        (f"{SLACK_TOKEN[:40]}\n{SLACK_TOKEN[40:]}", "[redacted:slack-token]"),
        (f"{SLACK_TOKEN}\nCompiling x\n", "[redacted:slack-token]\nCompiling x\n"),
        (f"{SLACK_TOKEN}\n2026-11-30T10:02:03 x\n", "[redacted:slack-token]\n2026-11-30T10:02:03 x\n"),
        (f"{SLACK_TOKEN}\n" + "\n" * 9 + "A1b2C3d4\n", "[redacted:slack-token]\n" + "\n" * 9 + "A1b2C3d4\n"),
        # One that is not whole goes on in the next line.
        (f"{GH_TOKEN[:20]}\r\n{GH_TOKEN[20:]}\r\nx", "[redacted:gh-token]\r\nx"),
        (f"{GH_TOKEN[:20]}\n{GH_TOKEN[20:30]}\n{GH_TOKEN[30:]}\nx", "[redacted:gh-token]\nx"),
        (f"{SLACK_TOKEN[:30]}\n{SLACK_TOKEN[30:]} x", "[redacted:slack-token] x"),
        # So little before a break is no secret, and is never held.
        (f"gh\n{GH_TOKEN[2:]}\n", "gh\n[redacted:gh-token]\n"),
        ("Compiling\nhp and sk-\nlearn\n", "Compiling\nhp and sk-\nlearn\n"),
        # A column of words or of numbers.
        ("ASIA\nEUROPE\nAFRICA\nOCEANIA\nAMERICA\n", "ASIA\nEUROPE\nAFRICA\nOCEANIA\nAMERICA\n"),
        ("ASIA\n" * 9, "ASIA\n" * 9),
        ("SK\n" + "12\n" * 20, "SK\n" + "12\n" * 20),
        ("sk-\nlearn\nscipy\nnumpy\npandas\n", "sk-\nlearn\nscipy\nnumpy\npandas\n"),
        ("ASIA\nEUROPE\nAFRICA\n", "ASIA\nEUROPE\nAFRICA\n"),
        # At the end of all, what looks like a word was no token.
        ("pip install sk-learn\n", "pip install sk-learn\n"),
        ("ghp_16C7e42F292c\n", "[redacted:gh-token]\n"),
    ],
)
def test_lines_break_in_tokens_and_behind_them(text: str, masked: str) -> None:
    assert {sanitise(parts)[0].decode() for parts in three_ways(text.encode(), [2, 5, 21, 22])} == {masked}


def test_a_line_is_given_out_though_its_end_could_begin_a_token() -> None:
    sanitiser = Sanitiser(pending_bytes=64 * KIB)
    assert sanitiser.feed(b"Compiling\n") == b"Compiling\n"
    assert sanitiser.feed(b"hp_16C7e4") == b""
    assert sanitiser.feed(b" no\n") == b"hp_16C7e4 no\n"


def test_a_character_that_the_end_cuts_does_not_free_what_is_held_before_it() -> None:
    text, sanitiser = sanitise([b"see ghp_16C7e42F\xe2\x82"])
    assert text.decode() == "see [redacted:gh-token]\N{REPLACEMENT CHARACTER}"
    assert sanitiser.counts().replaced_bytes == 2


def test_a_beginning_that_looks_harmless_is_masked_when_more_was_to_come() -> None:
    assert sanitise([b"DB_PASS=$SECRET"], eof=True)[0] == b"DB_PASS=$SECRET"
    assert sanitise([b"DB_PASS=$SECRET"], eof=False)[0] == b"DB_PASS=[redacted:assignment]"


def test_what_was_done_is_counted() -> None:
    raw = b"caf\xe9 \x1b[1mAPI_KEY=0a1b2c3d\x1b[0m TOKEN=" + b"x" * (LEAST + 1) + b" \xe2\x82"
    text, sanitiser = sanitise([raw], eof=False)
    assert text.decode() == f"caf� API_KEY=[redacted:assignment] TOKEN={OMITTED.decode()} {OMITTED.decode()}"
    assert sanitiser.counts() == Counts(
        redactions={"assignment": 1}, replaced_bytes=1, stripped_bytes=8, omitted_fragments=2
    )
    assert sanitiser.discarded == LEAST + 1 + 2


def test_accepted_held_and_discarded_are_each_counted_where_they_happen() -> None:
    sanitiser = Sanitiser(pending_bytes=200)
    sanitiser.feed(b"\xff\xff ok \x1b[0m\n")  # replaced, passed, stripped
    assert (sanitiser.accepted, sanitiser.held, sanitiser.discarded) == (11, 0, 0)
    sanitiser.feed(b"TOKEN=" + b"x" * (LEAST + 1) + b" ")  # too long
    assert (sanitiser.accepted, sanitiser.held, sanitiser.discarded) == (18, 0, LEAST + 1)
    sanitiser.feed(b"PASSWORD=hunter2_\xe2\x82")  # a value that may go on, an underscore, half a character
    assert (sanitiser.accepted, sanitiser.held, sanitiser.discarded) == (27, 10, LEAST + 1)
    sanitiser.finish(eof=True)
    assert (sanitiser.accepted, sanitiser.held, sanitiser.discarded) == (37, 0, LEAST + 1)


def test_plain_text_passes_as_the_same_object() -> None:
    block = b"[ 12%] Building C object src/CMakeFiles/core.dir/main.c.o\n" * 1000
    sanitiser = Sanitiser(pending_bytes=64 * KIB)
    sanitiser.feed(block)
    assert sanitiser.feed(block) is block


def test_a_prompt_without_a_newline_is_given_out_at_once() -> None:
    sanitiser = Sanitiser(pending_bytes=64 * KIB)
    assert sanitiser.feed(b"\x1b[1mContinue?\x1b[0m [y/N] ") == b"Continue? [y/N] "
    assert sanitiser.feed(b"name? ") == b"name? "
    assert sanitiser.held == 0


def test_an_empty_stream_needs_no_engine() -> None:
    def none_to_be_had() -> Engine:
        raise EngineUnavailable("no engine")

    sanitiser = Sanitiser(pending_bytes=64 * KIB, engine=none_to_be_had)
    assert sanitiser.feed(b"") + sanitiser.finish(eof=True) == b""
    assert (sanitiser.accepted, sanitiser.held, sanitiser.discarded) == (0, 0, 0)
    assert sanitiser.counts() == Counts()
    with pytest.raises(EngineUnavailable):
        sanitiser.feed(b"a")


def test_streams_share_an_engine_and_nothing_else() -> None:
    asked: list[Engine] = []

    def engine() -> Engine:
        asked.append(shared_engine())
        return asked[-1]

    first, second = (Sanitiser(pending_bytes=200, engine=engine) for _ in range(2))
    assert first.feed(b"PASSWORD=hun") == b"PASSWORD="
    assert second.feed(b"ter2 ") == b"ter2 "
    assert first.feed(b"ter2 ") == b"[redacted:assignment] "
    assert len(asked) == 2
    assert second.counts() == Counts()


def test_what_the_end_leaves_in_doubt_is_text_and_no_part_of_what_came_before_it() -> None:
    """Nothing told whether a string of control had begun, or text went on: a value in it is masked all the same."""
    raw = "see â\x80\x98 ghp_16C7e42F292c6912E7710c838347Ae178B4a".encode()
    assert sanitised(raw, pending_bytes=64 * KIB) == "see â [redacted:gh-token]".encode()
    assert sanitised("gh\x9dp_16C7e42F292c6912E7710c838347Ae178B4a".encode(), pending_bytes=64 * KIB) == b"gh"
