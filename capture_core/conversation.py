"""What a host holds: a conversation, the jobs that it starts in it, each owned by a thread of the host, and its texts.

A thread is enough for most hosts, and costs no process.  Its price: a host whose writer is stuck in the kernel,
because the disk does not answer, cannot exit before that ends.
"""

from __future__ import annotations

import shlex
import threading
from typing import TYPE_CHECKING, Final

from capture_core import checked, saved_text
from capture_core import upstream as said_of
from capture_core.facts import EndedBy, EndReason, Producer, StreamName
from capture_core.happenings import Cancel
from capture_core.identity import Identity
from capture_core.job import Job
from capture_core.known_sources import KnownSources, environment_of, read_mask_file
from capture_core.launch import Command
from capture_core.limits import LIBRARY
from capture_core.masking import EngineMasking
from capture_core.raw import RawStreams

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from capture_core.facts import Receipt, Upstream
    from capture_core.job import Outcome
    from capture_core.limits import Limits
    from capture_core.text_source import Given
    from capture_core.user_rule import UserRule

_PRODUCER: Final = Producer(adapter="library", version="1", source="process")
_TEXTS: Final = Producer(adapter="library", version="1", source="text")


class RunningJob:
    """A job that was started: its capture is live from before the child's first byte.  Usable from any thread."""

    def __init__(self, job: Job, masking: EngineMasking) -> None:
        self._job = job
        self._masking = masking
        self._outcome: Outcome | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name=f"job-{job.child.pid}", daemon=True)
        self._thread.start()

    @property
    def ref(self) -> str:
        """``tool-outputs/<tool>/<capture-id>``, relative to the conversation."""
        return self._job.capture.ref

    @property
    def pid(self) -> int:
        """The child's process id, which is its group's too."""
        return self._job.child.pid

    def cancel(self, words: str = "") -> None:
        """End the child's group: TERM, grace, KILL.  The receipt says ``cancelled`` and gives ``words``, masked."""
        self._job.ask(Cancel(EndedBy(kind=EndReason.USER, words=self._masking.line(words) if words else "")))

    def wait(self, timeout: float | None = None) -> Receipt | None:
        """The final receipt; ``None`` when ``timeout`` seconds passed first.

        Raises what kept the capture from being finished: ``OSError``, or a ``CaptureError``.  The leftover stays
        readable, and the child has run to its end all the same.
        """
        if not self._over.wait(timeout) or self._outcome is None:
            return None
        if self._outcome.failure is not None:
            raise self._outcome.failure
        return self._outcome.receipt

    def join(self) -> None:
        """Wait until nothing of the job is left: also for descendants that outlived it and still hold its pipes."""
        self._thread.join()

    def _supervise(self) -> None:
        self._outcome = self._job.supervise()
        self._over.set()
        self._job.drop_the_rest()


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

    def start(  # noqa: PLR0913 — each is a question that a host answers or leaves
        self,
        argv: Sequence[str],
        *,
        tool: str = "shell",
        call_id: str | None = None,
        label: str | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        merge: bool = False,
        timeout: float | None = None,
        raw_binary: bool = False,
        mask_env: Sequence[str] = (),
        mask_files: Sequence[str] = (),
    ) -> RunningJob:
        """Start ``argv`` in the background, reading nothing; ``label`` defaults to the command line, masked.

        ``argv``: texts, or paths and bytes as ``os.fsdecode`` takes them.
        ``merge``: one pipe for both streams, so that their order is known.  ``timeout``: seconds, then TERM and
        KILL.  ``raw_binary``: keep the exact bytes of the streams, unmasked.  Masked in every form are the values of
        environment variables whose names look secret or match one of the globs ``mask_env``, and of ``mask_files``.
        Raises ``Refused`` when the place or such a file is not acceptable and ``SpawnFailed`` when the command cannot
        be started; nothing stays behind then.
        """
        words, env = checked.argv(argv), checked.environment(env)
        text = shlex.join(words) if label is None else checked.text("label", label)
        masking = self._masking(env, mask_env, mask_files)
        streams = (StreamName.OUTPUT,) if merge else (StreamName.STDOUT, StreamName.STDERR)
        identity = Identity(
            conversation=self.path,
            tool=checked.text("tool", tool),
            streams=streams,
            producer=_PRODUCER,
            call_id=checked.text_or_none("call_id", call_id),
        )
        command = Command(
            argv=words,
            cwd=None if cwd is None else checked.path("cwd", cwd),
            env=env,
            stdin=None,
            timeout_seconds=checked.seconds("timeout", timeout),
        )
        streams_masking = RawStreams(masking) if raw_binary else masking
        job = Job.start(command, identity, self._limits, streams_masking, make_label=lambda: masking.line(text))
        return RunningJob(job, masking)

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
