from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from tests.app.homes import home_with, opened, text
from tests.evaluation.test_facade import PERSONA, QUESTIONS, questions
from tests.loopback import LoopbackServer


async def test_an_estimate_of_what_is_left_agrees_with_what_it_then_takes(
    tmp_path: Path, loopback: LoopbackServer
):
    """Calls exactly; tokens of prompts within what replies of another length make."""
    told: dict[str, Any] = {
        "benchmark": "file",
        "path": questions(tmp_path),
        "characters": ["Nora Vey"],
        "methods": ["naive,rolerag"],
        "metrics": ["ke", "acc"],
    }
    endpoint = {"chat__model": "m", "chat__base_url": loopback.base_url}
    loopback.answer = _answer
    async with home_with(tmp_path, "Nora Vey", text("nora.md", PERSONA)) as offline:
        await offline.evaluation.run(**{**told, "limit": 1}, build=True)
    async with await opened(tmp_path, **endpoint) as book:
        estimated = await book.evaluation.estimate(**told)
        assert loopback.count() == 0
        report = await book.evaluation.run(**told)
        used = report.usage.by_task
        assert {name: task.calls for name, task in estimated.by_task.items()} == {
            name: task.calls for name, task in used.items()
        }
        assert report.usage.prompt_tokens == pytest.approx(estimated.prompt_tokens, rel=0.25)
        assert (await book.evaluation.estimate(**told)).calls == 0
        more = await book.evaluation.estimate(**{**told, "repeats": 2})
        assert more.by_task["reply"].calls == len(QUESTIONS) * 2


def _answer(body: Any) -> str:
    from tests.loopback.answers import default_answer

    form = (body.get("response_format") or {}).get("json_schema", {}).get("schema", {})
    if "rating" in form.get("properties", {}):
        kind = form["properties"]["rating"]
        return json.dumps({"analysis": "It is so.", "rating": "yes" if "enum" in kind else 5})
    if form:
        return default_answer(body).text
    # Replies that differ: equal ones would be one question to the judge.
    return f"I have seen {crc32(str(body['messages']).encode()) % 10_000} ships."


async def test_ratings_that_stored_cells_lack_are_counted(tmp_path: Path, loopback: LoopbackServer):
    told: dict[str, Any] = {
        "benchmark": "file",
        "path": questions(tmp_path),
        "characters": ["Nora Vey"],
        "methods": ["vanilla"],
        "metrics": ["ke"],
    }
    loopback.answer = _answer
    endpoint = {"chat__model": "m", "chat__base_url": loopback.base_url}
    async with await opened(tmp_path, **endpoint) as book:
        await book.create("Nora Vey")
        await book.evaluation.run(**told)

        def forget(conn: Any) -> None:
            conn.exec_driver_sql("DELETE FROM evaluation_ratings WHERE unit IN ('q1', 'q2')")

        await book.store.write(forget)
        assert (await book.evaluation.estimate(**told)).calls == 0, "the judge's answers are cached"
        await book.store.write(lambda conn: conn.exec_driver_sql("DELETE FROM call_cache"))
        left = await book.evaluation.estimate(**told)
        assert {name: task.calls for name, task in left.by_task.items()} == {
            "knowledge_exposure": 2
        }


async def test_embeddings_of_questions_are_counted_and_not_asked_for(
    tmp_path: Path, loopback: LoopbackServer
):
    endpoint = {"embed__model": "e", "embed__base_url": loopback.base_url}
    async with home_with(tmp_path, "Nora Vey", text("nora.md", PERSONA), **endpoint) as book:
        loopback.clear()
        found = await book.evaluation.estimate(
            "file", path=questions(tmp_path), characters=["Nora Vey"], methods=["naive"]
        )
    assert (found.calls, found.embed_calls) == (0, len(QUESTIONS))
    assert loopback.count() == 0
