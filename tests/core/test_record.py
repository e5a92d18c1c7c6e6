"""Records: frozen, equal by value, and dataclasses to whoever asks."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys

import msgspec
import pytest

from capture_core.record import Record


class Inner(Record):
    size: int


class Outer(Record):
    name: str
    inner: Inner | None = None
    count: int = 3


def test_keyword_only_with_defaults_and_a_clear_error() -> None:
    assert Outer(name="a") == Outer(name="a", inner=None, count=3)
    with pytest.raises(TypeError, match="nmae"):
        Outer(name="a", nmae="b")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="missing"):
        Outer(count=1)  # type: ignore[call-arg]


def test_frozen() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        Outer(name="a").name = "b"  # type: ignore[misc]


def test_equality_is_by_class_and_value() -> None:
    assert Outer(name="a", inner=Inner(size=1)) == Outer(name="a", inner=Inner(size=1))
    assert Outer(name="a") != Outer(name="b")
    assert hash(Inner(size=1)) == hash(Inner(size=1))
    assert repr(Inner(size=1)) == "Inner(size=1)"


def test_the_standard_library_sees_a_dataclass() -> None:
    record = Outer(name="a", inner=Inner(size=1))
    assert dataclasses.is_dataclass(record)
    assert [field.name for field in dataclasses.fields(record)] == ["name", "inner", "count"]
    assert dataclasses.replace(record, count=4) == Outer(name="a", inner=Inner(size=1), count=4)


def test_a_decoder_sees_a_dataclass() -> None:
    decoded = msgspec.json.decode(b'{"name": "a", "inner": {"size": 1}, "later": true}', type=Outer)
    assert decoded == Outer(name="a", inner=Inner(size=1))
    assert msgspec.to_builtins(decoded) == {"name": "a", "inner": {"size": 1}, "count": 3}
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"name": 1}', type=Outer)


def test_pickling_keeps_the_value() -> None:
    record = Outer(name="a", inner=Inner(size=1))
    assert pickle.loads(pickle.dumps(record)) == record  # noqa: S301 — our own bytes


def test_what_makes_them_cheap_holds() -> None:
    code = "import sys, capture_core.facts, capture_core.limits; sys.exit('dataclasses' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
