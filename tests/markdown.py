"""What the tests of README and docs read out of them: blocks of code, tables, links."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_BLOCK: Final = re.compile(
    r"(?:^<!-- (?P<marker>[a-z: ]+) -->\n)?^```(?P<language>[a-z]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_LINK: Final = re.compile(r"\]\((?P<target>[^)#]+)\)")


class Block(NamedTuple):
    """A fenced block of code; ``marker`` is the comment above it, ``test: NAME`` or such."""

    marker: str
    language: str
    text: str


def blocks(page: str, language: str) -> list[Block]:
    """The blocks of one language, in order."""
    found = (Block(match["marker"] or "", match["language"], match["text"]) for match in _BLOCK.finditer(page))
    return [block for block in found if block.language == language]


def table(page: str, first: str) -> list[list[str]]:
    """The rows of the table whose first column is headed ``first``: cells without blanks around them."""
    lines = iter(page.splitlines())
    head = next(line for line in lines if line.startswith(f"| {first} |"))
    assert set(next(lines)) <= set("|-"), f"no table below {head}"
    rows = []
    for line in lines:
        if not line.startswith("| "):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def literals(cell: str) -> list[str]:
    """What a cell has between backticks."""
    return re.findall(r"`([^`]+)`", cell)


def links(page: str) -> list[str]:
    """Where a page's links and images lead, those to other sites left out."""
    return [target for target in _LINK.findall(page) if "://" not in target]
