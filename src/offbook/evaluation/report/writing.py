"""Reports of runs, written into a folder; no chat model is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook.app.files import write_whole
from offbook.errors import StoreFailed, UsageError
from offbook.evaluation import runs as evaluation_runs
from offbook.evaluation.comparison import check_judge
from offbook.evaluation.frames import require_pandas
from offbook.evaluation.report import tables
from offbook.evaluation.report.collection import EXAMPLES, collect, joined
from offbook.evaluation.report.csv_tables import write_csv
from offbook.evaluation.report.html import write_html
from offbook.evaluation.report.latex import write_latex
from offbook.evaluation.report.markdown import write_markdown
from offbook.evaluation.scores import ALL
from offbook.stores import evaluations
from offbook.types import as_tuple, traits_of

if TYPE_CHECKING:
    from offbook.app.book import Offbook
    from offbook.evaluation.record import Score
    from offbook.evaluation.report.material import Report, ReportedRun
    from offbook.evaluation.report.picture import Picture
    from offbook.evaluation.report.tables import Table
    from offbook.evaluation.runs import OpenRun
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

    ``folder``: where to. Files of the same names are replaced, others stay. ``embed``: let an
    endpoint embed the questions, for similarity; the embedded embedder does without being asked.

    Raises:
        UsageError: the runs have different judges, a dataset has changed, or the folder is a file.
        UnknownName: there is no such run.
        ConfigurationError: the extra ``eval`` is not installed.
    """
    place = _require_folder(folder)
    require_pandas()
    if with_pictures:
        from offbook.evaluation.report.picture import require_matplotlib

        require_matplotlib()
    names = list(dict.fromkeys(as_tuple(runs)))
    if not names:
        raise UsageError("no run is named", "name one: `offbook eval list` shows them")
    opened = [await evaluation_runs.open_run(book, name, judge=judge, path=path) for name in names]
    for other in opened[1:]:
        check_judge(opened[0].run, other.run)
    collected = [await _collected(book, each, embed=embed, most=examples) for each in opened]
    report = joined(collected)
    files = dict(report_files(report, with_pictures=with_pictures))
    _write(place, files)
    return WrittenReport(
        tuple(names), report.mark, str(place), tuple(files), tuple(_notes(collected))
    )


async def _collected(book: Offbook, opened: OpenRun, *, embed: bool, most: int) -> ReportedRun:
    stored = await book.store.read(lambda conn: evaluations.require_run(conn, opened.run.id))
    embedder, note = _embedder(book, opened.run.embedder, embed=embed)
    source = replace(
        opened,
        run=replace(opened.run, status=stored.status),
        usage=stored.usage,
        judges=stored.judges,
        notes=(*opened.notes, note) if note else opened.notes,
    )
    return await collect(book.store, source, embedder=embedder, most=most)


def _embedder(book: Offbook, of_run: str, *, embed: bool) -> tuple[Embedder | None, str]:
    """The embedder that measures similarity, or None and why it is not measured."""
    embedder = book.runtime().embedder
    if embedder.name != of_run:
        why = f"similarity is left out: the run was made with the embedder {of_run!r}"
        return None, f"{why}, and {embedder.name!r} is configured"
    if not traits_of(embedder).free and not embed:
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


_LONGEST: Final = 100


def report_files(report: Report, *, with_pictures: bool = True) -> Iterator[tuple[str, bytes]]:
    """Path below the folder, and content, of each file.

    Raises:
        ConfigurationError: the extra ``eval`` is not installed.
    """
    pictures = list(draw(report)) if with_pictures else []
    yield "report.html", write_html(report, pictures).encode()
    yield "report.md", write_markdown(report, pictures).encode()
    for name, text in write_csv(report).items():
        yield f"tables/{name}", text.encode()
    for name, table in _tables(report):
        yield f"tables/{name}.tex", write_latex(table).encode()
    for picture in pictures:
        yield f"pictures/{picture.name}.svg", picture.svg.encode()
        yield f"pictures/{picture.name}.png", picture.png


def draw(report: Report) -> Iterator[Picture]:
    """All pictures of a report, joint ones first; kinds that would be empty are left out.

    Raises:
        ConfigurationError: the extra ``eval`` is not installed.
    """
    from offbook.evaluation.report.picture import require_matplotlib
    from offbook.evaluation.report.plots import chunk_usage, radars, ridgelines

    require_matplotlib()
    for joint in report.joint:
        yield from _of_scores(joint.scores, joint.name, joint.mark)
    for each in report.runs:
        yield from _of_scores(each.scores, each.run.id, each.mark)
        yield from radars(each.interviews, each.run.id, each.mark)
        yield from ridgelines(each.cosines, each.run.id, each.mark)
        yield from chunk_usage(each.use, each.run.id, each.mark)


def _of_scores(scores: Sequence[Score], run: str, mark: str | None) -> Iterator[Picture]:
    from offbook.evaluation.report.plots import cost_quality, score_bars

    yield from score_bars([score for score in scores if tables.is_quality(score)], run, mark)
    yield from cost_quality([score for score in scores if score.group == ALL], run, mark)


def _tables(report: Report) -> Iterator[tuple[str, Table]]:
    """Every table with the name of its file; of several runs the name begins with the run's."""
    taken: set[str] = set()
    several = len(report.runs) > 1
    named = [("", table) for joint in report.joint for table in tables.joint_tables(joint)]
    for each in report.runs:
        prefix = f"{each.run.id}-" if several else ""
        named += [(prefix, table) for table in tables.tables_of(each)]
        if each.failed:
            named.append((prefix, tables.failed_table(each.failed, 50, each.mark)))
    for prefix, table in named:
        name = re.sub(r"[^\w.-]+", "-", f"{prefix}{table.name}").strip("-.")[:_LONGEST] or "table"
        while name in taken:
            name += "-x"
        taken.add(name)
        yield name, table
