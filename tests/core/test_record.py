"""Records: frozen, equal by value, and dataclasses to whoever asks."""

from __future__ import annotations

import dataclasses
import pickle
import subprocess
import sys

import msgspec
import pytest

from capture_core.record import NamedTuple, Record


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


class Pair(NamedTuple):
    """Two of a kind."""

    left: int
    right: tuple[int, ...] = ()

    @property
    def both(self) -> tuple[int, ...]:
        """All of it."""
        return (self.left, *self.right)


def test_a_named_tuple_is_one_with_its_defaults_doc_and_properties() -> None:
    pair = Pair(1, right=(2,))
    assert pair == (1, (2,))
    assert Pair(1)._replace(left=3) == Pair(left=3)
    assert (Pair(1, (2,)).both, repr(pair), Pair.__doc__) == ((1, 2), "Pair(left=1, right=(2,))", "Two of a kind.")
    assert (Pair.__module__, Pair.__qualname__, Pair._fields) == (__name__, "Pair", ("left", "right"))
    match pair:
        case Pair(1, right=right):
            assert right == (2,)
        case _:
            pytest.fail("not matched by position and name")
    with pytest.raises(TypeError):
        Pair()  # type: ignore[call-arg]


def test_a_named_tuple_is_pickled_and_decoded() -> None:
    assert type(pickle.loads(pickle.dumps(Pair(1)))) is Pair  # noqa: S301 — our own bytes
    assert msgspec.json.decode(b"[1, [2]]", type=Pair) == Pair(1, (2,))
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'["a"]', type=Pair)
