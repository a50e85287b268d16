"""The tables as data: names, what they run, what they print."""

from __future__ import annotations

from inspect import signature

import pytest

from offbook.errors import UnknownName
from offbook.evaluation.benchmark import benchmark
from offbook.evaluation.datasets.loading import Loader
from offbook.evaluation.metrics.scales import SCALES
from offbook.evaluation.metrics.typology import TYPOLOGIES
from offbook.evaluation.tables.catalogue import TABLES, printed, published_types, table_named
from offbook.evaluation.variants import methods_named
from offbook.registry import load, names
from offbook.settings import load_settings

NAMES = [
    "rolerag-main",
    "rolerag-general",
    "rolerag-specific",
    "rolerag-frequency",
    "rolerag-out-of-scope",
    "amadeus-similarity",
    "amadeus-alpha",
    "amadeus-human",
    "amadeus-usage",
    "amadeus-mbti",
    "amadeus-sloan",
    "amadeus-ablation",
    "amadeus-qa",
    "amadeus-interview",
    "emotional-incharacter",
    "emotional-mbti",
    "emotional-strategies",
]
COMPUTED = {"sum_d", "accuracy", "avg_f1", "type", "chunk_usage", "gs_failure"}


def columns(table):
    return [column for block in table.blocks for column in block.columns]


def test_there_are_the_seventeen_of_the_specification_in_its_order():
    assert list(TABLES) == NAMES


def test_a_table_that_there_is_not_is_refused_with_the_nearest():
    with pytest.raises(UnknownName) as caught:
        table_named("rolerag-mian")
    assert "did you mean 'rolerag-main'?" in caught.value.hint


@pytest.mark.parametrize("name", NAMES)
def test_every_printed_row_has_its_line_and_columns(name):
    table = TABLES[name]
    lines = {line.key for block in table.blocks for line in block.lines}
    keys = {column.key for column in columns(table)}
    for row in printed(name):
        assert row.line in lines
        assert row.values
        assert set(row.values) <= keys
        assert row.source[:3] in ("001", "002", "003", "004")
        assert row.of
    # A table without printed numbers says so.
    assert printed(name) or table.illegible


@pytest.mark.parametrize("name", NAMES)
def test_every_table_says_what_is_not_as_in_the_paper(name):
    differs = TABLES[name].differs
    assert differs
    assert all((sentence.endswith(".") and sentence[0].isupper()) or sentence[0] == "`"
               for sentence in differs)  # fmt: skip


@pytest.mark.parametrize("name", [name for name in NAMES if TABLES[name].kind == "runs"])
def test_every_cell_of_ours_can_be_measured(name, tmp_path):
    table = TABLES[name]
    settings = load_settings({}, {}, tmp_path, tmp_path / "none")
    for use, method in table.needed():
        measured = benchmark(use.benchmark)
        (asked,) = methods_named([method])
        assert asked.method in names("method")
        settings.overlaid(asked.settings)
        mine = [column for column in columns(table) if column.use == use.key]
        assert mine
        for column in mine:
            metric = column.metric.partition(".")[0]
            assert metric in COMPUTED or metric in measured.metrics
            assert metric in COMPUTED | set(SCALES)
        if use.typology:
            assert use.typology in measured.metrics
            assert use.typology in TYPOLOGIES
        loader: Loader = load("dataset", measured.dataset)
        assert set(dict(use.options)) <= set(signature(loader).parameters)


def test_fifteen_characters_have_labels():
    for table, letters in (("amadeus-mbti", 4), ("amadeus-sloan", 5)):
        found = published_types(table)
        assert len(found) == 15
        assert {len(text) for text in found.values()} == {letters}


RIVALS = {"crag": "CRAG", "raptor": "RAPTOR", "adaptive": "Adaptive-RAG", "lightrag": "LightRAG"}


@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_what_a_rival_lacks_of_its_original_stands_below_every_table_that_prints_it(table):
    methods = {method.partition("[")[0] for _, method in table.needed()}
    remarks = " ".join(table.differs)
    lacking = [name for method, name in RIVALS.items() if method in methods and name not in remarks]
    assert lacking == []


def test_tables_print_every_rival():
    methods = {method for table in TABLES.values() for _, method in table.needed()}
    assert RIVALS.keys() <= methods
