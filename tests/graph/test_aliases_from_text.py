"""The figure of casts: pairs of names of one person, from a raw novel."""

import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / ".." / "shared" / "data" / "books"
NOVEL = (
    "Mr. Tom Wren met the Admiral. Tom bowed. Ida Lane saw Tom Wren, and Ida laughed at Mr. Wren."
)


@pytest.fixture
def figure(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("aliases_from_text")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "n.txt").write_text(NOVEL)
    rows = [
        {"name": "Tom", "aliases": ["Tom", "Mr. Wren", "The Admiral", "Admiral", "Thomas"]},
        {"name": "Ida", "aliases": ["Ida", "Ida Lane"]},
    ]
    (tmp_path / "n.characters.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


def test_pairs_are_counted_of_names_that_the_novel_contains(figure, folder):
    report = figure.measure(folder)
    counts = report.by_novel["n"]
    assert (
        counts.gold == 4
    )  # of Tom, Mr. Wren and Admiral; Thomas is not there, the article is none
    assert (counts.recalled, counts.found, counts.right) == (2, 2, 2)
    assert report.as_json()["recall"] == 0.5
    assert "| n | 4 | 2 | 1.000 | 0.500 |" in report.as_table()


def test_two_people_in_one_cost_precision(figure, folder):
    from offbook.names.cast import Cast, CastMember

    lists = [["Tom", "Mr. Wren"], ["Ida"]]
    cast = Cast((CastMember("Tom", ("Tom", "Mr. Wren", "Ida", "Bob")),))
    counts = figure.compare(NOVEL, lists, cast)
    assert (counts.found, counts.right, counts.recalled) == (3, 1, 1)


@pytest.mark.skipif(not DATA.is_dir(), reason="needs the shared novels")
@pytest.mark.long
def test_the_shared_novels_keep_their_figure(figure):
    shape = figure.measure(DATA).as_json()
    assert shape["precision"] >= 0.85
    assert shape["recall"] >= 0.6
