"""What a host may say of a search, each with its default; looked at, then as the search takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from capture_core import checked
from capture_core.errors import BadInput
from capture_core.find.matcher import Case, Wanted
from capture_core.hits.captures import CaptureSearch
from capture_core.sought import Search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from capture_core.hits.captures import Place
    from capture_core.source import Hit


class SearchOptions(TypedDict, total=False):
    """What :meth:`capture_core.Conversation.search` takes by name, beside the pattern and the captures."""

    fixed: bool
    """The pattern is a text, not an expression."""
    case: str
    """``sensitive``, ``ignore``, or ``smart``: ignored where the pattern has no upper case letter."""
    word: bool
    """Matches are whole words."""
    stream: str | None
    """This stream only."""
    invert: bool
    """The lines that do not match."""
    every_match: bool
    """All matches of a line are told, up to a bound, not only the first."""
    numbered: bool
    """Lines are numbered, as without this; ``False`` spares one more reading of what is before the last hit."""
    before: int
    after: int
    """So many lines before and after each hit come with it."""
    most: int | None
    """So many hits, of all captures together."""
    start: int
    """Matches that begin at this offset of each stream or later; with ``backward``: before it, where it is not 0."""
    backward: bool
    """The last hit first."""
    token: str | None
    """Go on where an earlier search stopped."""


def read(pattern: str, options: SearchOptions) -> Search:
    """What is asked for; raises :class:`BadInput`."""
    if unknown := options.keys() - SearchOptions.__annotations__.keys():
        raise BadInput(f"a search has no option {', '.join(sorted(unknown))}")
    for name in ("before", "after", "start", "most"):
        if (given := options.get(name)) is not None and not (isinstance(given, int) and given >= 0):
            raise BadInput(f"{name} must be a number, 0 or more, not {given!r}")
    wanted = Wanted(
        checked.text("pattern", pattern),
        fixed=options.get("fixed", False),
        case=_case(options.get("case", Case.SENSITIVE)),
        word=options.get("word", False),
    )
    return Search(
        wanted,
        stream=options.get("stream"),
        invert=options.get("invert", False),
        every_match=options.get("every_match", False),
        numbered=options.get("numbered", True),
        before=options.get("before", 0),
        after=options.get("after", 0),
        most=options.get("most"),
        start=options.get("start", 0),
        backward=options.get("backward", False),
        token=options.get("token"),
    )


def run(search: Search, places: Iterable[Place]) -> Iterator[Hit]:
    """Its hits, one by one; raises :class:`Refused` at once for what cannot be searched for."""
    batches = CaptureSearch(search).hits(places)
    return (hit for batch in batches for hit in batch)


def _case(given: str) -> Case:
    if given not in list(Case):
        raise BadInput(f"case must be one of {', '.join(Case)}, not {given!r}")
    return Case(given)
