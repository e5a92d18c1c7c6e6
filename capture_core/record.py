"""Frozen records that are dataclasses to whoever asks, and named tuples: both cost next to nothing to define.

The standard decorator writes and compiles six methods a class, about 0.7 ms each time, after 10 ms for its own
import: for the classes of a receipt that is a fifth of the time that ``capview run -- true`` may take.  Here the
methods are shared, and the fields are described by a real dataclass, made at the first question for it, be it by
``dataclasses.replace`` and ``fields`` or by a decoder such as msgspec.

``typing.NamedTuple`` compiles every annotation that is a text, and the first call of ``compile`` in a process makes
the hundred classes of a syntax tree, 3 ms.  Here annotations stay as they are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import Field
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 — who defines records takes it from here
else:
    from collections import namedtuple

    class _Made(type):
        """Makes a named tuple of a class's annotations and its other attributes, as ``typing`` does."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body.get("__annotations__", {})
            defaults = [body.pop(field) for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults)  # noqa: PYI024 — this is how one becomes typed
            for attribute, value in body.items():
                setattr(made, attribute, value)
            return made

    class NamedTuple(metaclass=_Made):
        """Base of named tuples, to be used as :class:`typing.NamedTuple` is."""


class _Described:
    """``__dataclass_fields__``, made when first asked for."""

    def __get__(self, _instance: object, owner: type[Record]) -> dict[str, Field[Any]]:
        from dataclasses import dataclass, field
        from functools import partial

        body: dict[str, Any] = {"__annotations__": owner.__annotations__, "__module__": owner.__module__}
        for name, default in owner.defaults.items():
            body[name] = field(default_factory=partial(_itself, default))
        twin: Any = dataclass(kw_only=True)(type(owner.__name__, (), body))
        owner.__dataclass_fields__ = twin.__dataclass_fields__
        return owner.__dataclass_fields__


def _itself(value: object) -> object:
    return value


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Record:
    """Base of records: frozen, keyword-only, equal by value.  A default is shared, so it must not be mutable."""

    __match_args__ = ()
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
        defaults: ClassVar[dict[str, Any]]
    else:  # without annotations, which decoders would take for fields
        __dataclass_fields__ = _Described()

    def __init_subclass__(cls) -> None:
        cls.defaults = {name: vars(cls)[name] for name in cls.__annotations__ if name in vars(cls)}
        # A field that a decoder did not set must be seen as missing, not as the class's attribute.
        for name in cls.defaults:
            delattr(cls, name)

    def __init__(self, **values: Any) -> None:  # noqa: ANN401 — type checkers see the fields instead
        unknown = values.keys() - self.__annotations__.keys()
        missing = self.__annotations__.keys() - self.defaults.keys() - values.keys()
        if unknown or missing:
            raise TypeError(f"{type(self).__name__}: unknown fields {unknown or '{}'}, missing {missing or '{}'}")
        vars(self).update(self.defaults, **values)

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name}: records are frozen; use dataclasses.replace")

    __delattr__ = __setattr__  # type: ignore[assignment] # raises all the same

    def __eq__(self, other: object) -> bool:
        return self.values() == other.values() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.values())

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__annotations__)
        return f"{type(self).__name__}({fields})"

    def values(self) -> tuple[Any, ...]:
        """The fields' values, in their order."""
        return tuple(getattr(self, name) for name in self.__annotations__)
