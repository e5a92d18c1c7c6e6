"""What a redaction rule is, and how the rule for a kind of token is made from what its vendor says of it."""

from __future__ import annotations

import re
from typing import NamedTuple


class Introduction(NamedTuple):
    """A value that is known by how it begins: one of ``introducers`` and ``least`` characters of ``alphabet``.

    The introducer is itself a part of the secret: at the end of a block it is held until more is known.
    """

    introducers: tuple[str, ...]
    alphabet: str
    """The inside of a character class."""
    least: int
    apart: bool = False
    """Whether the introducer must not continue a word."""


class Rule(NamedTuple):
    """One form of secret: where its value begins and where it ends, as bytes expressions."""

    name: str
    """What stands in the text instead of the value: ``[redacted:NAME]``."""
    source: str
    """Who describes the form: vendor and page title."""
    candidates: tuple[str, ...]
    """What the scanner looks for everywhere, cut to the shortest form that can be one; linear-time syntax."""
    opening: str
    """Tried where a candidate begins; its group ``value`` marks where the value does.

    It decides by the bytes that it matches and by those before, never by what follows: else the cuts would show.
    """
    ends: str
    """The first byte that cannot belong to the value, seen from the opening's end.  May look back at one byte."""
    masks: tuple[str, ...]
    """Texts with a secret, its value between ``«`` and ``»``."""
    passes: tuple[str, ...]
    """Texts that look alike and must stay as they are."""
    introduction: Introduction | None = None
    """For an opening whose text is secret too.  That of the others is given out as it comes."""
    spared: str | None = None
    """Whole values that are no secrets after all."""


APART = r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4}))"
"""No letter or digit before, but for that of an escape, as in JSON and URLs."""


def token(  # noqa: PLR0913 — the columns of a table
    *,
    name: str,
    source: str,
    introducers: tuple[str, ...],
    alphabet: str,
    least: int,
    apart: bool = False,
    spared: str | None = None,
    masks: tuple[str, ...],
    passes: tuple[str, ...],
) -> Rule:
    """Return the rule for tokens with an :class:`Introduction`; a token takes in all of its alphabet that follows."""
    literals = tuple(map(re.escape, introducers))
    return Rule(
        name=name,
        source=source,
        candidates=tuple(f"{literal}[{alphabet}]{{{least}}}" for literal in literals),
        opening=f"{APART if apart else ''}(?P<value>(?:{'|'.join(literals)})[{alphabet}]{{{least}}})",
        introduction=Introduction(introducers=introducers, alphabet=alphabet, least=least, apart=apart),
        ends=f"[^{alphabet}]",
        spared=spared,
        masks=masks,
        passes=passes,
    )
