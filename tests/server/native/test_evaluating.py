"""Evaluations over the network: estimated, run, watched, looked at, reviewed, deleted."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, update

from offbook.app import Offbook
from offbook.documents.readers import ReadDocument
from offbook.stores import evaluation_jobs, server_tables
from tests.cli.shapes import ESTIMATE, misfit
from tests.cli.texts import ADA
from tests.server.inside import bearer, client_of, opened
from tests.waiting import PATIENCE_SECONDS

EVALUATION = "/api/evaluation"
QUESTIONS = [
    {"question": "Who taught you to trim the lamp?", "answers": ["Tom"], "scope": "in", "id": "q1"},
    {"question": "Have you ever used a smartphone?", "scope": "out", "id": "q2"},
]
ASKED = {"questions": QUESTIONS, "characters": ["Ada Byrne"], "methods": ["vanilla", "naive"]}


@pytest.fixture
async def book(tmp_path: Path):
    async with opened(tmp_path, method="naive") as made:
        await made.create("Ada Byrne")
        await made.ingest_texts("ada-byrne", [ReadDocument("ada.md", ADA, "text/markdown")])
        yield made


@pytest.fixture
async def client(book: Offbook):
    async with client_of(book) as made:
        yield made


async def done(client: httpx.AsyncClient, method: str, path: str, **options: Any) -> Any:
    answer = await client.request(method, path, **options)
    assert answer.status_code < 300, answer.text
    return answer.json()


async def ended(client: httpx.AsyncClient, path: str, body: Any) -> dict[str, Any]:
    """The job, begun and waited for, as its last event has it."""
    began = await client.post(path, json=body)
    assert began.status_code == 202, began.text
    stream = await client.get(f"{began.headers['location']}/events", timeout=PATIENCE_SECONDS)
    last = stream.text.strip().split("\n\n")[-1]
    assert last.startswith("event: end\ndata: ")
    found: dict[str, Any] = json.loads(last.split("data: ", 1)[1])
    assert await done(client, "GET", began.headers["location"]) == found
    return found


async def test_a_run_goes_from_an_estimate_to_its_deletion(client, book):
    estimate = await done(client, "POST", f"{EVALUATION}/estimate", json=ASKED)
    assert misfit(estimate, ESTIMATE) is None
    job = await ended(client, f"{EVALUATION}/runs", ASKED)
    assert (job["status"], job["kind"], job["error"]) == ("done", "run", None), job
    run = job["run"]
    assert job["report"]["cells"] == {"planned": 4, "stored": 4, "failed": 0}
    stages = {each["stage"]: (each["done"], each["total"]) for each in job["progress"]["stages"]}
    assert stages["replies"] == (4, 4)
    assert any("left to do" in message for message in job["progress"]["messages"])

    shown = await done(client, "GET", f"{EVALUATION}/runs/{run}")
    assert shown == json.loads(json.dumps((await book.evaluation.show(run)).as_json()))
    assert shown["scores"] == job["report"]["scores"]
    compared = await done(client, "GET", f"{EVALUATION}/runs/{run}/compare")
    assert {each["second"] for each in compared["differences"]} == {"vanilla"}
    (line,) = await done(client, "GET", f"{EVALUATION}/runs")
    assert (line["id"], line["cells"]) == (run, 4)

    again = await ended(client, f"{EVALUATION}/runs", ASKED)
    assert (again["run"], again["report"]["now"]["asked"]) == (run, 0)
    assert [row["id"] for row in await done(client, "GET", f"{EVALUATION}/jobs")] == [
        again["id"],
        job["id"],
    ]
    assert await done(client, "DELETE", f"{EVALUATION}/runs/{run}") == {"id": run}
    assert await done(client, "GET", f"{EVALUATION}/runs") == []
    assert await done(client, "GET", f"{EVALUATION}/jobs") == []


async def test_a_run_grows_begins_anew_and_is_scored_once_more(client):
    few = await ended(client, f"{EVALUATION}/runs", {**ASKED, "limit": 1})
    more = await ended(client, f"{EVALUATION}/runs", {**ASKED, "resume": few["run"]})
    assert (more["run"], more["report"]["now"]["asked"]) == (few["run"], 2)
    new = await ended(client, f"{EVALUATION}/runs", {**ASKED, "new": True, "limit": 1})
    assert new["run"] != few["run"]
    compared = await client.get(f"{EVALUATION}/runs/{new['run']}/compare/{few['run']}")
    assert compared.json()["differences"]
    scored = await ended(client, f"{EVALUATION}/runs/{new['run']}/score", {})
    assert (scored["kind"], scored["run"]) == ("score", new["run"])
    assert scored["report"]["now"]["asked"] == 0


async def test_a_run_is_handed_on_in_files(client):
    run = (await ended(client, f"{EVALUATION}/runs", ASKED))["run"]
    page = await client.get(f"{EVALUATION}/runs/{run}/report?examples=1")
    assert "<html" in page.text
    assert "/tmp" not in page.text
    both = await client.get(f"{EVALUATION}/report", params={"run": [run, run]})
    with zipfile.ZipFile(io.BytesIO(both.content)) as archive:
        assert "report.html" in archive.namelist()
    lines = await client.get(f"{EVALUATION}/runs/{run}/export")
    rows = [json.loads(line) for line in lines.text.splitlines()]
    assert lines.headers["content-disposition"].startswith("attachment")
    assert len(rows) >= 4
    log = await client.get(f"{EVALUATION}/runs/{run}/export?format=eval.json")
    assert log.json()["eval"]["task"]


async def test_people_overrule_ratings_one_by_one_and_by_the_file(client):
    run = (await ended(client, f"{EVALUATION}/runs", ASKED))["run"]
    one = f"{EVALUATION}/runs/{run}"
    rows = await done(client, "GET", f"{one}/ratings?metric=ke&limit=2&offset=0")
    assert {row["metric"] for row in rows} == {"ke"}
    rating = rows[0]["id"]
    put = await done(client, "PUT", f"{one}/ratings/{rating}", json={"value": 2, "name": "Sam"})
    assert put == {"run": run, "rating": rating, "value": 2.0}
    (agreed,) = await done(client, "GET", f"{one}/agreement")
    assert (agreed["metric"], agreed["n"]) == ("ke", 1)
    off = await client.put(f"{one}/ratings/{rating}", json={"value": 99})
    assert (off.status_code, off.json()["error"]["kind"]) == (400, "usage")
    none = await client.put(f"{one}/ratings/none", json={"value": 2})
    assert none.status_code == 404

    handed = (await client.get(f"{one}/review?metric=ke")).content.decode("utf-8-sig")
    table = list(csv.DictReader(io.StringIO(handed)))
    for row in table:
        row["person_value"] = "3"
    filled = io.StringIO()
    writer = csv.DictWriter(filled, table[0])
    writer.writeheader()
    writer.writerows(table)
    report = await done(client, "POST", f"{one}/review", json={"text": filled.getvalue()})
    assert (report["run"], report["overruled"]) == (run, len(table))
    broken = await client.post(f"{one}/review", json={"text": "a,b\n1,2\n"})
    assert broken.status_code == 400
    assert "/tmp" not in broken.text
    await done(client, "PUT", f"{one}/ratings/{rating}", json={"value": None})


async def test_a_study_of_splitters_is_made_behind_the_request(client):
    asked = {
        "benchmark": "demo",
        "splitters": ["fixed"],
        "embedders": ["builtin"],
        "limit": 2,
        "top": 1,
    }
    job = await ended(client, f"{EVALUATION}/splitters", asked)
    assert (job["status"], job["run"]) == ("done", None), job
    (row,) = job["report"]["rows"]
    assert row["splitter"] == "fixed"


async def test_a_table_is_listed_planned_and_filled(client):
    tables = await done(client, "GET", f"{EVALUATION}/tables")
    name = tables[0]["name"]
    planned = await done(client, "POST", f"{EVALUATION}/tables/{name}/plan", json={"limit": 1})
    assert (planned["table"], bool(planned["runs"])) == (name, True)
    job = await ended(client, f"{EVALUATION}/tables/{name}", {"stored": True})
    assert job["status"] == "done", job
    assert job["report"]["table"] == name
    assert job["report"]["notes"]


async def test_a_check_of_a_judge_needs_two_methods_and_says_so(client):
    alone = await ended(client, f"{EVALUATION}/runs", {**ASKED, "methods": ["naive"]})
    one = await ended(client, f"{EVALUATION}/runs/{alone['run']}/check-judge", {"limit": 1})
    assert (one["status"], one["error"]["kind"]) == ("failed", "usage")
    both = await ended(client, f"{EVALUATION}/runs", ASKED)
    job = await ended(client, f"{EVALUATION}/runs/{both['run']}/check-judge", {"replies": 2})
    assert job["status"] == "done", job
    assert job["report"]["run"] == both["run"]


async def test_a_budget_ends_a_run_and_keeps_what_was_done(tmp_path: Path):
    from tests.loopback.server import LoopbackServer

    with LoopbackServer() as endpoint:
        flags = {"chat__model": "m", "chat__base_url": endpoint.base_url, "judge__model": "offline"}
        async with opened(tmp_path, extract__model="offline", **flags) as book:
            await book.create("Ada Byrne")
            await book.ingest_texts("ada-byrne", [ReadDocument("ada.md", ADA, "text/markdown")])
            async with client_of(book) as client:
                asked = {**ASKED, "methods": ["vanilla"], "budget_calls": 1}
                job = await ended(client, f"{EVALUATION}/runs", asked)
                assert (job["status"], job["error"]["kind"]) == ("failed", "budget_reached")
                assert endpoint.count("/chat/completions") == 1
                shown = await done(client, "GET", f"{EVALUATION}/runs/{job['run']}")
                assert shown["run"]["status"] == "stopped"
                spent = await client.get("/metrics")
                assert 'offbook_model_calls_total{prompt="reply"} 1.0' in spent.text
                rest = await ended(client, f"{EVALUATION}/runs", {**asked, "budget_calls": 9})
                assert (rest["run"], rest["status"]) == (job["run"], "done")


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
    ("estimate", {**ASKED, "methods": ["naive[k=x]"]}, 400, "usage"),
    ("splitters", {"benchmark": "demo", "splitters": ["fixed[none=1]"]}, 400, "usage"),
    ("runs", {**ASKED, "methods": ["naive[database.url=sqlite:///x]"]}, 400, "usage"),
    ("runs", {**ASKED, "methods": ["naive[chat.base_url=http://x]"]}, 400, "usage"),
    ("runs", {**ASKED, "methods": ["rolerag"]}, 409, "index_missing"),
    ("runs", {**ASKED, "metrics": ["none"]}, 400, "usage"),
    ("runs", {**ASKED, "limit": 0}, 400, "usage"),
    ("runs", {**ASKED, "resume": "none"}, 404, "unknown_name"),
    ("runs", {**ASKED, "chat": {"base_url": "http://x"}}, 400, "usage"),
    ("estimate", {"benchmark": "none"}, 404, "unknown_name"),
    ("estimate", {**ASKED, "methods": ["rolerag"]}, 409, "index_missing"),
    ("runs/none/score", {}, 404, "unknown_name"),
    ("runs/none/check-judge", {}, 404, "unknown_name"),
    ("splitters", {"benchmark": "/etc/passwd"}, 404, "unknown_name"),
    ("splitters", {}, 400, "usage"),
    ("splitters", {"benchmark": "file"}, 400, "usage"),
    ("tables/none", {}, 404, "unknown_name"),
    ("tables/none/plan", {}, 404, "unknown_name"),
    ("jobs/none/cancel", None, 404, "unknown_name"),
]
# fmt: on
NOT_THERE = (
    "jobs/none",
    "jobs/none/events",
    "runs/none/export",
    "runs/none/ratings",
    "runs/none/agreement",
    "runs/none/review",
    "runs/none/compare",
    "report?run=none",
)  # fmt: skip


async def test_what_cannot_be_begun_is_told_at_once(client):
    for path, body, status, kind in WRONG:
        answer = await client.post(f"{EVALUATION}/{path}", json=body)
        told = answer.json().get("error", {})
        assert (answer.status_code, told.get("kind")) == (status, kind), (path, body, answer.text)
        assert told["hint"], (path, body)
    assert await done(client, "GET", f"{EVALUATION}/jobs") == []


async def test_what_is_not_there_is_told(client):
    for path in NOT_THERE:
        answer = await client.get(f"{EVALUATION}/{path}")
        kind = answer.json()["error"]["kind"]
        assert (answer.status_code, kind) == (404, "unknown_name"), (path, answer.text)


async def test_evaluations_are_for_keys_that_may_do_everything_with_everybody(book):
    limited = await bearer(book, right="admin", characters=["ada-byrne"])
    keys = {right: await bearer(book, right=right) for right in ("chat", "write", "admin")}
    rights = list(keys)
    routes = [
        ("POST", "estimate", ASKED, "admin"),
        ("POST", "runs/none/score", {}, "admin"),
        ("POST", "runs/none/check-judge", {}, "admin"),
        ("POST", "splitters", {"benchmark": "none"}, "admin"),
        ("POST", "tables/none", {}, "admin"),
        ("POST", "tables/none/plan", {}, "admin"),
        ("POST", "runs", {"benchmark": "none"}, "admin"),
        ("POST", "jobs/none/cancel", None, "admin"),
        ("GET", "jobs", None, "admin"),
        ("GET", "jobs/none", None, "admin"),
        ("GET", "jobs/none/events", None, "admin"),
        ("GET", "tables", None, "admin"),
        ("GET", "report?run=none", None, "admin"),
        ("GET", "runs/none/export", None, "admin"),
        ("GET", "runs/none/compare", None, "admin"),
        ("GET", "runs/none/ratings", None, "admin"),
        ("PUT", "runs/none/ratings/none", {"value": 1}, "admin"),
        ("GET", "runs/none/agreement", None, "admin"),
        ("GET", "runs/none/review", None, "admin"),
        ("POST", "runs/none/review", {"text": "x"}, "admin"),
    ]
    async with client_of(book) as client:
        for method, path, body, right in routes:
            where = f"{EVALUATION}/{path}"
            assert (await client.request(method, where, json=body)).status_code == 401, path
            denied = await client.request(method, where, json=body, headers=limited)
            assert denied.status_code == 403, (path, denied.text)
            for held, header in keys.items():
                answer = await client.request(method, where, json=body, headers=header)
                allowed = rights.index(held) >= rights.index(right)
                assert (answer.status_code != 403) == allowed, (path, held, answer.text)


async def test_the_server_examines_itself_for_whoever_runs_it(book):
    write = await bearer(book, right="write")
    admin = await bearer(book, right="admin")
    async with client_of(book) as client:
        assert (await client.post("/api/doctor", headers=write)).status_code == 403
        report = await done(client, "POST", "/api/doctor", headers=admin)
    assert report["offline"] is True
    assert all(check["ok"] for check in report["checks"])
    assert {"database", "chat", "embeddings"} <= {check["name"] for check in report["checks"]}


async def test_others_are_not_told_the_command_that_holds_the_servers_settings(book):
    hint = "offbook --home /srv/x ingest 'Ada Byrne' --method rolerag"
    missing = {"kind": "index_missing", "message": "nothing is built for rolerag", "hint": hint}
    refused = {"kind": "model_failed", "message": "http://m answered 401", "hint": "set its key"}

    def fail(conn: Connection) -> None:
        jobs = server_tables.evaluation_jobs
        for id_, error in (("j1", missing), ("j2", refused)):
            evaluation_jobs.add(conn, id_, "table", {})
            failed = update(jobs).where(jobs.c.id == id_)
            conn.execute(failed.values(status="failed", error=error))

    await book.store.write(fail)
    other = await bearer(book, right="admin")
    async with client_of(book, **other) as client:
        told = [
            (await done(client, "GET", f"{EVALUATION}/jobs/{j}"))["error"] for j in ("j1", "j2")
        ]
    assert told == [{**missing, "hint": "ask whoever runs this server"}, refused]
