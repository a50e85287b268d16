"""All twelve methods on the demo character, by every metric, offline: run, marked, drawn, opened.

The normal suite asks a few questions of each benchmark; the long one all of them, in four minutes.
"""

from __future__ import annotations

import csv
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio

from offbook import registry
from offbook.app import Offbook
from offbook.evaluation.datasets.loading import load_dataset
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.record import OFFLINE_MARK
from offbook.evaluation.report.writing import write_report
from offbook.prompts.acting import DIMENSIONS
from tests.app.homes import opened
from tests.browser.conftest import OpenPage
from tests.evaluation.datasets.files import item, write_json

pytest.importorskip("matplotlib", reason="pictures need the extra 'eval'")
pytestmark = pytest.mark.asyncio(loop_scope="session")

WHO: Final = "Edmond Dantès"
METHODS: Final = registry.names("method")
OURS: Final = ("demo", "demo-mbti", "demo-bigfive", "mbti-60-interview")
THEIRS: Final = tuple(
    f"incharacter-{name}" for name in ("bfi", "16p", "bfi-options", "16p-options")
)
SECONDS: Final = 240
ELSEWHERE: Final = {"persona", "consistency", "spacetime", "word_recall", "word_f1", *DIMENSIONS}
"""Of scripts, story points and sessions: this run has none, and tests/evaluation has theirs."""


@pytest_asyncio.fixture(loop_scope="session")
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    async with await opened(tmp_path) as found:
        yield found


def questionnaires(folder: Path) -> Path:
    """Some of our own questions in InCharacter's files, and what somebody says of the character."""
    for name, of, poles in (("16Personalities", "mbti-60", ()), ("BFI", "bigfive-60", ("",))):
        items = {}
        for question in load_dataset(of).questions[::6]:
            asked = item(question)
            first, _, second = asked.dimension.partition("/")
            letter = first if asked.sign > 0 else second
            sign = "positive" if asked.sign > 0 else "negative"
            items[asked.number] = {
                "rewritten_en": question.text,
                "rewritten_zh": question.text,
                "origin_en": asked.statement,
                "origin_zh": asked.statement,
                "dimension": asked.dimension,
                "category": sign if poles else letter,
            }
        write_json(folder / f"{name}.json", {"name": name, "reverse": [], "questions": items})
    said = {
        "16Personalities": {"E/I": {"score": 20.0}, "T/F": {"score": 70.0}},
        "BFI": {"Openness": {"score": 4.0}, "Neuroticism": {"score": 4.5}},
    }
    write_json(folder / "characters_labels.json", {"pdb": {WHO: said}, "annotation": {WHO: said}})
    return folder


async def runs(book: Offbook, folder: Path, limit: int | None) -> list[str]:
    """Every benchmark on the demo character; the ids of the runs."""
    found = []
    wanted: dict[str, Any] = {"characters": [WHO], "methods": METHODS}
    for name in (*OURS, *THEIRS):
        path = folder if name in THEIRS else None
        most = limit if limit is None or name == "demo" else 2 * limit
        report = await book.evaluation.run(
            name, create=name in OURS[:3], limit=most, path=path, **wanted
        )
        assert report.run.mark == OFFLINE_MARK
        assert (report.run.status, report.failed, report.cells) == ("finished", 0, report.planned)
        # Only of an answer that says nothing on the matter there is no option.
        missing = sum(count.missing for count in report.judges.values())
        assert missing == 0 or name.endswith("-options")
        assert [variant.label for variant in report.run.variants] == METHODS
        found.append(report.run.id)
    return found


def check_tables(folder: Path) -> None:
    """Every metric has a number, with its n."""
    with (folder / "tables" / "scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["mark"] for row in rows} == {OFFLINE_MARK}
    measured = {row["metric"].partition(".")[0] for row in rows if row["value"] and int(row["n"])}
    assert set(SCALES) - ELSEWHERE <= measured
    assert {"chunk_usage", "duplication", "gs_failure"} <= measured
    assert {row["method"] for row in rows} == set(METHODS)


def check_pictures(folder: Path) -> None:
    """The pictures of questions and of letters are there, and every file says what it is."""
    drawn = {path.stem: path.stat().st_size for path in folder.glob("pictures/*.png")}
    for kind in ("scores", "similarity", "chunk-usage", "cost-quality"):
        assert f"demo-1-{kind}" in drawn
    assert [name for name in drawn if name.startswith("demo-mbti-1-") and "radar" in name]
    assert min(drawn.values()) > 5_000
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".png"]
    assert [path.name for path in files if OFFLINE_MARK not in path.read_text("utf-8")] == []


@pytest.mark.parametrize(
    "limit", [pytest.param(2, id="few"), pytest.param(None, id="all", marks=pytest.mark.long)]
)
async def test_all_methods_by_all_metrics_and_a_page_with_their_pictures(
    book: Offbook, show: OpenPage, tmp_path: Path, limit: int | None
):
    began = time.process_time()
    names = await runs(book, questionnaires(tmp_path / "InCharacter"), limit)
    # Drawing takes longer than asking: the normal suite has the pictures of two runs.
    drawn = names if limit is None else names[:2]
    report = await write_report(book, drawn, tmp_path / "report")
    # Of this process alone: the suite runs several at once.
    assert time.process_time() - began < SECONDS
    assert report.mark == OFFLINE_MARK
    await write_report(book, names, tmp_path / "all", with_pictures=False, examples=0)
    check_tables(tmp_path / "all")
    check_pictures(tmp_path / "report")
    html = (tmp_path / "report" / "report.html").read_text("utf-8")
    # The graph page says when it has settled; this one is settled as it comes.
    page = (await show(html.replace("<html ", "<html data-layout=settled ", 1))).page
    assert await page.locator("figure svg").count() > 4
    assert await page.get_by_text(OFFLINE_MARK).count() > 10
