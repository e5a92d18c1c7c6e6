"""Values that are secret because somebody said so: which ones, and every text in which they are looked for."""

from __future__ import annotations

import codecs
import re
from fnmatch import translate
from typing import TYPE_CHECKING, Final

from capture_core.limits.sanitising import KNOWN_LINE_BYTES, KNOWN_PIECE_BYTES, KNOWN_VALUE_BYTES, SHORTEST_KNOWN_BYTES
from capture_core.record import NamedTuple
from capture_core.redact.forms import LINE_BREAK, forms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

GROUPS: Final = ("env", "mask-file")
"""What stands in the text for a known value, by the group's index."""

ENVIRONMENT: Final = 0
MASK_FILE: Final = 1

# Endings and parts, not globs: compiling forty expressions takes 3 ms, before the first line of output is written.
SECRET_ENDINGS: Final = (
    *("PASSWORD", "PASSWD", "PASSPHRASE", "_PASS", "_PWD", "SECRET", "SECRETS", "TOKEN", "CREDENTIAL", "CREDENTIALS"),
    *("_KEY", "_KEY_BASE", "_AUTH", "_PAT", "_DSN"),
)
SECRET_PARTS: Final = ("PASSWORD_", "SECRET_", "TOKEN_", "API_KEY", "APIKEY")
"""Names of environment variables that look as if their values were secret, without regard to case."""

HARMLESS_ENDINGS: Final = (
    *("PUBLIC_KEY", "_PUB_KEY"),
    *("_ID", "_FILE", "_PATH", "_DIR", "_HOME", "_NAME", "_USER", "_TYPE", "_SOCK", "_HOST", "_PORT"),
    *("_URL", "_URI", "_ENDPOINT", "_COUNT", "_LIMIT", "_LENGTH", "_TTL", "_EXPIRY", "_EXPIRES"),
)
"""Names that look like secrets' and are none; what the user names is secret all the same."""

_COMMON: Final = frozenset(
    b"access account admin administrator anonymous bearer changeme change-me changeit config credentials debug default "
    b"develop development disabled docker enabled example github gitlab install localhost master memory notset "
    b"nothing optional password passwd plaintext postgres private production public redacted release required "
    b"secret secrets server session staging string system testing undefined unknown username".split()
)
"""Words that any output may hold: masking them would spoil it, and hide nothing."""

_LAST_OF_CHARACTER: Final = 3

# Not secret, and the same in every key and certificate.
_ARMOUR: Final = re.compile(rb"-----[A-Z0-9 ]+-----")


class Literal(NamedTuple):
    """One text to look for: without line breaks, at most :data:`KNOWN_PIECE_BYTES` long; and whose it is."""

    text: bytes
    group: int
    """Index into :data:`GROUPS`."""


class KnownValues(NamedTuple):
    """What is looked for, and the names of what is not although it was asked for."""

    literals: tuple[Literal, ...] = ()
    skipped: tuple[str, ...] = ()


def together(*several: KnownValues) -> KnownValues:
    """Return all of them in one; a text that several hold stays the first one's."""
    groups = {text: group for known in reversed(several) for text, group in known.literals}
    return KnownValues(_literals(groups), tuple(name for known in several for name in known.skipped))


def from_environment(environ: Mapping[bytes, bytes], globs: Iterable[str] = ()) -> KnownValues:
    """Return the values of variables whose names look secret, or match one of ``globs``, the user's own."""
    asked = _any_of(globs)
    secret = {name: value.strip() for name, value in environ.items() if _is_secret(name, asked)}
    others = {value.strip() for name, value in environ.items() if name not in secret}
    kept = {name: value for name, value in secret.items() if _is_telling(value) and value not in others}
    skipped = sorted(name.decode(errors="replace") for name, value in secret.items() if value and name not in kept)
    return KnownValues(_of_values(kept.values(), ENVIRONMENT, line_bytes=KNOWN_LINE_BYTES), tuple(skipped))


def from_file(name: str, content: bytes) -> KnownValues:
    """Return the values of a file: all of it, without line breaks around it, is one, and so is each of its lines."""
    content = _in_utf_8(content)
    lines = [line.strip() for line in LINE_BREAK.split(content)]
    skipped = (
        f"{name}:{number}"
        for number, line in enumerate(lines, start=1)
        if line and not _is_telling(line) and not _ARMOUR.fullmatch(line)
    )
    whole = content.strip()
    values = [whole] if _is_telling(whole) else []
    return KnownValues(
        _of_values(values, MASK_FILE, line_bytes=SHORTEST_KNOWN_BYTES), tuple(skipped) if whole else (name,)
    )


def _in_utf_8(content: bytes) -> bytes:
    """Return a text without the mark with which some editors begin it, and as most programs print it."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace").encode()
    return content.removeprefix(codecs.BOM_UTF8)


def _is_secret(name: bytes, asked: re.Pattern[str]) -> bool:
    text = name.decode(errors="surrogateescape").upper()
    return bool(asked.match(text)) or (_looks_secret(text) and not text.endswith(HARMLESS_ENDINGS))


def _looks_secret(name: str) -> bool:
    return name.endswith(SECRET_ENDINGS) or any(part in name for part in SECRET_PARTS)


def _any_of(globs: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob.upper()) for glob in globs) or "(?!)")


def _is_telling(value: bytes) -> bool:
    """Tell whether masking the value can hide something: neither too short nor too long, and no common word."""
    characters = len(value.decode(errors="replace"))
    return characters >= SHORTEST_KNOWN_BYTES and len(value) <= KNOWN_VALUE_BYTES and value.lower() not in _COMMON


def _of_values(values: Iterable[bytes], group: int, *, line_bytes: int) -> tuple[Literal, ...]:
    """Return what to look for to find the values, and their lines of at least ``line_bytes``."""
    wanted = {each for value in values for each in (value, *_lines(value, line_bytes))}
    return _literals(
        dict.fromkeys((piece for each in wanted for form in forms(each) for piece in _pieces(form)), group)
    )


def _literals(groups: Mapping[bytes, int]) -> tuple[Literal, ...]:
    """Put literals in one order, whatever that of the values was."""
    return tuple(Literal(text, group) for text, group in sorted(groups.items()))


def _lines(value: bytes, line_bytes: int) -> Iterator[bytes]:
    for line in map(bytes.strip, LINE_BREAK.split(value)):
        if len(line) >= line_bytes and _is_telling(line) and not _ARMOUR.fullmatch(line):
            yield line


def _pieces(form: bytes) -> Iterator[bytes]:
    """Cut a long form between characters; the last piece is as long as the others and overlaps the one before it."""
    start = 0
    while len(form) - start > KNOWN_PIECE_BYTES:
        end = _character(form, start + KNOWN_PIECE_BYTES)
        yield form[start:end]
        start = end
    yield form[min(start, _character(form, max(0, len(form) - KNOWN_PIECE_BYTES + _LAST_OF_CHARACTER))) :]


def _character(text: bytes, place: int) -> int:
    """Return where the character at a place begins."""
    while place and 0x80 <= text[place] < 0xC0:  # noqa: PLR2004 — UTF-8's continuation bytes
        place -= 1
    return place
