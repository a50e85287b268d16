"""Typed windows on a raw JSON object: attributes that read and write its fields, and nothing else.

Takes: the name of a field.  Gives: a descriptor for a class with ``raw``; a field that is absent,
null or of another type reads as its empty value, and the object keeps it as it is.
"""

from __future__ import annotations

from typing import Any, Protocol

from offbook.cards.residue import Json


class HasRaw(Protocol):
    """Something with the raw object that its fields live in."""

    @property
    def raw(self) -> Json:
        """The object as it was read."""
        ...


def _fields(owner: Any) -> Json:
    """The object that holds the fields: ``data`` of a card from V2 on, else ``raw`` itself."""
    found: Json = getattr(owner, "data", owner.raw)
    return found


class Text:
    """A text; empty where there is none."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, owner: HasRaw, kind: type | None = None) -> str:
        value = _fields(owner).get(self._name)
        return value if isinstance(value, str) else ""

    def __set__(self, owner: HasRaw, value: str) -> None:
        _fields(owner)[self._name] = value


class Texts:
    """A list of texts, read as a tuple."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, owner: HasRaw, kind: type | None = None) -> tuple[str, ...]:
        value = _fields(owner).get(self._name)
        if not isinstance(value, list):
            return ()
        return tuple(item for item in value if isinstance(item, str))

    def __set__(self, owner: HasRaw, value: tuple[str, ...]) -> None:
        _fields(owner)[self._name] = list(value)


class Flag:
    """True or false, with a default for a field that is absent or null."""

    def __init__(self, name: str, *, default: bool = False) -> None:
        self._name = name
        self._default = default

    def __get__(self, owner: HasRaw, kind: type | None = None) -> bool:
        value = _fields(owner).get(self._name)
        return value if isinstance(value, bool) else self._default

    def __set__(self, owner: HasRaw, value: bool) -> None:
        _fields(owner)[self._name] = value


class OptionalFlag:
    """True, false, or None: whatever the reader's own setting is."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, owner: HasRaw, kind: type | None = None) -> bool | None:
        value = _fields(owner).get(self._name)
        return value if isinstance(value, bool) else None

    def __set__(self, owner: HasRaw, value: bool | None) -> None:
        _fields(owner)[self._name] = value


class OptionalWhole:
    """A whole number, or None where there is none."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, owner: HasRaw, kind: type | None = None) -> int | None:
        value = _fields(owner).get(self._name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return int(value)

    def __set__(self, owner: HasRaw, value: int | None) -> None:
        _fields(owner)[self._name] = value


class Number:
    """A number; 0 where there is none."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, owner: HasRaw, kind: type | None = None) -> float:
        value = _fields(owner).get(self._name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return 0
        return value

    def __set__(self, owner: HasRaw, value: float) -> None:
        _fields(owner)[self._name] = value


class Object:
    """An object; empty where there is none. Set it to change it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, owner: HasRaw, kind: type | None = None) -> Json:
        fields = _fields(owner)
        value = fields.get(self._name)
        if not isinstance(value, dict):
            value = {}
        return value

    def __set__(self, owner: HasRaw, value: Json) -> None:
        _fields(owner)[self._name] = value
