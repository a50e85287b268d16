"""The runs behind a published table: a stored one that serves, an estimate, or a run now.

Takes: a use of a benchmark and a method.  Gives: its scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from offbook.app.evaluation import cast as evaluation_cast
from offbook.app.evaluation import runs as evaluation_runs
from offbook.app.evaluation.variants import AsVariant, variants_of
from offbook.errors import UsageError
from offbook.evaluation.benchmark import Subject
from offbook.evaluation.catalogue import benchmark
from offbook.evaluation.datasets.loading import fetched
from offbook.evaluation.keeping import run_of
from offbook.evaluation.record import OFFLINE_MARK
from offbook.evaluation.subjects import Part, parts_named
from offbook.evaluation.tables.filling import OurScores, scores_of, with_types
from offbook.evaluation.tables.published import published_types
from offbook.evaluation.tables.types import labels_of
from offbook.ingestion.reports import Estimate, ProgressListener, unheard
from offbook.models.wrappers import OFFLINE_URL
from offbook.stores import evaluations

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from offbook.app.book import Offbook
    from offbook.app.evaluation.run_reports import RunReport
    from offbook.app.evaluation.tables import TableRequest
    from offbook.evaluation.record import Run
    from offbook.evaluation.tables.layout import Table, Use


def unsaid(line: str) -> None:
    """A listener for when nobody listens."""
    del line


def about(book: Offbook) -> dict[str, str]:
    """What our numbers rest on: preset and models; the offline judge with its mark."""
    stage = book.stage()
    judge = stage.judge.name
    if stage.judge.base_url == OFFLINE_URL:
        judge = f"{judge} ({OFFLINE_MARK})"
    return {
        "preset": book.settings.values.preset,
        "actor": stage.actor.name,
        "extractor": stage.extractor.name,
        "judge": judge,
        "embedder": stage.embedder.name,
    }


def why_not_run(book: Offbook, use: Use) -> str | None:
    """Why nothing of ours may stand beside printed numbers; None where something may."""
    stage = book.stage()
    model = stage.judge if use.rests_on == "judge" else stage.extractor
    if model.base_url != OFFLINE_URL:
        return None
    setting = {"judge": "judge.model", "extractor": "extract.model"}[use.rests_on]
    return (
        f"the {use.rests_on} is the offline backend ({OFFLINE_MARK}): nothing of it stands beside"
        f" printed numbers; name a model: {setting} or chat.model"
    )


@dataclass(slots=True)
class TableRuns:
    """Finds and makes the runs of one table.

    Args:
        book: Offbook.
        table: The table.
        request: Data, characters, limits.
        progress: Told how far a run is.
        told: Told what a person should know before a run begins.
    """

    book: Offbook
    table: Table
    request: TableRequest
    progress: ProgressListener = unheard
    told: Callable[[str], None] = unsaid
    _made: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    async def scores(self, use: Use, method: str) -> OurScores:
        """The scores of a use by a method: from a stored run that serves, or from one made now.

        Raises:
            UsageError: data or characters are not there, or nothing is stored and nothing is to be
                asked.
        """
        stored = await self.stored(use, method)
        if stored is not None:
            report = await self.book.evaluation.show(stored.id, path=self._path(use))
        elif self.request.stored:
            raise UsageError("no finished run of it is stored", "leave --stored out to run it")
        else:
            report = await self._run(use, method)
        label = self._view(method).variant.label
        run, found = report.run, report.scores
        ours = scores_of(use.key, method, run.models["actor"].model, run.id, found, label)
        if use.typology:
            labels = labels_of(use.typology, self.request.labels)
            ours = with_types(ours, found, label, use.typology, labels)
        return ours

    async def stored(self, use: Use, method: str) -> Run | None:
        """A finished run that has these replies and ratings, by the models configured now."""
        view = self._view(method)
        rows = await self.book.store.read(lambda conn: evaluations.list_runs(conn, use.benchmark))
        for row in rows:
            try:
                run = run_of(row)
            except UsageError:
                continue
            serves = run.status == "finished" and self._serves(run, use, view)
            if serves and await self._is_unchanged(run, use):
                return run
        return None

    async def estimate(self, use: Use, method: str) -> Estimate:
        """What a run would cost; no model is asked.

        Raises:
            UsageError: data or characters are not there.
        """
        request, before = self.request, Estimate()
        characters: tuple[str, ...] = tuple(request.characters)
        if use.cast and not characters:
            parts, can_make = self._cast(use)
            if can_make and request.create:
                chosen = await evaluation_cast.found(self.book, parts, create=True)
                before = await evaluation_cast.estimated(chosen, (self._view(method),))
                if any(isinstance(each, evaluation_cast.Missing) for each in chosen.values()):
                    return before
                characters = _named(chosen)
            else:
                characters = tuple(part.character for part in parts)
        left = await self.book.evaluation.estimate(
            use.benchmark, characters=characters, **self._told(use, method)
        )
        return evaluation_cast.added(before, [left])

    # -- a run ---------------------------------------------------------------------------------

    async def _run(self, use: Use, method: str) -> RunReport:
        self.told(f"{use.title}, {method}:")
        return await self.book.evaluation.run(
            use.benchmark,
            characters=await self._characters(use, method),
            progress=self.progress,
            told=self.told,
            **self._told(use, method),
        )

    def _told(self, use: Use, method: str) -> dict[str, Any]:
        request = self.request
        return {
            "methods": (method,),
            "path": self._path(use),
            "options": dict(use.options),
            "limit": request.limit,
            "repeats": request.repeats,
            "seed": request.seed,
            "create": request.create and not use.cast,
            # A character that was made for the first method lacks what the next one needs.
            "build": request.build or request.create,
        }

    async def _characters(self, use: Use, method: str) -> tuple[str, ...]:
        """Whom to ask; those of the cast are made and indexed where that is wished."""
        if self.request.characters or not use.cast:
            return tuple(self.request.characters)
        parts, can_make = self._cast(use)
        if not (can_make and self.request.create):
            return tuple(part.character for part in parts)
        if (use.cast, method) not in self._made:
            chosen = await evaluation_cast.found(self.book, parts, create=True)
            views = (self._view(method),)
            ready = await evaluation_cast.made(
                self.book, chosen, views, build=True, progress=self.progress
            )
            self._made[use.cast, method] = _named(ready)
        return self._made[use.cast, method]

    def _cast(self, use: Use) -> tuple[tuple[Part, ...], bool]:
        """The characters of the cast's dataset, else those of the paper; whether texts are there.

        Raises:
            UsageError: they are to be made, and the dataset is not there.
        """
        measured = benchmark(use.cast)
        path = self._path_of(use.cast, measured.dataset)
        try:
            dataset = evaluation_runs.dataset_of(
                self.book, measured, None if path is None else str(path), {}
            )
        except UsageError:
            if path is not None or self.request.create:
                raise
            named = published_types("amadeus-mbti")
            return tuple(Part(Subject(name), name) for name in named), False
        return parts_named(dataset, ()), True

    # -- what is stored ------------------------------------------------------------------------

    def _serves(self, run: Run, use: Use, view: AsVariant) -> bool:
        request, stage = self.request, self.book.stage()
        models = {"actor": stage.actor, "extractor": stage.extractor, "judge": stage.judge}
        same_models = all(
            role in run.models
            and run.models[role].model == model.name
            and run.models[role].base_url == evaluation_runs.plain_url(model.base_url)
            for role, model in models.items()
        )
        enough = run.limit is None or (request.limit is not None and run.limit >= request.limit)
        return (
            same_models
            and enough
            and run.embedder == stage.embedder.name
            and run.benchmark_version == benchmark(use.benchmark).version
            and dict(run.options) == dict(use.options)
            and run.seed == request.seed
            and run.repeats >= request.repeats
            and view.variant in run.variants
            and _same_prompts(run)
            and self._are_asked(run)
        )

    async def _is_unchanged(self, run: Run, use: Use) -> bool:
        """Whether questions and characters are what they were; of what is only shown: questions."""
        path = self._path(use)
        dataset = evaluation_runs.dataset_of(
            self.book,
            benchmark(use.benchmark),
            None if path is None else str(path),
            dict(use.options),
        )
        if dataset.checksum != run.dataset_checksum:
            return False
        if self.request.stored:
            return True
        for subject, character in run.subjects.items():
            now = await self.book.store.read(
                lambda conn, c=character: evaluations.knowledge_digest(conn, c)
            )
            if run.characters.get(subject, now) != now:
                return False
        return True

    def _are_asked(self, run: Run) -> bool:
        """Whether the characters that are named, if any are, are those of the run."""
        named = {text.partition("=")[0].strip() for text in self.request.characters}
        return not named or named == set(run.subjects)

    # -- names ---------------------------------------------------------------------------------

    def _view(self, method: str) -> AsVariant:
        (view,) = variants_of(self.book, (method,))
        return view

    def _path(self, use: Use) -> Path | None:
        measured = benchmark(use.benchmark)
        if not measured.needs_path:
            return None
        path = self._path_of(use.benchmark, measured.dataset)
        if path is None and fetched(measured.dataset, self.book.settings.values.home) is None:
            raise UsageError(
                f"the dataset {measured.dataset!r} is read from a folder or file, and none was"
                " named or fetched",
                f"--data {measured.dataset}=PATH; docs/datasets.md says where to get it",
            )
        return path

    def _path_of(self, name: str, dataset: str) -> Path | None:
        paths = self.request.paths
        if name in paths or dataset in paths:
            return paths.get(name, paths.get(dataset))
        if "" not in paths:
            return None
        if len(wanted := self._datasets()) > 1:
            raise UsageError(
                f"the table {self.table.name!r} reads several datasets: {', '.join(wanted)}",
                f"say which is meant: --data {wanted[0]}=PATH",
            )
        return paths[""]

    def _datasets(self) -> list[str]:
        """The datasets that this table reads from a path."""
        found: dict[str, None] = {}
        for use in self.table.uses:
            measured = benchmark(use.benchmark)
            if measured.needs_path:
                found.setdefault(measured.dataset)
            if use.cast:
                found.setdefault(benchmark(use.cast).dataset)
        return list(found)


def _same_prompts(run: Run) -> bool:
    """Whether models were asked in the words that they would be asked in now."""
    from offbook.prompts.catalogue import ALL

    now = {prompt.name: prompt.version for prompt in ALL}
    return all(now.get(name, version) == version for name, version in run.prompts.items())


def _named(characters: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{subject}={character.id}" for subject, character in characters.items())
