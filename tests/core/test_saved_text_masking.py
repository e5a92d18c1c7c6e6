"""A text that is saved is masked, however it is cut into parts, and so is all that is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings

from capture_core import Conversation, Producer, text_source
from tests.core.saved import TOKEN, text
from tests.cuts import places, three_ways
from tests.onlooker import Onlooker
from tests.shapes import Draw, Secret, drawn

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from capture_core.text_source import Given


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn(), places)
def test_three_ways_of_cutting_give_one_text(conversation: Conversation, place: Path, one: Draw, at: list[int]) -> None:
    conversation = Conversation.open(str(place))
    receipts = [conversation.save("browser", parts) for parts in three_ways(one.raw, at)]
    assert len({text(place, receipt) for receipt in receipts}) == 1
    assert len({receipt.streams["content"].observed for receipt in receipts}) == 1


def test_a_secret_that_is_split_over_parts_is_never_seen(
    conversation: Conversation, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_source, "GATHER_SECONDS", 0.0)
    said = f"the token {TOKEN} is secret\n"
    runs = frozenset(TOKEN[start : start + 6].encode() for start in range(4, len(TOKEN) - 5))
    cuts: list[Given] = [list(said), [said[:20], said[20:]], [said.encode()[:30], said[30:]]]
    with Onlooker(place, Secret("", TOKEN, "", runs)) as onlooker:
        whole = conversation.save("browser", said)
        for parts in cuts:
            assert text(place, conversation.save("browser", parts)) == text(place, whole)
    assert not onlooker.found


def test_the_hosts_environment_and_files_are_masked_and_so_is_all_that_is_said(
    conversation: Conversation, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOST_TOKEN", "x9Kq-0rWzL")
    monkeypatch.setenv("ODD", "odd-value")
    (tmp_path / "values").write_text("value-of-a-file\n")
    receipt = conversation.save(
        "browser",
        "x9Kq-0rWzL odd-value value-of-a-file\n",
        label=f"page with {TOKEN}",
        call_id=f"call {TOKEN}",
        producer=Producer(adapter=f"adapter {TOKEN}", version="x9Kq-0rWzL", source="a\nb"),
        mask_env=["O?D"],
        mask_files=[str(tmp_path / "values")],
    )
    assert text(place, receipt) == "[redacted:env] [redacted:env] [redacted:mask-file]\n"
    assert (receipt.label, receipt.call_id) == ("page with [redacted:gh-token]", "call [redacted:gh-token]")
    producer = Producer(adapter="adapter [redacted:gh-token]", version="[redacted:env]", source="a b")
    assert receipt.producer == producer
