"""What a front has seen of its job so far, and what it tells the shell by that: no terminal, no signal, no clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.answer import Ending, exit_code
from capture_core.exit_codes import TIMED_OUT, of_signal
from capture_core.record import NamedTuple

if TYPE_CHECKING:
    from capture_core.facts import Receipt
    from capture_core.happenings import Exited
    from capture_core.link import Settled, Started


class Seen(NamedTuple):
    """One moment of it."""

    started: Started | None = None
    exited: Exited | None = None
    are_streams_over: bool = False
    is_promoted: bool = False
    completing: Settled | None = None
    """What to tell when what is done at a job's end does not end itself."""
    unwanted: int | None = None
    """The first signal that told us to end before the child ran."""

    @property
    def place(self) -> str:
        """Where its capture is, in words."""
        return "the capture" if self.started is None else self.started.ref

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be seen of the command itself."""
        return self.exited is not None and self.are_streams_over

    def settled(self, word: Settled) -> Ending:
        """The capture is over."""
        ending = self._ended(word.words, receipt=word.receipt)
        return ending if word.texts is None else ending._replace(texts=word.texts, ref=None)

    def let_go(self, words: str = "") -> Ending:
        """The job is promoted, and goes on without us."""
        return Ending(code=TIMED_OUT, ref=self.place, words=words, goes_on=True)

    def stalled(self) -> Ending:
        """The child has ended, goes on, or is not wanted, and the disk does not answer: the shell need not wait."""
        if self.completing is not None:
            return self.settled(self.completing)
        if self.is_promoted:
            return self.let_go(self._not_yet())
        if self.started is None and self.unwanted is not None:
            return Ending(code=of_signal(self.unwanted), words="ended while the command was being started")
        return self._ended(self._not_yet())

    def owner_gone(self, *, inline: bool) -> Ending:
        """Nobody is there to tell more.  ``inline``: whether there is a leftover is known to whoever looks for it."""
        if self.completing is not None:
            return self.settled(self.completing)
        if inline:
            return self._ended("the capture's owner was killed")._replace(is_owner_killed=True)
        where = f"see {self.place}" if self.exited is None else f"{self.place} is a leftover"
        return self._ended(f"the capture's owner was killed; {where}")

    def _not_yet(self) -> str:
        return f"the capture is not on disk yet; its owner goes on with {self.place}"

    def _ended(self, words: str, receipt: Receipt | None = None) -> Ending:
        return Ending(code=exit_code(self.exited), ref=self.place, receipt=receipt, words=words, exited=self.exited)
