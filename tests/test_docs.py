"""The pages of capview/docs are true of the code: examples run, tables are compared with the closed sets."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import capture_core
from capture_core import facts
from capture_core.inline import VERSION, render
from capture_core.limits import MIB
from capture_core.limits.allowance import ALLOWANCE_OWNERS, ALLOWANCE_STEP_BYTES
from capture_core.shown import encode
from tests.captures import Owner
from tests.commands import capview
from tests.core.inline_scenes import COMPLETE, EXITED, receipt
from tests.markdown import blocks, links, literals, table

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import StrEnum

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "capview/docs"
FORMAT = (DOCS / "format.md").read_text()
LIBRARY = (DOCS / "library.md").read_text()
INLINE = (DOCS / "inline.md").read_text()

CONSUMER = "planner"
LATER = "not produced yet"


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [target for target in links(page.read_text()) if not (DOCS / target).exists()] == []


def test_the_keys_are_those_of_the_ui() -> None:
    from capview.tui.commands import markdown_table

    # To write it anew: python -c 'from capview.tui.commands import markdown_table; print(markdown_table())'
    assert (DOCS / "keys.md").read_text().endswith(f"\n\n{markdown_table()}\n")


# -- the library ----------------------------------------------------------------------------------------------------


def test_the_example_of_the_library_prints_what_the_page_says(tmp_path: Path) -> None:
    [example], [printed] = blocks(LIBRARY, "python"), blocks(LIBRARY, "text")
    done = subprocess.run(
        [sys.executable, "-c", example.text], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    ref, rest = done.stdout.split("\n", 1)
    assert (rest, done.stderr) == (printed.text, "")
    assert (tmp_path / "captures" / f"{ref}.json").is_file()


def test_the_public_names_are_those_of_the_package() -> None:
    assert sorted(literals(row[0])[0] for row in table(LIBRARY, "name")) == capture_core.__all__


# -- the inline text ------------------------------------------------------------------------------------------------


def test_the_example_of_the_inline_text_prints_what_the_page_says(tmp_path: Path) -> None:
    [command], [printed] = blocks(INLINE, "sh"), blocks(INLINE, "text")
    done = subprocess.run(["bash", "-c", command.text], cwd=tmp_path, capture_output=True, text=True, check=False)
    shown = re.sub(r"[0-9]{8}T[0-9]{6}Z-[a-z2-7]{16}", "ID", done.stdout)
    assert (done.returncode, done.stderr, shown) == (2, "", printed.text)


def test_the_fields_of_a_note_are_those_of_the_code() -> None:
    note = json.loads(encode(render(receipt(EXITED, COMPLETE, {}), {}, 100), ""))
    assert [literals(row[0])[0] for row in table(INLINE, "field")] == list(note)
    assert f"`renderer` | the version of what made the text, {VERSION} |" in INLINE


# -- the format -----------------------------------------------------------------------------------------------------


def template(path: Path, conversation: Path) -> str:
    """The page's name for a file or folder of a conversation."""
    if path == conversation:
        return "<conversation>/"
    name = re.sub(r"[0-9]{8}T[0-9]{6}Z-[a-z2-7]{16}", "<capture-id>", path.name)
    name = {
        "shell": "<tool>",
        "tmp": ".capview/tmp",
        ".capview": ".capview/tmp",
        "allowance": ".capview/allowance",
        "shown": ".capview/shown",
        "consumers": ".capview/consumers",
        CONSUMER: "<name>",
    }.get(name, name)
    return f"{name}/" if path.is_dir() else name


def modes(conversation: Path) -> dict[str, str]:
    """What lies in a conversation, by the page's names, and its modes."""
    paths = (conversation, *conversation.rglob("*"))
    return {template(path, conversation): f"{path.stat().st_mode & 0o7777:04o}" for path in paths}


def test_names_and_modes_of_files_are_those_of_the_page(tmp_path: Path) -> None:
    conversation, gate = tmp_path / "c", tmp_path / "gate"
    os.mkfifo(gate)
    page = dict(re.findall(r"^ *(\S+) +(0[0-7]{3})\b", blocks(FORMAT, "")[0].text, re.MULTILINE))
    child = f"sh -c 'read line < {gate}; printf \"\\033[1mx\"'"
    script = f"umask 277; capview run --detach --conversation {conversation} -- {child}"
    subprocess.run(["bash", "-c", script], check=True, stdout=subprocess.DEVNULL)
    running = modes(conversation)
    gate.write_text("go\n")
    assert capview("wait", "--conversation", str(conversation), "@last").returncode == 0
    ended = modes(conversation)
    assert running.keys() ^ ended.keys() == {
        f"<capture-id>.{end}"
        for live, ended in (("live.json", "json"), ("stdout.live", "stdout.txt"), ("stderr.live", "stderr.txt"))
        for end in (live, ended, "stdout.sgr", "stdout.times")
    } | {".capview/allowance/", "tally"}
    assert capview("show", "--inline", "--conversation", str(conversation), "@last").returncode == 0
    handed_out = modes(conversation)
    assert handed_out.keys() - ended.keys() == {".capview/shown/", "<capture-id>.jsonl"}
    for words in (["poll", "@last"], ["notices"]):
        told = capview(*words, "--consumer", CONSUMER, "--conversation", str(conversation))
        assert told.returncode == 0
    consumed = modes(conversation)
    consumer = {".capview/consumers/", "<name>/", "lock", "cursors", "delivered"}
    assert consumed.keys() - handed_out.keys() == consumer
    assert running | consumed == page


