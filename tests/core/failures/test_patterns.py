"""Every pattern finds its examples as wholes, and nothing in what it must spare; the same holds of recorded logs."""

from __future__ import annotations

import random
import re
from re import _constants as codes  # type: ignore[attr-defined] # what `re` itself takes expressions apart with
from re import _parser as parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

import hyperscan
import pytest

from capture_core.failures.expressions import matches
from capture_core.failures.pattern import Pattern
from capture_core.failures.table import PATTERNS, RUN_ENDS
from tests.core.failures.logs import EXPECTED, FAILED, OUTPUT, RAW, found_in, text, told

if TYPE_CHECKING:
    from pathlib import Path

FOUND = [(pattern, example) for pattern in PATTERNS for example in pattern.found]
SPARED = [(pattern, example) for pattern in PATTERNS for example in pattern.spared]


def name(value: Pattern | str) -> str:
    return value.name if isinstance(value, Pattern) else ""


def expressions(pattern: Pattern) -> tuple[str, ...]:
    """All expressions of a pattern."""
    block, within = pattern.block, pattern.within
    sections = () if within is None else (within.opens, within.closes)
    own = (pattern.expression, pattern.unless, pattern.then, pattern.lead, *pattern.headline)
    return tuple(filter(None, (*own, block.body, block.stop, block.last, block.again, *sections)))


# -- the table ------------------------------------------------------------------------------------------------------


def test_each_has_a_name_of_its_own_a_source_and_examples_of_both_kinds() -> None:
    assert len({pattern.name for pattern in PATTERNS}) == len(PATTERNS)
    assert [pattern.name for pattern in PATTERNS if not (pattern.source and pattern.found and pattern.spared)] == []


def test_every_tool_that_was_promised_is_there() -> None:
    tools = " ".join(pattern.tool for pattern in PATTERNS).lower()
    promised = "gcc clang rustc tsc javac go ld lld pytest unittest cargo npm make ninja cmake java gradle maven python"
    assert [tool for tool in promised.split() if tool not in tools] == []


@pytest.mark.parametrize(("pattern", "example"), FOUND, ids=name)
def test_an_example_is_one_failure_and_all_of_it(pattern: Pattern, example: str) -> None:
    data = example.encode()
    [found] = found_in([data])
    lines = example.count("\n")
    # What a section is opened and closed by belongs to no failure in it.
    first = 2 if pattern.within is not None else 1
    last = found.last_line if pattern.within is not None else lines
    assert (found.pattern, found.first_line, found.last_line) == (pattern.name, first, last)
    assert (found.tool, found.kind, found.severity) == (pattern.tool, pattern.kind, pattern.severity)
    rows = data.splitlines(keepends=True)
    assert found.start == sum(map(len, rows[: first - 1]))
    assert data[found.start : found.end] == b"".join(rows[first - 1 : found.last_line]).removesuffix(b"\n")
    assert data[found.at :].lstrip().startswith(found.headline[:20])


@pytest.mark.parametrize(("pattern", "example"), SPARED, ids=name)
def test_nothing_is_found_in_what_must_be_spared(pattern: Pattern, example: str) -> None:
    assert found_in([example.encode()]) == ()


@pytest.mark.parametrize("pattern", PATTERNS, ids=name)
def test_examples_are_found_also_between_other_lines(pattern: Pattern) -> None:
    for example in pattern.found:
        around = b"make[1]: Entering directory '/home/user/project'\n" + example.encode() + b"\n[1/2] and so on\n"
        assert [found.pattern for found in found_in([around])] == [pattern.name]


# -- the language ---------------------------------------------------------------------------------------------------


ENDS = {end.expression for end in RUN_ENDS}
ALL = sorted({expression for pattern in PATTERNS for expression in expressions(pattern)} | ENDS)


def lines_of_everything() -> list[bytes]:
    paths = (*FAILED, RAW / "output/pytest.log.gz", RAW / "output/make-check.log.gz")
    examples = "".join(example for pattern in PATTERNS for example in (*pattern.found, *pattern.spared))
    return sorted({*examples.encode().splitlines(), *(line for path in paths for line in text(path).splitlines())})


