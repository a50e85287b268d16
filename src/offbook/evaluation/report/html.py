"""A report as one page that needs nothing but a browser: no script, no network, no other file.

All that a model or a document said is escaped, and a content security policy forbids everything but
the page's own style sheet, by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook.evaluation.report import material
from offbook.evaluation.report.markdown import record_rows
from offbook.evaluation.report.picture import SERIES, inlined
from offbook.evaluation.report.tables import Number, failed_table, joint_tables, tables_of

if TYPE_CHECKING:
    from offbook.evaluation.report.material import Example, Report, ReportedRun
    from offbook.evaluation.report.picture import Picture
    from offbook.evaluation.report.tables import Table

ASSETS: Final = Path(__file__).parent / "assets"
FAILED_SHOWN: Final = 200
_FOLDED_ROWS: Final = 24
"""Longer tables begin closed."""
_OPEN: Final = ("scores", "differences", "interviews", "ratings", "joint")


def write_html(report: Report, pictures: Sequence[Picture] = ()) -> str:
    """The page, whole."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True,
                              lstrip_blocks=True, finalize=_finalized)  # fmt: skip
    environment.filters["number"] = lambda n: material.number(n.estimate.mean, n.unit)
    environment.filters["interval"] = lambda n: material.interval(n.estimate, n.unit)
    environment.filters["counted"] = lambda n: material.counted(n.estimate)
    environment.filters["metric"] = material.metric_name
    environment.filters["plain"] = material.printable
    environment.tests["number_of"] = lambda entry: isinstance(entry, Number)
    template = environment.from_string((ASSETS / "report.html.jinja").read_text("utf-8"))
    style = _style()
    return template.render(
        style=style,
        style_hash=_hash(style),
        mark=report.mark,
        headlines=report.headlines,
        title=", ".join(each.run.id for each in report.runs),
        joint=[
            {
                "id": joint.name,
                "runs": joint.runs,
                "tables": [_table(table) for table in joint_tables(joint)],
                "pictures": _pictures(pictures, joint.name),
            }
            for joint in report.joint
        ],
        runs=[_run(each, place, pictures) for place, each in enumerate(report.runs, 1)],
    )


def _finalized(value: Any) -> Any:
    """Text without what a page may not hold; markup of our own stays as it is."""
    return material.printable(value) if type(value) is str else value


def _run(report: ReportedRun, place: int, pictures: Sequence[Picture]) -> dict[str, Any]:
    tables = [_table(table) for table in tables_of(report)]
    failed = failed_table(report.failed, FAILED_SHOWN, report.mark) if report.failed else None
    return {
        "id": f"run-{place}",
        "name": report.run.id,
        "benchmark": report.run.benchmark,
        "mark": report.mark,
        "record": record_rows(report),
        "notes": report.notes,
        "tables": tables,
        "failed": None if failed is None else _table(failed),
        "failures": len(report.failed),
        "pictures": _pictures(pictures, report.run.id),
        "examples": _examples(report.examples),
    }


def _table(table: Table) -> dict[str, Any]:
    is_open = table.name.startswith(_OPEN) and len(table.rows) <= _FOLDED_ROWS
    return {"table": table, "numeric": table.numeric, "open": is_open}


def _pictures(pictures: Sequence[Picture], run: str) -> list[dict[str, Any]]:
    from markupsafe import Markup

    return [
        {
            # Written by matplotlib and cleaned by `inlined`: there is no text of others in it.
            "svg": Markup(inlined(picture.svg, picture.name, picture.alt)),  # noqa: S704
            "title": picture.title,
            "notes": picture.notes,
        }
        for picture in pictures
        if picture.run == run
    ]


def _examples(examples: Sequence[Example]) -> list[tuple[str, list[Example]]]:
    """Cells by method."""
    variants = material.distinct(each.key.variant for each in examples)
    return [(name, [each for each in examples if each.key.variant == name]) for name in variants]


@cache
def _style() -> str:
    """The style sheet, with the colours of the pictures for a light and a dark page."""
    light = " ".join(f"--series-{place}: {pair[0]};" for place, pair in enumerate(SERIES))
    dark = " ".join(f"--series-{place}: {pair[1]};" for place, pair in enumerate(SERIES))
    colours = f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    return colours + (ASSETS / "report.css").read_text("utf-8")


def _hash(text: str) -> str:
    """The source expression of the content security policy that allows exactly this text."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
