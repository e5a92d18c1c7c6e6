"""The conversation that tests of several modules write in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from capture_core import Conversation
from tests.core.allowance_owner import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "conversation"


@pytest.fixture
def conversation(place: Path) -> Conversation:
    return Conversation.open(str(place))


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    tree = Tree(tmp_path / "conversation")
    yield tree
    tree.close()
