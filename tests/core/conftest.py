"""The conversation that tests of several modules write in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "conversation"


@pytest.fixture
def conversation(place: Path) -> Conversation:
    return Conversation.open(str(place))
