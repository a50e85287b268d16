"""Whom a run asks: subjects of the dataset, or any character that its general questions suit.

Takes: what a person named.  Gives: subjects, and the name of the character that stands for each;
and the dataset as far as it concerns them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from offbook.errors import UnknownName, UsageError
from offbook.evaluation.benchmark import Dataset, Subject


@dataclass(frozen=True, slots=True)
class Part:
    """A subject, and the character that plays it, as the person named it."""

    subject: Subject
    character: str


def parts_named(dataset: Dataset, named: Sequence[str]) -> tuple[Part, ...]:
    """The subjects to be asked.

    Args:
        dataset: What is asked.
        named: ``SUBJECT``, ``SUBJECT=CHARACTER`` where the character has another name, or
            ``CHARACTER`` where the dataset has questions for anybody; none: every subject.

    Raises:
        UsageError: nobody is named, and the dataset has no subjects; one is named twice; or a name
            is that of several.
        UnknownName: the dataset has no such subject, and no questions for anybody.
    """
    parts = tuple(_part(dataset, text) for text in named)
    if not named:
        parts = tuple(Part(subject, subject.name) for subject in dataset.subjects)
    if not parts:
        raise UsageError(
            f"the dataset {dataset.name!r} does not say whom to ask", "name a --character"
        )
    names = [part.subject.name for part in parts]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"the subject {twice[0]!r} is named twice", "name each once")
    for part in parts:
        if next(dataset.asked(part.subject.name), None) is None:
            raise UsageError(
                f"the dataset {dataset.name!r} has no question for {part.subject.name!r}",
                "name another --character",
            )
    return parts


def narrowed(dataset: Dataset, subjects: Collection[Subject]) -> Dataset:
    """The dataset as far as it concerns some subjects; its checksum is another then."""
    names = {subject.name for subject in subjects}
    questions = (q for q in dataset.questions if q.subject is None or q.subject in names)
    return replace(dataset, subjects=tuple(subjects), questions=tuple(questions))


def subject_named(dataset: Dataset, name: str) -> Subject:
    """The subject of a stored run: one of the dataset, or whoever was asked as one."""
    try:
        return dataset.subject(name)
    except KeyError:
        return Subject(name)


def _part(dataset: Dataset, text: str) -> Part:
    name, equals, character = (piece.strip() for piece in text.partition("="))
    if not name or (equals and not character):
        raise UsageError(f"{text!r} names nobody", "write SUBJECT or SUBJECT=CHARACTER")
    subject = _find(dataset, name)
    if subject is not None:
        return Part(subject, character or subject.name)
    if any(question.subject is None for question in dataset.questions):
        return Part(Subject(name), character or name)
    known = [each.name for each in dataset.subjects]
    near = get_close_matches(name, known, 1, 0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UnknownName(
        f"the dataset {dataset.name!r} asks nobody of the name {name!r}",
        f"{hint}it asks {', '.join(known)}; for another name write SUBJECT=CHARACTER",
    )


def _find(dataset: Dataset, name: str) -> Subject | None:
    """The subject of this name; accents, case and what stands between letters may be left out.

    A subject's own name goes before another's other name.

    Raises:
        UsageError: it is a name of several alike.
    """
    for subject in dataset.subjects:
        if subject.name == name:
            return subject
    folded = _fold(name)
    if not folded:
        return None
    own = [each for each in dataset.subjects if _fold(each.name) == folded]
    found = own or [each for each in dataset.subjects if folded in map(_fold, each.names)]
    if len(found) > 1:
        told = ", ".join(repr(each.name) for each in found)
        raise UsageError(f"{name!r} is a name of several subjects: {told}", "write which is meant")
    return found[0] if found else None


def _fold(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in plain if letter.isalnum())
