"""Naive RAG: the k chunks that are most like the question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from offbook.methods.naive import Naive
from offbook.settings.model import SettingsModel
from offbook.types import Needs
from tests.app.homes import opened, text
from tests.cli.texts import ADA


def settings(**sections: Any) -> SettingsModel:
    return SettingsModel.model_validate(sections)


def test_naive_needs_its_splitter_and_vectors_unless_it_searches_by_words():
    assert Naive().needs(settings()) == Needs(("acts",))
    assert Naive().needs(settings(naive={"splitter": "fixed"})).chunkings == ("fixed",)
    assert not Naive().needs(settings(retrieval={"mode": "lexical"})).vectors
    assert Naive().needs(settings(retrieval={"mode": "dense"})).vectors


@pytest.mark.parametrize("k", [1, 2, 50])
async def test_naive_recalls_k_chunks_best_first(tmp_path: Path, k: int):
    async with await opened(tmp_path, naive__k=k) as book:
        await book.create("Ada")
        report = await book.ingest_texts("ada", [text("ada.md", ADA)])
        found, _ = await book.recall("ada", "Who taught you to trim the lamp?")
        assert len(found.context) + len(found.skipped) == min(k, report.documents[0].chunks)
        scores = [item.score for item in found.context]
        assert scores == sorted(scores, reverse=True)
        assert "Tom" in found.context[0].text
