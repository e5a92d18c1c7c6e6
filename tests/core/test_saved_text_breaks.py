"""A text whose source breaks off: what came before is kept and called partial; of nothing nothing stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from capture_core import Conversation, Limits, Upstream
from capture_core.errors import SourceFailed
from capture_core.facts import CaptureReason, CaptureState, Liveness, UpstreamKind
from tests.core.saved import TOKEN, looked_at, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from capture_core.text_source import Given


def breaks(*parts: str, by: BaseException) -> Iterator[str]:
    yield from parts
    raise by


def test_what_came_before_an_error_is_kept_and_called_partial(conversation: Conversation, place: Path) -> None:
    error = ConnectionResetError(104, f"reset by {TOKEN}")
    with pytest.raises(SourceFailed) as failed:
        conversation.save("browser", breaks("one\n", "API_KEY=0123456", by=error))
    receipt = failed.value.receipt
    assert failed.value.__cause__ is error
    assert receipt is not None
    assert receipt.ref in str(failed.value)
    assert TOKEN not in str(failed.value)
    assert text(place, receipt) == "one\nAPI_KEY=[redacted:assignment]"
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.PARTIAL, CaptureReason.UPSTREAM_TRUNCATED)
    assert (receipt.streams["content"].eof, receipt.upstream) == (False, Upstream(kind=UpstreamKind.HEAD_KEPT))
    [entry] = looked_at(place)
    assert entry.receipt == receipt


def test_a_part_that_is_no_text_breaks_it_off(conversation: Conversation, place: Path) -> None:
    with pytest.raises(SourceFailed, match=r"part 2 is None, not text"):
        conversation.save("browser", cast("Given", ["one\n", None, "three\n"]), upstream="tail-kept")
    [entry] = looked_at(place)
    assert text(place, entry.receipt) == "one\n"
    assert entry.receipt.upstream == Upstream(kind=UpstreamKind.CLIPPED)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interrupt_goes_on_when_what_came_is_safe(
    conversation: Conversation, place: Path, stop: type[BaseException]
) -> None:
    with pytest.raises(stop):
        conversation.save("browser", breaks("one\n", by=stop()))
    [entry] = looked_at(place)
    assert (entry.liveness, text(place, entry.receipt)) == (Liveness.FINAL, "one\n")
    assert entry.capture.reason is CaptureReason.UPSTREAM_TRUNCATED


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_a_source_that_gives_nothing_but_an_error_leaves_nothing(conversation: Conversation, tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match=r"broke off \(Mute\); nothing came before") as failed:
        conversation.save("browser", breaks(by=Mute()))
    assert failed.value.receipt is None
    assert not list(tmp_path.iterdir())


def test_a_limit_and_then_an_error_are_both_told(place: Path) -> None:
    conversation = Conversation.open(str(place), limits=Limits(capture_bytes=10))
    with pytest.raises(SourceFailed):
        conversation.save("browser", breaks("x" * 50, by=OSError()))
    [entry] = looked_at(place)
    stream = entry.receipt.streams["content"]
    assert (stream.reason, stream.eof, entry.capture.reason) == (CaptureReason.QUOTA, False, CaptureReason.QUOTA)
    assert entry.receipt.upstream == Upstream(kind=UpstreamKind.HEAD_KEPT)
