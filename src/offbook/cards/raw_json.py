"""Raw JSON objects: typed attributes on them, and what a translation of one cannot carry.

Takes: an object.  Gives: descriptors for a class with ``raw``, by which a field that is absent,
null or of another type reads as its empty value; and a residue, with which the way back from
another format is exact: ``restore(rebuilt, residue(original, rebuilt)) == original`` always.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")

Json = dict[str, Any]


def object_of(value: Any) -> Json:
    """The object that a value is; an empty one where it is none."""
    return value if isinstance(value, dict) else {}


def text_of(value: Any) -> str:
    """The text that a value is; an empty one where it is none."""
    return value if isinstance(value, str) else ""


def list_of(value: Any) -> list[Any]:
    """The list that a value is; an empty one where it is none."""
    return value if isinstance(value, list) else []


def whole_of(value: Any) -> int | None:
    """The whole number that a value is; None where it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def count_of(value: Any) -> int:
    """The whole number above nothing that a value is; 0 where it is none."""
    return max(0, whole_of(value) or 0)


def extension_of(raw: Json, name: str) -> Json:
    """What an object has under a name of its extensions; empty where there is nothing."""
    return object_of(object_of(raw.get("extensions")).get(name))


def same(a: Any, b: Any) -> bool:
    """Whether two JSON values are the same; ``True`` is not 1, and 1 is not 1.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def residue(original: Mapping[str, Any], rebuilt: Mapping[str, Any]) -> Json:
    """How ``original`` differs from ``rebuilt``; empty where they are the same.

    ``only`` are fields that the translation does not know, ``instead`` fields that it changes
    (with what it makes of them, so that a later edit is noticed), ``absent`` fields that it adds.
    """
    made: Json = {}
    only = {key: value for key, value in original.items() if key not in rebuilt}
    instead = {
        key: {"was": value, "became": rebuilt[key]}
        for key, value in original.items()
        if key in rebuilt and not same(value, rebuilt[key])
    }
    absent = {key: value for key, value in rebuilt.items() if key not in original}
    for name, part in (("only", only), ("instead", instead), ("absent", absent)):
        if part:
            made[name] = copy.deepcopy(part)
    return made


def restore(rebuilt: Json, left_over: Any) -> Json:
    """``rebuilt`` with what was kept put back, but for fields that were edited since."""
    if not isinstance(left_over, dict):
        return rebuilt
    made = dict(rebuilt)
    for key, pair in object_of(left_over.get("instead")).items():
        if not isinstance(pair, dict) or not {"was", "became"} <= pair.keys():
            continue
        if key in made and same(made[key], pair["became"]):
            made[key] = copy.deepcopy(pair["was"])
    for key, value in object_of(left_over.get("absent")).items():
        if key in made and same(made[key], value):
            del made[key]
    for key, value in object_of(left_over.get("only")).items():
        made.setdefault(key, copy.deepcopy(value))
    return made


class HasRaw(Protocol):
    """Something with the raw object that its fields live in."""

    @property
    def raw(self) -> Json:
        """The object as it was read."""
        ...


def _fields(owner: Any) -> Json:
    """The object that holds the fields: ``data`` of a card from V2 on, else ``raw`` itself."""
    fields: Json = getattr(owner, "data", owner.raw)
    return fields


class View(Generic[T]):
    """An attribute that reads and writes a field of the raw object that its owner stands on.

    Args:
        read: Makes of its value, None where there is none, what the attribute is.
        write: Makes of what the attribute is set to the value of the field.
    """

    def __init__(
        self, name: str, read: Callable[[Any], T], write: Callable[[T], Any] | None = None
    ) -> None:
        self._name = name
        self._read = read
        self._write = write

    def __get__(self, owner: HasRaw, kind: type | None = None) -> T:
        return self._read(_fields(owner).get(self._name))

    def __set__(self, owner: HasRaw, value: T) -> None:
        _fields(owner)[self._name] = value if self._write is None else self._write(value)


def text(name: str) -> View[str]:
    """A text; empty where there is none."""
    return View(name, text_of)


def texts(name: str) -> View[tuple[str, ...]]:
    """A list of texts, read as a tuple."""

    def read(value: Any) -> tuple[str, ...]:
        return tuple(item for item in list_of(value) if isinstance(item, str))

    return View(name, read, list)


def flag(name: str, *, default: bool = False) -> View[bool]:
    """True or false, with a default for a field that is absent or null."""
    return View(name, lambda value: value if isinstance(value, bool) else default)


def optional_flag(name: str) -> View[bool | None]:
    """True, false, or None: whatever the reader's own setting is."""
    return View(name, lambda value: value if isinstance(value, bool) else None)


def optional_whole(name: str) -> View[int | None]:
    """A whole number, or None where there is none."""
    return View(name, lambda value: int(value) if _is_number(value) else None)


def number(name: str) -> View[float]:
    """A number; 0 where there is none."""
    return View(name, lambda value: value if _is_number(value) else 0)


def json_object(name: str) -> View[Json]:
    """An object; empty where there is none. Set it to change it."""
    return View(name, object_of)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
