"""Which values are known to be secret, under what names they are not, and the pieces in which they are looked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture_core.limits.sanitising import KNOWN_LINE_BYTES, KNOWN_PIECE_BYTES, KNOWN_VALUE_BYTES, SHORTEST_KNOWN_BYTES
from capture_core.redact.known import (
    ENVIRONMENT,
    MASK_FILE,
    KnownValues,
    _pieces,
    from_environment,
    from_file,
    together,
)

VALUE = b"made-up/value=0123"


def texts(known: KnownValues) -> set[bytes]:
    return {literal.text for literal in known.literals}


@pytest.mark.parametrize(
    "name",
    [
        *("PASSWORD", "DB_PASSWORD", "db_password", "PGPASSWORD", "DB_PASSWORD_PROD", "MYSQL_PWD", "SMTP_PASS"),
        *("GITHUB_TOKEN", "TOKEN", "NPM_TOKEN", "CI_JOB_TOKEN", "VAULT_TOKEN_RO", "GH_PAT", "SENTRY_DSN"),
        *("CLIENT_SECRET", "AWS_SECRET_ACCESS_KEY", "SECRET_KEY_BASE", "OPENAI_API_KEY", "APIKEY", "SSH_PRIVATE_KEY"),
        *("GOOGLE_CREDENTIALS", "NPM_CONFIG__AUTH", "GPG_PASSPHRASE"),
    ],
)
def test_values_of_secret_names_are_known(name: str) -> None:
    known = from_environment({name.encode(): VALUE})
    assert VALUE in texts(known)
    assert {literal.group for literal in known.literals} == {ENVIRONMENT}


@pytest.mark.parametrize(
    "name",
    [
        *(
            "PATH",
            "HOME",
            "PWD",
            "OLDPWD",
            "SSH_AUTH_SOCK",
            "AWS_ACCESS_KEY_ID",
            "SSH_PUBLIC_KEY",
            "KEYBOARD",
            "MONKEY",
        ),
        *(
            "MAX_TOKENS",
            "TOKEN_COUNT",
            "PASSWORD_FILE",
            "GOOGLE_APPLICATION_CREDENTIALS_PATH",
            "TOKENIZERS_PARALLELISM",
        ),
        *("COMPASS", "XAUTHORITY", "SECRET_NAME", "TOKEN_TTL", "AUTHOR", "PATTERN", "AWS_SHARED_CREDENTIALS_FILE"),
    ],
)
def test_other_names_are_not_secret(name: str) -> None:
    assert from_environment({name.encode(): VALUE}) == KnownValues()


def test_names_that_the_user_gives_are_secret_whatever_they_look_like() -> None:
    environ = {b"MAX_TOKENS": VALUE, b"plain": b"another-value", b"OTHER": b"the-third-value"}
    assert {VALUE, b"another-value"} <= texts(from_environment(environ, ["*_tokens", "PLA?N"]))
    assert b"the-third-value" not in texts(from_environment(environ, ["*_tokens", "PLA?N"]))


@pytest.mark.parametrize(
    "value", [b"12345", "漢字".encode(), b"localhost", b"Password", b"x" * (KNOWN_VALUE_BYTES + 1)]
)
def test_values_that_hide_nothing_are_listed_by_name(value: bytes) -> None:
    known = from_environment({b"A_TOKEN": value, b"B_TOKEN": VALUE, b"C_TOKEN": b""})
    assert known.skipped == ("A_TOKEN",)
    assert value not in texts(known)
    assert VALUE in texts(known)


def test_the_value_of_a_variable_that_is_not_secret_is_not_secret() -> None:
    known = from_environment({b"DB_PASSWORD": b"postgres-user", b"DB_USER": b"postgres-user"})
    assert known == KnownValues((), ("DB_PASSWORD",))


def test_lines_of_a_value_are_known_too_when_they_are_long() -> None:
    long, short = b"MIIEvQIBADANBgkqhkiG9w0B", b"k" * (KNOWN_LINE_BYTES - 1)
    armour = b"-----BEGIN PRIVATE KEY-----"
    value = b"\n".join([armour, long, short, b"-----END PRIVATE KEY-----"])
    known = texts(from_environment({b"DEPLOY_KEY": value + b"\n"}))
    assert {long, value.replace(b"\n", b""), value.replace(b"\n", b" "), value.replace(b"\n", b"\\n")} <= known
    assert not {short, armour} & known


def test_a_file_is_one_value_and_one_for_each_line() -> None:
    known = from_file("list", b"first-value\r\nsecond-value\nshort\n\n")
    assert {b"first-value", b"second-value", b"first-valuesecond-valueshort"} <= texts(known)
    assert {literal.group for literal in known.literals} == {MASK_FILE}
    assert known.skipped == ("list:3",)


@pytest.mark.parametrize("content", [b"", b"\n \r\n"])
def test_a_file_without_values_is_listed(content: bytes) -> None:
    assert from_file("empty", content) == KnownValues((), ("empty",))


def test_a_value_of_two_origins_is_the_first_ones() -> None:
    environ, file = from_environment({b"A_TOKEN": VALUE, b"B_TOKEN": b"x"}), from_file("f", VALUE + b"\ny")
    both = together(environ, file)
    assert {literal.text: literal.group for literal in both.literals}[VALUE] == ENVIRONMENT
    assert both.skipped == ("B_TOKEN", "f:2")
    assert together(both, environ, file) == both._replace(skipped=both.skipped * 2)


@given(st.text("aé漢😀", min_size=1, max_size=40), st.integers(KNOWN_PIECE_BYTES - 20, 3 * KNOWN_PIECE_BYTES))
def test_long_values_are_looked_for_in_pieces_that_leave_nothing_out(text: str, length: int) -> None:
    value = (text * length)[:length].encode()
    *pieces, last = _pieces(value)
    before = b"".join(pieces)
    assert value.startswith(before)
    assert value.endswith(last)
    assert len(before) + len(last) >= len(value)
    for piece in (*pieces, last):
        assert SHORTEST_KNOWN_BYTES <= len(piece) <= KNOWN_PIECE_BYTES
        piece.decode()  # only to check that it is whole characters


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_is_read_as_its_editor_wrote_it(encoding: str) -> None:
    known = from_file("f", "first-secret\r\nsecond-secret\r\n".encode(encoding))
    assert {b"first-secret", b"second-secret"} <= {literal.text for literal in known.literals}
    assert known.skipped == ()
