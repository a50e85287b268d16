"""A dataset as it is put together: questions, subjects, labels, and notes of what was met."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import (
    Dataset,
    Label,
    PastSession,
    Question,
    Scope,
    Subject,
    SubjectDocument,
    SubjectMemory,
)
from offbook.evaluation.datasets.reading import Columns, Notes, column_key, read_rows
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.typology import MBTI, SLOAN, UNDECIDED, Typology, label_type

if TYPE_CHECKING:
    from pathlib import Path

    from offbook.evaluation.datasets.reading import Fields, Row


_SCALES: Final = {"BFI": "bfi_batch", "16Personalities": "16p_batch"}
_COLUMNS: Final = {
    "character": ("character", "subject", "name", "role"),
    "questionnaire": ("questionnaire", "test", "scale"),
    "dimension": ("dimension", "dim"),
    "type": ("type",),
    "score": ("score",),
    "source": ("source",),
    "mbti": ("mbti", "label"),
    "sloan": ("sloan", "bfi_sloan", "big_five"),
    "alias": ("alias", "aliases"),
    "interviewer": ("experimenter", "interviewer"),
}


def type_labels(typology: Typology, letters: str, source: str = "") -> tuple[Label, ...]:
    """The labels of a whole type, such as ``EXTP`` or ``SCOEN``; X is undecided.

    Raises:
        UsageError: it is no type.
    """
    wanted_letters = letters.strip().upper()
    poles = [(each.first, each.second, UNDECIDED) for each in typology.dimensions]
    if len(wanted_letters) != len(poles) or any(
        letter not in allowed for letter, allowed in zip(wanted_letters, poles, strict=True)
    ):
        allowed = " ".join("|".join(each) for each in poles)
        raise UsageError(
            f"{letters!r} is no type of {typology.name}",
            f"a letter each of: {allowed} ({UNDECIDED}: undecided)",
        )
    return tuple(
        Label(typology.name, dimension.name, letter, None, source)
        for dimension, letter in zip(typology.dimensions, wanted_letters, strict=True)
    )


def banded(questionnaire: str, score: float) -> str:
    """H, L or X of a score on BFI's or 16Personalities' own scale.

    Raises:
        UsageError: the score is not on it, or the questionnaire is another.
    """
    if questionnaire not in _SCALES:
        raise UsageError(f"no scale is known for {questionnaire!r}", f"known: {', '.join(_SCALES)}")
    scale = SCALES[_SCALES[questionnaire]]
    if not scale.accepts(score):
        raise UsageError(
            f"{score!r} is no score of {questionnaire}",
            f"it goes from {scale.low:g} to {scale.high:g}",
        )
    return label_type(score, scale)


def read_labels(rows: Iterable[Row], notes: Notes) -> dict[str, Subject]:
    """Read whom rows label, which have a dimension each, or a whole type (``mbti``, ``sloan``).

    Raises:
        UsageError: a row has no character, or a type that is none; the message names the row.
    """
    labelled: dict[str, Subject] = {}
    columns = Columns(_COLUMNS, notes)
    for row in rows:
        fields = columns.of(row)
        character, source = fields.text("character"), fields.text("source")
        if not character:
            raise UsageError(f"{row.place} has no 'character'", "name the character of each label")
        new: list[Label] = []
        try:
            for typology in (MBTI, SLOAN):
                if letters := fields.text(typology.name):
                    new += type_labels(typology, letters, source)
            if dimension := fields.text("dimension"):
                said = {name: fields.text(name) for name in ("score", "type")}
                new.append(scored(fields.text("questionnaire"), dimension, said, source))
        except (UsageError, ValueError) as error:
            problem = error.message if isinstance(error, UsageError) else f"no score: {error}"
            raise UsageError(f"{row.place}: {problem}", getattr(error, "hint", "")) from error
        before = labelled.get(character) or Subject(character)
        labelled[character] = replace(
            before,
            names=fields.texts("alias") or before.names,
            labels=(*before.labels, *new),
            interviewer=fields.text("interviewer") or before.interviewer,
        )
    return labelled


def scored(questionnaire: str, dimension: str, said: Mapping[str, object], source: str) -> Label:
    """The label of one dimension; the type follows from the score where it is not given.

    Raises:
        UsageError, ValueError: there is neither a type nor a score that can be used.
    """
    score = None if said.get("score") in (None, "") else float(str(said["score"]))
    kind = str(said.get("type") or "").strip()
    if not kind and score is None:
        raise UsageError(f"the label of {dimension!r} has neither type nor score", "give one")
    if not kind and score is not None:
        kind = banded(questionnaire, score)
    return Label(questionnaire, dimension, kind, score, source)


ONE_SUBJECT: Final = "one subject only: an average over characters is that of this one"

_KANA: Final = re.compile("[\u3040-\u30ff]")
_HAN: Final = re.compile("[\u3400-\u9fff]")
_HANGUL: Final = re.compile("[\uac00-\ud7af]")
_SCOPES: Final[dict[str, Scope]] = {
    **dict.fromkeys(("in", "in_scope", "within", "known", "answerable"), "in"),
    **dict.fromkeys(("out", "out_of_scope", "outside", "unknown", "unanswerable"), "out"),
}


def language_of(text: str) -> str:
    """The language of a question by its script: ja, ko, zh, else en."""
    if _HANGUL.search(text):
        return "ko"
    if _KANA.search(text):
        return "ja"
    return "zh" if _HAN.search(text) else "en"


def made_id(*parts: str) -> str:
    """An id from content, the same for the same content."""
    return "q-" + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


class Collector:
    """Builds a dataset."""

    def __init__(self, name: str, *, licence: str, source: str) -> None:
        self.notes = Notes()
        self.rows = 0
        self.histories: dict[str, tuple[PastSession, ...]] = {}
        self._name, self._licence, self._source = name, licence, source
        self._subjects: dict[str, Subject] = {}
        self._memories: set[tuple[str, SubjectMemory]] = set()
        self._questions: dict[tuple[str | None, str, str], Question] = {}
        self._ids: set[str] = set()

    def subject(
        self,
        name: str,
        *,
        names: Iterable[str] = (),
        description: str = "",
        interviewer: str = "",
        labels: Iterable[Label] = (),
    ) -> None:
        """Say that there is this subject, or more about it."""
        entry = self._subjects.get(name) or Subject(name)
        others = dict.fromkeys(each for each in names if each and each != name)
        self._subjects[name] = replace(
            entry,
            names=tuple(dict.fromkeys((*entry.names, *others))),
            description=entry.description or description,
            interviewer=entry.interviewer or interviewer,
            labels=(*entry.labels, *(each for each in labels if each not in entry.labels)),
        )

    def document(self, name: str, document: str, text: str) -> None:
        """Give a subject a persona document; the first one of a name counts."""
        self.subject(name)
        entry = self._subjects[name]
        if document in (each.name for each in entry.documents):
            return
        documents = (*entry.documents, SubjectDocument(document, text))
        self._subjects[name] = replace(entry, documents=documents)

    def memory(self, name: str, said: str, answered: str) -> None:
        """Give a subject a memory; one that it has already is noted and left out."""
        self.subject(name)
        memory = SubjectMemory(said, answered)
        if (name, memory) in self._memories:
            self.notes.at("a memory that comes twice is kept once", name)
            return
        self._memories.add((name, memory))
        entry = self._subjects[name]
        self._subjects[name] = replace(entry, memories=(*entry.memories, memory))

    def has(self, subject: str) -> bool:
        """Whether there is a subject of this name."""
        return subject in self._subjects

    def label(self, path: Path, *, adding: bool = False) -> None:
        """Read labels from a file of rows.

        They are those of subjects by any of their names; of others with ``adding`` alone.

        Raises:
            UnreadableDocument, UsageError: as `read_labels`.
        """
        for name, each in read_labels(read_rows(path), self.notes).items():
            known = self._known_as(name) or (name if adding else None)
            if known is not None:
                self.subject(known, names=each.names, labels=each.labels)

    def ask_row(self, fields: Fields, **changes: Any) -> None:
        """Add the question of a row, with ``changes`` to what its columns say (see `ask`)."""
        place = fields.row.short_place
        if "scope" not in changes:
            changes["scope"] = self.scope(fields.text("scope"), place)
        if "subject" not in changes:
            changes["subject"] = fields.text("character") or None
        columns = {"id": fields.text, "kind": fields.text, "language": fields.text}
        texts: dict[str, Any] = {
            name: read(name) for name, read in columns.items() if name not in changes
        }
        answers = changes.pop("answers") if "answers" in changes else fields.texts("answers")
        self.ask(fields.text("question"), place=place, answers=answers, **texts, **changes)

    def ask(self, text: str, *, place: object, **fields: Any) -> None:
        """Add a question with these ``fields``; one without an id gets one made of its content.

        In a script, after other sessions, or of another scene the same words may come again.
        """
        self.rows += 1
        new = Question("", text.strip(), **{name: fields[name] for name in fields if name != "id"})
        if not new.text:
            self.notes.at("rows without a question, left out", place)
            return
        if new.subject is not None:
            self.subject(new.subject)
        apart = new.history or (new.scene.scenario if new.scene else "")
        apart = apart or f"{new.script}{new.turn or ''}{new.as_of}"
        apart = apart or (new.item.number if new.item else "")
        key = (new.subject, new.text, apart)
        if key in self._questions:
            self._again(key, place, new.scope, new.answers)
            return
        wanted = fields.get("id") or ""
        if not wanted:
            self.notes.at("questions without an id, which is made from the content", place)
            wanted = made_id(new.subject or "", new.text, apart)
        language = fields.get("language") or language_of(new.text)
        self._questions[key] = replace(new, id=self._unused(wanted, place), language=language)

    def _again(
        self,
        key: tuple[str | None, str, str],
        place: object,
        scope: Scope | None,
        answers: tuple[str, ...],
    ) -> None:
        first = self._questions[key]
        if scope != first.scope:
            self.notes.at("questions that come again with another scope, the first counts", place)
        new = tuple(answer for answer in dict.fromkeys(answers) if answer not in first.answers)
        self._questions[key] = replace(first, answers=first.answers + new)
        self.notes.at("questions that come again are asked once, with the answers of all", place)

    def _unused(self, wanted: str, place: object) -> str:
        made, number = wanted, 2
        while made in self._ids:
            made = f"{wanted}-{number}"
            number += 1
        if made != wanted:
            self.notes.at("ids that stand for several questions, the later ones numbered", place)
        self._ids.add(made)
        return made

    def scope(self, value: str, place: object) -> Scope | None:
        """The scope that a file means; what is not understood is noted and is none."""
        if not value:
            return None
        if column_key(value) not in _SCOPES:
            self.notes.at(f"scope {value!r} is not understood (in, out), taken as none", place)
        return _SCOPES.get(column_key(value))

    def _known_as(self, name: str) -> str | None:
        """The subject that bears this name, or has it among its other names."""
        if name in self._subjects:
            return name
        folded = name.casefold()
        for each in self._subjects.values():
            if folded in (each.name.casefold(), *(other.casefold() for other in each.names)):
                return each.name
        return None

    @property
    def subject_names(self) -> list[str]:
        """The subjects so far, in the order in which they came."""
        return list(self._subjects)

    def dataset(self) -> Dataset:
        """The dataset.

        Raises:
            UsageError: it has no question.
        """
        if not self._questions:
            raise UsageError(
                f"the dataset {self._name!r} has no question ({self._source})",
                "; ".join(self.notes.listed(self.rows)) or "name a file or folder that has some",
            )
        if len(self._subjects) == 1:
            self.notes.say(ONE_SUBJECT)
        return Dataset(
            name=self._name,
            version="1",
            licence=self._licence,
            source=self._source,
            subjects=tuple(self._subjects.values()),
            questions=tuple(self._questions.values()),
            notes=self.notes.listed(self.rows),
            histories=self.histories,
        )
