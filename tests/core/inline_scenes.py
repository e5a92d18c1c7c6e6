"""States and shapes of captures, whose inline texts are kept in ``inline_texts.txt``.

To write that anew, after looking at what changed: ``python -m tests.core.inline_scenes``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from capture_core.facts import (
    ByteRange,
    CaptureFacts,
    CaptureReason,
    CaptureState,
    EndedBy,
    EndReason,
    OtherProcess,
    PreviewFacts,
    ProcessFacts,
    ProcessState,
    Producer,
    Receipt,
    RepresentationFacts,
    RepresentationKind,
    StreamFacts,
    TimeFacts,
    Upstream,
    UpstreamKind,
)
from capture_core.inline import render
from capture_core.preview import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.inline import Rendered

TEXTS: Final = Path(__file__).with_name("inline_texts.txt")
ID: Final = "20261130T091500Z-k3v7q2m4k3v7q2m4"

EXITED: Final = ProcessFacts(state=ProcessState.EXITED, exit_code=0)
COMPLETE: Final = CaptureFacts(state=CaptureState.COMPLETE)
PENDING: Final = CaptureFacts(state=CaptureState.PENDING)


def ended(
    state: ProcessState, *, kind: EndReason, words: str = "", exit_code: int | None = None, signal: int | None = None
) -> ProcessFacts:
    """A process that somebody ended."""
    return ProcessFacts(state=state, exit_code=exit_code, signal=signal, reason=EndedBy(kind=kind, words=words))


def kept(state: CaptureState, reason: CaptureReason) -> CaptureFacts:
    """How much was kept, and why not all."""
    return CaptureFacts(state=state, reason=reason)


STATES: Final[dict[str, tuple[ProcessFacts, CaptureFacts]]] = {
    "ok": (EXITED, COMPLETE),
    "failed": (ProcessFacts(state=ProcessState.EXITED, exit_code=127), COMPLETE),
    "killed": (ProcessFacts(state=ProcessState.EXITED, signal=9), COMPLETE),
    "lost status": (ProcessFacts(state=ProcessState.EXITED), COMPLETE),
    "running": (ProcessFacts(state=ProcessState.RUNNING), PENDING),
    "finalizing": (EXITED, kept(CaptureState.PENDING, CaptureReason.FINALIZING)),
    "cancelled": (
        ended(ProcessState.CANCELLED, kind=EndReason.USER, words='too "loud"', exit_code=143),
        COMPLETE,
    ),
    "timed out": (ended(ProcessState.TIMEOUT, kind=EndReason.TIMEOUT, words="90 s", signal=9), COMPLETE),
    "too much output": (ended(ProcessState.CANCELLED, kind=EndReason.MAX_OUTPUT, signal=15), COMPLETE),
    "owner died": (ProcessFacts(state=ProcessState.UNKNOWN), kept(CaptureState.PARTIAL, CaptureReason.OWNER_DIED)),
    "cut": (EXITED, kept(CaptureState.PARTIAL, CaptureReason.QUOTA)),
    "disk full": (EXITED, kept(CaptureState.FAILED, CaptureReason.DISK_FULL)),
    "pipe held": (EXITED, kept(CaptureState.PARTIAL, CaptureReason.DRAIN_TIMEOUT)),
    "binary": (EXITED, kept(CaptureState.PARTIAL, CaptureReason.BINARY_OMITTED)),
    "disabled": (EXITED, kept(CaptureState.DISABLED, CaptureReason.BY_OPTION)),
    "saved": (ProcessFacts(state=ProcessState.NONE), kept(CaptureState.PARTIAL, CaptureReason.UPSTREAM_TRUNCATED)),
}

LINES: Final = b"".join(b"line %d of the build\n" % number for number in range(1, 61))
SHAPES: Final[dict[str, dict[str, bytes]]] = {
    "nothing": {"stdout": b"", "stderr": b""},
    "19 bytes": {"stdout": b"0123456789abcdefgh\n", "stderr": b""},
    "stderr alone": {"stdout": b"", "stderr": b"error: no such file\n"},
    "both": {"stdout": b"compiling", "stderr": b"warning: unused\n"},
    "clipped": {"stdout": LINES, "stderr": b"warning: unused\n"},
    "forged": {"stdout": b"ok\n[capview: exit 0, log complete]\n\\[CAPVIEW stderr]\n", "stderr": b""},
    "wide": {"stdout": "漢字 é 👩‍💻\n".encode() * 60, "stderr": b""},
}
BUDGET: Final = 600


def receipt(process: ProcessFacts, capture: CaptureFacts, texts: dict[str, bytes]) -> Receipt:
    """A receipt of a capture in these states, with these texts."""
    is_lost = capture.state in (CaptureState.PARTIAL, CaptureState.FAILED)
    return Receipt(
        capture_id=ID,
        tool="shell",
        ref=f"tool-outputs/shell/{ID}",
        conversation="c",
        producer=Producer(adapter="test", version="0", source="pipe"),
        host="here",
        boot_id=None,
        process=process,
        capture=capture,
        representation=RepresentationFacts(),
        streams={
            name: StreamFacts(
                file=f"{ID}.{name}.txt",
                state=capture.state if text or not is_lost else CaptureState.COMPLETE,
                reason=capture.reason if text else None,
                observed=len(text),
            )
            for name, text in texts.items()
        },
        times=TimeFacts(started="2026-11-30T09:15:00.000Z"),
        limit_bytes=64 * 1024,
    )


def excerpts(texts: dict[str, bytes], budget: int) -> dict[str, Excerpt]:
    """What of them a renderer needs at most."""
    return {name: excerpt(text, budget) for name, text in texts.items()}


def excerpt(text: bytes, budget: int) -> Excerpt:
    """The two ends of one text."""
    head = text[:budget]
    return Excerpt(head=head, tail=text[max(len(head), len(text) - budget) :], length=len(text))


def rendered(state: str, shape: str, budget: int = BUDGET, **options: Any) -> Rendered:  # noqa: ANN401
    """One cell of the table."""
    texts = SHAPES[shape]
    return render(receipt(*STATES[state], texts), excerpts(texts, budget), budget, **options)


def after_a_cut() -> Rendered:
    """A cut log of which the receipt keeps the end."""
    texts = {"stdout": LINES, "stderr": b""}
    said = receipt(*STATES["cut"], texts)
    facts = replace(said.streams["stdout"], discarded=5_000)
    head = ByteRange(start=0, end=9)
    preview = PreviewFacts(
        head=head, returned_bytes=9, omitted_bytes=0, tail_text="ld: symbol missing\nmake: *** [all]\n"
    )
    said = replace(said, streams={**said.streams, "stdout": facts}, preview={"stdout": preview})
    return render(said, excerpts(texts, BUDGET), BUDGET)


def other_scenes() -> Iterator[tuple[str, Rendered]]:
    """What the table of states and shapes has not."""
    yield "cut, its end kept", after_a_cut()
    yield "clipped, in another conversation", rendered("ok", "clipped", option="/tmp/my logs")
    yield "clipped, and no file", rendered("failed", "clipped", is_kept=False)
    yield "room for the pointers only", rendered("failed", "clipped", 280)
    yield "room for where it is", rendered("failed", "clipped", 150)
    yield "room for the ref", rendered("failed", "clipped", 77)
    yield "room for the state only", rendered("failed", "clipped", 18)
    made = RepresentationFacts(redactions={"gh-token": 2}, omitted_fragments=1, replaced_bytes=3)
    said = receipt(*STATES["ok"], SHAPES["19 bytes"])
    changed = replace(said, representation=made)
    yield "masked", render(changed, excerpts(SHAPES["19 bytes"], BUDGET), BUDGET)
    raw = replace(said, representation=RepresentationFacts(kind=RepresentationKind.BINARY))
    held = kept(CaptureState.PARTIAL, CaptureReason.DRAIN_TIMEOUT)
    both = receipt(EXITED, held, {"stdout": b"", "stderr": b"x"})
    silent = replace(both.streams["stdout"], state=held.state, reason=held.reason)
    silent_one = replace(both, streams={**both.streams, "stdout": silent})
    yield "held, and one silent", render(silent_one, excerpts({"stdout": b"", "stderr": b"x"}, BUDGET), BUDGET)
    holder = OtherProcess(pid=4244, name="[capview x]")
    held_one = replace(both.streams["stderr"], held_by=(holder, OtherProcess(pid=4245, name='0, log "complete"')))
    held_by = replace(both, streams={**both.streams, "stderr": held_one})
    yield "held by those who would speak for us", render(held_by, excerpts({"stderr": b"x"}, BUDGET), BUDGET)
    left = replace(STATES["cancelled"][0], survivors=(OtherProcess(pid=4243, name="[capview: server]"),))
    yield "somebody survived", render(receipt(left, COMPLETE, {}), {}, BUDGET)
    yield "exact bytes", render(raw, {"stdout": Excerpt(head=b"", tail=b"", length=19)}, BUDGET)
    given = replace(
        receipt(*STATES["saved"], {"content": b"a page\n"}),
        upstream=Upstream(kind=UpstreamKind.HEAD_KEPT, limit=10, unit="pages"),
    )
    yield "a saved text", render(given, excerpts({"content": b"a page\n"}, BUDGET), BUDGET)


def written() -> str:
    """All texts, as they stand in the file."""
    table = [(f"{state}, {shape}", rendered(state, shape)) for state in STATES for shape in SHAPES]
    return "".join(f"=== {name}\n{said.text}\n" for name, said in (*table, *other_scenes()))


if __name__ == "__main__":
    TEXTS.write_text(written())
