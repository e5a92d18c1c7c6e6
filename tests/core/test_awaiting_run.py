"""The same with an event loop: small results, promotion, and a task that is cancelled takes its command along."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
from anyio import to_thread

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


def test_a_task_that_was_cancelled_before_its_thread_ran_waits_for_nothing(tmp_path: Path) -> None:
    """It waited, shielded, for the end of what had never begun."""
    conversation = Conversation.open(str(tmp_path / "c"))

    async def cancelled() -> bool:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await run(conversation, ["true"])
        return scope.cancelled_caught

    assert anyio.run(cancelled)
    assert list(tmp_path.iterdir()) == []


def test_commands_wait_for_no_thread_and_leave_those_of_others_alone(tmp_path: Path) -> None:
    """The 41st command waited for one of the 40 before it, and so did whoever polled or acknowledged."""
    conversation = Conversation.open(str(tmp_path / "c"))
    up = tmp_path / "up"
    os.mkfifo(up)

    async def two_at_once() -> str:
        to_thread.current_default_thread_limiter().total_tokens = 1
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(run, conversation, ["sh", "-c", f"echo up > {up}; exec sleep 60"])
            heard = ""
            while len(heard) < 6:
                heard += await anyio.Path(up).read_text()
            tasks.cancel_scope.cancel()
        return heard

    assert anyio.run(two_at_once) == "up\nup\n"
