"""A disk that fills before an inline text has its names: it is a capture all the same, as without ``--inline``."""

from __future__ import annotations

import json
from time import sleep
from typing import TYPE_CHECKING

from capture_core import Conversation, JobState, Limits
from tests.commands import capview
from tests.faults.grounds import tmpfs

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core import RunningJob


def test_an_inline_text_that_fills_the_disk_at_once_is_kept(tmp_path: Path) -> None:
    with tmpfs(tmp_path / "disk", "size=1m") as disk:
        place = f"{disk}/c"
        script = "seq 300000; exit 4"
        done = capview("run", "--conversation", place, "--inline", "--budget", "2000", "--", "sh", "-c", script)
        assert done.returncode == 4
        assert done.stdout.startswith(b"[capview: exit 4, log cut: disk full, its end kept; stdout]\n1\n2\n")
        assert b"capview read tool-outputs/shell/" in done.stdout
        assert b"kept in no file" not in done.stdout
        receipt = json.loads(capview("show", "--conversation", place, "@last", "--json").stdout)
        [text] = disk.glob("c/tool-outputs/shell/*.stdout.txt")
        assert text.stat().st_size == receipt["streams"]["stdout"]["retained"] > 700_000
        assert receipt["capture"] == {"state": "partial", "reason": "disk-full"}


def test_a_job_that_takes_long_can_be_found_also_when_it_has_filled_the_disk(tmp_path: Path) -> None:
    with tmpfs(tmp_path / "disk", "size=1m") as disk:
        conversation = Conversation.open(f"{disk}/c", limits=Limits(unseen_seconds=0.05))

        def seen(job: RunningJob) -> None:
            while not list(disk.glob("c/tool-outputs/shell/*.live.json")):
                assert job.state is JobState.RUNNING
                sleep(0.01)
            assert conversation.wait(job.ref, 0) is None
            job.cancel()

        result = conversation.run(["sh", "-c", f"cat /dev/zero > {disk}/all; exec sleep 30"], on_start=seen)
        assert result.ref is not None
        assert conversation.wait(result.ref, 0) is not None
