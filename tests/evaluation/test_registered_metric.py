"""A metric of a third party: the one that ``docs/plugins/metric.md`` shows, registered and run."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from offbook import registry
from tests.app.homes import home_with, text
from tests.evaluation.test_facade import PERSONA, questions
from tests.pages import plugin_code


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch):
    """The metric of the page under the name that the page gives it."""
    module = ModuleType("my_package.metrics")
    exec(plugin_code("metric"), module.__dict__)
    monkeypatch.setitem(sys.modules, "my_package", ModuleType("my_package"))
    monkeypatch.setitem(sys.modules, "my_package.metrics", module)
    theirs = [EntryPoint("words", "my_package.metrics:WORDS", "offbook.metric")]
    found = {"offbook.metric": theirs}
    monkeypatch.setattr(registry, "entry_points", lambda group: found.get(group, []))
    registry._table.cache_clear()
    yield
    monkeypatch.undo()
    registry._table.cache_clear()


@pytest.mark.usefixtures("registered")
async def test_a_registered_metric_is_scored_beside_ours(tmp_path: Path):
    async with home_with(tmp_path, "Nora Vey", text("nora.md", PERSONA)) as book:
        report = await book.evaluation.run(
            "file",
            path=questions(tmp_path),
            characters=["Nora Vey"],
            methods=["naive"],
            metrics=["ke", "words"],
            limit=3,
        )
        cells = (await book.evaluation.frames(report.run.id)).cells
    scores = {score.metric: score for score in report.scores if score.group == "all"}
    lengths = [len(reply.split()) for reply in cells["reply"]]
    assert scores["words"].estimate.mean == pytest.approx(sum(lengths) / len(lengths))
    assert (scores["words"].estimate.n, scores["words"].better) == (3, "lower")
    assert scores["ke"].estimate.n == 3
