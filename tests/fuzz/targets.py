"""What is fuzzed: each target takes any bytes, makes a stream of them, and checks what must hold for every stream.

The first bytes say how the stream is cut and ends, the rest is the stream: an example of a rule is a good seed.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from capture_core.decode import Decoder, weight
from capture_core.limits import USER_RULE_BYTES
from capture_core.limits.sanitising import BINARY_WINDOW_BYTES, CONTROL_STRING_BYTES, ENDS_BYTES, KNOWN_BREAK_BYTES
from capture_core.redact import pattern
from capture_core.redact.heads import CompiledScanners, Heads
from capture_core.redact.known import ENVIRONMENT, GROUPS, MASK_FILE, Literal
from capture_core.redact.literals import LiteralFinder
from capture_core.redact.pattern import PatternRefused, parse, render
from capture_core.redact.redactor import Redactor
from capture_core.redact.rules import RULES
from capture_core.redact.veil import VEIL_BYTES
from capture_core.redact.veils import Veils
from capture_core.sanitise import Sanitiser
from capture_core.strip import CONTROL, Stripper
from capture_core.text_only import TextOnly
from tests.cuts import three_ways
from tests.fuzz import parsers
from tests.fuzz.measured import MeasuredEngine, counted, warm_engine
from tests.fuzz.parsers import PARSERS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

HEADER_BYTES: Final = 5
MOST_BYTES: Final = 2048
"""A longer stream is cut: byte by byte it takes too long."""

PENDING_BYTES: Final = 700
CALLS_A_READ: Final = 2000
"""A short read costs most where much of what came before it must be looked back at."""

CALLS_A_BYTE: Final = 100
LOOKS_A_BYTE: Final = 200
"""How often each byte may be looked at, when a stream comes whole."""

LITERALS: Final = (
    *(b"abcdef", b"abcdefgh", b"defghijkl", b"aaaaaa", b"abababababab", "é漢字é".encode(), b"x9Kq-0rWzL" * 5),
)

TERMINAL: Final = (
    *(b"\x1b[1;38;5;2mok\x1b[0m\r\n", b"\x1b]0;t\x07\x1bPq\x1b\\_\bx", "\x9b1mé漢😀".encode(), b"\xff\xc3(\xe2\x82"),
)
EXPRESSIONS: Final = (
    *(r"gh[pousr]_[A-C0-9]{3}", r"(?:ab|cd)+e{0,2}", r"a\.b\x2fc?(d|e{2,})f*", r"[^\]x~]{2}-\d\w", "x.{2}|é"),
)


class Stream(NamedTuple):
    """What a target is fed."""

    raw: bytes
    at: list[int]
    eof: bool


class Fed(NamedTuple):
    """What came of a stream: all that must not depend on the cuts."""

    text: bytes
    account: Hashable


def stream_of(data: bytes) -> Stream:
    """Make a stream of any bytes."""
    header, raw = data[:HEADER_BYTES].ljust(HEADER_BYTES, b"\0"), data[HEADER_BYTES:][:MOST_BYTES]
    return Stream(raw, [len(raw) * place // 255 for place in header[1:]], eof=not header[0] & 1)


def _checked(data: bytes, parts_of: Callable[[Stream], Iterator[list[bytes]]], feed: Callable[..., Fed]) -> Fed:
    """Feed a stream in three ways; return what comes of it."""
    warm_engine()
    known_values()
    stream = stream_of(data)
    whole, bytewise, cuts = parts_of(stream)
    # Counting takes time: not where there is most to count.
    results = {feed(bytewise, eof=stream.eof)}
    for parts in (whole, cuts):
        with counted() as work:
            results.add(feed(parts, eof=stream.eof))
        limit = CALLS_A_READ * (len(parts) + 1) + CALLS_A_BYTE * sum(map(len, parts))
        assert work.calls <= limit, f"{work.calls} calls"
    assert len(results) == 1, f"the cuts show: {results}"
    return results.pop()


def _anywhere(stream: Stream) -> Iterator[list[bytes]]:
    return three_ways(stream.raw, stream.at)


def _between_characters(stream: Stream) -> Iterator[list[bytes]]:
    text = stream.raw.decode(errors="replace")
    return ([part.encode() for part in parts] for parts in three_ways(text, stream.at))


def _plain(stream: Stream) -> Iterator[list[bytes]]:
    stage = Stripper()
    text = stage.feed(stream.raw.decode(errors="replace").encode()) + stage.finish()
    return ([part.encode() for part in parts] for parts in three_ways(text.decode(), stream.at))


def decoder(data: bytes) -> None:
    """UTF-8, as Python's own decoder reads it."""
    stream = stream_of(data)
    fed = _checked(data, _anywhere, _decoded)
    if stream.eof:
        assert fed.text == stream.raw.decode(errors="replace").encode()


