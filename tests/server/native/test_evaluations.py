"""Evaluations over the network: listed, begun, watched, cancelled, reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, update

from offbook.app import Offbook
from offbook.stores import queue, schema
from tests.app.homes import home_with, text
from tests.cli.texts import ADA
from tests.server.inside import assert_refused, bearer, client_of, done, ended

EVALUATION = "/api/evaluation"
QUESTIONS = [
    {"question": "Who taught you to trim the lamp?", "answers": ["Tom"], "scope": "in", "id": "q1"},
    {"question": "Have you ever used a smartphone?", "scope": "out", "id": "q2"},
]
ASKED = {"questions": QUESTIONS, "characters": ["Ada Byrne"], "methods": ["vanilla", "naive"]}


@pytest.fixture
async def book(tmp_path: Path):
    async with home_with(tmp_path, "Ada Byrne", text("ada.md", ADA), method="naive") as made:
        yield made


@pytest.fixture
async def client(book: Offbook):
    async with client_of(book) as made:
        yield made


async def finished(client: httpx.AsyncClient, path: str, body: Any) -> dict[str, Any]:
    """The job, begun and waited for, as its last event has it."""
    began = await client.post(path, json=body)
    assert began.status_code == 202, began.text
    found = await ended(client, began.headers["location"])
    assert await done(client, "GET", began.headers["location"]) == found
    return found


async def test_a_run_is_begun_watched_listed_and_reported(client, book):
    names = [row["name"] for row in await done(client, "GET", f"{EVALUATION}/benchmarks")]
    assert "demo" in names
    assert await done(client, "GET", f"{EVALUATION}/runs") == []
    job = await finished(client, f"{EVALUATION}/runs", ASKED)
    assert (job["status"], job["kind"], job["error"]) == ("done", "run", None), job
    run = job["run"]
    assert job["report"]["cells"] == {"planned": 4, "stored": 4, "failed": 0}
    shown = json.loads(json.dumps((await book.evaluation.show(run)).as_json()))
    assert job["report"]["scores"] == shown["scores"]
    stages = {each["stage"]: (each["done"], each["total"]) for each in job["progress"]["stages"]}
    assert stages["replies"] == (4, 4)
    assert any("left to do" in message for message in job["progress"]["messages"])
    (line,) = await done(client, "GET", f"{EVALUATION}/runs")
    assert (line["id"], line["cells"]) == (run, 4)

    page = await client.get(f"{EVALUATION}/runs/{run}/report?examples=1")
    assert "<html" in page.text
    assert "/tmp" not in page.text
    again = await finished(client, f"{EVALUATION}/runs", ASKED)
    assert (again["run"], again["report"]["now"]["asked"]) == (run, 0)
    jobs = await done(client, "GET", f"{EVALUATION}/jobs")
    assert [row["id"] for row in jobs] == [again["id"], job["id"]]
    assert "report" not in jobs[0]


OTHER_TYPES = [("limit", True), ("limit", "5"), ("repeats", 5.5), ("budget_usd", "1.5"), ("new", 1),
               ("new", None), ("methods", "naive"), ("options", True), ("preset", True),
               ("resume", ["file-1"])]  # fmt: skip
# fmt: off
WRONG: list[tuple[str, Any, int, str]] = [
    ("runs", {}, 400, "usage"),
    ("runs", {"benchmark": "demo", "questions": QUESTIONS}, 400, "usage"),
    ("runs", {"benchmark": "none"}, 404, "unknown_name"),
    ("runs", {"benchmark": "file"}, 400, "usage"),
    ("runs", {"benchmark": "character-llm"}, 400, "usage"),
    ("runs", {"benchmark": "demo", "path": "/etc/passwd"}, 400, "usage"),
    ("runs", {"benchmark": "demo", "options": {"questions": "../x"}}, 400, "usage"),
    ("runs", {"benchmark": "demo", "options": {"colour": "red"}}, 400, "usage"),
    ("runs", {**ASKED, "options": {"labels": "x"}}, 400, "usage"),
    ("runs", {**ASKED, "create": True}, 400, "usage"),
    ("runs", {**ASKED, "questions": []}, 400, "usage"),
    ("runs", {**ASKED, "questions": [{"question": " "}]}, 400, "usage"),
    ("runs", {**ASKED, "questions": [{"question": "Who?", "file": "x"}]}, 400, "usage"),
    ("runs", {**ASKED, "characters": ["Nobody"]}, 404, "unknown_name"),
    ("runs", {**ASKED, "methods": ["none"]}, 404, "unknown_name"),
    ("runs", {**ASKED, "methods": ["naive["]}, 400, "usage"),
    ("runs", {**ASKED, "methods": ["naive[home=/etc]"]}, 400, "usage"),
    ("runs", {**ASKED, "methods": ["naive[k=x]"]}, 400, "usage"),
    ("runs", {**ASKED, "methods": ["naive[database.url=sqlite:///x]"]}, 400, "usage"),
    ("runs", {**ASKED, "methods": ["naive[chat.base_url=http://x]"]}, 400, "usage"),
    ("runs", {**ASKED, "methods": ["rolerag"]}, 409, "index_missing"),
    ("runs", {**ASKED, "metrics": ["none"]}, 400, "usage"),
    ("runs", {**ASKED, "limit": 0}, 400, "usage"),
    *(("runs", {**ASKED, name: value}, 400, "usage") for name, value in OTHER_TYPES),
    ("runs", {**ASKED, "resume": "none"}, 404, "unknown_name"),
    ("runs", {**ASKED, "chat": {"base_url": "http://x"}}, 400, "usage"),
    ("jobs/none/cancel", None, 404, "unknown_name"),
]
# fmt: on
NOT_THERE = ("jobs/none", "jobs/none/events", "runs/none/report")


async def test_what_cannot_be_begun_is_told_at_once(client):
    await assert_refused(client, [("POST", f"{EVALUATION}/{path}", *row) for path, *row in WRONG])
    there = [("GET", f"{EVALUATION}/{path}", None, 404, "unknown_name") for path in NOT_THERE]
    await assert_refused(client, there)
    assert await done(client, "GET", f"{EVALUATION}/jobs") == []


async def test_the_server_examines_itself_for_whoever_runs_it(book):
    async with client_of(book) as client:
        report = await done(client, "POST", "/api/doctor")
    assert report["offline"] is True
    assert all(check["ok"] for check in report["checks"])
    assert {"database", "chat", "embeddings"} <= {check["name"] for check in report["checks"]}


async def test_others_are_not_told_the_command_that_holds_the_servers_settings(book):
    hint = "offbook --home /srv/x ingest 'Ada Byrne' --method rolerag"
    missing = {"kind": "index_missing", "message": "nothing is built for rolerag", "hint": hint}
    refused = {"kind": "model_failed", "message": "http://m answered 401", "hint": "set its key"}

    def fail(conn: Connection) -> None:
        jobs = schema.tasks
        for id_, error in (("j1", missing), ("j2", refused)):
            queue.add(conn, id_, "run", {})
            failed = update(jobs).where(jobs.c.id == id_)
            conn.execute(failed.values(status="failed", error=error))

    await book.store.write(fail)
    other = await bearer(book, right="admin")
    async with client_of(book, **other) as client:
        told = [
            (await done(client, "GET", f"{EVALUATION}/jobs/{j}"))["error"] for j in ("j1", "j2")
        ]
    assert told == [{**missing, "hint": "ask whoever runs this server"}, refused]
