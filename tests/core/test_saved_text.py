"""A text that is saved: whole or nothing final, masked, private, and with a receipt that claims no more than is so."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import HealthCheck, given, settings

from capture_core import Conversation, Limits, Producer, Receipt, Upstream, masking, text_source
from capture_core.catalog import Catalogue
from capture_core.errors import BadInput, BadName, EngineUnavailable, PlaceRefused, Refused, SourceFailed
from capture_core.facts import CaptureReason, CaptureState, Liveness, ProcessState, UpstreamKind
from tests.cuts import places, three_ways
from tests.onlooker import Onlooker
from tests.shapes import Draw, Secret, drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture_core.redact.scanning import Engine
    from capture_core.source import Entry
    from capture_core.text_source import Given

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "conversation"


@pytest.fixture
def conversation(place: Path) -> Conversation:
    return Conversation.open(str(place))


def text(place: Path, receipt: Receipt) -> str:
    return (place / "tool-outputs" / receipt.tool / receipt.streams["content"].file).read_text()


def looked_at(place: Path) -> list[Entry]:
    catalogue = Catalogue(str(place))
    catalogue.refresh()
    assert not catalogue.listing().unreadable
    return list(catalogue.listing().entries)


def run(code: str, *words: str, **options: object) -> subprocess.Popen[bytes]:
    """Another process that saves; without hyperscan, since it would compile it anew."""
    head = """
import os, sys
from capture_core import Conversation
save = Conversation.open(sys.argv[1], slow_engine=True).save
"""
    command = [sys.executable, "-c", head + code, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, **options)  # type: ignore[call-overload, no-any-return] # whatever options


def _limit(size: int) -> Callable[[], None]:
    """Set the limit on file sizes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


# -- what there is --------------------------------------------------------------------------------------------------


def test_a_saved_text_and_its_receipt(conversation: Conversation, place: Path) -> None:
    said = f"first line\ntoken {TOKEN}\n"
    receipt = conversation.save("browser", said, call_id="call_42", label="a page")
    kept = "first line\ntoken [redacted:gh-token]\n"
    assert text(place, receipt) == kept
    assert (receipt.process.state, receipt.process.pid, receipt.process.exit_code) == (ProcessState.NONE, None, None)
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.COMPLETE, None)
    assert (receipt.label, receipt.call_id, receipt.resources) == ("a page", "call_42", None)
    assert receipt.upstream == Upstream(kind=UpstreamKind.NONE)
    [(name, stream)] = receipt.streams.items()
    assert (name, stream.eof, stream.observed, stream.accepted) == ("content", True, len(said), len(said))
    assert (stream.pending, stream.discarded, stream.uncommitted, stream.retained) == (0, 0, 0, len(kept))
    assert stream.sha256 == hashlib.sha256(kept.encode()).hexdigest()
    assert receipt.representation.redactions == {"gh-token": 1}


def test_only_final_files_are_left_and_they_are_private(conversation: Conversation, place: Path) -> None:
    receipt = conversation.save("browser", "\x1b[1mbold\x1b[m")
    folder = place / "tool-outputs" / "browser"
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"{receipt.capture_id}.{end}" for end in ("content.sgr", "content.txt", "json")]
    assert {path.stat().st_mode & 0o7777 for path in folder.iterdir()} == {0o400}
    assert {path.stat().st_mode & 0o7777 for path in (place, folder, folder.parent)} == {0o700}
    stored = json.loads((folder / names[-1]).read_text())
    assert stored["upstream"] == {"kind": "none", "limit": None, "unit": None}
    assert str(place) not in json.dumps(stored)


def test_readers_see_it_as_it_stands_in_its_receipt(conversation: Conversation, place: Path) -> None:
    receipt = conversation.save("browser", "x\n", upstream="unknown: 10 pages")
    [entry] = looked_at(place)
    assert (entry.receipt, entry.liveness, entry.capture) == (receipt, Liveness.FINAL, receipt.capture)


