"""What is asked of whom: questions, subjects and labels of a dataset, and benchmarks over them.

A run asks subjects of the dataset, or any character that its general questions suit. Benchmarks are
those of ``benchmarks.tsv``, and what third parties add by the entry point ``offbook.benchmark``.
"""

from __future__ import annotations

import csv
import hashlib
import json
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import TypeAdapter

from offbook import registry
from offbook.errors import UnknownName, UsageError
from offbook.types import as_tuple

Scope = Literal["in", "out"]
"""Whether a question lies within what the character can know."""

ProtocolName = Literal["questions", "items", "open_interview", "script", "recall"]
"""How a benchmark is run.

``questions``: each question is one reply, rated alone (RoleRAG 4.2, AMADEUS 5.2).
``items``: each item of a questionnaire is one open answer in a fresh context, with one rating
(AMADEUS 5.2). ``open_interview``: open answers, rated in batches of one dimension by an expert, or
converted to options one by one (InCharacter; Emotional RAG section III). ``script``: turns of one
conversation, said in order; ``recall``: questions after sessions of earlier conversations, which
are kept first (both: ``evaluation.scripts``).
"""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a questionnaire.

    ``sign`` is +1 where agreement speaks for the dimension's first pole (or for much of the trait),
    -1 where it speaks against; ``statement`` is the item as printed, which the question rewords.
    """

    questionnaire: str
    number: str
    dimension: str
    sign: int
    statement: str = ""


@dataclass(frozen=True, slots=True)
class Role:
    """Who acts in a scene: ``profile`` says who they are, ``motive`` what moves them there."""

    name: str
    profile: str
    motive: str


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A scene of a book that is to be acted (CoSER): how things stand, and who speaks.

    The subject is the book: one character that has all its documents plays each of its people.
    ``speakers`` are in the order of their first line, ``main`` names those of them that a judge
    looks at most, ``original`` is how the book has it, a line a message, as replies are.
    """

    book: str
    plot: str
    scenario: str
    speakers: tuple[Role, ...]
    main: tuple[str, ...]
    original: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question; ``subject`` None: it is asked of every subject.

    ``answers`` are gold answers (any of them is right), ``kind`` is the dataset's own category:
    an attribute of CharacterRAG, a topic of Character-LLM. Questions of one ``script`` are the
    turns of one conversation, numbered from 1 in ``turn``; their ids are ``script/turn``.
    ``checks`` are the metrics by which this one is rated; none: all that it has what for.
    ``history`` names the sessions that were held before it, one of `Dataset.histories`; its id
    begins with that name and a stroke. ``as_of`` is the point in the story at which it is asked,
    ``facts`` is what a judge is told of who knows what then. With a ``scene`` the text is its
    subject, and what answers it is the whole scene, acted.
    """

    id: str
    text: str
    subject: str | None = None
    scope: Scope | None = None
    answers: tuple[str, ...] = ()
    kind: str = ""
    item: Item | None = None
    language: str = "en"
    script: str = ""
    turn: int = 0
    checks: tuple[str, ...] = ()
    history: str = ""
    as_of: str = ""
    facts: tuple[str, ...] = ()
    scene: Circumstance | None = None


@dataclass(frozen=True, slots=True)
class PastSession:
    """A conversation that was held before: when, and what was said and answered in turn."""

    date: str
    turns: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Label:
    """What people say of a subject on one dimension of a questionnaire.

    ``type`` is H, L or X (undecided) for InCharacter, a letter or X for typologies; ``score`` is
    on the questionnaire's own scale. ``source`` names who said so (pdb, annotation).
    """

    questionnaire: str
    dimension: str
    type: str
    score: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class SubjectDocument:
    """A persona document that comes with a dataset."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class SubjectMemory:
    """What was said to a subject and what it answered, as a dataset records it."""

    said: str
    answered: str


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is asked. ``names`` are other names, masked with ``interviewer`` before an expert rates.

    ``documents`` and ``memories`` are empty where the dataset brings none: the character must then
    have been built already.
    """

    name: str
    names: tuple[str, ...] = ()
    description: str = ""
    documents: tuple[SubjectDocument, ...] = ()
    memories: tuple[SubjectMemory, ...] = ()
    labels: tuple[Label, ...] = ()
    interviewer: str = ""


@dataclass(frozen=True, slots=True)
class Introduction:
    """Who a subject is, for a judge that may not know.

    ``documents`` are ids of those of its character that the text is from, so that forgetting one
    finds what a judge was told.
    """

    text: str = ""
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dataset:
    """Questions and the subjects they are put to.

    ``notes`` say what a loader met and did about it (duplicates, unknown fields, missing ids):
    nothing is dropped in silence. ``introductions`` are those of subjects of whom the dataset
    itself says nothing, by name; they come from the characters that stand for them, and are no
    part of the checksum.
    """

    name: str
    version: str
    licence: str
    source: str
    subjects: tuple[Subject, ...]
    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()
    introductions: Mapping[str, Introduction] = field(default_factory=dict)
    histories: Mapping[str, tuple[PastSession, ...]] = field(default_factory=dict)

    @property
    def checksum(self) -> str:
        """SHA-256 of everything that is asked and compared with, in this order."""
        parts: dict[str, Any] = {
            "subjects": [asdict(subject) for subject in self.subjects],
            "questions": [_asked(question) for question in self.questions],
        }
        if self.histories:
            parts["histories"] = TypeAdapter(dict[str, Any]).dump_python(dict(self.histories))
        text = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def subject(self, name: str) -> Subject:
        """The subject of this name.

        Raises:
            KeyError: there is none.
        """
        for subject in self.subjects:
            if subject.name == name:
                return subject
        raise KeyError(name)

    def asked(self, subject: str) -> Iterator[Question]:
        """The questions that are put to a subject, in the dataset's order."""
        return (q for q in self.questions if q.subject is None or q.subject == subject)


