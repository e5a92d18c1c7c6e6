"""Receipts are data: what does not speak of its own capture is refused, with one line that says why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.errors import ReceiptError
from capture_core.receipt import encode
from capture_core.receipt_decode import decode
from tests.captures import Owner

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return Owner(tmp_path)


def test_what_was_written_is_read(owner: Owner) -> None:
    assert decode(encode(owner.receipt), tool="shell", capture=owner.id) == owner.receipt


def changed(owner: Owner, change: Callable[[dict[str, Any]], object]) -> bytes:
    plain = json.loads(encode(owner.receipt))
    change(plain)
    return json.dumps(plain).encode()


def test_unknown_fields_of_a_later_minor_version_are_ignored(owner: Owner) -> None:
    data = changed(owner, lambda plain: (plain.update(later=[1]), plain["process"].update(niceness=3)))
    assert decode(data, tool="shell", capture=owner.id) == owner.receipt


@pytest.mark.parametrize("also", [{}, {"streams": 7}, {"process": None}])
def test_an_unknown_major_version_is_refused_by_its_number(owner: Owner, also: dict[str, object]) -> None:
    data = changed(owner, lambda plain: plain.update(schema=2, **also))
    with pytest.raises(ReceiptError, match="schema 2, this capview reads 1"):
        decode(data, tool="shell", capture=owner.id)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("capture_id", "20261130T120000Z-aaaaaaaaaaaaaaaa"),
        ("tool", "python"),
        ("ref", "/etc/passwd"),
        ("ref", "tool-outputs/shell/../../x"),
    ],
)
def test_another_captures_name_is_refused(owner: Owner, field: str, value: str) -> None:
    with pytest.raises(ReceiptError, match=f"says {field} "):
        decode(changed(owner, lambda plain: plain.update({field: value})), tool="shell", capture=owner.id)


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../secret",
        "20261130T120000Z-aaaaaaaaaaaaaaaa.stdout.live",
        "{id}.stderr.live",
        "{id}.stdout.g2.live",
        "{id}.stdout.sgr",
        "{id}.json",
        "\x1b]52;c;eA==\x07",
    ],
)
def test_a_file_that_is_not_the_streams_own_is_refused(owner: Owner, name: str) -> None:
    name = name.replace("{id}", owner.id)
    data = changed(owner, lambda plain: plain["streams"]["stdout"].update(file=name))
    with pytest.raises(ReceiptError, match="as its stream") as caught:
        decode(data, tool="shell", capture=owner.id)
    assert "\x1b" not in str(caught.value)


def test_a_stream_that_does_not_exist_is_refused(owner: Owner) -> None:
    data = changed(owner, lambda plain: plain["streams"].update(secret=plain["streams"]["stdout"]))
    with pytest.raises(ReceiptError):
        decode(data, tool="shell", capture=owner.id)


def test_an_impossible_range_is_refused(owner: Owner) -> None:
    data = changed(owner, lambda plain: plain["streams"]["stdout"].update(start=5, end=4))
    with pytest.raises(ReceiptError, match="5:4"):
        decode(data, tool="shell", capture=owner.id)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"null", b"[]", b"\xff", b'{"schema": 1}', b'{"schema":' + b"[" * 100_000, b"\0" * 4096],
)
def test_what_is_no_receipt_is_refused(owner: Owner, data: bytes) -> None:
    with pytest.raises(ReceiptError):
        decode(data, tool="shell", capture=owner.id)


def test_deep_nesting_in_an_unknown_field_is_refused_or_ignored(owner: Owner) -> None:
    data = encode(owner.receipt).rstrip()[:-1] + b',"later":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(ReceiptError):
        decode(data, tool="shell", capture=owner.id)


@given(st.integers(min_value=0, max_value=3000), st.integers(min_value=0, max_value=255))
def test_a_damaged_byte_is_refused_or_harmless(tmp_path_factory: pytest.TempPathFactory, at: int, byte: int) -> None:
    owner = Owner(tmp_path_factory.mktemp("conversation"))
    data = bytearray(encode(owner.receipt))
    data[at % len(data)] = byte
    owner.release()
    words = ""
    try:
        assert decode(bytes(data), tool="shell", capture=owner.id).ref == owner.ref
    except ReceiptError as error:
        words = str(error)
    assert words.isprintable()
