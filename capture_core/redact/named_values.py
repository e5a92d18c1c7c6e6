"""Values that stand beside their names: in an element, or under another key, ``{"name": "TOKEN", "value": "…"}``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture_core.redact.pairs import BREAK, pair
from capture_core.redact.rule import OPENED, WORD_ENDS
from capture_core.redact.values import FILLED_IN, LABEL, NAMES, NUMBERED, QUOTED_CODE, SHORT

if TYPE_CHECKING:
    from capture_core.redact.rule import Rule

_CONTAINER = "The Kubernetes Authors, Kubernetes Documentation: Define Environment Variables for a Container"


def _named(quote: str, *, masks: tuple[str, ...], passes: tuple[str, ...]) -> Rule:
    """Return the rule for what is the value of one key, and its name that of another."""
    return pair(
        source=_CONTAINER,
        names=NAMES,
        signs=(r"[\"']?,?\s+[\"']?[Vv]alue", r"[\"'],[\"'][Vv]alue"),
        opening=rf"{NAMES}{NUMBERED}[\"']?,?{BREAK}[\"']?[Vv]alue[\"']?[ \t]{{0,8}}[:=] ?{quote}{OPENED}",
        ends=rf"[{quote}\r\n](?<!\\{quote})",
        spared=QUOTED_CODE,
        masks=masks,
        passes=passes,
    )


NAMED_VALUES = (
    pair(
        source="World Wide Web Consortium, Extensible Markup Language: Start-Tags",
        names=NAMES,
        signs=(">",),
        opening=rf"{NAMES}{NUMBERED}{OPENED}>",
        ends=r"(?<=</)|[ \t\r\n]",
        spared=SHORT,
        within=rf">(?!(?:{FILLED_IN}|{LABEL})</)(?P<secret>[^<]+)</",
        masks=("<username>ana</username><password>«hunter2»</password>", "<ns:apiKey>«0a1b2c3d»</ns:apiKey>"),
        passes=(
            "<password>Password</password>",
            "<password>${db.password}</password>",
            "Vec<Token>::new() Option<Secret> = x",
            "<password>{SHA}</password>",
        ),
    ),
    _named(
        '"',
        masks=(
            '[{"name":"DB_PASSWORD","value":"«hunter2»"}]',
            '{"name": "DB_PASSWORD", "value": "«hunter2»"}',
            '- name: API_TOKEN\n  value: "«0a1b2c»"\n',
            '<add key="Password" value="«hunter2»" />',
            '"Name": "db_secret",\n  "Value": "«hunter»"',
        ),
        passes=('{"name": "token", "value": ""}', '- name: API_TOKEN\n  valueFrom: "x"\n'),
    ),
    _named(
        "'",
        masks=("- name: DB_PASSWORD\n  value: '«hunter2»'\n", "{'name': 'db_secret', 'value': '«hunter»'}"),
        passes=("- name: DB_PASSWORD\n  value: ''\n",),
    ),
    pair(
        source=_CONTAINER,
        names=NAMES,
        signs=(r"\s+value:", r"[\"']\s+value:"),
        opening=rf"{NAMES}{NUMBERED}[\"']?\r?\n[ \t]{{1,80}}value: {OPENED}",
        ends=WORD_ENDS,
        spared=SHORT,
        within=rf"[ \t]*(?!(?:{FILLED_IN})\Z)(?P<secret>[^\s]{{4,}})",
        masks=("- name: DB_PASSWORD\n  value: «hunter»\n",),
        passes=("- name: DB_PASSWORD\n  value: $(OTHER)\n",),
    ),
)