def _asked(question: Question) -> dict[str, Any]:
    """What a checksum is made of: of fields that few questions have, those that this one has."""
    rare = ("script", "turn", "checks", "history", "as_of", "facts", "scene")
    return {name: value for name, value in asdict(question).items() if value or name not in rare}


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A dataset, how it is run, and what is measured; ``version`` grows with any change of these.

    ``dataset`` is the name of a loader (registry kind ``dataset``), ``needs_path`` whether it
    reads a folder or file of the user's. ``metrics`` are names of judged scales and of computed
    metrics, ``paper`` the published protocol that it follows, or "ours".
    """

    name: str
    version: int
    title: str
    dataset: str
    protocol: ProtocolName
    metrics: tuple[str, ...]
    paper: str
    needs_path: bool = False
    options: tuple[tuple[str, str], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self)


def limited(questions: Sequence[Question], limit: int | None, seed: int) -> tuple[Question, ...]:
    """At most ``limit`` questions (or scripts), drawn by ``seed``, in the dataset's order.

    The draw of a smaller limit is contained in that of a larger one, so that a run can grow.
    """
    if limit is None or limit >= len(questions):
        return tuple(questions)

    def lot(whole: tuple[str | None, str]) -> str:
        return hashlib.sha256(f"{seed}\n{whole[0]}\n{whole[1]}".encode()).hexdigest()

    wholes = [(question.subject, question.script or question.id) for question in questions]
    drawn = set(sorted(dict.fromkeys(wholes), key=lot)[:limit])
    return tuple(q for q, whole in zip(questions, wholes, strict=True) if whole in drawn)


@dataclass(frozen=True, slots=True)
class Part:
    """A subject, and the character that plays it, as the person named it."""

    subject: Subject
    character: str


def parts_named(
    dataset: Dataset, named: Sequence[str], known: Collection[str] = ()
) -> tuple[Part, ...]:
    """The subjects to be asked.

    ``named``: ``SUBJECT``, ``SUBJECT=CHARACTER`` where the character has another name, or
    ``CHARACTER`` where the dataset has questions for anybody; none: every subject. ``known`` are
    names of characters, which may hold the sign themselves.

    Raises:
        UsageError: nobody is named, and the dataset has no subjects; one is named twice; or a name
            is that of several.
        UnknownName: the dataset has no such subject, and no questions for anybody.
    """
    parts = tuple(_part(dataset, text, known) for text in as_tuple(named))
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


def _divided(text: str, subjects: Collection[str], known: Collection[str]) -> tuple[str, str, str]:
    """Split ``SUBJECT=CHARACTER``, of which both may hold the sign; a name that is one is whole."""
    if text in subjects or text in known:
        return text, "", ""
    places = [place for place, letter in enumerate(text) if letter == "="]
    of_subjects = (place for place in places if text[:place].strip() in subjects)
    place = next(of_subjects, places[0] if places else len(text))
    return text[:place].strip(), text[place : place + 1], text[place + 1 :].strip()


def _part(dataset: Dataset, text: str, known: Collection[str]) -> Part:
    subjects = {subject.name for subject in dataset.subjects}
    name, equals, character = _divided(text.strip(), subjects, known)
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
    folded = fold(name)
    if not folded:
        return None
    exact = [each for each in dataset.subjects if fold(each.name) == folded]
    matches = exact or [each for each in dataset.subjects if folded in map(fold, each.names)]
    if len(matches) > 1:
        listed = ", ".join(repr(each.name) for each in matches)
        raise UsageError(
            f"{name!r} is a name of several subjects: {listed}", "write which is meant"
        )
    return matches[0] if matches else None


def fold(name: str) -> str:
    """A name as it is compared: case, accents and what stands between letters do not count."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in plain if letter.isalnum())


def benchmark(name: str) -> Benchmark:
    """Look up a benchmark, ours or a third party's.

    Raises:
        UnknownName: there is none; the hint lists those there are and the nearest.
    """
    if name in _ours():
        return _ours()[name]
    theirs: Benchmark = registry.load("benchmark", name, known=_ours())
    return theirs


def benchmarks() -> list[Benchmark]:
    """List all benchmarks, ours first."""
    return [benchmark(name) for name in dict.fromkeys([*_ours(), *registry.names("benchmark")])]


@cache
def _ours() -> dict[str, Benchmark]:
    text = files(__package__).joinpath("benchmarks.tsv").read_text("utf-8")
    return {row["name"]: _of_row(row) for row in csv.DictReader(text.splitlines(), delimiter="\t")}


def _of_row(row: Mapping[str, str]) -> Benchmark:
    options = [each.split("=") for each in row["options"].split(",") if each]
    lists = {"metrics": row["metrics"].split(","), "options": options}
    return TypeAdapter(Benchmark).validate_python({**row, **lists})
