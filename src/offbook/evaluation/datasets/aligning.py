"""Which character stands for which subject of a dataset.

Takes: a dataset, and the characters that a person named.  Gives: the dataset narrowed to them, and
subject -> character; a character that the dataset does not know is refused, naming the nearest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Protocol

from offbook.errors import UnknownName, UsageError
from offbook.evaluation.benchmark import Dataset, Subject
from offbook.evaluation.datasets.collecting import ONE_SUBJECT
from offbook.language.words import fold


class Named(Protocol):
    """A character: `offbook.types.Character`, or anything with an id and a name."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def name(self) -> str:
        """Its name."""
        ...


@dataclass(frozen=True, slots=True)
class Aligned:
    """A dataset narrowed to those who are asked, and the character that stands for each."""

    dataset: Dataset
    characters: Mapping[str, str]


def name_key(name: str) -> str:
    """A name as it is compared: folded, without a language mark (``hutao-zh``) or punctuation."""
    name = fold(name)
    for mark in ("-en", "-zh"):
        name = name.removesuffix(mark)
    letters = "".join(letter if letter.isalnum() else " " for letter in name)
    return " ".join(letters.split())


def align(
    dataset: Dataset,
    characters: Sequence[Named],
    *,
    aliases: Mapping[str, Iterable[str]] | None = None,
    pairs: Mapping[str, str] | None = None,
) -> Aligned:
    """Pair subjects with characters, by name or by another name of either.

    Args:
        dataset: One without subjects (a questionnaire) is put to each character.
        characters: Those that the person named. None: the dataset as it is, nobody paired yet.
        aliases: Character id -> other names, such as those of its graph.
        pairs: Subject -> character id, where a person said so; it wins.

    Raises:
        UnknownName: a character is no subject of the dataset; the hint names the nearest.
        UsageError: two characters stand for one subject, or one name fits two subjects.
    """
    if not characters:
        return Aligned(dataset, {})
    said = {character: subject for subject, character in (pairs or {}).items()}
    if not any(question.subject for question in dataset.questions) and not _is_about(dataset):
        return _everybody(dataset, characters, aliases or {}, said)
    chosen: dict[str, str] = {}
    for character in characters:
        if character.id in said:
            subject = _subject(dataset, [said[character.id]]).name
        else:
            names = [character.name, character.id, *(aliases or {}).get(character.id, ())]
            subject = _subject(dataset, names).name
        if subject in chosen:
            raise UsageError(
                f"{chosen[subject]!r} and {character.id!r} both stand for {subject!r}",
                "name one of them",
            )
        chosen[subject] = character.id
    return Aligned(narrowed(dataset, chosen), chosen)


def narrowed(dataset: Dataset, subjects: Iterable[str]) -> Dataset:
    """The dataset with these subjects only, and the questions that are put to them."""
    wanted = set(subjects)
    kept = tuple(each for each in dataset.subjects if each.name in wanted)
    notes = dataset.notes
    if len(kept) == 1 and ONE_SUBJECT not in notes:
        notes += (ONE_SUBJECT,)
    return replace(
        dataset,
        subjects=kept,
        notes=notes,
        questions=tuple(
            each for each in dataset.questions if each.subject is None or each.subject in wanted
        ),
    )


def _is_about(dataset: Dataset) -> bool:
    """Whether the dataset brings the characters themselves (documents or memories)."""
    return any(each.documents or each.memories for each in dataset.subjects)


def _everybody(
    dataset: Dataset,
    characters: Sequence[Named],
    aliases: Mapping[str, Iterable[str]],
    said: Mapping[str, str],
) -> Aligned:
    """Items put to each character; one whom the dataset labels keeps its labels and names."""
    subjects: dict[str, Subject] = {}
    for character in characters:
        others = tuple(dict.fromkeys(aliases.get(character.id, ())))
        if character.id in said:
            found: Subject | None = _subject(dataset, [said[character.id]])
        else:
            found = _known(dataset, [character.name, character.id, *others])
        other = tuple(each for each in others if each != character.name)
        subject = Subject(character.name, other) if found is None else found
        if subject.name in subjects:
            raise UsageError(f"{subject.name!r} is named twice", "name each character once")
        subjects[subject.name] = subject
    mapping = {name: character.id for name, character in zip(subjects, characters, strict=True)}
    notes = dataset.notes + ((ONE_SUBJECT,) if len(subjects) == 1 else ())
    unlabelled = [name for name, subject in subjects.items() if not subject.labels]
    if unlabelled:
        notes += (f"no label to compare with: {', '.join(unlabelled)}",)
    return Aligned(replace(dataset, subjects=tuple(subjects.values()), notes=notes), mapping)


def _subject(dataset: Dataset, names: Sequence[str]) -> Subject:
    found = _known(dataset, names)
    if found is not None:
        return found
    known = [each.name for each in dataset.subjects]
    keys = {name_key(other): each.name for each in dataset.subjects for other in _names(each)}
    near = get_close_matches(name_key(names[0]), keys, 1, 0.5)
    hint = f"did you mean {keys[near[0]]!r}? " if near else ""
    raise UnknownName(
        f"the dataset {dataset.name!r} knows no {names[0]!r}",
        f"{hint}its characters: {', '.join(known[:20])}{', ...' if len(known) > 20 else ''}",
    )


def _known(dataset: Dataset, names: Sequence[str]) -> Subject | None:
    """The subject that bears one of the names; its own name wins over other names.

    Raises:
        UsageError: a name fits several subjects alike.
    """
    keys = [name_key(name) for name in names]
    for is_own in (True, False):
        for key in keys:
            fitting = [
                each
                for each in dataset.subjects
                if key in {name_key(other) for other in ([each.name] if is_own else _names(each))}
            ]
            if len(fitting) == 1:
                return fitting[0]
            if fitting:
                listed = ", ".join(repr(each.name) for each in fitting)
                raise UsageError(
                    f"{names[0]!r} may be any of {listed} in {dataset.name!r}",
                    "say which: SUBJECT=CHARACTER",
                )
    return None


def _names(subject: Subject) -> tuple[str, ...]:
    return (subject.name, *subject.names)
