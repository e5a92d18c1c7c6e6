"""What the tests of the commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.commands import Here

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    """Commands in this process, on the conversation that is the test's own folder."""
    return Here(tmp_path, capfdbinary)
