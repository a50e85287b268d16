"""The splitter study on a dataset or on files, with the configured settings and embedders.

Takes: a benchmark's name or a file of questions, documents, gold passages.  Gives: the study. No
chat model is asked, no character is needed and nothing is stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from offbook import registry
from offbook.documents.chunking import CHUNKINGS, make_splitter
from offbook.documents.readers import read_document
from offbook.errors import UnknownName, UsageError
from offbook.evaluation.benchmark import limited
from offbook.evaluation.catalogue import benchmark
from offbook.evaluation.metrics.similarity import TOP
from offbook.evaluation.splitter_study.measures import SplitterStudy, StudySplitter
from offbook.evaluation.splitter_study.reading import (
    as_document,
    characters_of,
    documents_of,
)
from offbook.evaluation.splitter_study.studying import BUDGET_TOKENS, study
from offbook.evaluation.subjects import narrowed, parts_named
from offbook.evaluation.variants import methods_named
from offbook.ingestion.reports import ProgressListener, unheard
from offbook.language.encodings import token_counter

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.evaluation.benchmark import Dataset
    from offbook.evaluation.variants import Asked
    from offbook.protocols import Embedder, Splitter
    from offbook.types import Document

EMBEDDERS: Final = ("builtin", "configured")
SPLITTERS: Final = ("fixed", "recursive", "markdown", "semantic", "ats", "acts", "graph")
"""All of them, plain ones first."""


@dataclass(frozen=True, slots=True)
class StudyRequest:
    """What is studied.

    ``source`` is a benchmark or a file of questions, ``path`` the benchmark's data, ``documents``
    are ``FILE`` or ``CHARACTER=FILE``, ``splitters`` names, each perhaps with settings
    (``acts[alpha=3]``), ``embedders`` some of `EMBEDDERS`; none: all.
    """

    source: str
    path: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    gold: Path | None = None
    documents: Sequence[str] = ()
    characters: Sequence[str] = ()
    splitters: Sequence[str] = ()
    embedders: Sequence[str] = ()
    top: int = TOP
    budget_tokens: int = BUDGET_TOKENS
    limit: int | None = None
    seed: int = 0


async def splitter_study(
    book: Offbook, request: StudyRequest, progress: ProgressListener = unheard
) -> SplitterStudy:
    """Study splitters and embedders.

    Raises:
        UnknownName: no such benchmark, splitter or character.
        UsageError: nobody has documents and questions, or the request contradicts itself.
        ModelError: the embedder's endpoint failed for good.
    """
    if request.top < 1 or request.budget_tokens < 1:
        raise UsageError(
            f"top {request.top} within {request.budget_tokens} tokens finds nothing",
            "give 1 or more",
        )
    dataset = _dataset(book, request)
    texts = _documents(dataset, request.documents)
    characters, notes = characters_of(dataset, texts, request.gold)
    if request.limit is not None:
        # As a run draws them, so that a smaller study is part of a larger one.
        asked = {name: _drawn(dataset, name, request) for name in texts}
        characters = [
            replace(each, questions=tuple(q for q in each.questions if q.id in asked[each.name]))
            for each in characters
        ]
    found = await study(
        characters,
        [_splitter(book, each) for each in methods_named(request.splitters or SPLITTERS)],
        _embedders(book, request.embedders),
        top=request.top,
        budget_tokens=request.budget_tokens,
        count=token_counter(book.settings.values.tokens.encoding),
        progress=progress,
    )
    return replace(found, notes=(*dataset.notes, *notes, *found.notes))


def _dataset(book: Offbook, request: StudyRequest) -> Dataset:
    from offbook.app.evaluation.runs import dataset_of

    path = None if request.path is None else str(request.path)
    if request.source in registry.names("benchmark"):
        measured = benchmark(request.source)
    elif Path(request.source).expanduser().exists():
        measured, path = benchmark("file"), request.source
    else:
        try:
            measured = benchmark(request.source)
        except UnknownName as error:
            raise UnknownName(f"no benchmark and no file {request.source!r}", error.hint) from error
    dataset = dataset_of(book, measured, path, request.options)
    if not request.characters:
        return dataset
    parts = parts_named(dataset, request.characters)
    return narrowed(dataset, [part.subject for part in parts])


def _documents(dataset: Dataset, named: Sequence[str]) -> dict[str, tuple[Document, ...]]:
    """The documents that the dataset brings, those of the user's in their place."""
    found = documents_of(dataset.subjects)
    own: dict[str, list[Document]] = {}
    for text in named:
        name, equals, file = text.partition("=")
        who, path = (name.strip(), file) if equals else (_only(dataset, text), text)
        reading = read_document(Path(path).expanduser(), Path(path).name)
        own.setdefault(who, []).append(as_document(reading.name, reading.text))
    return {**found, **{who: tuple(texts) for who, texts in own.items()}}


def _only(dataset: Dataset, text: str) -> str:
    """The one character that a document without a name is of."""
    names = [subject.name for subject in dataset.subjects]
    if len(names) > 1:
        raise UsageError(
            f"the document {text!r} is of nobody in particular, and there are {len(names)}"
            " characters",
            "write --document CHARACTER=FILE",
        )
    return names[0] if names else Path(text).stem


def _drawn(dataset: Dataset, name: str, request: StudyRequest) -> set[str]:
    questions = tuple(dataset.asked(name))
    return {question.id for question in limited(questions, request.limit, request.seed)}


def _splitter(book: Offbook, asked: Asked) -> StudySplitter:
    from offbook.ingestion.storing import make_splitters

    if asked.method not in CHUNKINGS:
        make_splitter(asked.method)  # raises, and says which there are
    settings = book.settings.overlaid(asked.settings).values

    def make(embedder: Embedder) -> Splitter:
        return make_splitters([asked.method], settings, embedder)[0]

    return StudySplitter(asked.label, make)


def _embedders(book: Offbook, names: Sequence[str]) -> list[Embedder]:
    """The embedded one, and the configured one where that is another."""
    from offbook.models.builtin import BuiltinEmbedder

    for name in names:
        if name not in EMBEDDERS:
            raise UsageError(
                f"the embedder {name!r} is not known", f"known: {', '.join(EMBEDDERS)}"
            )
    builtin, configured = BuiltinEmbedder(), book.stage().embedder
    found: list[Embedder] = [builtin] if not names or "builtin" in names else []
    if (not names or "configured" in names) and (not found or configured.name != builtin.name):
        found.append(configured)
    return found
