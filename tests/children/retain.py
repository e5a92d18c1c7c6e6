"""Runs jobs in one conversation, beside others that do the same: CONVERSATION ALLOWANCE JOBS BYTES [hang].

Says that it is ready, waits for its stdin to end, runs all jobs at the same time, and prints of each its reference and
what its receipt says was retained.  With ``hang`` it takes room for a job's first text, says so, and writes none of it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

from capture_core.conversation import Conversation
from capture_core.limits import Limits
from capture_core.spool import Spool

if TYPE_CHECKING:
    from capture_core.facts import Receipt


def hang(_spool: Spool, _block: object) -> NoReturn:
    """Stand between taking room and writing."""
    print("reserved", flush=True)
    while True:
        sys.stdin.readline()


def retained(receipt: Receipt) -> int:
    """Bytes of text, and of what describes it."""
    sidecars = (sidecar for stream in receipt.streams.values() for sidecar in stream.sidecars.values())
    return sum(stream.retained or 0 for stream in receipt.streams.values()) + sum(s.retained for s in sidecars)


def main() -> None:
    """Run the jobs."""
    place, allowance, jobs, size = sys.argv[1], *map(int, sys.argv[2:5])
    if sys.argv[5:] == ["hang"]:
        # The one moment that no option reaches.
        setattr(Spool, "_append", hang)  # noqa: B010
    conversation = Conversation.open(place, limits=Limits(conversation_bytes=allowance), slow_engine=True)
    print("ready", flush=True)
    sys.stdin.readline()
    command = ["sh", "-c", f"yes abcdefg | head -c {size}"]
    running = [conversation.start(command, label="retain", raw_binary=True) for _ in range(jobs)]
    for job in running:
        receipt = job.wait()
        assert receipt is not None
        print(receipt.ref, retained(receipt), receipt.capture.reason or "whole", flush=True)


if __name__ == "__main__":
    main()
