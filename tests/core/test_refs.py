"""Every way to name a capture, what none and several answer, and names that are attempts at something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.errors import AmbiguousRef, RefError, UnknownRef
from capture_core.refs import Located, locate, locate_file, resolve

NEWEST = "tool-outputs/shell/20261130T120002Z-abcdqqqqqqqqqqqq"
MIDDLE = "tool-outputs/python/20261130T120001Z-abceqqqqqqqqqqqq"
OLDEST = "tool-outputs/shell/20251130T120000Z-2222qqqqqqqqqqqq"
REFS = (NEWEST, MIDDLE, OLDEST)
LABELS = {NEWEST: "make -j8 [red]", MIDDLE: "make", OLDEST: None}


def named(text: str) -> str:
    return resolve(text, REFS, LABELS.get)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@last", NEWEST),
        ("@-1", NEWEST),
        ("@-2", MIDDLE),
        ("@-3", OLDEST),
        ("@label:make", MIDDLE),
        ("@label:-j8 [red]", NEWEST),
        ("20261130T120002Z-abcdqqqqqqqqqqqq", NEWEST),
        ("20261130T120002Z", NEWEST),
        ("20261130T120001Z-", MIDDLE),
        ("2025", OLDEST),
        ("22", OLDEST),
        ("abce", MIDDLE),
        (NEWEST, NEWEST),
        (NEWEST + ".stdout.txt", NEWEST),
        (NEWEST + ".live.json", NEWEST),
        ("./anywhere/" + MIDDLE + ".stderr.live", MIDDLE),
        ("20261130T120001Z-abceqqqqqqqqqqqq.json", MIDDLE),
    ],
)
def test_forms(text: str, expected: str) -> None:
    assert named(text) == expected


@pytest.mark.parametrize(
    ("text", "candidates"),
    [("abc", (NEWEST, MIDDLE)), ("2026", (NEWEST, MIDDLE)), ("2", REFS), ("@label:mak", (NEWEST, MIDDLE))],
)
def test_ambiguous_names_list_their_candidates_newest_first(text: str, candidates: tuple[str, ...]) -> None:
    with pytest.raises(AmbiguousRef, match=f"names {len(candidates)} captures") as caught:
        named(text)
    assert caught.value.candidates == candidates


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@",
        "@-0",
        "@-4",
        "@-99999999999999999999",
        "@label:",
        "@label:nothing",
        "zzzz",
        "tool-outputs/shell/../shell/20261130T120002Z-abcdqqqqqqqqqqqq",
        "tool-outputs/browser/20261130T120002Z-abcdqqqqqqqqqqqq",
        ".*",
        "\x1b[31m",
        "x" * 100_000,
    ],
)
def test_unknown_names_get_one_clear_line(text: str) -> None:
    with pytest.raises(UnknownRef) as caught:
        named(text)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


def test_nothing_captured_yet() -> None:
    with pytest.raises(UnknownRef, match="of 0"):
        resolve("@last", (), LABELS.get)


@given(st.text())
def test_any_text_names_one_or_none_or_several(text: str) -> None:
    words = ""
    try:
        assert named(text) in REFS
    except RefError as error:
        words = str(error)
    assert words.isprintable()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NEWEST, Located(None, NEWEST)),
        ("/a/b/" + NEWEST + ".stdout.txt", Located("/a/b", NEWEST)),
        ("logs/x/" + NEWEST, Located("logs/x", NEWEST)),
        ("/" + NEWEST, Located("/", NEWEST)),
        ("/a/tool-outputs/UP/20261130T120002Z-abcdqqqqqqqqqqqq", None),
        ("/a/outputs/shell/20261130T120002Z-abcdqqqqqqqqqqqq", None),
        (NEWEST + ".exe", None),
        ("@last", None),
    ],
)
def test_where_a_path_leads(text: str, expected: Located | None) -> None:
    assert locate(text) == expected


def test_a_file_named_from_inside_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    conversation = tmp_path_factory.mktemp("conversation")
    folder = conversation / "tool-outputs" / "shell"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert locate_file(NEWEST.rpartition("/")[2] + ".stdout.txt") == Located(str(conversation), NEWEST)
    assert locate_file("abcd") is None
