"""Each form of a step finds its examples and spares the others; all of it in what real tools printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from capture_core.outline.form import Form, Told
from capture_core.outline.forms import FORMS, compiled
from capture_core.outline.scan import OutlineScan

if TYPE_CHECKING:
    from capture_core.outline.step import Outline

RAW = Path(__file__).parents[2] / "raw/outline"


def outlined(text: bytes) -> Outline:
    scan = OutlineScan()
    scan.feed(text)
    return scan.finish()


def titles(text: bytes) -> list[str]:
    return [" " * step.depth + step.title for step in outlined(text).steps]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_what_a_form_finds_and_what_it_spares(form: Form) -> None:
    for example in form.found:
        assert titles(example.text.encode()) == list(example.titles)
        assert not example.titles or form.name in {step.form for step in outlined(example.text.encode()).steps}
    for text in form.spared:
        assert form.name not in {step.form for step in outlined(text.encode()).steps}, text
    assert form.found
    assert form.spared
    assert form.source


def test_names_are_unique_and_every_line_that_counts_begins_with_its_head() -> None:
    assert len({form.name for form in FORMS}) == len(FORMS)
    for form, opens, closes in compiled():
        for example in form.found:
            for line in re.split("[\r\n]", example.text):
                if opens.match(line.encode()) or (closes and closes.match(line.encode())):
                    assert re.match(form.head, line), (form.name, line)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "make.log",
            [
                "/home/user/project/mk",
                " /home/user/project/mk/lib",
                " /home/user/project/mk/app",
                "  /home/user/project/mk",
            ],
        ),
        (
            "make-j.log",
            [
                "/home/user/project/mk",
                " /home/user/project/mk/lib",
                " /home/user/project/mk/app",
                "  /home/user/project/mk",
            ],
        ),
        (
            "ninja.log",
            [
                "Configuring done",
                "Generating done",
                "Build files have been written to: /home/user/project/cb",
                "cb",
                " Building C object CMakeFiles/shop.dir/main.c.o",
                " Building C object CMakeFiles/price.dir/price.c.o",
                " Linking C static library libprice.a",
                " Linking C executable shop",
            ],
        ),
        (
            "cmake-make.log",
            [
                "Configuring done",
                "Generating done",
                "Build files have been written to: /home/user/project/cb2",
                "Building C object CMakeFiles/price.dir/price.c.o",
                "Linking C static library libprice.a",
                "Building C object CMakeFiles/shop.dir/main.c.o",
                "Linking C executable shop",
                "opens",
            ],
        ),
        (
            "pytest.log",
            [
                "test session starts",
                " test_open.py",
                " test_shop.py",
                " FAILURES",
                " slowest 2 durations",
                " short test summary info",
                "test session starts",
                " test_open.py",
                " test_shop.py",
                " FAILURES",
                " short test summary info",
            ],
        ),
        ("npm.log", [f"shop@1.0.0 {script}" for script in ("prebuild", "build", "postbuild", "size")]),
        ("cargo.log", ["Compiling shop v0.1.0", "Running unittests src/main.rs"]),
    ],
)
def test_recorded_builds(name: str, expected: list[str]) -> None:
    assert titles((RAW / name).read_bytes()) == expected


def test_the_ranges_of_steps_are_their_lines() -> None:
    text = (RAW / "make-j.log").read_bytes()
    lines = text.splitlines(keepends=True)
    for step in outlined(text).steps:
        assert text[step.start : step.end] == b"".join(lines[step.first_line - 1 : step.last_line])
        assert step.title in lines[step.first_line - 1].decode()
        assert step.has_ended
        assert b"Leaving" in text[step.until : step.end]


def test_what_is_told_afterwards_took_the_time_before_it() -> None:
    told = {form.name for form in FORMS if form.told is Told.AFTER}
    steps = [step for step in outlined((RAW / "ninja.log").read_bytes()).steps if step.form in told]
    assert [step.until for step in steps] == [step.start for step in steps]
    edges = [step for step in steps if step.form == "ninja-edge"]
    assert [step.since for step in edges[1:]] == [step.start for step in edges[:-1]]
    assert steps[0].since == 0