def test_an_empty_text_is_one(conversation: Conversation, place: Path) -> None:
    nothing: list[Given] = ["", b"", [], iter(())]
    for empty in nothing:
        receipt = conversation.save("browser", empty)
        assert (text(place, receipt), receipt.streams["content"].observed) == ("", 0)
        assert receipt.capture.state is CaptureState.COMPLETE


CLIPPED = Upstream(kind=UpstreamKind.CLIPPED, limit=5, unit="items")


@pytest.mark.parametrize(
    ("upstream", "state", "reason"),
    [
        ("none", CaptureState.COMPLETE, None),
        ("head-kept: 10 pages", CaptureState.PARTIAL, CaptureReason.UPSTREAM_TRUNCATED),
        ("tail-kept", CaptureState.PARTIAL, CaptureReason.UPSTREAM_TRUNCATED),
        (
            Upstream(kind=UpstreamKind.CLIPPED, limit=5, unit="items"),
            CaptureState.PARTIAL,
            CaptureReason.UPSTREAM_TRUNCATED,
        ),
        ("unknown", CaptureState.PARTIAL, CaptureReason.UPSTREAM_UNKNOWN),
    ],
)
def test_what_had_been_cut_before_is_never_complete(
    conversation: Conversation, upstream: Upstream | str, state: CaptureState, reason: CaptureReason | None
) -> None:
    # The second is nothing but control: all of it was taken, and nothing is left of it.
    for said in ("text\n", "\x1b[m"):
        receipt = conversation.save("browser", said, upstream=upstream)
        assert (receipt.capture.state, receipt.capture.reason) == (state, reason)
        stream = receipt.streams["content"]
        assert (stream.state, stream.reason, stream.eof) == (state, reason, True)
        assert (stream.accepted, stream.discarded) == (len(said), 0)


def test_lone_surrogates_and_bad_bytes_are_replaced_and_counted(conversation: Conversation, place: Path) -> None:
    receipt = conversation.save("browser", ["a\ud800b", os.fsdecode(b"\xc3"), b"\xa9", b"\xfe!"])
    assert text(place, receipt) == "a\N{REPLACEMENT CHARACTER}bé\N{REPLACEMENT CHARACTER}!"
    assert receipt.representation.replaced_bytes == 2
    assert receipt.capture.state is CaptureState.COMPLETE


def test_binary_is_recognised_as_a_jobs_is(conversation: Conversation, place: Path) -> None:
    receipt = conversation.save("browser", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 9)
    assert text(place, receipt) == "[omitted: binary output, PNG image]"
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.PARTIAL, CaptureReason.BINARY_OMITTED)


def test_a_limit_cuts_at_a_character_and_the_end_is_kept(place: Path) -> None:
    conversation = Conversation.open(str(place), limits=Limits(capture_bytes=1001))
    receipt = conversation.save("browser", ["é" * 400, "é" * 400, "the end"], upstream="tail-kept")
    stream = receipt.streams["content"]
    assert text(place, receipt) == "é" * 500
    assert (stream.reason, stream.retained, stream.observed) == (CaptureReason.QUOTA, 1000, 1607)
    assert stream.observed == (stream.accepted or 0) + (stream.discarded or 0)
    # What was cut here comes first: what had been cut before stands beside it.
    assert (receipt.capture.reason, receipt.upstream) == (CaptureReason.QUOTA, Upstream(kind=UpstreamKind.TAIL_KEPT))
    assert (receipt.preview["content"].tail_text or "").endswith("éthe end")


def test_the_allowance_of_a_conversation_holds_for_texts_too(place: Path) -> None:
    conversation = Conversation.open(str(place), limits=Limits(conversation_bytes=1000))
    assert conversation.save("browser", "x" * 700).capture.state is CaptureState.COMPLETE
    receipt = conversation.save("browser", "y" * 700, upstream="unknown")
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.PARTIAL, CaptureReason.CONVERSATION_QUOTA)
    kept = sum(path.stat().st_size for path in (place / "tool-outputs" / "browser").glob("*.txt"))
    assert 700 <= kept <= 1000


