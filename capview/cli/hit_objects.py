"""Hits as objects for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.facts import RepresentationKind
from capview.cli.passage import content
from capview.cli.words import put_json

if TYPE_CHECKING:
    from capture_core.source import Entry, Hit, NearLine


def put_hit(hit: Hit, entry: Entry) -> int:
    """Print a hit as an object; how many bytes of text it holds."""
    is_binary = entry.receipt.representation.kind is RepresentationKind.BINARY
    put_json(
        {
            "type": "hit",
            "ref": hit.address.ref,
            "conversation": hit.address.conversation,
            "stream": hit.stream,
            "generation": hit.generation,
            "line": hit.line,
            "line_start": hit.line_start,
            "line_end": hit.line_end,
            "start": hit.start,
            "end": hit.end,
            "matches": hit.matches,
            "text_start": hit.text_start,
            **content(hit.text, is_binary=is_binary),
            "before": [_near(line, is_binary=is_binary) for line in hit.before],
            "after": [_near(line, is_binary=is_binary) for line in hit.after],
        }
    )
    return len(hit.text) + sum(len(line.text) for line in (*hit.before, *hit.after))


def _near(line: NearLine, *, is_binary: bool) -> dict[str, object]:
    return {
        "line": line.line,
        "line_start": line.line_start,
        "line_end": line.line_end,
        "text_start": line.text_start,
        **content(line.text, is_binary=is_binary),
    }
