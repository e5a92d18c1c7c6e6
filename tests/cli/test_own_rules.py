"""Rules of the user's own and the slow engine, as ``capview run`` uses them: what is kept, and what is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation, UserRule
from capture_core.errors import BadInput
from capture_core.redact.rules import RULES

if TYPE_CHECKING:
    from pathlib import Path

RULE = '[[redact.rules]]\nname = "acme-token"\npattern = "{}"\n'
TOKEN = "acme_" + "a1b2c3d4e5" * 2


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "conversation"
    folder.mkdir()
    return folder


def run(place: Path, *words: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["capview", "run", "--conversation", str(place), *words],
        input=b"",
        capture_output=True,
        check=False,
        env={**os.environ, **env},
    )


def kept(place: Path) -> bytes:
    return b"".join(path.read_bytes() for path in (place / "tool-outputs").rglob("*") if path.is_file())


def test_what_a_rule_matches_is_masked_in_output_and_label(place: Path) -> None:
    (place / "capview.toml").write_text(RULE.format("acme_[a-z0-9]{20}"))
    done = run(place, "--", sys.executable, "-c", f"import sys; print('see {TOKEN}.'); sys.stderr.write('{TOKEN}')")
    assert TOKEN.encode() in done.stdout, "pass-through is the child's own bytes"
    assert TOKEN.encode() not in kept(place)
    assert b"see [redacted:acme-token].\n" in kept(place)
    assert b'"acme-token": 2' in kept(place)


def test_a_rule_that_cannot_be_run_is_refused_before_anything_is(place: Path) -> None:
    (place / "capview.toml").write_text(RULE.format("acme_[a-z"))
    done = run(place, "--", "touch", str(place / "ran"))
    assert done.returncode == 2
    [line] = done.stderr.decode().splitlines()
    assert "redaction rule 'acme-token': a class that is not closed at position 5" in line
    assert line.endswith("mend its pattern")
    assert sorted(path.name for path in place.iterdir()) == ["capview.toml"]


def test_a_library_takes_rules_and_refuses_them_at_the_start(place: Path) -> None:
    job = Conversation.open(str(place), rules=[UserRule("acme-token", "acme_[a-z0-9]{20}")]).start(["echo", TOKEN])
    receipt = job.wait()
    job.join()
    assert receipt is not None
    assert receipt.representation.redactions == {"acme-token": 1}
    assert TOKEN.encode() not in kept(place)
    with pytest.raises(BadInput, match="position 4"):
        Conversation.open(str(place), rules=[UserRule("acme-token", "acme$")]).start(["true"])


def test_without_hyperscan_the_slow_engine_masks_the_same(place: Path, tmp_path: Path) -> None:
    """A machine without the library: its import fails."""
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "hyperscan.py").write_text("raise ImportError('no such library')\n")
    examples = "\n".join(example for rule in RULES for example in rule.masks)
    (tmp_path / "examples").write_text(examples.replace("«", "").replace("»", ""))
    script = f"cat {tmp_path / 'examples'}; echo TOKEN is env-value-1234"
    done = run(place, "--engine", "slow", "--", "sh", "-c", script, PYTHONPATH=str(broken), MY_TOKEN="env-value-1234")
    assert done.returncode == 0, done.stderr
    slow = (place / "tool-outputs" / "shell").glob("*.stdout.txt")
    masked = next(slow).read_bytes()
    assert b"TOKEN is [redacted:env]" in masked
    other = place.with_name("other")
    run(other, "--", "sh", "-c", script, MY_TOKEN="env-value-1234")
    assert next((other / "tool-outputs" / "shell").glob("*.stdout.txt")).read_bytes() == masked


def test_the_slow_engine_does_not_run_rules_of_the_user_s_own(place: Path) -> None:
    (place / "capview.toml").write_text(RULE.format("acme_[a-z0-9]{20}"))
    done = run(place, "--engine", "slow", "--", "true")
    assert done.returncode == 2
    assert b"the slow engine runs no redaction rules of your own" in done.stderr
