"""Which conversation a command means, and which capture a REF means in it."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from capture_core.refs import resolve
from capview.cli import place
from capview.cli.main import main
from capview.cli.pick import pick
from tests.captures import Owner, finished, new_id

if TYPE_CHECKING:
    from pathlib import Path

    from tests.commands import Here


def test_the_option_goes_before_the_environment_before_the_directory(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    by_directory = place.chosen(None)
    assert by_directory.startswith(str(own_home / "xdg_data_home" / "capview" / "conversations"))
    monkeypatch.setenv(place.VARIABLE, "/from/environment")
    assert place.chosen(None) == "/from/environment"
    assert place.chosen("/from/option") == "/from/option"
    monkeypatch.setenv(place.VARIABLE, "")
    assert place.chosen(None) == by_directory


@pytest.mark.parametrize(("command", "code"), [(["ls"], 2), (["verify"], 2), (["run", "--", "true"], 125)])
def test_a_working_directory_that_was_removed_is_named(tmp_path: Path, command: list[str], code: int) -> None:
    script = 'cd "$1"; rmdir "$1"; shift; exec "$@"'
    words = ["sh", "-c", script, "sh", str(tmp_path / "gone"), "capview", *command]
    (tmp_path / "gone").mkdir()
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr.startswith(b"capview: the working directory cannot be told (no such file or directory), ")
    assert b"cd to another, or name the place with --conversation" in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("directory", "slug"),
    [
        (b"/home/ada/My Project", "my-project"),
        (b"/", "root"),
        (b"/x/..hidden..", "hidden"),
        (b"/x/caf\xe9 \xff", "caf"),
        ("/x/日本".encode(), "root"),
        (b"/x/" + b"long" * 50, "long" * 10),
        (b"/x/a\n\x1b[31m", "a-31m"),
    ],
)
def test_a_directory_has_a_readable_name_of_its_own(directory: bytes, slug: str) -> None:
    name = os.path.basename(place.for_directory(directory))
    assert re.fullmatch(re.escape(slug) + "-[0-9a-f]{8}", name)


def test_two_directories_of_one_name_have_two_conversations() -> None:
    assert place.for_directory(b"/a/build") != place.for_directory(b"/b/build")
    assert place.for_directory(b"/a/build") == place.for_directory(b"/a/build")


@pytest.mark.parametrize("words", [("ls",), ("ls", "--all"), ("prune", "--keep", "3"), ("verify",), ("show", "@last")])
def test_a_data_folder_that_cannot_be_read_is_not_called_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "loop"))
    assert main(words) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "it cannot be read (too many levels of symbolic links); make its folders readable" in line


def test_every_form_of_a_ref(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = finished(tmp_path, second=1, label="first")
    new = finished(tmp_path, second=2, label="second")
    monkeypatch.setenv(place.VARIABLE, str(tmp_path))
    for text, owner in (
        ("@last", new),
        ("@-2", old),
        ("@label:first", old),
        (old.id, old),
        (old.id[:16], old),
        (old.id[17:25], old),
        (old.ref, old),
        (f"{old.ref}.stdout.txt", old),
        (str(old.path("stdout")), old),
    ):
        picked = pick(text, None)
        assert picked.entry.receipt.ref == owner.ref


def test_a_path_leads_into_its_own_conversation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = finished(tmp_path / "here"), finished(tmp_path / "there")
    monkeypatch.setenv(place.VARIABLE, str(tmp_path / "here"))
    monkeypatch.chdir(there.folder)
    picked = pick(f"{there.id}.stderr.txt", None)
    assert picked.entry.receipt.ref == there.ref
    assert picked.option == str(tmp_path / "there")
    assert pick(str(tmp_path / "there" / there.ref), str(tmp_path / "here")).entry.receipt.ref == there.ref
    assert pick("@last", None).entry.receipt.ref == here.ref


def test_the_order_within_one_second_is_that_of_their_starts(tmp_path: Path) -> None:
    second = "20261130T120000Z-"
    for letter, fraction in (("a", "9"), ("b", "1"), ("c", "5")):
        owner = Owner(tmp_path, capture=second + letter * 16)
        from dataclasses import replace

        times = replace(owner.receipt.times, started=f"2026-11-30T12:00:00.{fraction}00000Z")
        owner.announce(replace(owner.receipt, times=times))
    order = [pick(text, str(tmp_path)).name.capture[17] for text in ("@last", "@-2", "@-3")]
    assert order == ["a", "c", "b"]


def test_only_as_many_receipts_are_read_as_the_order_needs(tmp_path: Path) -> None:
    for n in range(50):
        (tmp_path / "tool-outputs" / "shell").mkdir(parents=True, exist_ok=True)
        (tmp_path / "tool-outputs" / "shell" / f"{new_id(n)}.json").write_bytes(b"no receipt")
    last = finished(tmp_path, second=59)
    assert pick("@last", str(tmp_path)).entry.receipt.ref == last.ref


def test_an_ambiguous_ref_lists_its_candidates(here: Here, tmp_path: Path) -> None:
    owners = [finished(tmp_path, second=n) for n in range(25)]
    code, out, err = here("show", "2026")
    lines = err.decode().splitlines()
    assert (code, out) == (2, b"")
    assert lines[0] == "capview: '2026' names 25 captures; say which"
    assert lines[1] == f"  {owners[-1].ref}"
    assert lines[-1] == "  … and 5 more"
    assert len(lines) == 22


def test_an_unreadable_receipt_is_one_clear_line(here: Here, tmp_path: Path) -> None:
    owner = finished(tmp_path)
    (owner.folder / f"{owner.id}.json").write_text("{")
    for command in ("show", "read", "follow", "wait"):
        code, out, err = here(command, "@last")
        assert (code, out) == (2, b"")
        assert err.startswith(f"capview: {owner.ref}: its receipt is not JSON".encode())


def test_labels_are_compared_as_text() -> None:
    assert resolve("@label:[a-z]", ("r",), lambda _ref: "x [a-z]") == "r"
