"""The runs behind a published table: a stored one that serves, an estimate, or a run now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from offbook.errors import UsageError
from offbook.evaluation.benchmark import Part, Subject, benchmark, parts_named
from offbook.evaluation.characters import (
    MissingCharacter,
    estimate_characters,
    find_characters,
    make_characters,
)
from offbook.evaluation.datasets.loading import fetched
from offbook.evaluation.estimate import added
from offbook.evaluation.record import OFFLINE_MARK
from offbook.evaluation.runs import Notify, dataset_of, plain_url, silent
from offbook.evaluation.storage import run_of
from offbook.evaluation.tables.catalogue import published_types
from offbook.evaluation.tables.filling import (
    OurScores,
    labels_of,
    scores_of,
    with_types,
)
from offbook.evaluation.variants import VariantView, variants_of
from offbook.ingestion.reports import Estimate, ProgressListener, unheard
from offbook.stores import evaluations
from offbook.types import as_tuple, traits_of

if TYPE_CHECKING:
    from pathlib import Path

    from offbook.app.book import Offbook
    from offbook.evaluation.comparison import RunReport
    from offbook.evaluation.record import Run
    from offbook.evaluation.tables.catalogue import Table, Use
    from offbook.types import Character


@dataclass(frozen=True, slots=True)
class TableRequest:
    """What a table is to be made of.

    ``paths`` are files and folders by benchmark or dataset; one under the empty name is that of the
    only one that needs it. ``stored``: only what is stored is shown, nothing is asked.
    """

    paths: Mapping[str, Path] = field(default_factory=dict)
    characters: Sequence[str] = ()
    limit: int | None = None
    repeats: int = 1
    seed: int = 0
    create: bool = False
    build: bool = False
    stored: bool = False
    labels: Path | None = None
    ratings: Path | None = None


def about(book: Offbook) -> dict[str, str]:
    """What our numbers rest on: preset and models; the offline judge with its mark."""
    runtime = book.runtime()
    judge = runtime.judge.name
    if not traits_of(runtime.judge).measures:
        judge = f"{judge} ({OFFLINE_MARK})"
    return {
        "preset": book.settings.values.preset,
        "actor": runtime.actor.name,
        "extractor": runtime.extractor.name,
        "judge": judge,
        "embedder": runtime.embedder.name,
    }


def why_not_run(book: Offbook, use: Use) -> str | None:
    """Why nothing of ours may stand beside printed numbers; None where something may."""
    runtime = book.runtime()
    model = runtime.judge if use.rests_on == "judge" else runtime.extractor
    if traits_of(model).measures:
        return None
    setting = {"judge": "judge.model", "extractor": "extract.model"}[use.rests_on]
    return (
        f"the {use.rests_on} is the offline backend ({OFFLINE_MARK}): nothing of it stands beside"
        f" printed numbers; name a model: {setting} or chat.model"
    )


@dataclass(slots=True)
class TableRuns:
    """Finds and makes the runs of one table."""

    book: Offbook
    table: Table
    request: TableRequest
    progress: ProgressListener = unheard
    notify: Notify = silent
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
        run, measured = report.run, report.scores
        ours = scores_of(use.key, method, run.models["actor"].model, run.id, measured, label)
        if use.typology:
            labels = labels_of(use.typology, self.request.labels)
            ours = with_types(ours, measured, label, use.typology, labels, run.tie)
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
        chosen, before = await self._cast_chosen(use), Estimate()
        if chosen is None:
            characters = self._characters_named(use)
        else:
            before = await estimate_characters(chosen, (self._view(method),))
            if any(isinstance(each, MissingCharacter) for each in chosen.values()):
                return before
            characters = _named(chosen)
        left = await self.book.evaluation.estimate(
            use.benchmark, characters=characters, **self._options(use, method)
        )
        return added(before, [left])

    # -- a run ---------------------------------------------------------------------------------

    async def _run(self, use: Use, method: str) -> RunReport:
        self.notify(f"{use.title}, {method}:")
        report: RunReport = await self.book.evaluation.run(
            use.benchmark,
            characters=await self._characters(use, method),
            progress=self.progress,
            notify=self.notify,
            **self._options(use, method),
        )
        return report

    def _options(self, use: Use, method: str) -> dict[str, Any]:
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
        if (use.cast, method) not in self._made:
            chosen = await self._cast_chosen(use)
            if chosen is None:
                return self._characters_named(use)
            views = (self._view(method),)
            ready = await make_characters(
                self.book, chosen, views, build=True, progress=self.progress
            )
            self._made[use.cast, method] = _named(ready)
        return self._made[use.cast, method]

    async def _cast_chosen(self, use: Use) -> dict[str, Character | MissingCharacter] | None:
        """The characters of the cast, where they are to be made of its dataset."""
        if not use.cast or self.request.characters or not self.request.create:
            return None
        return await find_characters(self.book, self._cast(use), create=True)

    def _characters_named(self, use: Use) -> tuple[str, ...]:
        """The characters that the person names, or that the cast has; none: every subject."""
        if self.request.characters or not use.cast:
            return as_tuple(self.request.characters)
        return tuple(part.character for part in self._cast(use))

    def _cast(self, use: Use) -> tuple[Part, ...]:
        """The characters of the cast's dataset, else those of the paper.

        Raises:
            UsageError: they are to be made, and the dataset is not there.
        """
        measured = benchmark(use.cast)
        path = self._path_of(use.cast, measured.dataset)
        try:
            dataset = dataset_of(self.book, measured, path, {})
        except UsageError:
            if path is not None or self.request.create:
                raise
            named = published_types("amadeus-mbti")
            return tuple(Part(Subject(name), name) for name in named)
        return parts_named(dataset, ())

    # -- what is stored ------------------------------------------------------------------------

    def _serves(self, run: Run, use: Use, view: VariantView) -> bool:
        request, runtime = self.request, self.book.runtime()
        models = {"actor": runtime.actor, "extractor": runtime.extractor, "judge": runtime.judge}
        same_models = all(
            role in run.models
            and run.models[role].model == model.name
            and run.models[role].base_url == plain_url(model.base_url)
            for role, model in models.items()
        )
        enough = run.limit is None or (request.limit is not None and run.limit >= request.limit)
        return (
            same_models
            and enough
            and run.embedder == runtime.embedder.name
            and run.benchmark_version == benchmark(use.benchmark).version
            and dict(run.options) == dict(use.options)
            and run.seed == request.seed
            and run.repeats >= request.repeats
            and view.variant in run.variants
            and set(benchmark(use.benchmark).metrics) <= set(run.metrics)
            and _same_prompts(run)
        )

    async def _is_unchanged(self, run: Run, use: Use) -> bool:
        """Whether it asked what would be asked now of whom; of what is only shown: no more."""
        measured = benchmark(use.benchmark)
        dataset = dataset_of(self.book, measured, self._path(use), dict(use.options))
        parts = parts_named(dataset, self._characters_named(use))
        is_of_these = {part.subject.name for part in parts} == set(run.subjects)
        if dataset.checksum != run.dataset_checksum or not is_of_these:
            return False
        if self.request.stored:
            return True
        for subject, character in run.subjects.items():
            now = await self.book.store.read(evaluations.knowledge_digest, character)
            if run.characters.get(subject) != now:
                return False
        return True

    # -- names ---------------------------------------------------------------------------------

    def _view(self, method: str) -> VariantView:
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
        named = [benchmark(name) for use in self.table.uses for name in (use.benchmark, use.cast)
                 if name]  # fmt: skip
        datasets = list(dict.fromkeys(each.dataset for each in named if each.needs_path))
        if len(datasets) > 1:
            raise UsageError(
                f"the table {self.table.name!r} reads several datasets: {', '.join(datasets)}",
                f"say which is meant: --data {datasets[0]}=PATH",
            )
        return paths[""]


def _same_prompts(run: Run) -> bool:
    """Whether models were asked in the words that they would be asked in now."""
    from offbook.prompts.catalogue import ALL

    now = {prompt.name: prompt.version for prompt in ALL}
    return all(now.get(name, version) == version for name, version in run.prompts.items())


def _named(characters: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{subject}={character.id}" for subject, character in characters.items())
