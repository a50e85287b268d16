"""RoleBench in both layouts, on small files of our own."""

import pytest

from offbook.errors import UnreadableDocument
from offbook.evaluation.datasets.loading import load_dataset
from tests.evaluation.datasets.files import noted, write_lines


def test_role_bench_upstream_merges_references_and_drops_placeholders(tmp_path):
    rows = [
        {"role": "张飞", "question": " 何人？", "generated": ["俺。"], "type": ["script_based"]},
        {"role": "张飞", "question": "何人？", "generated": ["燕人。"], "type": ["script_based"]},
        {"role": "张飞", "question": "何处？", "generated": [" (No response provided)"]},
        {"question": "无名？", "generated": ["?"]},
    ]
    write_lines(tmp_path / "rolebench-zh" / "role_specific" / "test.jsonl", rows)
    write_lines(
        tmp_path / "rolebench-zh" / "general" / "test.jsonl",
        [{"role": "张飞", "question": "写一个程序", "generated": ["不会"]}],
    )
    dataset = load_dataset("rolebench", tmp_path)
    assert [(q.text, q.answers, q.scope, q.kind) for q in dataset.questions] == [
        ("何人？", ("俺。", "燕人。"), "in", "script_based"),
        ("何处？", (), "in", "role_specific"),
    ]
    assert noted(dataset, "references that only say that there is none, left out: 1 (test.jsonl:3)")
    assert noted(dataset, "rows without a role, left out: 1 (test.jsonl:4)")
    file = tmp_path / "rolebench-zh" / "role_specific" / "test.jsonl"
    assert load_dataset("rolebench", file).questions == dataset.questions
    general = load_dataset("rolebench", tmp_path, {"part": "general"})
    assert [(q.scope, q.kind) for q in general.questions] == [(None, "general")]
    assert len(load_dataset("rolebench", tmp_path, {"part": "all"}).questions) == 3
    with pytest.raises(UnreadableDocument, match="language 'en'"):
        load_dataset("rolebench", tmp_path, {"language": "en"})


def test_role_bench_general_questions_with_scopes_go_to_each_persona(tmp_path):
    write_lines(
        tmp_path / "boundary" / "rolebench_zh_general.jsonl",
        [{"id": "g1", "personas": ["张飞", "李白"], "question": "登月？", "scope": "out"}],
    )
    dataset = load_dataset("rolebench", tmp_path, {"part": "general"})
    assert [(q.id, q.subject, q.scope) for q in dataset.questions] == [
        ("g1:张飞", "张飞", "out"),
        ("g1:李白", "李白", "out"),
    ]
