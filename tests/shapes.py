"""Secrets as programs print them, in every shape that is masked, interrupted and cut; and a look for what is seen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import assume
from hypothesis import strategies as st

from capture_core.redact.forms import forms
from capture_core.redact.known import GROUPS
from capture_core.redact.rules import RULES
from capture_core.strip import Stripper
from capture_core.user_rule import UserRule
from tests.core.test_sanitise import RUN, breaks, controls, interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from capture_core.redact.rule import Rule

NAMES = " ".join([*GROUPS, *(rule.name for rule in RULES)])
"""What capview writes in a secret's place; where a secret looks like that, there is no telling."""

OWN_RULE = UserRule("acme-token", "acme_[a-z0-9]{12,}")
OWN = "acme_0a1b2c3d4e5f6g7h"
VARIABLE = "MADE_UP_TOKEN"
VALUES = (
    "x9Kq-0rWzL",
    "tr0ub4dor&3 /=+%'\"$\\`!",
    "zeile-eins 1\nzweiter satz 2\nund noch eine 3",
    '{"key": "漢字 é <b>"}',
    "aaaaaaaaaaaaaaaaaaaaaa",
    "0123456789abcdef" * 12,
)


DOUBTFUL = ("$ecret", "a.b[0]", "0a1b2c3d", "nWGxne_9Wm")
"""Beginnings of values that look like a variable, an expression, an item, a short name: that is what ends a stream."""

_DOUBTFUL_ENDS = tuple(each[:size] for each in DOUBTFUL for size in range(RUN, len(each) + 1))


class Secret(NamedTuple):
    """A text with secrets in it."""

    before: str
    value: str
    after: str
    runs: frozenset[bytes]
    """Every run of bytes of any value that no reader may see."""
    introducer: str = ""
    """What every such value begins with.  By itself it tells nothing, and may end a stream."""
    breakable: bool = False
    """Whether lines may be broken in it."""
    known: str = ""
    """The value of the child's secret variable."""


def windows(text: str) -> set[bytes]:
    """Return every run of bytes that is too long to be seen."""
    raw = text.encode()
    return {raw[start : start + RUN] for start in range(len(raw) - RUN + 1)}


def _example(rule: Rule, text: str) -> Iterator[Secret]:
    parts = re.split("[«»]", text)
    around = {run for part in (*parts[::2], NAMES) for run in windows(part)}
    runs = frozenset({run for part in parts[1::2] for run in windows(part)} - around)
    introducer = re.match(rule.token.introducer, parts[1]) if rule.token else None
    breakable = rule.token is not None and not rule.token.solid
    for place in range(1, len(parts), 2):
        before, after = "".join(parts[:place]), "".join(parts[place + 1 :])
        yield Secret(before, parts[place], after, runs, introducer[0] if introducer else "", breakable)


def _known(value: str, form: str) -> Secret:
    runs = windows(form) - windows(NAMES)
    return Secret("it is ", form, " and on\n", frozenset(runs), breakable=True, known=value)


examples = [secret for rule in RULES for text in rule.masks for secret in _example(rule, text) if secret.runs]
known = [_known(value, form.decode()) for value in VALUES for form in sorted(forms(value.encode()))]
own = [Secret("see ", OWN, " ok\n", frozenset(windows(OWN)))]
tokens = [secret for secret in examples if secret.breakable]


class Draw(NamedTuple):
    """A secret as a program prints it: interrupted."""

    secret: Secret
    raw: bytes
    begin: int
    """Where in the raw bytes the value does."""
    size: int
    """Its length in them."""


@st.composite
def drawn(draw: st.DrawFn) -> Draw:
    """Any secret, interrupted by whatever terminals do not show; lines broken where that hides nothing."""
    secret = draw(st.sampled_from(known) | st.sampled_from(own) | st.sampled_from(examples) | st.sampled_from(tokens))
    choice = [*controls, *breaks] if secret.breakable else controls
    one = st.tuples(st.integers(1, 5000), st.sampled_from(choice))
    interruptions = draw(st.lists(one, max_size=4, unique_by=lambda each: each[0] % len(secret.value)))
    before, value = secret.before.encode(), interrupted(secret.value, interruptions).encode()
    return Draw(secret, before + value + secret.after.encode(), len(before), len(value))


def cut(one: Draw, stop: int) -> tuple[Secret, bytes]:
    """Return what a program printed that ended within the value, or behind it; and what of it is secret."""
    raw = one.raw[: one.begin + stop % (len(one.raw) - one.begin + 1)]
    raw = raw.decode(errors="ignore").encode()
    if len(raw) >= one.begin + one.size:
        # Behind the value there may be another, which was cut.
        assume(raw == one.raw or not raw.decode().endswith(_DOUBTFUL_ENDS))
        return one.secret, raw
    shown = Stripper().feed(raw[one.begin :]).decode()
    # An unfinished token behind which the line is over may be a word for all that is known.
    assume(not shown.endswith(("\r", "\n")))
    assume(not any(doubtful.startswith(shown) for doubtful in DOUBTFUL))
    value, runs = one.secret.value, one.secret.runs
    beyond = windows(value[len(one.secret.introducer) :])
    return one.secret._replace(runs=runs - windows(value) | runs & beyond), raw


def leaks(secret: Secret, seen: bytes) -> list[bytes]:
    """Return what of the secret is there, also if only line breaks are between."""
    joined = seen.translate(None, b"\r\n")
    return [run for run in secret.runs if run in seen or run in joined]
