"""The questions and subjects of a dataset as a loader finds them: ids, duplicates, languages.

Takes: one question at a time.  Gives: a `Dataset`. A question that comes twice is asked once, with
the answers of both; a missing id is made from the content; both are noted.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from offbook.errors import UsageError
from offbook.evaluation.benchmark import (
    Dataset,
    Item,
    Label,
    Question,
    Scope,
    Subject,
    SubjectDocument,
    SubjectMemory,
)
from offbook.evaluation.datasets.columns import Notes, column_key

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


@dataclass(slots=True)
class _Found:
    """A subject as it comes together."""

    name: str
    names: dict[str, None] = field(default_factory=dict)
    description: str = ""
    documents: list[SubjectDocument] = field(default_factory=list)
    memories: dict[SubjectMemory, None] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)
    interviewer: str = ""


class Collector:
    """Builds a dataset.

    Args:
        name: The dataset's name; version, licence and source: what `Dataset` says of them.
    """

    def __init__(self, name: str, *, version: str, licence: str, source: str) -> None:
        self.notes = Notes()
        self._head = {"name": name, "version": version, "licence": licence, "source": source}
        self._subjects: dict[str, _Found] = {}
        self._questions: dict[tuple[str | None, str, str], Question] = {}
        self._ids: set[str] = set()
        self.rows = 0

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
        found = self._subjects.setdefault(name, _Found(name))
        found.names.update(dict.fromkeys(each for each in names if each and each != name))
        found.description = found.description or description
        found.interviewer = found.interviewer or interviewer
        found.labels += [label for label in labels if label not in found.labels]

    def document(self, subject: str, name: str, text: str) -> None:
        """Give a subject a persona document."""
        self.subject(subject)
        self._subjects[subject].documents.append(SubjectDocument(name, text))

    def memory(self, subject: str, said: str, answered: str) -> None:
        """Give a subject a memory; one that it has already is noted and left out."""
        self.subject(subject)
        memory = SubjectMemory(said, answered)
        if memory in self._subjects[subject].memories:
            self.notes.at("a memory that comes twice is kept once", subject)
        else:
            self._subjects[subject].memories[memory] = None

    def has(self, subject: str) -> bool:
        """Whether there is a subject of this name."""
        return subject in self._subjects

    def ask(
        self,
        text: str,
        *,
        place: object,
        id: str = "",  # noqa: A002  # the field of `Question` that it becomes
        subject: str | None = None,
        scope: Scope | None = None,
        answers: tuple[str, ...] = (),
        kind: str = "",
        item: Item | None = None,
        language: str = "",
    ) -> None:
        """Add a question.

        Args:
            text: What is asked; without any the question is left out and noted.
            place: Where it stands in the file, for notes.
            id: Its id in the file; made from the content where it is empty.
            subject: To whom it is put; None: to all.
            scope: In or out of what the character can know; None where nobody says.
            answers: Gold answers.
            kind: The dataset's own category.
            item: The item that it words.
            language: By the script where it is empty.
        """
        self.rows += 1
        text = text.strip()
        if not text:
            self.notes.at("rows without a question, left out", place)
            return
        if subject is not None:
            self.subject(subject)
        key = (subject, text, "" if item is None else item.number)
        if key in self._questions:
            self._again(key, place, scope, answers)
            return
        if not id:
            self.notes.at("questions without an id, which is made from the content", place)
            id = made_id(subject or "", text, key[2])  # noqa: A001
        id, language = self._unused(id, place), language or language_of(text)  # noqa: A001
        self._questions[key] = Question(id, text, subject, scope, answers, kind, item, language)

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

    def known_as(self, name: str) -> str | None:
        """The subject that bears this name, or has it among its other names."""
        if name in self._subjects:
            return name
        wanted = name.casefold()
        for each in self._subjects.values():
            if wanted in (each.name.casefold(), *(other.casefold() for other in each.names)):
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
                f"the dataset {self._head['name']!r} has no question ({self._head['source']})",
                "; ".join(self.notes.told(self.rows)) or "name a file or folder that has some",
            )
        subjects = tuple(
            Subject(
                each.name,
                tuple(each.names),
                each.description,
                tuple(each.documents),
                tuple(each.memories),
                tuple(each.labels),
                each.interviewer,
            )
            for each in self._subjects.values()
        )
        if len(subjects) == 1:
            self.notes.say(ONE_SUBJECT)
        questions = tuple(self._questions.values())
        head = self._head
        return Dataset(
            name=head["name"],
            version=head["version"],
            licence=head["licence"],
            source=head["source"],
            subjects=subjects,
            questions=questions,
            notes=self.notes.told(self.rows),
        )
