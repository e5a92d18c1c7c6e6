"""Each rule makes its examples equal, and nothing else; alone, and with all others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from capture_core.difference.normal import exact, normal, normalised
from capture_core.difference.rules import RULES

if TYPE_CHECKING:
    from capture_core.difference.rules import Rule


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_what_a_rule_makes_equal_and_what_not(rule: Rule) -> None:
    expression = re.compile(rule.expression)
    for one, other in rule.same:
        assert one != other
        assert expression.sub(rule.put, one) == expression.sub(rule.put, other)
        assert normalised(one) == normalised(other)
        assert rule.put in normalised(one)
        assert all(any(sign in line for sign in rule.signs) for line in (one, other))
    for one, other in rule.different:
        assert normalised(one) != normalised(other)
    assert rule.same
    assert rule.different


def test_names_are_unique_and_what_is_put_is_left_alone() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert normalised(rule.put) == rule.put


def test_the_folder_of_a_run_is_where_it_stands_for_itself() -> None:
    one, other = normal(b"/srv/one/shop/"), normal(b"/srv/two/shop")
    assert one(b"cc /srv/one/shop/a.c in /srv/one/shop") == other(b"cc /srv/two/shop/a.c in /srv/two/shop")
    assert one(b"cc /srv/one/shop2/a.c") == b"cc /srv/one/shop2/a.c"
    assert normal(b"")(b"x /srv") == b"x /srv"
    assert exact(b"in 0.5s") == b"in 0.5s"


@pytest.mark.parametrize("piece", [b"1", b"1:", b"a-", b"/tmp/", b"0x", b" ", b"[1", b"20", b"12:34:56 ", b"tmp"])
def test_a_long_line_takes_linear_time(piece: bytes) -> None:
    # A quadratic rule would take minutes, which the time limit of a test ends.
    assert normalised(piece * (256 * 1024 // len(piece)))
