"""What running jobs seem to be doing, in words: what is a guess is worded as one."""

from __future__ import annotations

import pytest

from capture_core.activity import Activity, Waits
from capture_core.progress import Progress
from capview import doing
from capview.present import Tone

COUNT, PERCENT = Progress(3.5, 12, 340), Progress(61.4)


@pytest.mark.parametrize(
    ("activity", "short", "words", "tone"),
    [
        (Activity(COUNT), "12/340", "says 12/340", Tone.BUSY),
        (Activity(PERCENT, 12.9), "61%, silent 12 s", "says 61%, silent for 12 s", Tone.BUSY),
        (
            Activity(None, 200.0, may_be_buffering=True),
            "silent 3 min, buffering?",
            "silent for 3 min, may be buffering, as it prints on a pipe",
            Tone.QUIET,
        ),
        (
            Activity(waits=Waits.ASKS),
            "input?",
            "perhaps waits for input: its last line looks like a question",
            Tone.DOUBTFUL,
        ),
        (
            Activity(waits=Waits.READS),
            "input?",
            "seems to wait for input: it reads its terminal",
            Tone.DOUBTFUL,
        ),
        (Activity(), "", "", Tone.QUIET),
    ],
    ids=["count", "percent", "buffering", "asks", "reads", "nothing"],
)
def test_words(activity: Activity, short: str, words: str, tone: Tone) -> None:
    assert ", ".join(doing.short(activity)) == short
    assert doing.words(activity) == words
    assert doing.tone(activity) is tone


def test_a_record_has_every_key() -> None:
    assert doing.record(Activity()) == {
        "progress": None,
        "silent_seconds": None,
        "waits_for_input": None,
        "may_be_buffering": False,
    }
    assert doing.record(Activity(PERCENT))["progress"] == {"percent": 61.4, "done": None, "total": None}
