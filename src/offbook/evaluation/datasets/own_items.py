"""Our own 60 MBTI-style and 60 Big-Five-style questions as datasets without subjects.

Takes: a language.  Gives: a `Dataset` whose items are put to whichever characters are named, with
labels where a file of them is.
Paper: AMADEUS (003), section 5.2; the wording is ours (``evaluation.questionnaires``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from offbook.evaluation.benchmark import Dataset
from offbook.evaluation.datasets.collecting import Collector
from offbook.evaluation.datasets.dialogue import put_shipped
from offbook.evaluation.datasets.folders import chosen
from offbook.evaluation.datasets.labels import read_labels
from offbook.evaluation.datasets.reading import read_rows
from offbook.evaluation.questionnaires import LANGUAGES

LICENCE: Final = "Apache-2.0 (ours)"


def load_mbti_60(path: Path | None, *, language: str = "en") -> Dataset:
    """The MBTI-style items; ``path``, where one is given, is a file of labels.

    Raises:
        UnreadableDocument, UsageError: the language is not there, or the labels cannot be read.
    """
    return _load("mbti-60", path, language)


def load_bigfive_60(path: Path | None, *, language: str = "en") -> Dataset:
    """The Big-Five-style items; ``path``, where one is given, is a file of labels.

    Raises:
        UnreadableDocument, UsageError: the language is not there, or the labels cannot be read.
    """
    return _load("bigfive-60", path, language)


def _load(name: str, path: Path | None, language: str) -> Dataset:
    language = chosen(language, LANGUAGES, "language")
    found = Collector(name, version="1", licence=LICENCE, source="offbook")
    put_shipped(found, name, language)
    if path is not None:
        labelled = read_labels(read_rows(path), found.notes)
        for subject, labels in labelled.labels.items():
            found.subject(subject, names=labelled.names.get(subject, ()), labels=labels)
    return found.dataset()
