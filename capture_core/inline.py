"""What a model sees of a capture: how it ended and what is missing first, then as much of the output as a budget holds.

Pure: facts and text in, :class:`Rendered` out.  The budget is in bytes of UTF-8, and over all of the text: it is what
ranges, limits and receipts count in, and bounds characters and tokens alike.  Nothing is cut within a code point.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Final, TypeAlias

from capture_core import inline_frame as frame
from capture_core import phrases
from capture_core.facts import ByteRange, ProcessState, RepresentationKind, StreamName
from capture_core.inline_body import Body, Item, Piece
from capture_core.inline_frame import Way, shown
from capture_core.limits import INLINE_FRAME_BYTES
from capture_core.preview import Excerpt
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from capture_core.facts import ProcessFacts, Receipt
    from capture_core.limits import Limits

VERSION: Final = 1
"""Grows with every change that gives another text of the same parts."""

Part: TypeAlias = "str | Piece"

_WEIGHTS: Final = {StreamName.STDERR: 1}
_WEIGHT: Final = 4
"""What streams that do not all fit get of the room, as their previews do; where the command failed, as much each."""


class Rendered(NamedTuple):
    """A text that is handed out, and of what it is made: lines of ours, and pieces of the output between them."""

    text: str
    parts: tuple[Part, ...]
    budget: int

    @property
    def ranges(self) -> dict[str, list[ByteRange]]:
        """By stream, what of its committed bytes is in the text, in their order."""
        found: dict[str, list[ByteRange]] = {}
        for piece in self.parts:
            if isinstance(piece, Piece) and not piece.is_after_cut:
                found.setdefault(piece.stream, []).append(ByteRange(start=piece.start, end=piece.end))
        return found

    @property
    def digest(self) -> str:
        """SHA-256 of the text as UTF-8."""
        return digest_of(self.text)


def digest_of(text: str) -> str:
    """SHA-256 of a text as UTF-8, in hexadecimal."""
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()


def default_budget(limits: Limits) -> int:
    """What an inline text may take when nobody says otherwise: a preview's bytes, and the lines of ours around them."""
    return limits.preview_total_bytes + INLINE_FRAME_BYTES


def whole(texts: Mapping[str, bytes]) -> dict[str, Excerpt]:
    """Texts that are all at hand, as :func:`render` takes them."""
    return {name: Excerpt(head=text, tail=b"", length=len(text)) for name, text in texts.items()}


def assemble(parts: Sequence[Part], fetch: Callable[[Piece], bytes]) -> str:
    """The text of these parts; ``fetch`` gives the output of each piece, as it was committed."""
    return b"".join(part.encode() if isinstance(part, str) else shown(fetch(part)) for part in parts).decode()


def render(
    receipt: Receipt,
    texts: Mapping[str, Excerpt],
    budget: int,
    *,
    option: str | None = None,
    is_kept: bool = True,
    notes: Sequence[str] = (),
) -> Rendered:
    """The text of a capture within ``budget`` bytes of UTF-8, its first line included.

    ``receipt`` has the states that readers derive.  ``texts``: by stream, of the committed text, the first and the last
    ``budget`` bytes at least, or all.  ``option``: how a command must name the conversation.  ``is_kept``: whether
    there are files to read on in.  ``notes``: what else the first line says.
    """
    receipt = frame.quoted(receipt)
    way = Way(receipt.ref, option, is_kept)
    bodies = _bodies(receipt, texts, way)
    for attempt in (_whole, _clipped, _pointed_at):
        items = attempt(receipt, bodies, budget, notes)
        if items is not None and sum(len(item.data) for item in items) <= budget:
            return _rendered(items, budget)
    said = frame.told(receipt, (*notes, *_unshown(receipt, bodies)))
    if is_kept and bodies:
        said = frame.told(receipt, (*notes, *_elsewhere(receipt, bodies)))._replace(ref=receipt.ref)
    short = next(text for text in said.shortened() if len(text.encode()) <= max(0, budget))
    return _rendered([Item.ours(short)], budget)


def render_unknown(process: ProcessFacts, words: str, budget: int) -> Rendered:
    """The text where not even a receipt can be had, and ``words`` say why; ``process``: what was seen of it."""
    said = frame.untold(process, words)
    short = next(text for text in said.shortened() if len(text.encode()) <= budget)
    return _rendered([Item.ours(short)], budget)


def _rendered(items: Sequence[Item], budget: int) -> Rendered:
    text = b"".join(item.data for item in items).decode()
    return Rendered(text=text, parts=tuple(item.part for item in items if item.part), budget=budget)


def _bodies(receipt: Receipt, texts: Mapping[str, Excerpt], way: Way) -> list[Body]:
    """What there is to show of each stream; on failure, what it said of that first."""
    failed = phrases.has_failed(receipt.process)
    streams = sorted(texts, key=lambda name: (name == StreamName.STDERR) is not failed)
    return [body for name in streams if not (body := _body(receipt, texts[name], name, way)).is_empty]


