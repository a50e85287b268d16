"""All kinds of pictures: drawn without a warning, the same every time, marked, and safe to inline.

They are drawn with few methods here: what they look like with eleven is for eyes to see.
"""

from __future__ import annotations

import re
import sys
from xml.etree import ElementTree as ET

import pytest

from offbook.errors import ConfigurationError
from offbook.evaluation.metrics.statistics import Estimate, estimate
from offbook.evaluation.record import OFFLINE_MARK, Score
from offbook.evaluation.report.material import Cosines, Interview, Report, Trait
from offbook.evaluation.report.picture import (
    MARK_INK,
    VARIABLES,
    Heading,
    drawn,
    inlined,
)
from offbook.evaluation.report.plots import (
    bins,
    chunk_usage,
    cost_quality,
    radars,
    ridgelines,
    score_bars,
)
from offbook.evaluation.report.tables import is_quality
from offbook.evaluation.report.writing import draw, report_files
from offbook.extras import install_command
from tests.evaluation.report import made_reports

pytest.importorskip("matplotlib", reason="pictures need the extra 'eval'")

METHODS = ("naive", "amadeus")
KINDS = {
    "scores": lambda mark: score_bars(
        [s for s in made_reports.scores(METHODS) if is_quality(s) and s.metric in ("ke", "hs")],
        "demo-1",
        mark,
    ),
    "radar-mbti_item": lambda mark: radars(
        made_reports.interviews("mbti_item", METHODS, ["Ada Byrne"]), "demo-1", mark
    ),
    "radar-bfi_batch": lambda mark: radars(
        made_reports.interviews("bfi_batch", METHODS, ["Ada Byrne", "林黛玉"]), "demo-1", mark
    ),
    "similarity": lambda mark: ridgelines(made_reports.cosines(METHODS), "demo-1", mark),
    "chunk-usage": lambda mark: chunk_usage(made_reports.chunk_uses(METHODS), "demo-1", mark),
    "cost-quality": lambda mark: cost_quality(made_reports.scores(METHODS), "demo-1", mark),
}
WITH_HAN = "radar-bfi_batch"


def colours(svg: str) -> set[str]:
    return set(re.findall(r"#[0-9a-f]{6}", svg))


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_is_drawn_the_same_every_time_and_its_mark_is_in_it(kind):
    (first,) = KINDS[kind](OFFLINE_MARK)
    (again,) = KINDS[kind](OFFLINE_MARK)
    assert first == again
    assert first.name == f"demo-1-{kind}"
    if kind == WITH_HAN:  # which not every machine has a font for
        assert all("in no font" in note for note in first.notes)
    else:
        assert first.notes == ()
    assert first.png.startswith(b"\x89PNG")
    assert ET.fromstring(first.svg).tag.endswith("svg")
    assert MARK_INK in colours(first.svg)
    assert OFFLINE_MARK in first.alt
    assert not re.search(r"<dc:date>|matplotlib v", first.svg.replace("www.", ""))


def test_an_inlined_picture_has_no_style_attribute_no_text_and_ids_of_its_own():
    (picture,) = KINDS["scores"](OFFLINE_MARK)
    markup = inlined(picture.svg, "run 1/x", 'an "alt" <b>')
    root = ET.fromstring(markup)
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert all(name.startswith("run-1-x-") for name in ids if name)
    used = {e.get("href") for e in root.iter("use")}
    assert used
    assert used <= {f"#{name}" for name in ids}
    assert not [e for e in root.iter() if e.get("style") or e.tag in ("style", "metadata", "text")]
    for clipped in re.findall(r"url\(#([^)]+)\)", markup):
        assert clipped in ids
    assert root.get("aria-label") == 'an "alt" <b>'
    assert "<b>" not in markup
    assert {f"--{VARIABLES[c]}" for c in colours(markup) if c in VARIABLES} <= set(
        re.findall(r"--[a-z0-9-]+", markup)
    )
    assert "xlink" not in markup


HOSTILE = (
    "$x^2$ \\frac{1}{2}", "_hidden", "</svg><script>alert(1)</script>", "a\nb\0c\ud800", "",
    "amadeus[amadeus.gs=off,amadeus.splitter=recursive,retrieval.top=30]" * 3, "方法一 한국어",
)  # fmt: skip


