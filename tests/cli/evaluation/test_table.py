"""`eval table`: forms of output, plans, bad usage; offline, so that ours are never shown."""

from __future__ import annotations

from offbook.evaluation.record import OFFLINE_MARK
from tests.end_to_end.world import World


def test_offline_it_prints_what_is_published_and_none_of_ours(offline: World):
    outcome = offline.done("eval", "table", "amadeus-qa")
    assert "91.33" in outcome.out
    assert "GPT-4.1 (002 table 6, 003 table 6)" in outcome.out
    assert OFFLINE_MARK in outcome.out
    assert "Not as in the paper:" in outcome.out


def test_the_document_has_ours_beside_printed(offline: World):
    shape = offline.done("eval", "table", "rolerag-general", "--json").json
    assert set(shape) == {
        "table",
        "title",
        "source",
        "about",
        "runs",
        "blocks",
        "differs",
        "illegible",
        "notes",
    }
    assert shape["about"]["preset"] == "faithful"
    assert shape["runs"] == []
    (block,) = shape["blocks"]
    for line in block["lines"]:
        assert line["ours"] == []
        assert len(line["printed"]) == 6
        assert line["printed"][0]["source"] == "001 table 2"


def test_markdown_and_latex(offline: World):
    markdown = offline.done("eval", "table", "amadeus-ablation", "--markdown").out
    assert "| Naive RAG | ours | - | - | - |" in markdown
    assert "| sum \\|d\\| (lower) |" in markdown
    latex = offline.done("eval", "table", "amadeus-ablation", "--latex").out
    assert "\\toprule" in latex
    assert "0.6146" in latex
    both = offline.run("eval", "table", "amadeus-ablation", "--latex", "--json")
    assert both.code == 2


def test_a_plan(offline: World):
    outcome = offline.done("eval", "table", "emotional-strategies", "--plan")
    assert outcome.out.count("emotional[strategy=") == 10
    assert "together: no calls" in outcome.out
    shape = offline.done("eval", "table", "emotional-strategies", "--plan", "--json").json
    assert {each["benchmark"] for each in shape["runs"]} == {"incharacter-bfi", "incharacter-16p"}
    assert shape["total"]["calls"] == 0
    assert offline.done("eval", "table", "amadeus-alpha", "--plan", "--json").json["runs"] == []


def test_what_a_file_must_hold_is_said(offline: World):
    outcome = offline.run("eval", "table", "amadeus-human")
    assert outcome.code == 2
    assert "questionnaire (BFI or MBTI), sample, rater, rating" in outcome.err
    study = offline.run("eval", "table", "amadeus-similarity")
    assert study.code == 2
    assert "characterrag" in study.err


def test_bad_usage(offline: World):
    unknown = offline.run("eval", "table", "amadeus-qas")
    assert unknown.code == 2
    assert "did you mean 'amadeus-qa'?" in unknown.err
    assert offline.run("eval", "table", "amadeus-qa", "--data", "x=").code == 2
    twice = offline.run("eval", "table", "amadeus-qa", "--data", "x=a", "--data", "x=b")
    assert twice.code == 2
    assert "twice" in twice.err