def _decoded(parts: list[bytes], *, eof: bool) -> Fed:
    stage, size, text = Decoder(), 0, b""
    for part in parts:
        text += stage.feed(part)
        size += len(part)
        text.decode()
        assert stage.held <= 3
        assert size == stage.accepted + stage.held + weight(text)
    text += stage.finish(eof=eof)
    assert (size, stage.held) == (stage.accepted + stage.discarded + weight(text), 0)
    return Fed(text, (stage.accepted, stage.discarded, stage.replaced))


def stripper(data: bytes) -> None:
    """Terminal control."""
    text = _checked(data, _between_characters, _stripped).text
    assert not re.search(CONTROL, text)
    assert _stripped([text], eof=True).text == text


def _stripped(parts: list[bytes], *, eof: bool) -> Fed:
    stage, size, text = Stripper(), 0, b""
    styles: list[tuple[int, int]] = []
    for part in parts:
        text += stage.feed(part)
        size += weight(part)
        text.decode()
        assert stage.held <= 2 + CONTROL_STRING_BYTES
        assert size == stage.accepted + stage.held + weight(text)
        styles += stage.take_styles()
    text += stage.finish() + stage.release()
    styles += stage.take_styles()
    assert (size, stage.held) == (stage.accepted + weight(text), 0)
    assert [at for at, _ in styles] == sorted(at for at, _ in styles)
    return Fed(text, (stage.accepted, eof))


def redactor(data: bytes) -> None:
    """The built-in rules."""
    _checked(data, _plain, _redacted)


def _redacted(parts: list[bytes], *, eof: bool) -> Fed:
    engine = MeasuredEngine()
    stage, size, text = Redactor(engine.exact, engine, pending_bytes=PENDING_BYTES), 0, b""
    for part in parts:
        text += stage.feed(part)
        size += weight(part)
        text.decode()
        assert stage.held <= max(PENDING_BYTES, _most_held())
        assert size == stage.accepted + stage.held + stage.discarded
    text += stage.finish(eof=eof)
    text.decode()
    assert (size, stage.held) == (stage.accepted + stage.discarded, 0)
    _assert_looked(engine, parts)
    return Fed(text, (stage.accepted, stage.discarded, stage.omitted, tuple(sorted(stage.redactions.items()))))


@cache
def _most_held() -> int:
    return warm_engine().exact.reach + ENDS_BYTES


def _assert_looked(engine: MeasuredEngine, parts: list[bytes]) -> None:
    if len(parts) == 1:
        assert engine.looked_at <= LOOKS_A_BYTE * (len(parts[0]) + ENDS_BYTES), f"{engine.looked_at} bytes looked at"


def text_only(data: bytes) -> None:
    """All stages, from raw bytes to what is committed, without what is binary."""
    assert not re.search(CONTROL, _checked(data, _anywhere, _sanitised).text)


def _sanitised(parts: list[bytes], *, eof: bool) -> Fed:
    engine = MeasuredEngine()
    stage, size, text = TextOnly(Sanitiser(pending_bytes=PENDING_BYTES, engine=lambda: engine)), 0, b""
    styles: list[tuple[int, int]] = []
    for part in parts:
        text += stage.feed(part)
        size += len(part)
        text.decode()
        assert stage.held <= max(PENDING_BYTES, _most_held()) + BINARY_WINDOW_BYTES + 8
        assert size == stage.accepted + stage.held + stage.discarded
        styles += stage.take_styles()
        assert all(at <= len(text) for at, _ in styles)
    text += stage.finish(eof=eof)
    text.decode()
    assert (size, stage.held) == (stage.accepted + stage.discarded, 0)
    _assert_looked(engine, parts)
    return Fed(text, repr(stage.counts()))


def veils(data: bytes) -> None:
    """Known values."""
    text = _checked(data, _plain, _veiled).text
    # More line breaks than that are no break within a value.
    seen = re.split(rb"[\r\n]{%d,}" % (KNOWN_BREAK_BYTES + 1), text)
    joined = [piece.translate(None, b"\r\n") for piece in seen]
    assert not [literal for literal in LITERALS for piece in joined if literal in piece]


