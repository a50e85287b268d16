"""The printed numbers that tables show: as they were transcribed elsewhere, and as they can be.

Two other transcriptions exist: the shared one, and that of ``tests.parity.published``, whose counts
are checked in ``test_published_denominators``.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from offbook.evaluation.metrics.typology import MBTI, SLOAN, compare
from offbook.evaluation.tables.published import printed, published_types
from tests.parity import published
from tests.parity.published import rows, sums_behind

PUBLISHED = Path(__file__).resolve().parents[3] / "shared/data/published/paper_numbers.json"
METHODS = {"NaiveRAG": "naive", "CRAG": "crag", "LightRAG": "lightrag", "AMADEUS": "amadeus"}


def shared():
    if not PUBLISHED.exists():
        pytest.skip("no data/published beside the repository")
    return json.loads(PUBLISHED.read_text("utf-8"))


def cells(table, line=None, of=None, source=None):
    """Values by column, of the rows that are asked for."""
    found: dict[str, str] = {}
    for row in printed(table):
        if line in (None, row.line) and of in (None, row.of) and source in (None, row.source):
            found |= row.values
    return found


def of_table(table):
    return [list(row.values.values()) for row in printed(table)]


def test_the_main_table_is_the_one_that_was_transcribed_before():
    assert of_table("rolerag-main") == rows(published.ROLERAG_MAIN)
    names = {"Vanilla": "vanilla", "RAG": "rag", "Profile": "profile", "RoleRAG": "rolerag"}
    models = {
        "GPT-4o-mini": "GPT-4o-mini",
        "Qwen2.5-14b": "Qwen2.5 (14b)",
        "Llama3.1-8b": "Llama3.1 (8b)",
    }
    for name, numbers in shared()["rolerag"]["table1_characterllm"].items():
        model, method = name.split("/")
        own = cells("rolerag-main", names[method], models[model])
        assert [float(own[f"cl.{metric}"]) for metric in ("ke", "kh", "uqr")] == numbers


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("rolerag-general", published.ROLERAG_GENERAL),
        ("rolerag-specific", published.ROLERAG_SPECIFIC),
    ],
)
def test_general_and_specific_questions(table, text):
    by_model: dict[str, dict[str, float]] = defaultdict(dict)
    for row in printed(table):
        by_model[row.of] |= {f"{metric} {row.line}": float(v) for metric, v in row.values.items()}
    order = ("ke vanilla", "ke rolerag", "kh vanilla", "kh rolerag")
    ours = [[found[name] for name in order] for found in by_model.values()]
    assert ours == [[float(cell) for cell in row] for row in rows(text)]


def test_the_roles_by_frequency_differ_by_what_stands_beneath_them():
    gains: dict[Any, Any] = {}
    for row in printed("rolerag-frequency"):
        who, _, method = row.line.partition("/")
        for metric, value in row.values.items():
            sign = 1 if method == "rolerag" else -1
            gains[who, metric] = gains.get((who, metric), 0.0) + sign * float(value)
    assert {key: round(gain, 2) for key, gain in gains.items()} == {
        ("Harry Potter", "ke"): 0.34,
        ("Harry Potter", "kh"): 0.28,
        ("Hermione Granger", "ke"): 0.66,
        ("Hermione Granger", "kh"): -0.3,
        ("Voldemort", "ke"): 0.38,
        ("Voldemort", "kh"): 0.13,
        ("Alastor Moody", "ke"): 0.36,
        ("Alastor Moody", "kh"): -0.14,
        ("Ludovic Bagman", "ke"): 1.1,
        ("Ludovic Bagman", "kh"): -0.78,
        ("Padma Patil", "ke"): 1.26,
        ("Padma Patil", "kh"): -0.87,
        ("Roger Davies", "ke"): 0.7,
        ("Roger Davies", "kh"): -0.25,
    }


def test_similarity_as_transcribed_before_and_alike_in_both_versions():
    splitters = {
        "RCTS": "recursive",
        "MHTS": "markdown",
        "SC": "semantic",
        "ATS": "ats",
        "ACTS": "acts",
    }
    both = defaultdict(set)
    for row in printed("amadeus-similarity"):
        for column, value in row.values.items():
            both[row.line, row.of, column].add(value)
    assert all(len(values) == 1 for values in both.values())
    table = shared()["amadeus"]["table1_similarity"]
    for name, line in splitters.items():
        bge, qwen = (cells("amadeus-similarity", line, of) for of in ("BGE-M3", "Qwen3-0.6B"))
        assert float(bge["sum_of_means"]) == table[name]["bge_mu"]
        assert float(bge["sum_of_variances"]) == table[name]["bge_var"]
        assert float(qwen["sum_of_means"]) == table[name]["qwen_mu"]


def test_types_are_those_that_were_transcribed_before():
    told = shared()["amadeus"]
    for table, kind in (("amadeus-mbti", "mbti"), ("amadeus-sloan", "sloan")):
        source = {"mbti": "002 table 4", "sloan": "002 table 5"}[kind]
        for place, who in enumerate(told["characters"]):
            own = cells(table, who, source=source)
            for method in ("CRAG", "LightRAG", "AMADEUS"):
                assert own[f"type.{METHODS[method]}"] == told[kind][method][place]
            assert own["type.label"] == told[kind]["GT"][place]
    assert list(published_types("amadeus-mbti")) == told["characters"]


def test_sums_accuracies_and_f1_of_types_were_transcribed_before():
    for name, numbers in shared()["amadeus"]["published"].items():
        kind, method = name.split("/")
        line = METHODS.get(method, method.removesuffix("RAG").lower())
        table = f"amadeus-{kind}"
        own = [row for row in printed(table) if row.line == line]
        accuracies = {float(row.values["accuracy"]) for row in own}
        assert round(100 * numbers["acc"], 2) in accuracies
        sums = {row.values["sum_d"] for row in own if "sum_d" in row.values}
        # LightRAG's sum of 003 is lost in the extracted text.
        assert sums == ({str(numbers["sum_d"])} if name != "mbti/LightRAG" else set())
        if isinstance(numbers["f1"], float):
            assert {float(row.values["f1"]) for row in own} == {numbers["f1"]}


@pytest.mark.parametrize(("table", "typology"), [("amadeus-mbti", MBTI), ("amadeus-sloan", SLOAN)])
def test_printed_f1_follows_from_the_printed_types(table, typology):
    labels = {who: typology.letters(text) for who, text in published_types(table).items()}
    misprinted = {("amadeus-mbti", "amadeus"), ("amadeus-sloan", "naive")}
    for line in ("naive", "crag", "lightrag", "amadeus"):
        types = {
            row.line: typology.letters(row.values[f"type.{line}"])
            for row in reversed(printed(table))
            if f"type.{line}" in row.values
        }
        if not types:
            continue
        f1 = compare(types, labels, typology).average_f1.mean
        agrees = f"{f1:.4f}" == cells(table, line)["f1"]
        assert agrees != ((table, line) in misprinted)


def test_the_ablation_and_the_use_of_chunks():
    told = shared()["amadeus"]
    lines = dict(zip(told["ablation_mbti"], ("naive", "acts", "gs", "ae"), strict=True))
    for name, (sum_d, accuracy, f1) in told["ablation_mbti"].items():
        own = cells("amadeus-ablation", lines[name])
        assert (int(own["sum_d"]), float(own["f1"])) == (sum_d, f1)
        assert float(own["accuracy"]) == round(100 * accuracy, 2)
        assert own["accuracy"] == published.MBTI_ACCURACY[sum_d]
    usage = {line: cells("amadeus-usage", line)["mbti.usage"] for line in ("naive", "amadeus")}
    assert [float(v) / 100 for v in usage.values()] == [
        pytest.approx(told["chunk_usage"][name]) for name in ("naive", "ours")
    ]
    own = cells("amadeus-usage", "amadeus")
    assert {450: own["qa.failure"], 900: own["mbti.failure"]} == published.GS_FAILURE


def test_every_accuracy_of_answers_is_a_count_of_450():
    found = [row.values["acc"] for row in printed("amadeus-qa")]
    assert found == published.ACC.split()
    assert [f"{round(float(cell) * 4.5) / 4.5:.2f}" for cell in found] == found


def test_the_human_study_has_the_means_of_its_raters():
    for raters, studies in published.HUMAN_STUDY.items():
        for line, (mean, median) in zip(("bfi", "mbti"), studies, strict=True):
            own = cells("amadeus-human", line, f"{raters} raters")
            assert (own["mean"], own["median"]) == (mean, median)


@pytest.mark.parametrize(
    ("table", "datasets", "pairs"),
    [
        ("emotional-incharacter", ("InCharacter BFI", "InCharacter MBTI"), (157, 121)),
        ("emotional-mbti", ("CharacterEval MBTI", "Character-LLM MBTI"), (124, 36)),
    ],
)
def test_emotional_rag_is_the_table_that_was_transcribed_before(table, datasets, pairs):
    left, right = (rows(published.EMOTIONAL[name]) for name in datasets)
    joined = [a + b for a, b in zip(left, right, strict=True)]
    assert of_table(table) == joined
    key = {"emotional-incharacter": "table2", "emotional-mbti": "table3"}[table]
    numbers = shared()["emotional_rag"][key]
    assert [[float(cell) for cell in row] for row in joined] == list(numbers.values())
    for row in joined:
        for place, n in zip((0, 4), pairs, strict=True):
            assert sums_behind(row[place], n)


def test_rejection_on_rolebench_is_a_count_of_all_357_questions():
    found = [row.values["rb.uqr"] for row in printed("rolerag-main")]
    assert [cell for cell in found if not sums_behind(cell, 357)] == ["0.600"]
