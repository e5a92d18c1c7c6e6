"""The same with an event loop: small results, promotion, and a task that is cancelled takes its command along."""

from __future__ import annotations

import os
from pathlib import Path

import anyio

from capture_core import Conversation, Result, RunningJob
from capture_core.awaiting_run import run


def test_results_and_jobs_are_those_of_run(tmp_path: Path) -> None:
    conversation = Conversation.open(str(tmp_path / "c"))

    async def both() -> tuple[Result | RunningJob, Result | RunningJob]:
        small = await run(conversation, ["echo", "hi"], call_id="one")
        return small, await run(conversation, ["sleep", "60"], promote_after=0)

    small, job = anyio.run(both)
    assert isinstance(small, Result)
    assert (small.text(), small.receipt.call_id) == ("hi\n", "one")
    assert isinstance(job, RunningJob)
    job.cancel()
    assert job.wait() is not None


def test_a_cancelled_task_ends_its_command(tmp_path: Path) -> None:
    up = tmp_path / "up"
    os.mkfifo(up)

    async def cancelled() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(
                run, Conversation.open(str(tmp_path / "c")), ["sh", "-c", f"echo $$ > {up}; exec sleep 60"]
            )
            pid = (await anyio.Path(up).read_text()).strip()
            pids.append(pid)
            tasks.cancel_scope.cancel()

    pids: list[str] = []
    anyio.run(cancelled)
    assert not Path("/proc", pids[0]).exists()
