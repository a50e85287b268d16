"""The shipped retriever on labelled questions about other people's texts: it must not get worse.

Bounds lie a few points below the figures of benchmarks/RESULTS.md: one question is 0.012.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from offbook.models.builtin import embed_texts
from offbook.retrieval.search import DenseIndex, LexicalIndex, RetrievalMode, Searcher, encode_terms

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "character_llm"
SILVER = DATA / "retrieval_silver.jsonl"

pytestmark = pytest.mark.skipif(
    not SILVER.exists(), reason="needs ../shared/data/character_llm beside the project"
)


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def searchers() -> dict[str, Searcher]:
    passages: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows(DATA / "profile_paragraphs.jsonl"):
        headings = ", ".join(row["headings"])
        passages[str(row["character"])][str(row["id"])] = f"{headings}\n{row['text']}"
    return {
        character: Searcher(
            DenseIndex(list(own), embed_texts(list(own.values()))),
            LexicalIndex.from_blobs(list(own), list(map(encode_terms, own.values()))),
        )
        for character, own in passages.items()
    }


@pytest.mark.parametrize(("mode", "bound"), [("dense", 0.72), ("lexical", 0.78), ("hybrid", 0.82)])
def test_recall_at_5_stays_where_it_was(searchers, mode: RetrievalMode, bound):
    recalls = []
    for row in rows(SILVER):
        question = str(row["question"])
        hits = searchers[row["character"]].search(
            question, embed_texts([question])[0], mode=mode, k=5
        )
        gold = set(row["gold_paragraphs"])
        recalls.append(len(gold & {hit.id for hit in hits}) / min(5, len(gold)))
    assert len(recalls) == 85
    assert np.mean(recalls) > bound
