"""``kill -9`` of owners at random moments, while a second process keeps what it saw committed."""

from __future__ import annotations

import os
import random
import select
import signal
import time
from typing import TYPE_CHECKING

import pytest

from capture_core.facts import CaptureState, Liveness
from tests.death.conversations import assert_true, seen, texts
from tests.death.stepped import end_of, forked, run_job
from tests.death.witness import Witness

if TYPE_CHECKING:
    from pathlib import Path

PRINTS = "seq -f 'é漢%.0f' 1 30000; echo done >&2"
STDOUT = "".join(f"é漢{number}\n" for number in range(1, 30001)).encode()


def killed(conversation: Path, seconds: float) -> bool:
    """Kill an owner after so long, whatever it does then; whether it had not ended before that."""
    told, tell = os.pipe()

    def own() -> None:
        os.write(tell, b"at work")
        run_job(conversation, PRINTS, slow_engine=False)

    pid = forked(own)
    os.close(tell)
    os.read(told, 7)
    # Its end closes the pipe.
    poll = select.poll()
    poll.register(told)
    poll.poll(int(seconds * 1000))
    os.close(told)
    os.kill(pid, signal.SIGKILL)
    return end_of(pid) != 0


@pytest.fixture(scope="module")
def span_seconds(tmp_path_factory: pytest.TempPathFactory) -> float:
    """How long an owner takes from its start to its end, when what it needs is loaded; forks inherit that."""
    run_job(tmp_path_factory.mktemp("warm"), PRINTS, slow_engine=False)
    begun = time.monotonic()
    run_job(tmp_path_factory.mktemp("timed"), PRINTS, slow_engine=False)
    return time.monotonic() - begun


@pytest.mark.parametrize("count", [50, pytest.param(500, marks=pytest.mark.long)])
def test_no_byte_that_was_committed_is_lost_and_nothing_called_complete_that_is_not(
    tmp_path: Path, count: int, span_seconds: float
) -> None:
    # pytest-randomly seeds this before each test, and prints with what: --randomly-seed=N does it again.
    moments = random.Random(random.getrandbits(64))
    with Witness(tmp_path) as witness:
        deaths = sum(killed(tmp_path, moments.uniform(0, 2 * span_seconds)) for _ in range(count))
        wrong, judged, size = witness.ask()
    wrong = {words for words in wrong if "has no receipt" not in words}
    assert not wrong
    assert size > 0
    found = seen(tmp_path)
    assert all("has no receipt" in bad.words for bad in found.unreadable)
    for entry in found.entries:
        assert_true(tmp_path, entry)
        text = texts(tmp_path, entry)["stdout"]
        assert STDOUT.startswith(text)
        assert (text == STDOUT) or entry.capture.state is not CaptureState.COMPLETE
        assert judged[entry.receipt.ref] == (entry.liveness, entry.capture.state)
    died = sum(entry.liveness is Liveness.OWNER_DIED for entry in found.entries)
    assert died <= deaths
    assert died, "every owner had ended before it was killed"