def test_a_write_that_fails_is_told(place: Path) -> None:
    code = "receipt = save('browser', ['line\\n' * 2_000] * 5); print(receipt.capture.state, receipt.capture.reason)"
    limit = 32_768
    with run(code, str(place), preexec_fn=_limit(limit)) as saver:
        assert saver.communicate()[0] == b"partial write-error\n"
    [entry] = looked_at(place)
    stream = entry.receipt.streams["content"]
    assert (stream.end, stream.observed) == (limit, 50_000)
    assert entry.capture.reason is CaptureReason.WRITE_ERROR


def test_without_hyperscan(place: Path) -> None:
    receipt = Conversation.open(str(place), slow_engine=True).save("browser", f"token {TOKEN}\n")
    assert text(place, receipt) == "token [redacted:gh-token]\n"


# -- secrets, and how the text is cut -------------------------------------------------------------------------------


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn(), places)
def test_three_ways_of_cutting_give_one_text(conversation: Conversation, place: Path, one: Draw, at: list[int]) -> None:
    conversation = Conversation.open(str(place))
    receipts = [conversation.save("browser", parts) for parts in three_ways(one.raw, at)]
    assert len({text(place, receipt) for receipt in receipts}) == 1
    assert len({receipt.streams["content"].observed for receipt in receipts}) == 1


def test_a_secret_that_is_split_over_parts_is_never_seen(
    conversation: Conversation, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_source, "GATHER_SECONDS", 0.0)
    said = f"the token {TOKEN} is secret\n"
    runs = frozenset(TOKEN[start : start + 6].encode() for start in range(4, len(TOKEN) - 5))
    cuts: list[Given] = [list(said), [said[:20], said[20:]], [said.encode()[:30], said[30:]]]
    with Onlooker(place, Secret("", TOKEN, "", runs)) as onlooker:
        whole = conversation.save("browser", said)
        for parts in cuts:
            assert text(place, conversation.save("browser", parts)) == text(place, whole)
    assert not onlooker.found


