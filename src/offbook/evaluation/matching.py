"""Whether a stored run is the one that is asked for again, and if not, what differs.

Takes: two runs.  Gives: the differences in words. A run that asks for more questions or repeats of
the same goes on where the smaller one stopped; anything else that decides a reply or a rating makes
another run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from offbook.evaluation.record import Run

_SHOWN = 12


def same_request(one: Run, other: Run) -> bool:
    """Whether a person who asked for one would take the other for it."""
    return (
        one.benchmark == other.benchmark
        and [variant.label for variant in one.variants] == [v.label for v in other.variants]
        and list(one.subjects) == list(other.subjects)
        and one.seed == other.seed
    )


def differences(old: Run, new: Run) -> list[str]:
    """What of an old run would be otherwise now; none: it can go on."""
    found = [
        *_plain(old, new),
        *_mapping("model", _models(old), _models(new)),
        *_mapping("prompt", old.prompts, new.prompts),
        *_mapping("character", old.subjects, new.subjects),
        *_known(old, new),
        *_variants(old, new),
    ]
    if _fewer(old.limit, new.limit):
        found.append(f"--limit {old.limit} -> {new.limit} (a run only grows)")
    if new.repeats < old.repeats:
        found.append(f"--repeats {old.repeats} -> {new.repeats} (a run only grows)")
    return found


def _plain(old: Run, new: Run) -> list[str]:
    names = {
        "benchmark": "the benchmark",
        "benchmark_version": "the benchmark's version",
        "dataset": "the dataset",
        "dataset_checksum": "the dataset's checksum",
        "protocol": "the protocol",
        "metrics": "the metrics",
        "embedder": "the embedder",
        "seed": "--seed",
    }
    return [
        _changed(told, getattr(old, name), getattr(new, name))
        for name, told in names.items()
        if getattr(old, name) != getattr(new, name)
    ]


def _models(run: Run) -> dict[str, str]:
    return {role: f"{named.model} at {named.base_url}" for role, named in run.models.items()}


def _variants(old: Run, new: Run) -> list[str]:
    before = {variant.label: variant for variant in old.variants}
    after = {variant.label: variant for variant in new.variants}
    if list(before) != list(after):
        return [_changed("the methods", ", ".join(before), ", ".join(after))]
    found: list[str] = []
    for label, variant in before.items():
        now = after[label]
        if variant.preset != now.preset:
            found.append(_changed(f"the preset of {label}", variant.preset, now.preset))
        found += _mapping(f"{label}: setting", variant.settings, now.settings)
    return found


def _known(old: Run, new: Run) -> list[str]:
    """Characters that know other documents or memories than when the run began."""
    found = [f"what {subject!r} knows" for subject in _otherwise(old.characters, new.characters)]
    told = _otherwise(old.introductions, new.introductions)
    return [*found, *(f"who the judge is told that {subject!r} is" for subject in told)]


def _otherwise(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Whose digests differ; what an older version did not note is taken for the same."""
    return [name for name, digest in new.items() if old.get(name, digest) != digest]


def _mapping(kind: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    names = [*old, *(name for name in new if name not in old)]
    return [
        _changed(f"{kind} {name}", old.get(name), new.get(name))
        for name in names
        if old.get(name) != new.get(name)
    ]


def _changed(what: str, old: Any, new: Any) -> str:
    return f"{what} {_short(old)} -> {_short(new)}"


def _short(value: Any) -> str:
    if value is None:
        return "unset"
    text = str(value)
    is_digest = len(text) == 64 and set(text) <= set("0123456789abcdef")
    return text[:_SHOWN] if is_digest else text


def _fewer(old: int | None, new: int | None) -> bool:
    return new is not None and (old is None or new < old)
