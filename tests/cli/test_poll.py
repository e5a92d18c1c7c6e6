"""``capview poll``: what is printed, what is said, and what moves when it was printed."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation
from tests.captures import FAILED, Owner, finished
from tests.commands import Here
from tests.strangers import Stranger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    (tmp_path / "c").mkdir(mode=0o700)
    return Here(tmp_path / "c", capfdbinary)


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    somebody = Stranger()
    yield somebody
    somebody.close()


def test_what_is_new_is_printed_once_labelled_and_at_the_end_how_it_ended(here: Here) -> None:
    owner = Owner(here.conversation)
    owner.append("stdout", b"compiling\n")
    assert here("poll", "@last", "--consumer", "a") == (0, b"==> stdout <==\ncompiling\n", b"")
    assert here("poll", "@last", "--consumer", "a") == (0, b"", b"")
    owner.append("stdout", b"linking")
    owner.append("stderr", b"error\n")
    owner.finish(FAILED)
    code, out, err = here("poll", "@last", "--consumer", "a")
    assert (code, out) == (0, b"==> stdout <==\nlinking\n==> stderr <==\nerror\n")
    assert err == f"capview: failed, log complete: {owner.ref}\n".encode()
    assert here("poll", "@last", "--consumer", "b", "--stream", "stderr")[1] == b"error\n"


def test_it_is_bounded_and_names_the_command_that_goes_on(here: Here) -> None:
    owner = finished(here.conversation, b"0123456789")
    code, out, err = here("poll", "@last", "--consumer", "a", "--max-bytes", "4", "--stream", "stdout")
    words = f"capview poll {owner.id} --consumer a --stream stdout --conversation {here.conversation} --max-bytes 4"
    assert (code, out, err) == (0, b"0123", f"capview: 6 bytes more: {words}\n".encode())
    assert here.bare(*words.split()[1:])[1] == b"4567"


def test_json_says_what_a_host_asks_next(here: Here) -> None:
    owner = finished(here.conversation, b"0123456789", process=FAILED)
    said = json.loads(here("poll", "@last", "--consumer", "a", "--json", "--max-bytes", "4")[1])
    assert said == {
        "ref": owner.ref,
        "consumer": "a",
        "streams": {
            "stdout": {"start": 0, "end": 4, "more": 6, "generation": 1, "text": "0123"},
            "stderr": {"start": 0, "end": 0, "more": 0, "generation": 1, "text": ""},
        },
        "gone": {},
        "more": 6,
        "over": False,
        "liveness": "final",
        "process": {"state": "exited", "exit_code": 2, "signal": None},
        "capture": {"state": "complete", "reason": None},
    }
    assert json.loads(here("poll", "@last", "--consumer", "a", "--json")[1])["over"] is True


def test_exact_bytes_are_given_one_stream_at_a_time_or_in_json(here: Here, tmp_path: Path) -> None:
    conversation = Conversation.open(str(here.conversation), slow_engine=True)
    job = conversation.start(["printf", "\\000\\377"], raw_binary=True)
    job.wait()
    job.join()
    assert here("poll", "@last", "--consumer", "a")[0] == 2
    said = json.loads(here("poll", "@last", "--consumer", "a", "--json")[1])
    assert said["streams"]["stdout"]["base64"] == "AP8="
    assert here("poll", "@last", "--consumer", "b", "--stream", "stdout")[1] == b"\0\xff"


def test_the_cursor_moves_only_when_all_was_printed(here: Here) -> None:
    """Who marks first loses what a full or closed stdout did not take."""
    owner = finished(here.conversation, b"text\n")
    words = ["capview", "poll", owner.id, "--consumer", "a", "--conversation", str(here.conversation)]
    read, write = os.pipe()
    os.close(read)
    closed = subprocess.run(words, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert closed.returncode == 141
    with open("/dev/full", "wb") as full:
        refused = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, check=False)
    assert refused.returncode == 1
    assert b"No space left" in refused.stderr
    assert here("poll", "@last", "--consumer", "a")[1] == b"==> stdout <==\ntext\n"


def test_a_replaced_text_is_an_error_and_restart_is_the_way_on(here: Here) -> None:
    owner = finished(here.conversation, b"0123456789")
    here("poll", "@last", "--consumer", "a")
    os.truncate(owner.path("stdout"), 4)
    code, out, err = here("poll", "@last", "--consumer", "a")
    assert (code, out) == (2, b"")
    assert b"10 bytes of generation 1 were given, and the text has only 4 bytes now" in err
    assert b"--restart" in err
    assert here("poll", "@last", "--consumer", "a", "--restart")[1] == b"==> stdout <==\n0123\n"


def test_a_stream_that_is_gone_is_1_and_said(here: Here) -> None:
    owner = finished(here.conversation, b"out", b"err")
    owner.path("stdout").unlink()
    code, out, err = here("poll", "@last", "--consumer", "a")
    assert (code, out) == (1, b"==> stderr <==\nerr\n")
    assert b"its file is missing" in err


@pytest.mark.parametrize(
    "words", [["@last"], ["@last", "--consumer", "A"], ["@last", "--consumer", "a", "--stream", "x"]]
)
def test_bad_input_is_2_and_one_line(here: Here, words: list[str]) -> None:
    finished(here.conversation)
    code, out, err = here("poll", *words)
    assert (code, out, err.count(b"\n")) == (2, b"", 1)


def test_a_read_only_place_is_one_line_and_nothing_is_given(stranger: Stranger) -> None:
    place = stranger.folder / "c"
    place.mkdir(mode=0o700)
    owner = finished(place)
    stranger.take()
    assert stranger.capview("poll", owner.id, "--consumer", "a", "--conversation", str(place)).returncode == 0
    for path in ((place / ".capview/consumers/a").iterdir(), [place / ".capview/consumers/a"]):
        for each in path:
            each.chmod(0o500 if each.is_dir() else 0o400)
    for words in (["poll", owner.id], ["notices"]):
        done = stranger.capview(*words, "--consumer", "a", "--conversation", str(place))
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
        assert b"permission denied" in done.stderr
