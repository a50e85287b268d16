"""The figure of speakers: who says each quotation of a raw novel."""

from __future__ import annotations

import importlib
import json
from argparse import Namespace
from pathlib import Path

import pytest

from offbook.names.cast import Cast, CastMember, CastMention
from tests.loopback import LoopbackServer

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / ".." / "shared" / "data" / "books"
TEXT = "“Come,” said Ida. “No,” said Tom. “Well.”"
CAST = Cast(
    (CastMember("Ida Wren", ("Ida Wren", "Ida")), CastMember("Lane", ("Lane", "Tom"))),
    (CastMention(0, 13, 16, 0), CastMention(0, 29, 32, 1)),
)
LISTS = (frozenset(("ida", "ida wren")), frozenset(("tom", "thomas lane")))


@pytest.fixture
def figure(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("quality_quotes")


def of(file: Path, model: str | None = None, base_url: str | None = None) -> Namespace:
    return Namespace(file=file, more=[], model=model, base_url=base_url, home=None)


def quote(start, end, speaker, kind="explicit"):
    return {"spans": [[start, end]], "speaker": speaker, "type": kind}


def counted(figure, rows, spoken):
    return figure.compare(rows, LISTS, CAST, TEXT, spoken)


def test_a_member_is_right_by_its_name_or_by_most_of_its_mentions(figure):
    rows = [quote(1, 6, "Ida"), quote(19, 22, "Thomas Lane", "Implicit")]

    counts = counted(figure, rows, [(0, 7, 0), (18, 23, 1)])

    assert counts["explicit"] == figure.Counts(1, 1, 1, 1)
    assert counts["implicit"] == figure.Counts(1, 1, 1, 1)
    assert counts["all"] == figure.Counts(2, 2, 2, 2)


def test_open_missed_and_wrong_are_told_apart(figure):
    rows = [quote(1, 6, "Ida"), quote(19, 22, "Tom"), quote(35, 40, "_group")]

    counts = counted(figure, rows, [(0, 7, None), (34, 41, 1)])["all"]

    assert counts == figure.Counts(n=3, found=2, attributed=1, right=0)
    assert counts.as_json()["right_of_attributed"] == 0.0


def test_of_several_speakers_the_one_with_most_characters_counts(figure):
    rows = [{"spans": [[0, 7], [18, 23]], "speaker": "Ida", "type": "nan"}]

    counts = counted(figure, rows, [(0, 7, 0), (18, 23, 1)])

    assert counts["all"] == figure.Counts(1, 1, 1, 1)
    assert counts["explicit"] == figure.Counts()


def test_a_novel_goes_through_the_reader_and_back_to_its_own_offsets(figure, tmp_path):
    line = (
        "Ida Wren walked on the long sand\nand met Tom Brand there, who\nsaw Ida Wren at once.\n\n"
    )
    said = '"It is cold here," said Ida Wren,\n"and wet."\n\n'
    novel = (line + said) * 12
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "n.txt").write_text(novel)
    at = novel.rindex("It is")
    (tmp_path / "n.quotes.jsonl").write_text(json.dumps(quote(at, at + 16, "Ida")))
    (tmp_path / "n.characters.jsonl").write_text(
        json.dumps({"name": "Ida", "aliases": ["Ida Wren"]})
    )

    report = figure.run(of(tmp_path))

    assert report.novels["n"]["all"] == figure.Counts(1, 1, 1, 1)
    assert "| n | explicit | 1 | 1.0 | 1.0 | 1.0 | 1.0 |" in report.as_table()


def test_what_a_model_says_counts_where_one_is_named(figure, tmp_path):
    line = "Ida Wren met Tom Brand at the quay, and Tom Brand laughed at Ida Wren.\n\n"
    novel = line * 12 + "“Well?”\n"
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "n.txt").write_text(novel)
    at = novel.index("Well")
    (tmp_path / "n.quotes.jsonl").write_text(json.dumps(quote(at, at + 5, "Ida", "implicit")))
    people = [{"name": "Ida Wren", "aliases": []}, {"name": "Tom Brand", "aliases": []}]
    (tmp_path / "n.characters.jsonl").write_text("\n".join(map(json.dumps, people)))
    answer = '{"quotations": [{"item": 1, "person": 1}]}'
    with LoopbackServer(answer=lambda _: answer) as server:
        by_model = figure.run(of(tmp_path, "m", server.base_url)).novels["n"]["implicit"]
    assert server.count() == 1
    assert by_model.attributed == 1
    assert figure.run(of(tmp_path)).novels["n"]["implicit"].attributed == 0


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared novels are not here")
def test_speakers_do_not_fall_below(figure):
    report = figure.run(of(DATA)).as_json()["total"]

    assert report["all"]["right_of_attributed"] >= 0.93
    assert report["all"]["attributed"] >= 0.60
    assert report["all"]["found"] >= 0.99
