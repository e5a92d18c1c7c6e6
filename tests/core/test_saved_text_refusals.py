"""What cannot be saved is refused in one line, and leaves nothing behind; what stands there is left as it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from capture_core import Conversation, Upstream, masking
from capture_core.errors import BadInput, BadName, EngineUnavailable, PlaceRefused
from capture_core.facts import CaptureReason, Liveness, UpstreamKind
from tests.core.saved import looked_at, run, text

if TYPE_CHECKING:
    from capture_core.redact.scanning import Engine
    from capture_core.text_source import Given


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
    with pytest.raises(BadInput, match=f"{part} must be a text"):
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
    # Files may be as long as the first receipt: the final one says more.
    code = """
import resource
from pathlib import Path

def parts():
    yield 'begun\\n'
    [live] = Path(sys.argv[1]).glob('*/*/*.live.json')
    size = live.stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    print(size)
    yield 'line\\n' * 2_000

try:
    save('browser', parts())
except OSError as error:
    print(error.strerror)
"""
    with run(code, str(place)) as saver:
        size, said = saver.communicate()[0].decode().splitlines()
    assert said == "File too large"
    [entry] = looked_at(place)
    assert (entry.liveness, entry.capture.reason) == (Liveness.OWNER_DIED, CaptureReason.OWNER_DIED)
    [kept] = (place / "tool-outputs" / "browser").glob("*.content.txt")
    assert kept.read_text() == ("begun\n" + "line\n" * 2_000)[: int(size)]


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
    with pytest.raises(PlaceRefused, match="is a link, or no directory"):
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
