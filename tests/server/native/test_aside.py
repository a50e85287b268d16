"""What computes long does not compute in the loop that serves streams."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from offbook.app import Offbook
from offbook.app.evaluation.evaluating import Evaluation
from offbook.app.evaluation.reviewing import Reviews
from offbook.app.remembering import Memories
from offbook.errors import UsageError
from offbook.ingestion import estimating
from offbook.server.native import evaluation
from tests.server.inside import client_of, opened

ONE = "/api/characters/ada-byrne"
RUNS = "/api/evaluation/runs"
ASKED = {"benchmark": "demo"}


LONG: list[tuple[Any, str, str, str, Any]] = [
    (Offbook, "reembed", "POST", f"{ONE}/reembed", None),
    (Offbook, "forget", "DELETE", f"{ONE}/documents/x", None),
    (Offbook, "alias", "POST", f"{ONE}/aliases", {"a": "Tom", "b": "Thomas"}),
    (Offbook, "undo_decision", "DELETE", f"{ONE}/decisions/x", None),
    (Memories, "remember", "POST", f"{ONE}/memories", {}),
    (estimating, "estimate_ingestion", "POST", f"{ONE}/estimate", {}),
    (Evaluation, "estimate", "POST", "/api/evaluation/estimate", ASKED),
    (Evaluation, "show", "GET", f"{RUNS}/x", None),
    (Evaluation, "compare", "GET", f"{RUNS}/x/compare/y", None),
    (Evaluation, "export", "GET", f"{RUNS}/x/export", None),
    (evaluation, "write_report", "GET", f"{RUNS}/x/report", None),
    (Reviews, "rows", "GET", f"{RUNS}/x/ratings", None),
    (Reviews, "import_", "POST", f"{RUNS}/x/review", {"text": "x"}),
]


async def test_it_is_worked_out_in_the_thread_behind_requests(tmp_path: Path, monkeypatch):
    where: list[str] = []

    async def told(*_: object, **__: object) -> None:
        where.append(threading.current_thread().name)
        raise UsageError("this far and no further", "it is a test")

    for owner, name, *_ in LONG:
        monkeypatch.setattr(owner, name, told)
    async with opened(tmp_path) as book, client_of(book) as client:
        await book.create("Ada Byrne")
        for _, name, method, path, body in LONG:
            answer = await client.request(method, path, json=body)
            said = answer.json()["error"]["message"]
            assert said == "this far and no further", (name, answer.text)
    assert where == ["background"] * len(LONG)
