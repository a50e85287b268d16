"""Reports of runs, written into a folder; no chat model is asked.

Takes: ids of runs and a folder.  Gives: the files of the report, each there whole or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offbook.app.evaluation import runs as evaluation_runs
from offbook.app.writing import write_whole
from offbook.errors import StoreFailed, UsageError
from offbook.evaluation.report.collecting import EXAMPLES, Source, collect
from offbook.evaluation.report.files import report_files
from offbook.evaluation.report.joining import check_judges, joined
from offbook.settings.endpoints import embed_endpoint
from offbook.stores import evaluations

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.app.evaluation.runs import OpenRun
    from offbook.evaluation.report.material import ReportedRun
    from offbook.protocols import Embedder


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """What was written: ``files`` are paths below ``folder``, ``mark`` stands in all of them."""

    runs: tuple[str, ...]
    mark: str | None
    folder: str
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The shape of ``eval report --json``."""
        return asdict(self)


async def write_report(
    book: Offbook,
    runs: Sequence[str],
    folder: Path | str,
    *,
    judge: str | None = None,
    path: Path | str | None = None,
    with_pictures: bool = True,
    embed: bool = False,
    examples: int = EXAMPLES,
) -> WrittenReport:
    """Write a report of runs into a folder, which is made where it is missing.

    Args:
        book: Offbook.
        runs: Their ids; one named twice counts once.
        folder: Where to. Files of the same names are replaced, others stay.
        judge: Whose ratings are meant; None: those of the judge that each run names.
        path: Where the dataset lies now, if it was moved.
        with_pictures: They need the extra ``eval``.
        embed: Let an endpoint embed the questions, for similarity; the embedded embedder does
            without being asked.
        examples: How many of the worst and of the best replies of each metric and method are shown
            in full.

    Raises:
        UsageError: the runs have different judges, a dataset has changed, or the folder is a file.
        UnknownName: there is no such run.
        ConfigurationError: pictures are wanted, and the extra ``eval`` is not installed.
    """
    place = _require_folder(folder)
    if with_pictures:
        from offbook.evaluation.report.pictures.picture import require_matplotlib

        require_matplotlib()
    names = list(dict.fromkeys(runs))
    if not names:
        raise UsageError("no run is named", "name one: `offbook eval list` shows them")
    opened = [await evaluation_runs.opened(book, name, judge=judge, path=path) for name in names]
    check_judges([each.run for each in opened])
    collected = [await _collected(book, each, embed=embed, most=examples) for each in opened]
    report = joined(collected)
    files = dict(report_files(report, with_pictures=with_pictures))
    _write(place, files)
    return WrittenReport(
        tuple(names), report.mark, str(place), tuple(files), tuple(_notes(collected))
    )


async def _collected(book: Offbook, found: OpenRun, *, embed: bool, most: int) -> ReportedRun:
    stored = await book.store.read(lambda conn: evaluations.require_run(conn, found.run.id))
    run = replace(found.run, status=stored.status)
    embedder, note = _embedder(book, run.embedder, embed=embed)
    notes = (*found.notes, note) if note else found.notes
    source = Source(run, found.dataset, found.protocol, stored.usage, stored.judges, notes)
    return await collect(book.store, source, embedder=embedder, most=most)


def _embedder(book: Offbook, of_run: str, *, embed: bool) -> tuple[Embedder | None, str]:
    """The embedder that measures similarity, or None and why it is not measured."""
    embedder = book.stage().embedder
    if embedder.name != of_run:
        why = f"similarity is left out: the run was made with the embedder {of_run!r}"
        return None, f"{why}, and {embedder.name!r} is configured"
    if embed_endpoint(book.settings).base_url is not None and not embed:
        return None, "similarity is left out: its questions would have to be embedded (--embed)"
    return embedder, ""


def _require_folder(folder: Path | str) -> Path:
    place = Path(folder).expanduser()
    if place.exists() and not place.is_dir():
        raise UsageError(f"{str(place)!r} is a file", "name a folder for the report: -o DIR")
    return place.resolve()


def _write(folder: Path, files: dict[str, bytes]) -> None:
    try:
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreFailed(
            f"the folder {str(folder)!r} cannot be made: {error.strerror}",
            "name a folder that you may write to: -o DIR",
        ) from error
    for name, content in files.items():
        write_whole(folder / name, content)


def _notes(runs: Sequence[ReportedRun]) -> Iterator[str]:
    """What the person should know at once: what is missing of what was asked for."""
    for each in runs:
        counts, missing = each.counts, sum(rated.missing for rated in each.ratings)
        if counts.cells < counts.planned:
            yield f"{each.run.id}: {counts.cells} of {counts.planned} cells are there"
        if counts.failed:
            yield f"{each.run.id}: {counts.failed} cells have no reply"
        if missing:
            yield f"{each.run.id}: {missing} ratings are missing"
        yield from (f"{each.run.id}: {note}" for note in each.notes if "similarity" in note)