def test_an_engine_without_backtracking_says_the_same_of_every_line() -> None:
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    # In tens: one database of them all takes a second.
    for start in range(0, len(ALL), 10):
        some = ALL[start : start + 10]
        database.compile(
            expressions=[expression.encode() for expression in some],
            ids=list(range(len(some))),
            flags=[hyperscan.HS_FLAG_SINGLEMATCH] * len(some),
        )
        for line in filter(None, lines_of_everything()):
            told_by: set[int] = set()
            database.scan(line, match_event_handler=lambda number, *_, into=told_by: into.add(number))
            assert {some[number] for number in told_by} == {each for each in some if matches(each, line)}, line


def spelled(tree: Any, most: int = 400) -> list[str]:  # noqa: ANN401
    """Some texts that match a sequence: each branch, each class by one member, repeats at their least and once more."""
    texts = [""]
    for operation, value in tree:
        texts = [a + b for a in texts for b in _spelled_one(operation, value)]
        if len(texts) > most:
            texts = random.Random(len(texts)).sample(texts, most)
    return texts


def _spelled_one(operation: Any, value: Any) -> list[str]:  # noqa: ANN401
    match operation:
        case codes.LITERAL:
            return [chr(value)]
        case codes.NOT_LITERAL | codes.ANY:
            return ["~"]
        case codes.IN:
            return _members(value)
        case codes.BRANCH:
            return [each for branch in value[1] for each in spelled(branch)]
        case codes.SUBPATTERN:
            return spelled(value[-1])
        case codes.MAX_REPEAT | codes.MIN_REPEAT:
            least, most, body = value
            return [once * times for once in spelled(body) for times in {least, min(least + 1, most)}]
        case codes.AT:
            return [""]
        case _:
            raise AssertionError(operation)


def _members(items: Any) -> list[str]:  # noqa: ANN401
    negated = items[0][0] is codes.NEGATE
    form = {
        codes.CATEGORY_DIGIT: "7",
        codes.CATEGORY_WORD: "w",
        codes.CATEGORY_SPACE: " ",
        codes.CATEGORY_NOT_SPACE: "~",
    }
    if negated:
        return ["~"]
    found = [
        chr(value) if kind is codes.LITERAL else form.get(value, "") for kind, value in items if kind is not codes.RANGE
    ]
    ranges = [chr(value[0]) for kind, value in items if kind is codes.RANGE]
    return [*filter(None, found), *ranges]


def holds(signs: tuple[str, ...], line: str) -> bool:
    return any(line.startswith(sign[1:]) if sign.startswith("^") else sign in line for sign in signs)


@pytest.mark.parametrize("pattern", PATTERNS, ids=name)
def test_no_line_that_matches_lacks_a_sign(pattern: Pattern) -> None:
    for expression in filter(None, (pattern.expression, pattern.lead)):
        lines = [line for line in spelled(parser.parse(expression)) if re.search(expression, line)]
        assert lines
        assert [line for line in lines if not holds(pattern.signs, line)] == []


def test_no_line_that_opens_or_closes_a_section_or_ends_a_run_lacks_a_sign() -> None:
    sections = {pattern.within for pattern in PATTERNS if pattern.within is not None}
    asked = [(end.expression, end.signs) for end in RUN_ENDS]
    asked += [(each, section.signs) for section in sections for each in (section.opens, section.closes)]
    for expression, signs in asked:
        assert [line for line in spelled(parser.parse(expression)) if not holds(signs, line)] == []


# -- recorded logs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*FAILED, *OUTPUT], ids=lambda path: path.name)
def test_what_is_found_in_a_recorded_log(path: Path) -> None:
    # To write it anew: python -m tests.core.failures.logs
    expected = [line for line in EXPECTED.read_text().splitlines() if line.startswith(f"{path.name}:")]
    assert told(path) == expected


def test_nothing_is_found_in_clean_logs() -> None:
    failed = {"gcc-v.log.gz", "jest.log.gz", "pytest.log.gz"}
    assert {path.name for path in OUTPUT if told(path)} == failed
