"""``capview run``: nothing of a secret is in any file of the conversation at any moment, nor in what capview says."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.commands import Here
from tests.cuts import pieces
from tests.onlooker import Onlooker, ours_left_out, said
from tests.shapes import OWN_RULE, VARIABLE, Draw, cut, drawn, leaks

fixtures_are_fine = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def run(place: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["capview", "run", "--conversation", str(place), *words],
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]} | variables,
    )


_PRINTS = 'for piece in "$1"/*; do cat "$piece" >&$2; done; test $3 = eof || kill -9 $$'


class Command(NamedTuple):
    """A capture by the command."""

    one: Draw
    stop: int
    at: list[int]
    stream: int
    kill: bool
    how: tuple[str, ...]
    limit: int | None


commands = st.builds(
    Command,
    one=drawn(),
    stop=st.integers(min_value=0),
    at=st.lists(st.integers(min_value=0), max_size=3),
    stream=st.sampled_from([1, 2]),
    kill=st.booleans(),
    how=st.sampled_from([("--quiet",), ("--json",), ("--quiet", "--merge"), ("--detach",)]),
    limit=st.none() | st.integers(1, 60),
)


def nothing_leaks_by_the_command(command: Command, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    secret, raw = cut(command.one, command.stop)
    with tempfile.TemporaryDirectory() as folder:
        place, prints = Path(folder, "conversation"), Path(folder, "pieces")
        for made in (place, prints):
            made.mkdir()
        (place / "capview.toml").write_text(
            f'[[redact.rules]]\nname = "{OWN_RULE.name}"\npattern = "{OWN_RULE.pattern}"\n'
        )
        for number, piece in enumerate(pieces(raw, command.at)):
            (prints / str(number)).write_bytes(piece)
        limit = () if command.limit is None else ("--limit", str(len(secret.before.encode()) + command.limit))
        child = ("sh", "-c", _PRINTS, "sh", str(prints), str(command.stream), "kill" if command.kill else "eof")
        with Onlooker(place, secret) as onlooker:
            variables = {VARIABLE: secret.known} if secret.known else {}
            done = run(place, *command.how, *limit, "--", *child, **variables)
            here = Here(place, capfdbinary)
            assert here("wait", "@last")[0] in {0, 137}
        assert not onlooker.found
        [receipt] = place.rglob("*Z-*.json")
        assert not leaks(secret, said(here, receipt.stem))
        assert not leaks(secret, ours_left_out(".json", done.stdout) if command.how == ("--json",) else done.stdout)
        assert not leaks(secret, done.stderr)


@settings(fixtures_are_fine, max_examples=8)
@given(command=commands)
def test_nothing_leaks_by_the_command(command: Command, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    nothing_leaks_by_the_command(command, capfdbinary)


@pytest.mark.long
@settings(fixtures_are_fine, max_examples=500)
@given(command=commands)
def test_nothing_leaks_by_the_command_long(command: Command, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    nothing_leaks_by_the_command(command, capfdbinary)