def _body(receipt: Receipt, text: Excerpt, stream: str, way: Way) -> Body:
    preview = receipt.preview.get(stream)
    after = "" if preview is None else preview.tail_text or ""
    return Body(
        stream=stream,
        text=text,
        after_cut=after.encode("utf-8", "replace"),
        loss=frame.loss(receipt, stream),
        grows=receipt.process.state is ProcessState.RUNNING,
        way=way,
    )


def _whole(receipt: Receipt, bodies: Sequence[Body], budget: int, notes: Sequence[str]) -> list[Item] | None:
    """Everything there is."""
    if _is_binary(receipt) or any(body.cost > budget for body in bodies):
        return None
    return _joined(receipt, notes, bodies, [body.whole() for body in bodies])


def _clipped(receipt: Receipt, bodies: Sequence[Body], budget: int, notes: Sequence[str]) -> list[Item] | None:
    """Of what does not fit, its head and a larger tail."""
    if _is_binary(receipt) or not bodies:
        return None
    empty = _joined(receipt, notes, bodies, [[] for _ in bodies])
    left = budget - sum(len(item.data) for item in empty)
    weights = {body.stream: _weight(receipt, body.stream) for body in bodies}
    fitted: dict[str, list[Item]] = {}
    # Those that need the least for their weight come first: what they do not need goes to the others.
    for body in sorted(bodies, key=lambda body: body.cost / weights[body.stream]):
        share = left * weights[body.stream] // sum(weights[name] for name in weights if name not in fitted)
        items = body.within(share) or [Item.ours(body.pointer())]
        fitted[body.stream] = items
        left -= sum(len(item.data) for item in items) + 1
    return _joined(receipt, notes, bodies, [fitted[body.stream] for body in bodies])


def _pointed_at(receipt: Receipt, bodies: Sequence[Body], budget: int, notes: Sequence[str]) -> list[Item] | None:
    """Nothing of the output, and how to come to it, as far as there is room for that."""
    said = frame.told(receipt, (*notes, *_unshown(receipt, bodies)))
    lines = [Item.ours(str(said)), *(Item.ours(body.pointer()) for body in bodies)]
    ends = _sums(lines)
    fit = list(takewhile(lambda _: next(ends) <= budget, lines))
    # A first line that only says that something is elsewhere is of less use than one that says where.
    return fit if fit and (len(fit) > 1 or len(lines) == 1) else None


def _sums(items: Sequence[Item]) -> Iterator[int]:
    end = 0
    for item in items:
        end += len(item.data)
        yield end


def _joined(receipt: Receipt, notes: Sequence[str], bodies: Sequence[Body], parts: Sequence[list[Item]]) -> list[Item]:
    """First line, and the bodies below it, each under its stream's name; the first one's is in the first line."""
    said = frame.told(receipt, notes)
    first = tuple(body.stream for body in bodies[:1] if body.has_text) if bodies else _nothing(receipt)
    items = [Item.ours(str(said._replace(notes=(*said.notes, *first))))]
    for number, (body, part) in enumerate(zip(bodies, parts, strict=True)):
        # What only says that a stream was cut names it.
        items += [Item.ours(frame.label(body.stream))] if number and body.has_text else []
        items += part
    return list(_on_lines_of_their_own(items))


def _on_lines_of_their_own(items: Sequence[Item]) -> Iterator[Item]:
    for item, following in zip(items, (*items[1:], None), strict=True):
        yield item
        if following is not None and item.data and not item.data.endswith(b"\n"):
            yield Item.ours("\n")


def _nothing(receipt: Receipt) -> tuple[str, ...]:
    """What the first line says where there is no output to show."""
    if any(facts.observed != 0 for facts in receipt.streams.values()):
        return ()
    return ("no output yet" if receipt.process.state is ProcessState.RUNNING else "no output",)


def _unshown(receipt: Receipt, bodies: Sequence[Body]) -> tuple[str, ...]:
    size = sum(body.text.length for body in bodies)
    return (f"{frame.counted(size, 'byte', 'bytes')} of output not shown",) if size else _nothing(receipt)


def _elsewhere(receipt: Receipt, bodies: Sequence[Body]) -> tuple[str, ...]:
    size = sum(body.text.length for body in bodies)
    return (f"{frame.counted(size, 'byte', 'bytes')} of output in {receipt.ref}",) if size else _nothing(receipt)


def _is_binary(receipt: Receipt) -> bool:
    return receipt.representation.kind is RepresentationKind.BINARY


def _weight(receipt: Receipt, stream: str) -> int:
    if phrases.has_failed(receipt.process):
        return 1
    return _WEIGHTS.get(StreamName(stream), _WEIGHT)
