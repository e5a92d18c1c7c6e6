"""What a capture's receipts say of it beside its streams: who and when, and what any thread puts in meanwhile."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from capture_core.clock import boot_id, utc
from capture_core.facts import ProcessFacts, ProcessState, Receipt, ResourceFacts, TimeFacts

if TYPE_CHECKING:
    from capture_core.facts import (
        AllowanceFacts,
        CaptureFacts,
        PreviewFacts,
        RepresentationFacts,
        StreamFacts,
        Upstream,
    )
    from capture_core.identity import Identity


class Statement:
    """Thread-safe; the clock runs from when it is made."""

    def __init__(self, identity: Identity, *, capture_id: str, conversation: str, limit_bytes: int) -> None:
        """``conversation``: its name, or nothing until that is masked."""
        self._identity = identity
        self._capture_id = capture_id
        self._ref = ""
        self._limit_bytes = limit_bytes
        self._started = utc(time.time())
        self._clock = time.monotonic()
        self._lock = threading.Lock()
        self._process = ProcessFacts(state=identity.process)
        self._resources: ResourceFacts | None = None
        self._label: str | None = None
        self._call_id: str | None = None
        self._conversation = conversation
        self._upstream = identity.upstream

    def set_ref(self, ref: str) -> None:
        """Put in where the capture can be found, or nothing where it cannot."""
        with self._lock:
            self._ref = ref

    def set_process(self, process: ProcessFacts, resources: ResourceFacts | None) -> None:
        """Put in what became of the child."""
        with self._lock:
            self._process, self._resources = process, resources

    def has_run_for(self, seconds: float) -> bool:
        """Whether the child is still running so long after the start: how long we took for anything does not count."""
        with self._lock:
            return self._process.state is ProcessState.RUNNING and time.monotonic() - self._clock >= seconds

    def set_texts(self, *, label: str | None, call_id: str | None, conversation: str) -> None:
        """Put in what strangers wrote, masked."""
        with self._lock:
            self._label, self._call_id, self._conversation = label, call_id, conversation

    def set_upstream(self, said: Upstream) -> None:
        """Put in what turned out to be true of a given text."""
        with self._lock:
            self._upstream = said

    def receipt(
        self,
        capture: CaptureFacts,
        streams: dict[str, StreamFacts],
        representation: RepresentationFacts,
        *,
        ended: float | None = None,
        preview: dict[str, PreviewFacts] | None = None,
        allowance: AllowanceFacts | None = None,
    ) -> Receipt:
        """Return the receipt of this moment, or of the end; ``ended``: seconds since the epoch."""
        with self._lock:
            return Receipt(
                capture_id=self._capture_id,
                tool=self._identity.tool,
                ref=self._ref,
                conversation=self._conversation,
                producer=self._identity.producer,
                host=os.uname().nodename,
                boot_id=boot_id(),
                process=self._process,
                capture=capture,
                representation=representation,
                streams=streams,
                times=self._times(ended),
                preview=preview or {},
                resources=self._resources,
                limit_bytes=self._limit_bytes,
                allowance=allowance,
                label=self._label,
                call_id=self._call_id,
                job_id=self._identity.job_id,
                upstream=self._upstream,
            )

    def _times(self, ended: float | None) -> TimeFacts:
        if ended is None:
            return TimeFacts(started=self._started)
        took = round(time.monotonic() - self._clock, 6)
        return TimeFacts(started=self._started, ended=utc(ended), duration_seconds=took)
