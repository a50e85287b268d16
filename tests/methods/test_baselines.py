"""The three methods without calls at question time: what each needs, and what it recalls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from offbook import registry
from offbook.methods.naive import Naive
from offbook.methods.profile import Profile
from offbook.methods.vanilla import Vanilla
from offbook.protocols import Method
from offbook.settings.model import SettingsModel
from offbook.types import Needs
from tests.app.homes import opened, text
from tests.cli.texts import ADA


def settings(**sections: Any) -> SettingsModel:
    return SettingsModel.model_validate(sections)


def test_the_registry_lists_what_exists_and_no_more():
    assert registry.names("method") == ["vanilla", "profile", "naive"]
    for name, made in (("vanilla", Vanilla), ("profile", Profile), ("naive", Naive)):
        assert registry.load("method", name) is made
        assert made.name == name


@pytest.mark.parametrize(
    ("method", "needs"),
    [
        (Vanilla(), Needs((), vectors=False)),
        (Profile(), Needs((), vectors=False, profile=True)),
        (Naive(), Needs(("acts",))),
    ],
)
def test_each_needs_only_what_it_uses(method: Method, needs: Needs):
    assert method.needs(settings()) == needs


def test_naive_needs_its_splitter_and_vectors_unless_it_searches_by_words():
    assert Naive().needs(settings(naive={"splitter": "fixed"})).chunkings == ("fixed",)
    assert not Naive().needs(settings(retrieval={"mode": "lexical"})).vectors
    assert Naive().needs(settings(retrieval={"mode": "dense"})).vectors


async def test_vanilla_recalls_nothing_and_builds_nothing(tmp_path: Path):
    async with await opened(tmp_path, method="vanilla") as book:
        await book.create("Ada")
        report = await book.ingest_texts("ada", [text("ada.md", ADA)])
        assert [row.chunks for row in report.documents] == [0]
        found, _ = await book.recall("ada", "Who taught you?")
        assert (found.method, found.context, found.skipped) == ("vanilla", (), ())
        assert (await book.ask("ada", "Who are you?")).text


async def test_profile_recalls_the_same_paragraph_whatever_the_question(tmp_path: Path):
    async with await opened(tmp_path, method="profile") as book:
        await book.create("Ada")
        await book.ingest_texts("ada", [text("ada.md", ADA)])
        one, _ = await book.recall("ada", "Who taught you?")
        other, _ = await book.recall("ada", "Have you seen Rome?")
        assert one.context == other.context
        (item,) = one.context
        assert (item.kind, item.title, item.score) == ("profile", "Ada", 1.0)
        assert item.text == (await book.find("ada")).profile


async def test_a_profile_is_written_anew_when_the_documents_change(tmp_path: Path):
    async with await opened(tmp_path, method="profile") as book:
        await book.create("Ada")
        await book.ingest_texts("ada", [text("ada.md", ADA)])
        before = (await book.find("ada")).profile
        await book.ingest_texts("ada", [text("ada.md", ADA.replace("Tom", "Jem"))])
        after = (await book.find("ada")).profile
        assert before
        assert after
        assert "Jem" in after
        assert before != after


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
