"""The catalogue: every benchmark is whole, and is what the registry says."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from offbook import registry
from offbook.errors import UnknownName, UsageError
from offbook.evaluation.benchmark import benchmark, benchmarks
from offbook.evaluation.datasets.fetching import LOCK_FILE, folder_of
from offbook.evaluation.datasets.loading import load_benchmark, load_dataset
from tests.evaluation import made
from tests.evaluation.datasets.files import shared, write, write_lines

NO_SHARED = {
    "harry-potter",
    "characterrag",
    "file",
    "scripts",
    "locomo",
    "longmemeval",
    "timechara",
    "coser",
}


@pytest.mark.parametrize("each", benchmarks(), ids=lambda each: each.name)
def test_a_benchmark_loads(each):
    if each.name in NO_SHARED:
        pytest.skip("the shared data has no such set; own files are in test_loaders")
    dataset = load_benchmark(each, shared() if each.needs_path else None)
    assert dataset.questions
    assert dataset.licence
    has_items = all(question.item is not None for question in dataset.questions)
    assert has_items == (each.protocol != "questions")
    assert len({q.id for q in dataset.questions}) == len(dataset.questions)


def test_a_benchmark_without_its_path_says_where_to_get_it(tmp_path):
    with pytest.raises(UsageError) as caught:
        load_benchmark(benchmark("character-llm"), home=tmp_path)
    assert "offbook eval fetch character-llm" in caught.value.hint
    with pytest.raises(UsageError) as caught:
        load_benchmark(benchmark("file"), home=tmp_path)
    assert "fetch" not in caught.value.hint


def test_what_was_fetched_is_found(tmp_path):
    folder = folder_of(tmp_path, "characterrag")
    write_lines(folder / "Ada.jsonl", [{"question": "Who?", "answer": "Ada"}])
    with pytest.raises(UsageError, match="none was named"):
        load_benchmark(benchmark("characterrag"), home=tmp_path)
    write(folder / LOCK_FILE, "{}")
    found = load_benchmark(benchmark("characterrag"), home=tmp_path)
    assert [q.subject for q in found.questions] == ["Ada"]
    assert load_dataset("characterrag", home=tmp_path).checksum == found.checksum


def test_an_unknown_benchmark_names_the_nearest():
    with pytest.raises(UnknownName) as caught:
        benchmark("mbti60")
    assert "'mbti-60'" in caught.value.hint


def test_third_parties_add_datasets_and_benchmarks(monkeypatch):
    theirs = {
        "offbook.dataset": EntryPoint(
            "theirs", "offbook.evaluation.datasets.questionnaires:load_mbti_60", "offbook.dataset"
        ),
        "offbook.benchmark": EntryPoint(
            "theirs", "tests.evaluation.made:BENCHMARK", "offbook.benchmark"
        ),
    }
    monkeypatch.setattr(registry, "entry_points", lambda group: [theirs[group]])
    registry._table.cache_clear()
    try:
        assert benchmarks()[-1] == made.BENCHMARK
        assert len(load_dataset("theirs").questions) == 60
    finally:
        monkeypatch.undo()
        registry._table.cache_clear()


@pytest.mark.long
def test_listing_loads_no_loader_and_nothing_heavy():
    code = (
        "import sys; from offbook.evaluation.benchmark import benchmarks; benchmarks(); "
        "print([m for m in ('numpy', 'sqlalchemy', 'openai', 'httpx', "
        "'offbook.evaluation.datasets.questionnaires') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
