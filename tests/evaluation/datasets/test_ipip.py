"""IPIP-NEO-120 in both layouts, on small files of our own."""

import pytest

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.datasets.loading import load_dataset
from tests.evaluation.datasets.files import item, noted, write_json


def test_ipip_items_become_open_questions(tmp_path):
    entry = {"text": "Hum at work", "text_zh": "哼着歌干活", "domain": "E", "keyed": "plus"}
    other = {"text": "Don't hum", "domain": "E", "keyed": "minus", "facet": 2}
    file = write_json(tmp_path / "ipip_neo_120.json", {"items": [entry, other]})
    dataset = load_dataset("ipip-neo-120", file)
    first, second = dataset.questions
    assert '"I hum at work."' in first.text
    assert (item(first).dimension, item(first).sign, item(first).number) == ("Extraversion", 1, "1")
    assert (item(second).statement, item(second).sign, second.kind) == ("I don't hum.", -1, "2")
    assert noted(dataset, "not the full inventory of 24 items a domain: Neuroticism 0")
    chinese = load_dataset("ipip-neo-120", tmp_path, {"language": "zh"})
    assert "“哼着歌干活。”" in chinese.questions[0].text
    write_json(
        tmp_path / "up" / "data" / "zh-cn" / "questions.json",
        [{"text": "哼歌", "domain": "E", "keyed": "plus"}],
    )
    upstream = load_dataset("ipip-neo-120", tmp_path / "up", {"language": "zh"})
    assert item(upstream.questions[0]).statement == "哼歌。"
    with pytest.raises(UnreadableDocument, match="holds no IPIP"):
        load_dataset("ipip-neo-120", tmp_path / "up")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([{"text": "Hum", "domain": "X", "keyed": "plus"}], "item 1 of .*the domain 'X'"),
        ([{"text": "Hum", "domain": "E", "keyed": "?"}], "the key '\\?'"),
        ([{"domain": "E", "keyed": "plus"}], "no 'text'"),
        ({"questions": 3}, "no list of items"),
    ],
)
def test_ipip_files_that_are_none_are_refused(tmp_path, value, said):
    with pytest.raises(UsageError, match=said):
        load_dataset("ipip-neo-120", write_json(tmp_path / "questions.json", value))
