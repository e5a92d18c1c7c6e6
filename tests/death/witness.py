"""A reader in a process of its own, which keeps what it saw committed and says at the end what became of it."""

from __future__ import annotations

import os
import pickle
import select
from typing import TYPE_CHECKING, Any, Self

from capture_core.catalog import Catalogue
from capture_core.errors import PlaceRefused, StreamGone
from capture_core.facts import CaptureState, Liveness
from capture_core.reader import StreamReader
from tests.death.stepped import forked

if TYPE_CHECKING:
    from pathlib import Path

    from capture_core.source import Entry

_RANK = {Liveness.LIVE: 0, Liveness.OWNER_DIED: 1, Liveness.FINAL: 1}


class Witness:
    """Looks at a conversation all the time, until it is asked what was wrong."""

    def __init__(self, conversation: Path, every_ms: int = 1) -> None:
        self._every_ms = every_ms
        self._conversation = str(conversation)
        self._kept: dict[tuple[str, str], bytes] = {}
        self._judged: dict[str, tuple[Liveness, CaptureState]] = {}
        self._wrong: set[str] = set()
        heard, tell = os.pipe()
        read, self._end = os.pipe()
        self._pid = forked(lambda: self._look_on(read, tell))
        os.close(tell)
        os.close(read)
        self._heard = heard

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._end >= 0:
            self.ask()

    def ask(self) -> tuple[set[str], dict[str, tuple[Liveness, CaptureState]], int]:
        """What was wrong; how each capture was judged last; how many bytes were seen in all.  It ends with that."""
        # Not by closing it: who was forked later has it open too.
        os.write(self._end, b"!")
        os.close(self._end)
        self._end = -1
        with open(self._heard, "rb") as answer:
            said: tuple[set[str], dict[str, tuple[Liveness, CaptureState]], int] = pickle.load(answer)  # noqa: S301
        os.waitpid(self._pid, 0)
        return said

    def _look_on(self, read: int, tell: int) -> None:
        poll, test = select.poll(), os.getppid()
        poll.register(read)
        while not poll.poll(self._every_ms) and os.getppid() == test:
            self._look()
        self._look()
        self._compare()
        data: Any = pickle.dumps((self._wrong, self._judged, sum(map(len, self._kept.values()))))
        while data:
            data = data[os.write(tell, data) :]

    def _look(self) -> None:
        catalogue = Catalogue(self._conversation)
        try:
            catalogue.refresh()
        except PlaceRefused:
            return  # nothing was captured yet
        listing = catalogue.listing()
        self._wrong |= {f"{bad.address.ref}: {bad.words}" for bad in listing.unreadable}
        for entry in listing.entries:
            self._judge(entry)
            for status in entry.streams:
                self._read(entry, status.name)

    def _judge(self, entry: Entry) -> None:
        ref, now = entry.receipt.ref, (entry.liveness, entry.capture.state)
        before = self._judged.get(ref)
        if before is not None and before != now and _RANK[before[0]] >= _RANK[now[0]] > 0:
            self._wrong.add(f"{ref}: was {before}, is {now}")
        if now[1] is CaptureState.COMPLETE and now[0] is not Liveness.FINAL:
            self._wrong.add(f"{ref}: complete, and {now[0]}")
        self._judged[ref] = now

    def _read(self, entry: Entry, stream: str) -> None:
        key = (entry.receipt.ref, stream)
        seen = self._kept.get(key, b"")
        try:
            with StreamReader(self._conversation, entry, stream) as reader:
                committed = reader.committed
                if committed < len(seen):
                    self._wrong.add(f"{key}: {len(seen)} bytes were committed, now {committed}")
                self._kept[key] = seen + reader.read(len(seen), max(committed, len(seen)))
        except StreamGone as error:
            self._wrong.add(str(error))

    def _compare(self) -> None:
        """Read all of it again."""
        catalogue = Catalogue(self._conversation)
        catalogue.refresh()
        entries = {entry.receipt.ref: entry for entry in catalogue.entries}
        for (ref, stream), seen in self._kept.items():
            with StreamReader(self._conversation, entries[ref], stream) as reader:
                if reader.read(0, len(seen)) != seen:
                    self._wrong.add(f"{ref} {stream}: committed bytes changed")
