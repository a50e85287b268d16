"""The files of a report, by name; nothing is written here.

Takes: a report.  Gives: the content of each file: ``report.html``, ``report.md``, ``tables/*.csv``,
``tables/*.tex``, ``pictures/*.svg`` and ``pictures/*.png``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from offbook.evaluation.report.csv_tables import write_csv
from offbook.evaluation.report.html import write_html
from offbook.evaluation.report.latex import write_latex
from offbook.evaluation.report.markdown import write_markdown
from offbook.evaluation.report.tables import (
    ALL,
    failed_table,
    is_quality,
    joint_tables,
    tables_of,
)

if TYPE_CHECKING:
    from offbook.evaluation.protocol import Score
    from offbook.evaluation.report.material import Report, ReportedRun
    from offbook.evaluation.report.pictures.picture import Picture
    from offbook.evaluation.report.tables import Table

_LONGEST: Final = 100


def report_files(report: Report, *, with_pictures: bool = True) -> Iterator[tuple[str, bytes]]:
    """Path below the folder, and content, of each file.

    Args:
        report: The report.
        with_pictures: Without them nothing but the library's own dependencies is needed.

    Raises:
        ConfigurationError: pictures are wanted, and the extra ``eval`` is not installed.
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
    from offbook.evaluation.report.pictures.chunk_usage import chunk_usage
    from offbook.evaluation.report.pictures.picture import require_matplotlib
    from offbook.evaluation.report.pictures.radar import radars
    from offbook.evaluation.report.pictures.ridgelines import ridgelines

    require_matplotlib()
    for joint in report.joint:
        yield from _of_scores(joint.scores, joint.name, joint.mark)
    for each in report.runs:
        yield from _of_scores(each.scores, each.run.id, each.mark)
        yield from radars(each.interviews, each.run.id, each.mark)
        yield from ridgelines(each.cosines, each.run.id, each.mark)
        yield from chunk_usage(each.use, each.run.id, each.mark)


def _of_scores(scores: Sequence[Score], run: str, mark: str | None) -> Iterator[Picture]:
    from offbook.evaluation.report.pictures.cost_quality import cost_quality
    from offbook.evaluation.report.pictures.score_bars import score_bars

    yield from score_bars([score for score in scores if is_quality(score)], run, mark)
    yield from cost_quality([score for score in scores if score.group == ALL], run, mark)


def _tables(report: Report) -> Iterator[tuple[str, Table]]:
    """Every table with the name of its file; of several runs the name begins with the run's."""
    taken: set[str] = set()
    for prefix, table in _named(report):
        name = re.sub(r"[^\w.-]+", "-", f"{prefix}{table.name}").strip("-.")[:_LONGEST] or "table"
        while name in taken:
            name += "-x"
        taken.add(name)
        yield name, table


def _named(report: Report) -> Iterator[tuple[str, Table]]:
    for joint in report.joint:
        yield from (("", table) for table in joint_tables(joint))
    for each in report.runs:
        prefix = f"{each.run.id}-" if len(report.runs) > 1 else ""
        yield from ((prefix, table) for table in _all(each))


def _all(report: ReportedRun) -> Iterator[Table]:
    yield from tables_of(report)
    if report.failed:
        yield failed_table(report.failed, 50, report.mark)