def test_the_lines_of_a_consumer_are_those_of_the_page(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    owner.append("stdout", b"0123")
    owner.finish()
    for words in (["poll", "@last"], ["notices"]):
        capview(*words, "--consumer", CONSUMER, "--conversation", str(tmp_path))
    folder = tmp_path / ".capview/consumers" / CONSUMER
    rows = {literals(row[0])[0]: literals(row[1])[0] for row in table(FORMAT, "file")}
    assert {name: (folder / name).read_text().splitlines()[0] for name in rows} == rows
    assert (folder / "cursors").read_text().splitlines()[1:] == [f"{owner.id} stdout 1 4"]
    assert (folder / "delivered").read_text().splitlines()[1:] == [owner.id]


def look() -> Callable[[Path, str], tuple[str, dict[str, Any]]]:
    """The reader that the page gives as an example."""
    names: dict[str, Any] = {}
    exec(blocks(FORMAT, "python")[0].text, names)  # noqa: S102 — our own page
    found: Callable[[Path, str], tuple[str, dict[str, Any]]] = names["look"]
    return found


def test_the_reader_of_the_page_sees_each_state(tmp_path: Path) -> None:
    owner = Owner(tmp_path)
    seen = [look()(owner.folder, owner.id)[0]]
    for step in (owner.rename_streams, owner.publish, owner.unlink_live, owner.release):
        step()
        seen.append(look()(owner.folder, owner.id)[0])
    assert seen == ["live", "live", "final", "final", "final"]


@pytest.mark.parametrize("last_step", [None, "rename_streams"])
def test_the_reader_of_the_page_sees_a_dead_owner(tmp_path: Path, last_step: str | None) -> None:
    owner = Owner(tmp_path)
    if last_step is not None:
        getattr(owner, last_step)()
    owner.release()
    state, receipt = look()(owner.folder, owner.id)
    assert (state, receipt["capture_id"]) == ("owner-died", owner.id)


def test_the_owner_does_what_the_page_asks_it_for(tmp_path: Path) -> None:
    conversation = tmp_path / "c"
    started = capview("run", "--detach", "--conversation", str(conversation), "--", "sleep", "600")
    [block] = [block for block in blocks(FORMAT, "sh") if block.marker == "test: request"]
    ref = conversation / started.stdout.decode().strip()
    subprocess.run(["bash", "-euc", block.text], cwd=ref.parent, env={**os.environ, "id": ref.name}, check=True)
    assert capview("wait", "--conversation", str(conversation), "@last").returncode == 128 + signal.SIGTERM
    process = look()(ref.parent, ref.name)[1]["process"]
    assert process["state"] == "cancelled"
    assert process["reason"] == {"kind": "user", "words": "not needed any more"}


@pytest.mark.parametrize(
    ("first", "closed_set"),
    [
        ("`process.state`", facts.ProcessState),
        ("`process.reason.kind`", facts.EndReason),
        ("`capture.state`, and each stream's", facts.CaptureState),
        ("`reason`", facts.CaptureReason),
        ("`kind`", facts.RequestKind),
        ("a sidecar's `state`", facts.SidecarState),
        ("`allowance.state`", facts.AllowanceState),
        ("`upstream.kind`", facts.UpstreamKind),
    ],
)
def test_states_and_reasons_are_those_of_the_code(first: str, closed_set: type[StrEnum]) -> None:
    rows = {literals(row[0])[0]: " ".join(row[1:]) for row in table(FORMAT, first)}
    assert sorted(rows) == sorted(closed_set)
    # Words there are for all of them, also for those that nothing produces.
    modules = [path for path in (ROOT / "capture_core").rglob("*.py") if path.name != "phrases.py"]
    code = "".join(path.read_text() for path in modules)
    unnamed = {member.value for member in closed_set if f"{closed_set.__name__}.{member.name}" not in code}
    assert {value for value, words in rows.items() if LATER in words} == unnamed


def test_the_numbers_of_an_allowance_are_those_of_the_code() -> None:
    rows = {literals(row[0])[0]: row[1] for row in table(FORMAT, "`allowance.state`")}
    assert f" {ALLOWANCE_STEP_BYTES // MIB} MiB " in rows[facts.AllowanceState.SCANNED]
    assert rows[facts.AllowanceState.CROWDED].startswith(f"{ALLOWANCE_OWNERS:,} captures ")


def test_the_fields_are_those_of_a_receipt() -> None:
    named = {name for row in table(FORMAT, "field") for name in literals(row[0])}
    assert named == set(facts.Receipt.__annotations__)


def test_the_fields_of_a_stream_are_all_told() -> None:
    section = FORMAT.partition("### The counters of a stream")[2]
    raw, text = table(section, "counter"), table(section.partition("Bytes of the text")[2], "counter")
    fields = set(facts.StreamFacts.__annotations__)
    assert {literals(row[0])[0] for row in raw + text} <= fields
    assert fields - set(literals(section)) == {"reason"}
