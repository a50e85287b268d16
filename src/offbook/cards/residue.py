"""What a translation into another format cannot carry, kept so that the way back is exact.

Takes: an object as it was, and as the way there and back makes it.  Gives: the difference, to be
stored under ``extensions``; ``restore(rebuilt, residue(original, rebuilt)) == original`` always.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]


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


def restore(rebuilt: Json, kept: Any) -> Json:
    """``rebuilt`` with what was kept put back, but for fields that were edited since."""
    if not isinstance(kept, dict):
        return rebuilt
    made = dict(rebuilt)
    for key, pair in _part(kept, "instead").items():
        if not isinstance(pair, dict) or not {"was", "became"} <= pair.keys():
            continue
        if key in made and same(made[key], pair["became"]):
            made[key] = copy.deepcopy(pair["was"])
    for key, value in _part(kept, "absent").items():
        if key in made and same(made[key], value):
            del made[key]
    for key, value in _part(kept, "only").items():
        made.setdefault(key, copy.deepcopy(value))
    return made


def _part(kept: Json, name: str) -> Json:
    part = kept.get(name)
    return part if isinstance(part, dict) else {}
