"""The long forms: what takes minutes or gigabytes, with the same promises as one line of output."""

from __future__ import annotations

import resource
import subprocess
from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation, Limits
from capture_core.facts import CaptureState
from capture_core.limits import GIB, MIB

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long


@pytest.mark.parametrize("name", ["one line of 1 GiB", "1 GiB of lines"])
def test_a_gigabyte_is_kept_whole_in_bounded_memory(tmp_path: Path, name: str) -> None:
    line = "tr '\\0' x < /dev/zero" if name.startswith("one") else "yes 'a line of a log, as builds print them'"
    conversation = Conversation.open(str(tmp_path), limits=Limits(capture_bytes=2 * GIB))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    receipt = conversation.start(["sh", "-c", f"{line} | head -c {GIB}"]).wait()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert receipt is not None
    stdout = receipt.streams["stdout"]
    assert (receipt.capture.state, stdout.observed, stdout.retained) == (CaptureState.COMPLETE, GIB, GIB)
    stored = tmp_path / "tool-outputs" / "shell" / stdout.file
    digest = subprocess.run(["sha256sum", str(stored)], capture_output=True, text=True, check=True).stdout.split()[0]
    assert stdout.sha256 == digest
    assert grown * 1024 < 64 * MIB