def test_the_hosts_environment_and_files_are_masked_and_so_is_all_that_is_said(
    conversation: Conversation, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOST_TOKEN", "x9Kq-0rWzL")
    monkeypatch.setenv("ODD", "odd-value")
    (tmp_path / "values").write_text("value-of-a-file\n")
    receipt = conversation.save(
        "browser",
        "x9Kq-0rWzL odd-value value-of-a-file\n",
        label=f"page with {TOKEN}",
        call_id=f"call {TOKEN}",
        producer=Producer(adapter=f"adapter {TOKEN}", version="x9Kq-0rWzL", source="a\nb"),
        mask_env=["O?D"],
        mask_files=[str(tmp_path / "values")],
    )
    assert text(place, receipt) == "[redacted:env] [redacted:env] [redacted:mask-file]\n"
    assert (receipt.label, receipt.call_id) == ("page with [redacted:gh-token]", "call [redacted:gh-token]")
    producer = Producer(adapter="adapter [redacted:gh-token]", version="[redacted:env]", source="a b")
    assert receipt.producer == producer


# -- sources that break off -----------------------------------------------------------------------------------------


def breaks(*parts: str, by: BaseException) -> Iterator[str]:
    yield from parts
    raise by


def test_what_came_before_an_error_is_kept_and_called_partial(conversation: Conversation, place: Path) -> None:
    error = ConnectionResetError(104, f"reset by {TOKEN}")
    with pytest.raises(SourceFailed) as failed:
        conversation.save("browser", breaks("one\n", "API_KEY=0123456", by=error))
    receipt = failed.value.receipt
    assert failed.value.__cause__ is error
    assert receipt is not None
    assert receipt.ref in str(failed.value)
    assert TOKEN not in str(failed.value)
    assert text(place, receipt) == "one\nAPI_KEY=[redacted:assignment]"
    assert (receipt.capture.state, receipt.capture.reason) == (CaptureState.PARTIAL, CaptureReason.UPSTREAM_TRUNCATED)
    assert (receipt.streams["content"].eof, receipt.upstream) == (False, Upstream(kind=UpstreamKind.HEAD_KEPT))
    [entry] = looked_at(place)
    assert entry.receipt == receipt


def test_a_part_that_is_no_text_breaks_it_off(conversation: Conversation, place: Path) -> None:
    with pytest.raises(SourceFailed, match=r"part 2 is None, not text"):
        conversation.save("browser", cast("Given", ["one\n", None, "three\n"]), upstream="tail-kept")
    [entry] = looked_at(place)
    assert text(place, entry.receipt) == "one\n"
    assert entry.receipt.upstream == Upstream(kind=UpstreamKind.CLIPPED)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_interrupt_goes_on_when_what_came_is_safe(
    conversation: Conversation, place: Path, stop: type[BaseException]
) -> None:
    with pytest.raises(stop):
        conversation.save("browser", breaks("one\n", by=stop()))
    [entry] = looked_at(place)
    assert (entry.liveness, text(place, entry.receipt)) == (Liveness.FINAL, "one\n")
    assert entry.capture.reason is CaptureReason.UPSTREAM_TRUNCATED


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_a_source_that_gives_nothing_but_an_error_leaves_nothing(conversation: Conversation, tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match=r"broke off \(Mute\); nothing came before") as failed:
        conversation.save("browser", breaks(by=Mute()))
    assert failed.value.receipt is None
    assert not list(tmp_path.iterdir())


def test_a_limit_and_then_an_error_are_both_told(place: Path) -> None:
    conversation = Conversation.open(str(place), limits=Limits(capture_bytes=10))
    with pytest.raises(SourceFailed):
        conversation.save("browser", breaks("x" * 50, by=OSError()))
    [entry] = looked_at(place)
    stream = entry.receipt.streams["content"]
    assert (stream.reason, stream.eof, entry.capture.reason) == (CaptureReason.QUOTA, False, CaptureReason.QUOTA)
    assert entry.receipt.upstream == Upstream(kind=UpstreamKind.HEAD_KEPT)


# -- what is refused ------------------------------------------------------------------------------------------------

NAMES = {
    "long": "a" * 300,
    "parent": "..",
    "in-parent": "../x",
    "absolute": "/etc",
    "below": "a/b",
    "nul": "a\0b",
    "empty": "",
    "dot": ".hidden",
    "capital": "Shell",
    "newline": "shell\n",
    "cyrillic": "sh\N{CYRILLIC SMALL LETTER IE}ll",
    "full-width": "\N{FULLWIDTH LATIN SMALL LETTER A}",
    "fraction-slash": "a\N{FRACTION SLASH}b",
    "right-to-left": "a\N{RIGHT-TO-LEFT OVERRIDE}b",
    "surrogate": "a\udcff",
    "escape": "a\x1b[2J",
    "device": "con",
    "device-with-end": "nul.txt",
    "port": "com1",
    "end-dot": "shell.",
    "backslash": "a\\b",
    "drive": "c:",
    "stream": "a:b",
}


@pytest.mark.parametrize("tool", NAMES.values(), ids=NAMES)
def test_names_of_which_no_folder_may_be_made(conversation: Conversation, tmp_path: Path, tool: str) -> None:
    with pytest.raises(BadName) as refusal:
        conversation.save(tool, "text")
    line = str(refusal.value)
    assert line.isprintable()
    assert line.isascii()
    assert len(line) < 200
    assert not list(tmp_path.iterdir())


def test_a_name_that_holds_a_secret(conversation: Conversation, tmp_path: Path) -> None:
    secret = "glpat-" + "a1b2" * 5
    with pytest.raises(BadName, match="holds a secret") as refusal:
        conversation.save(secret, "text")
    assert secret not in str(refusal.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("nothing", [None, 5, object(), Path("x"), {"a": "b"}], ids=lambda given: type(given).__name__)
def test_what_is_no_text_is_refused_and_leaves_nothing(
    conversation: Conversation, tmp_path: Path, nothing: object
) -> None:
    with pytest.raises(BadInput, match="is no text"):
        conversation.save("browser", cast("Given", nothing))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("upstream", ["cut", "head-kept: 5", Upstream(kind=UpstreamKind.NONE, limit=1, unit="pages")])
def test_what_cannot_be_said_of_a_text(conversation: Conversation, tmp_path: Path, upstream: Upstream | str) -> None:
    with pytest.raises(BadInput):
        conversation.save("browser", "text", upstream=upstream)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("part", ["tool", "label", "call_id"])
def test_what_a_type_checker_forbids_leaves_nothing_either(
    conversation: Conversation, tmp_path: Path, part: str
) -> None:
    said: dict[str, Any] = {"tool": "browser", "text": "text", part: 5}
    with pytest.raises((TypeError, AttributeError)):
        conversation.save(**said)
    assert not list(tmp_path.iterdir())


def test_an_engine_that_cannot_be_loaded_leaves_nothing(
    conversation: Conversation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(_folder: str | None) -> Engine:
        raise EngineUnavailable("it is gone since it was looked for")

    monkeypatch.setattr(masking, "engine_from", unavailable)
    with pytest.raises(EngineUnavailable):
        conversation.save("browser", ["x" * 100_000] * 2)
    assert not list(tmp_path.iterdir())


def test_a_receipt_that_cannot_be_published_is_an_error_and_the_text_a_leftover(place: Path) -> None:
    # The limit on file sizes holds for the receipt too, which keeps the last text.
    code = """
try:
    save('browser', ['line\\n' * 2_000] * 5)
except OSError as error:
    print(error.strerror)
"""
    with run(code, str(place), preexec_fn=_limit(8192)) as saver:
        assert saver.communicate()[0] == b"File too large\n"
    [entry] = looked_at(place)
    assert (entry.liveness, entry.capture.reason) == (Liveness.OWNER_DIED, CaptureReason.OWNER_DIED)
    [kept] = (place / "tool-outputs" / "browser").glob("*.content.txt")
    assert kept.read_text() == ("line\n" * 2_000)[:8192]


@pytest.mark.parametrize("at", ["", "browser", "content"])
def test_links_and_other_things_in_the_way_are_refused(
    conversation: Conversation, place: Path, tmp_path: Path, at: str
) -> None:
    outputs, elsewhere = place / "tool-outputs", tmp_path / "elsewhere"
    elsewhere.mkdir()
    outputs.parent.mkdir(mode=0o700)
    if at == "":
        outputs.symlink_to(elsewhere)
    else:
        outputs.mkdir()
        if at == "browser":
            (outputs / "browser").symlink_to(elsewhere)
        else:
            os.mkfifo(outputs / "browser")
    with pytest.raises(PlaceRefused, match="is a link or not a directory"):
        conversation.save("browser", "text")
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize("mode", [0o755, 0o775])
def test_folders_that_are_there_keep_their_modes(conversation: Conversation, place: Path, mode: int) -> None:
    folder = place / "tool-outputs" / "shell"
    folder.mkdir(parents=True)
    for path in (place, folder.parent, folder):
        path.chmod(mode)
    receipt = conversation.save("shell", "text\n")
    assert text(place, receipt) == "text\n"
    assert {path.stat().st_mode & 0o7777 for path in (place, folder.parent, folder)} == {mode}
    assert (folder / receipt.streams["content"].file).stat().st_mode & 0o7777 == 0o400


# -- while it is read, at once, and killed --------------------------------------------------------------------------


def test_while_it_is_read_it_is_live_and_nothing_is_final(conversation: Conversation, place: Path) -> None:
    seen: list[object] = []

    def parts() -> Iterator[str]:
        yield "begun\n"
        [entry] = looked_at(place)
        seen.append((entry.liveness, entry.process.state, entry.capture.state, entry.receipt.label))
        seen.append(sorted(path.name.partition(".")[2] for path in (place / "tool-outputs" / "browser").iterdir()))
        seen.append((place / "tool-outputs" / "browser" / entry.receipt.streams["content"].file).read_text())
        yield "ended\n"

    receipt = conversation.save("browser", parts(), label="a page")
    assert seen == [
        (Liveness.LIVE, ProcessState.NONE, CaptureState.PENDING, "a page"),
        ["content.live", "live.json"],
        "begun\n",
    ]
    assert text(place, receipt) == "begun\nended\n"


def test_a_killed_saver_leaves_what_says_so(conversation: Conversation, place: Path) -> None:
    code = """
def parts():
    yield 'begun\\n'
    os.write(1, b'written')
    os.read(0, 1)

save('browser', parts(), upstream='unknown')
"""
    with run(code, str(place), stdin=subprocess.PIPE) as saver:
        assert saver.stdout is not None
        assert saver.stdout.read(7) == b"written"
        [entry] = looked_at(place)
        assert entry.liveness is Liveness.LIVE
        os.kill(saver.pid, signal.SIGKILL)
        saver.wait()
    [entry] = looked_at(place)
    assert (entry.liveness, entry.process.state) == (Liveness.OWNER_DIED, ProcessState.NONE)
    assert (entry.capture.state, entry.capture.reason) == (CaptureState.PARTIAL, CaptureReason.OWNER_DIED)
    assert text(place, entry.receipt) == "begun\n"
    # A later one neither takes it over nor removes it.
    conversation.save("browser", "another\n")
    assert {entry.liveness for entry in looked_at(place)} == {Liveness.OWNER_DIED, Liveness.FINAL}


def test_many_at_once_never_meet(place: Path) -> None:
    code = """
from concurrent.futures import ThreadPoolExecutor
def one(n):
    receipt = save('browser', [f'{os.getpid()} ', f'{n}\\n'])
    return f'{receipt.ref} {os.getpid()} {n}'
with ThreadPoolExecutor(4) as threads:
    print(*threads.map(one, range(10)), sep='\\n')
"""
    savers = [run(code, str(place)) for _ in range(4)]
    lines = [line for saver in savers for line in saver.communicate()[0].decode().splitlines()]
    assert [saver.returncode for saver in savers] == [0] * 4
    said = {ref: f"{pid} {n}\n" for ref, pid, n in map(str.split, lines)}
    assert len(said) == 40
    entries = looked_at(place)
    assert {entry.receipt.ref: text(place, entry.receipt) for entry in entries} == said
    assert {(entry.liveness, entry.capture.state) for entry in entries} == {(Liveness.FINAL, CaptureState.COMPLETE)}


def test_threads_of_one_host_share_a_conversation(conversation: Conversation, place: Path) -> None:
    gate = threading.Barrier(4)

    def one(n: int) -> str:
        gate.wait()
        return text(place, conversation.save("browser", f"{n}\n"))

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(one, range(4))) == ["0\n", "1\n", "2\n", "3\n"]


@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_modes_hold_under_any_umask(place: Path, umask: int) -> None:
    with run(f"os.umask({umask}); save('browser', 'text')", str(place), umask=-1) as saver:
        assert saver.wait() == 0
    modes = {path.relative_to(place).parts[-1].partition(".")[2] or "folder": path for path in place.rglob("*")}
    assert {name: path.stat().st_mode & 0o7777 for name, path in modes.items() if name.endswith(("json", "txt"))} == {
        "json": 0o400,
        "content.txt": 0o400,
    }
    folders = [place, *(path for path in place.rglob("*") if path.is_dir())]
    assert {path.stat().st_mode & 0o7777 for path in folders} == {0o700}


def test_a_host_that_forks_while_it_saves_keeps_no_owner_alive(conversation: Conversation, place: Path) -> None:
    pids = []

    def parts() -> Iterator[str]:
        yield "begun\n"
        pid = os.fork()
        if pid == 0:
            signal.pause()
            os._exit(0)
        pids.append(pid)
        raise KeyboardInterrupt

    with suppress(KeyboardInterrupt, Refused):
        conversation.save("browser", parts())
    [entry] = looked_at(place)
    assert entry.liveness is Liveness.FINAL
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
