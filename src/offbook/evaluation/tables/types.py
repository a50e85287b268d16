"""Types in letters for the tables: from the scores of a run's dimensions, against labels.

Takes: scores of items that were rated one by one, labels by character.  Gives: letters, and sum
|d|, accuracy and average F1.
Paper: AMADEUS (002), tables 4 and 5; (003), tables 3 to 5.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Subject
from offbook.evaluation.datasets.columns import Notes
from offbook.evaluation.datasets.labels import read_labels
from offbook.evaluation.datasets.reading import read_rows
from offbook.evaluation.interviews.scoring import typology_labels
from offbook.evaluation.metrics.statistics import Estimate
from offbook.evaluation.metrics.typology import MBTI, SLOAN, Letters, Typology, compare
from offbook.evaluation.tables.published import published_types

if TYPE_CHECKING:
    from offbook.evaluation.protocol import Score

TYPOLOGIES: Final = {"mbti_item": (MBTI, 50.0), "bigfive_item": (SLOAN, 3.0)}
"""By judged scale: the typology, and the score above which the first pole holds."""
_PRINTED: Final = {"mbti_item": "amadeus-mbti", "bigfive_item": "amadeus-sloan"}

Types = Mapping[str, Letters]
"""Letters by character."""


def types_of(scores: Iterable[Score], variant: str, metric: str) -> dict[str, Letters]:
    """The letters of each character that a variant answered for; None for a dimension unrated."""
    typology, tie = TYPOLOGIES[metric]
    found: dict[str, dict[str, str | None]] = {}
    poles = {dimension.name: dimension for dimension in typology.dimensions}
    for score in scores:
        if score.metric != f"{metric}.score" or score.variant != variant:
            continue
        subject, _, name = score.group.removeprefix("subject=").rpartition("/dimension=")
        mean, dimension = score.estimate.mean, poles[name]
        letter = None if mean is None else dimension.first if mean > tie else dimension.second
        found.setdefault(subject, {})[name] = letter
    return {
        subject: tuple(letters.get(dimension.name) for dimension in typology.dimensions)
        for subject, letters in found.items()
    }


def labels_of(metric: str, file: Path | None) -> dict[str, Letters]:
    """Labels by character: those of a file of the user's, or those that the papers print.

    Raises:
        UnreadableDocument: the file cannot be read.
        UsageError: it has no label of this test.
    """
    typology, _ = TYPOLOGIES[metric]
    if file is None:
        return {
            name: typology.letters(text) for name, text in published_types(_PRINTED[metric]).items()
        }
    labelled = read_labels(read_rows(file), Notes())
    found = {
        name: typology_labels(Subject(name, labels=tuple(labels)), typology)
        for name, labels in labelled.labels.items()
    }
    known = {name: letters for name, letters in found.items() if any(letters)}
    if not known:
        raise UsageError(
            f"{str(file)!r} has no label of {typology.name}",
            f"columns: character, and {typology.name} with a type a character",
        )
    return known


def compared(types: Types, labels: Types, typology: Typology) -> dict[str, Estimate]:
    """Sum |d|, accuracy and average F1 of the characters that were asked and have a label."""
    by_fold = {fold(name): letters for name, letters in labels.items()}
    asked = {name: by_fold[fold(name)] for name in types if fold(name) in by_fold}
    if not asked:
        return {}
    table = compare({name: types[name] for name in asked}, asked, typology)
    return {
        "sum_d": Estimate(float(table.wrong), table.accuracy.n, table.accuracy.missing),
        "accuracy": table.accuracy,
        "avg_f1": table.average_f1,
    }


def fold(name: str) -> str:
    """A name as it is compared: case, accents and what stands between letters do not count."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in plain if letter.isalnum())