def _veiled(parts: list[bytes], *, eof: bool) -> Fed:
    heads, scanners = known_values()
    stage, size, text, passed = Veils([LiteralFinder(heads, scanners.scanner())], GROUPS), 0, b"", 0
    for part in parts:
        out = stage.feed(part)
        size, passed, text = size + weight(part), passed + weight(out), text + out
        assert size == stage.accepted + stage.held + stage.discarded + passed
    out = stage.finish(eof=eof)
    text += out
    assert (size, stage.held) == (stage.accepted + stage.discarded + passed + weight(out), 0)
    assert stage.discarded or len(text) == sum(map(len, parts))
    text.translate(None, VEIL_BYTES).decode()
    return Fed(text, (stage.accepted, stage.discarded, stage.omitted, tuple(stage.redactions.items())))


@cache
def known_values() -> tuple[Heads, CompiledScanners]:
    groups = (ENVIRONMENT, MASK_FILE)
    heads = Heads([Literal(text, groups[number % 2]) for number, text in enumerate(LITERALS)])
    return heads, CompiledScanners(heads.texts)


def expression(data: bytes) -> None:
    """An expression of a user's own: taken apart, or refused with the place; and the same when put together again."""
    source, text = stream_of(data).raw[:USER_RULE_BYTES].decode(errors="ignore"), data[-40:]
    with counted() as work:
        taken_apart = _taken_apart(source)
    if isinstance(taken_apart, PatternRefused):
        assert 0 <= taken_apart.position <= len(source)
        return
    rendered = render(taken_apart)
    assert work.calls <= CALLS_A_READ + CALLS_A_BYTE * len(source), f"{work.calls} calls"
    assert render(parse(rendered)) == rendered
    least, most = pattern.fewest(taken_apart), pattern.longest(taken_apart)
    assert most is None or least <= most
    _assert_matches(rendered, render(pattern.beginnings(taken_apart)), text, least, most)


def _taken_apart(source: str) -> pattern.Pattern | PatternRefused:
    try:
        return parse(source)
    except PatternRefused as refused:
        return refused


def _assert_matches(rendered: str, begun: str, text: bytes, least: int, most: int | None) -> None:
    """What it matches is as long as it says, and every beginning of that is one."""
    if len(rendered) > MOST_BYTES or rendered.count("{") > 3:
        return  # Python's own engine steps back through repeats of repeats for ever
    with warnings.catch_warnings(action="ignore", category=FutureWarning):
        try:
            match, is_begun = re.compile(rendered.encode()), re.compile(begun.encode())
        except re.error:
            return  # a range out of order: what is inside of a class is for the engine to judge
    found = match.search(text)
    if found and found[0]:
        assert least <= len(found[0]) <= (len(found[0]) if most is None else most)
        assert all(is_begun.fullmatch(found[0][:size]) for size in range(1, len(found[0]) + 1))


TARGETS: Final = {
    "decoder": decoder,
    "stripper": stripper,
    "redactor": redactor,
    "text-only": text_only,
    "veils": veils,
    "expression": expression,
    **PARSERS,
}


def seeds() -> Iterator[bytes]:
    """Examples of the rules, of what terminals are sent, and of what is parsed: each as a target takes it."""
    yield from parsers.seeds()
    for rule in RULES:
        for text in rule.masks + rule.passes:
            yield b"\0\x20\x60\xa0\xe0" + text.replace("«", "").replace("»", "").encode()
    for raw in (
        b"\x1b[1;38;5;2mok\x1b[0m\r\n",
        b"\x1b]0;t\x07\x1bPq\x1b\\_\bx",
        "\x9b1mé漢😀".encode(),
        b"\xff\xc3(\xe2\x82",
    ):
        yield b"\1\x40\x80\xc0\xff" + raw
    for literal in LITERALS:
        yield b"\1\x40\x80\xc0\xff" + literal[:4] + b"\r\n" + literal[4:]
    for source in (
        r"gh[pousr]_[A-C0-9]{3}",
        r"(?:ab|cd)+e{0,2}",
        r"a\.b\x2fc?(d|e{2,})f*",
        r"[^\]x~]{2}-\d\w",
        "x.{2}|é",
    ):
        yield b"\0" * HEADER_BYTES + source.encode()
