"""What a host holds: a conversation, the jobs that it starts in it, each owned by a thread of the host, and its texts.

A thread is enough for most hosts, and costs no process.  Its price: a host whose writer is stuck in the kernel,
because the disk does not answer, cannot exit before that ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from capture_core import checked, saved_text
from capture_core import upstream as said_of
from capture_core.calls import Call
from capture_core.facts import Producer
from capture_core.identity import Ground
from capture_core.job import Job
from capture_core.known_sources import KnownSources, environment_of, read_mask_file
from capture_core.limits import LIBRARY
from capture_core.masking import EngineMasking
from capture_core.raw import RawStreams
from capture_core.result import Result
from capture_core.running import RunningJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Unpack

    from capture_core.calls import CallOptions
    from capture_core.facts import Receipt, Upstream
    from capture_core.hits.options import SearchOptions
    from capture_core.job import Outcome
    from capture_core.limits import Limits
    from capture_core.news import News
    from capture_core.notices import Notice
    from capture_core.polling import Cursor
    from capture_core.source import Entry, Hit
    from capture_core.text_source import Given
    from capture_core.user_rule import UserRule

_TEXTS: Final = Producer(adapter="library", version="1", source="text")


class Conversation:
    """A directory that owns one ``tool-outputs/`` tree."""

    def __init__(
        self, path: str, limits: Limits = LIBRARY, *, rules: Sequence[UserRule] = (), slow_engine: bool = False
    ) -> None:
        self.path = checked.path("path", path)
        self._limits = checked.limits(limits)
        self._rules = checked.rules(rules)
        self._slow_engine = slow_engine

    @classmethod
    def open(
        cls, path: str, *, limits: Limits = LIBRARY, rules: Sequence[UserRule] = (), slow_engine: bool = False
    ) -> Conversation:
        """The conversation at ``path``; made, private, with its first capture when it is not there.

        ``rules``: redaction rules beside the built-in ones.  ``slow_engine``: find secrets without hyperscan, at a
        hundred kilobytes or two a second and without ``rules``.  Raises ``BadInput`` for what is of no use.
        """
        return cls(path, limits, rules=rules, slow_engine=slow_engine)

    def start(self, argv: Sequence[str], **options: Unpack[CallOptions]) -> RunningJob:
        """Start ``argv`` in the background, reading nothing; what else may be said: :class:`CallOptions`.

        ``argv``: texts, or paths and bytes as ``os.fsdecode`` takes them.
        Raises ``Refused`` when the place or a file to be masked is not acceptable and ``SpawnFailed`` when the command
        cannot be started; nothing stays behind then.
        """
        return self._launch(Call(argv, **options).checked(), Ground.BACKGROUND)

    def run(
        self,
        argv: Sequence[str],
        *,
        promote_after: float | None = None,
        on_start: Callable[[RunningJob], object] | None = None,
        **options: Unpack[CallOptions],
    ) -> Result | RunningJob:
        """Run ``argv``, reading nothing, and wait: a ``Result``, or the job where it was promoted before it ended.

        What fits the preview is in the result, and no file is kept; more becomes a capture while it is printed.
        ``promote_after``: seconds, then the job goes to the background.  ``on_start`` is given the job at once, to be
        cancelled or promoted from another thread.  What else may be said: :class:`CallOptions`.

        Raises as :meth:`start` does, and what kept a capture from being finished.  Whatever else ends the waiting, such
        as ``KeyboardInterrupt``, ends the command first.
        """
        call = Call(argv, **options).checked()
        job = self._launch(call, Ground.INLINE, checked.seconds("promote_after", promote_after))
        try:
            if on_start is not None:
                on_start(job)
            return job if (outcome := job.wait_in_foreground()) is None else _result(job, outcome)
        except BaseException:
            job.end("nobody waits for it any more")
            raise

    def save(
        self,
        tool: str,
        text: Given,
        *,
        upstream: Upstream | str = said_of.WHOLE,
        call_id: str | None = None,
        label: str | None = None,
        producer: Producer = _TEXTS,
        mask_env: Sequence[str] = (),
        mask_files: Sequence[str] = (),
    ) -> Receipt:
        """Publish a finished text, masked as a job's output is, and return its final receipt.

        ``text``: a ``str``, bytes, an open file of either, or an iterable of ``str`` and bytes; read piece by piece,
        live for readers meanwhile, final all at once.  A lone surrogate, and bytes that are not UTF-8, become U+FFFD
        and are counted; binary content is left out with a mark, as a job's is.

        ``upstream``: whether the text had been cut before, such as ``"tail-kept: 200 lines"`` or ``"unknown"``, see
        :func:`capture_core.upstream.parse`; without it the text counts as whole.  ``producer``: who made it.  Masked
        in every form are values of this process's environment, as in :meth:`start`.

        Raises ``Refused``: nothing was saved and nothing stays behind, also when ``text`` is of any other type.
        Raises ``SourceFailed`` when reading ``text`` did: what came before is a partial capture.  What else ends the
        reading, such as ``KeyboardInterrupt``, goes on when that is published.  A limit or a disk that cuts the text
        raises nothing: the receipt says so.  ``OSError`` and ``PlaceGone``: there is no final receipt.
        """
        description = saved_text.Description(
            tool=checked.text("tool", tool),
            producer=checked.producer(producer),
            upstream=checked.upstream(upstream),
            label=checked.text_or_none("label", label),
            call_id=checked.text_or_none("call_id", call_id),
        )
        return saved_text.save(text, description, self.path, self._limits, self._masking(None, mask_env, mask_files))

    def cursor(self, ref: str, *, consumer: str) -> Cursor:
        """The place of ``consumer`` in a capture of this conversation, whoever owns it; made with its first poll.

        Raises ``UnknownRef`` for what is no whole ref, and ``BadName``.
        """
        from capture_core.polling import Cursor

        return Cursor(self.path, checked.text("ref", ref), checked.text("consumer", consumer))

    def notices(self, *, consumer: str, since_now: bool = False, follow: bool = False) -> Iterator[Notice]:
        """Captures of this conversation that have ended, whoever owned them, of which ``consumer`` was not told yet.

        Each is delivered when it is acknowledged: one that is not comes again, with the same id.  ``since_now``: at the
        first use of this consumer, leave out what has ended before.  ``follow``: go on with those to come, without end.
        The consumer is this iterator's until it ends or is closed, but for the pauses of ``follow``.

        Raises ``Refused`` when nothing can be kept for the consumer, and where nothing stands at the conversation's
        path (unless it is to ``follow``), or something else by now; ``ConsumerBusy`` when another process or
        thread is at it.
        """
        from capture_core import descend
        from capture_core.notices import Inbox

        if not follow:
            with descend.conversation(self.path):
                pass

        with Inbox(self.path, checked.text("consumer", consumer), since_now=since_now) as inbox:
            yield from inbox.follow() if follow else inbox.look()

    def search(
        self, pattern: str, refs: Iterable[str] | None = None, **options: Unpack[SearchOptions]
    ) -> Iterator[Hit]:
        """Matching lines of these captures, whoever owns them, in order; without ``refs`` of all, newest first.

        ``pattern``: a regular expression that needs linear time, or, ``fixed``, a text; what else may be said:
        :class:`SearchOptions`.  Searched is what is committed when each stream's turn comes, in fixed memory.  Close
        the iterator to stop early; :func:`capture_core.hits.token.after` gives the word that goes on behind a hit.

        Raises ``Refused`` for what cannot be searched for, ``UnknownRef``, and ``StreamGone`` when a text goes away.
        """
        from capture_core.hits import options as given
        from capture_core.hits.places import all_in, named_in

        named = None if refs is None else checked.texts("refs", refs)
        search = given.read(pattern, options)
        return given.run(search, all_in(self.path) if named is None else named_in(self.path, named))

    def wait(self, ref: str, timeout: float | None = None) -> Entry | None:
        """How a capture stands when it has ended, whoever owns it; ``None`` when ``timeout`` seconds passed first.

        An owner that died is an end too.  Raises ``UnknownRef`` when it is not there, or not any more.
        """
        from capture_core.news import Watched

        return Watched(self.path, checked.text("ref", ref)).wait(checked.seconds("timeout", timeout))

    def follow(self, ref: str) -> Iterator[News]:
        """A capture from its first byte on, as it grows, to its end, whoever owns it; no cursor is kept.

        The last one says how it ended.  Raises ``UnknownRef`` when it is not there, or not any more.
        """
        from capture_core.news import Watched

        return Watched(self.path, checked.text("ref", ref)).follow()

    def _launch(self, call: Call, ground: Ground, promote_after: float | None = None) -> RunningJob:
        masking = self._masking(call.env, call.mask_env, call.mask_files)
        label = call.label or ""
        job = Job.start(
            call.command(),
            call.identity(self.path, ground),
            self._limits,
            RawStreams(masking) if call.raw_binary else masking,
            make_label=lambda: masking.line(label),
            promote_after_seconds=promote_after,
        )
        return RunningJob(job, self.path, self._limits, is_background=ground is Ground.BACKGROUND)

    def _masking(
        self, env: Mapping[str, str] | None, mask_env: Sequence[str], mask_files: Sequence[str]
    ) -> EngineMasking:
        return EngineMasking(
            self._limits,
            user_rules=self._rules,
            known=KnownSources(
                environment_of(env),
                checked.texts("mask_env", mask_env),
                tuple(map(read_mask_file, checked.paths("mask_files", mask_files))),
            ),
            slow=self._slow_engine,
        )


def _result(job: RunningJob, outcome: Outcome) -> Result:
    assert outcome.receipt is not None  # noqa: S101 — what failed was raised
    if all(stream.eof for stream in outcome.receipt.streams.values()):
        # Nobody holds its pipes: its threads end now.
        job.join()
    return Result(job, outcome.receipt, outcome.texts)
