"""The forms of a value: what programs and shells print of it holds one of them."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.limits.sanitising import SHORTEST_KNOWN_BYTES
from capture_core.redact.forms import forms

awkward = st.text("aB3/+=&%$ '\"\\\t\n#!,~^{é漢", min_size=12, max_size=30)
PLAIN = b"aB3dE5gH7jK9"


def joined(printed: bytes) -> bytes:
    return printed.translate(None, b"\r\n")


def assert_found(value: str, printed: bytes, spare: int = 0) -> None:
    """Some form covers what was printed of the value, but for ``spare`` bytes."""
    assert any(form in joined(printed) and len(form) >= len(joined(printed)) - spare for form in forms(value.encode()))


def test_a_plain_value_has_few_forms() -> None:
    assert forms(PLAIN) == {PLAIN, b"YUIzZEU1Z0g3aks5", b"FCM2RFNWdIN2pLO", b"hQjNkRTVnSDdqSz"}


@given(awkward)
def test_what_programs_escape_is_found(value: str) -> None:
    for printed in (
        value,
        value.replace("\n", "\r\n"),
        value.replace("\n", " "),
        quote(value),
        quote(value, safe=""),
        quote_plus(value),
        quote(value, safe="!'()*"),
        re.sub("%..", lambda escape: escape[0].lower(), quote(value)),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(value)[1:-1])[1:-1],
        json.dumps(value).replace("/", "\\/")[1:-1],
    ):
        assert_found(value, printed.encode())


@given(
    before=st.binary(max_size=7),
    value=st.binary(min_size=9, max_size=60),
    after=st.binary(max_size=7),
    url_safe=st.booleans(),
)
def test_base64_is_found_at_every_place_in_whatever_is_encoded(
    before: bytes, value: bytes, after: bytes, *, url_safe: bool
) -> None:
    encode = base64.urlsafe_b64encode if url_safe else base64.b64encode
    encoded = encode(before + value + after)
    bits = 8 * len(value) // 6 - 2
    assert any(form in encoded and len(form) >= bits for form in forms(value))


@pytest.mark.parametrize(
    "command",
    [
        'printf %q "$1"',
        'printf "%s" "${1@Q}"',
        "value=$1; declare -p value",
        "export value=$1; export -p | grep value=",
        'set -x; : "$1"',
        "set -x; x=$1 :",
        'printf "%s" "$1" | base64 -w 20',
    ],
)
@pytest.mark.parametrize(
    "value", ['it\'s $5 "now" or `never`', "a\\b\tc\nd{e}", "pass,word!#~^&*()", "é漢 x;y|z<>?", "plain-0123"]
)
def test_what_bash_prints_is_found(command: str, value: str) -> None:
    done = subprocess.run(
        ["bash", "-c", command, "bash", value], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    assert any(
        form in joined(done.stdout + done.stderr) for form in forms(value.encode()) if len(form) >= len(value) - 2
    )


def test_bash_escapes_what_its_locale_lacks() -> None:
    done = subprocess.run(
        ["bash", "-c", 'printf %q "$1"', "bash", "café-au-lait"], capture_output=True, check=True, env={"LC_ALL": "C"}
    )
    assert_found("café-au-lait", done.stdout, spare=3)


def test_a_value_with_control_is_looked_for_as_it_is_given_out() -> None:
    assert b"secretvalue" in forms(b"secret\x1b[31mvalue")
    assert "caf\N{REPLACEMENT CHARACTER}-au-lait".encode() in forms(b"caf\xe9-au-lait")


@given(st.binary(min_size=1))
def test_every_form_is_text_on_one_line_and_tells_something(value: bytes) -> None:
    for form in forms(value):
        assert len(form) >= SHORTEST_KNOWN_BYTES
        assert not set(form.decode()) & set(map(chr, (*range(9), *range(10, 32), 127)))