def test_no_name_of_a_method_or_character_breaks_a_picture():
    interviews = made_reports.interviews("mbti_item", HOSTILE[:3], HOSTILE[3:5])
    made = [
        *score_bars([s for s in made_reports.scores(HOSTILE) if s.metric == "ke"], "r", None),
        *radars(interviews, "r", None),
        *ridgelines(made_reports.cosines(HOSTILE), "r", None),
        *chunk_usage(made_reports.chunk_uses(HOSTILE[:2]), "r", None),
        *cost_quality([s for s in made_reports.scores(HOSTILE[:3])
                       if s.metric in ("ke", "calls")], "r", None),
    ]  # fmt: skip
    assert len(made) == 5
    for picture in made:
        assert "<script" not in picture.svg
        assert all("font" in note for note in picture.notes)


def test_a_letter_that_no_font_has_is_told_and_stops_nothing():
    scores = [s for s in made_reports.scores(("\U00012000\U00012001",)) if s.metric == "ke"]
    (picture,) = score_bars(scores, "r", None)
    assert picture.notes == ("2 letters are in no font of this machine and are shown as boxes",)


def test_what_is_not_there_is_not_drawn():
    none = Score("ke", "naive", "all", Estimate(None, 0, 3), "higher")
    assert list(score_bars([], "r", None)) == []
    assert list(cost_quality([none], "r", None)) == []
    assert list(ridgelines([Cosines("naive", (), Estimate(None, 0))], "r", None)) == []
    assert list(chunk_usage([], "r", None)) == []
    trait = Trait("E/I", "E", "I", Estimate(None, 0, 4), None, "", None, 0, 100)
    assert list(radars([Interview("mbti_item", "naive", "Ada", (trait,))], "r", None)) == []


def test_bars_hold_every_chunk_once():
    duplication = {0: 30, **dict.fromkeys(range(1, 90), 2)}
    found = bins(duplication)
    assert found[0] == (0, 0, 30)
    assert sum(chunks for _, _, chunks in found) == sum(duplication.values())
    assert len(found) <= 17
    assert [b[0] for b in found[2:]] == [a[1] + 1 for a in found[1:-1]]
    assert bins({1: 2, 2: 1}) == [(1, 1, 2), (2, 2, 1)]
    assert bins({}) == []


def test_many_metrics_and_characters_are_given_several_pictures():
    scores = [Score(f"m{n}", "naive", "all", estimate([1.0, 2.0]), "higher") for n in range(7)]
    names = [picture.name for picture in score_bars(scores, "r", None)]
    assert names == ["r-scores-1", "r-scores-2"]


def test_pictures_without_matplotlib_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigurationError, match="'eval'") as caught:
        list(draw(Report((made_reports.report(METHODS),))))
    assert install_command("eval") in caught.value.hint
    assert "--no-pictures" in caught.value.hint
    with pytest.raises(ConfigurationError):
        drawn(Heading("r", "k", "t", "a"), (3, 2), lambda figure: None)
    names = [
        n for n, _ in report_files(Report((made_reports.report(METHODS),)), with_pictures=False)
    ]
    assert {"report.html", "report.md", "tables/scores.csv"} <= set(names)
    assert not [name for name in names if name.startswith("pictures/")]


def test_a_persons_own_style_of_matplotlib_changes_nothing():
    import matplotlib as mpl

    (before,) = KINDS["similarity"](None)
    with mpl.rc_context({"lines.linewidth": 9, "text.color": "red", "font.size": 30}):
        (after,) = KINDS["similarity"](None)
    assert before == after


def test_every_picture_is_in_the_page_and_in_two_files():
    report = Report((made_reports.report(METHODS, scores=(), interviews=()),))
    files = dict(report_files(report))
    pictures = [name for name in files if name.startswith("pictures/")]
    assert sorted(pictures) == [
        f"pictures/demo-1-{kind}.{suffix}"
        for kind in ("chunk-usage", "similarity")
        for suffix in ("png", "svg")
    ]
    assert files["report.html"].count(b'role="img"') == 2
    text = files["report.md"].decode()
    assert all(name in text for name in pictures if name.endswith("svg"))
