"""What a redaction rule is: data alone, so that a process which loads the compiled rules has little to do."""

from __future__ import annotations

from capture_core.record import NamedTuple


class Token(NamedTuple):
    """A value that is known by how it begins.  Expressions are of the kind that ``pattern`` takes apart."""

    introducer: str
    """An expression for how it begins; this is itself a part of the secret."""
    body: str
    """At least this follows; it is found even when lines are broken inside."""
    alphabet: str
    """The inside of a class: all of this that follows on the line is the token's."""
    exact: bool
    """A break of the line ends it when its body is whole; else the next line may go on with it."""
    solid: bool
    """Whether lines are not broken before the body is whole."""
    candidate: str | None
    """What the scanner looks for, where all of the token is too much for it."""
    apart: bool
    """Whether the introducer, or its context if it has one, must not continue a word."""
    context: str
    """An expression for what stands before the introducer and is no secret."""


class Rule(NamedTuple):
    """One form of secret: where its value begins and where it ends, as bytes expressions."""

    name: str
    """What stands in the text instead of the value: ``[redacted:NAME]``."""
    source: str
    """Who describes the form: vendor and page title."""
    masks: tuple[str, ...]
    """Texts with a secret, its value between ``«`` and ``»``."""
    passes: tuple[str, ...]
    """Texts that look alike and must stay as they are."""
    candidates: tuple[str, ...] = ()
    """What the scanner looks for everywhere, cut to the shortest form that can be one; linear-time syntax."""
    opening: str = ""
    """Tried where a candidate begins; its group ``value`` marks where the value does.

    It decides by the bytes that it matches and by those before, never by what follows: else the cuts would show.
    All that it matches must fit into :data:`~capture_core.limits.sanitising.LOOK_BACK_BYTES`.
    """
    ends: str = ""
    """What cannot belong to the value any more, looked for from the opening's end; the value ends where it begins.

    At most :data:`~capture_core.limits.sanitising.ENDS_BYTES` long.  It may look back, never ahead; and what begins
    earlier must not be decided later, or the cuts would show.
    """
    token: Token | None = None
    """Instead of the three above, for a value of which the opening is a part.  The openings of others are given out."""
    spared: str | None = None
    """Whole values that are no secrets after all."""
    within: str | None = None
    """Which part of a whole value is the secret: the group ``secret``.  A value that it does not match is spared."""


OPENED = "(?P<value>)"
"""In an opening: here the value begins."""

WORD_ENDS = r"(?<=[^ \t])[ \t]|[\r\n\"'`<]"
"""What ends a value that is a word.  Behind a space it is the next word, however many spaces there are."""

WORD = "A-Za-z0-9_"
URL_SAFE = "A-Za-z0-9_-"
LETTERS = "A-Za-z0-9"
HEX = "0-9a-f"
"""Insides of classes: what many tokens are made of."""

APART = r"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4}))"
"""No letter or digit before, but for that of an escape, as in JSON and URLs."""


def token(  # noqa: PLR0913 — the columns of a table
    *,
    name: str,
    source: str,
    introducer: str,
    body: str,
    alphabet: str,
    exact: bool = False,
    solid: bool = False,
    candidate: str | None = None,
    apart: bool = False,
    context: str = "",
    spared: str | None = None,
    masks: tuple[str, ...],
    passes: tuple[str, ...],
) -> Rule:
    """Return the rule for a :class:`Token`."""
    parts = Token(introducer, body, alphabet, exact, solid, candidate, apart, context)
    return Rule(name=name, source=source, masks=masks, passes=passes, token=parts, spared=spared)
