"""The API is as its description and docs/api.md say: no 5xx, shapes that hold, commands run."""

from __future__ import annotations

import asyncio
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from offbook.server.app import create_app
from tests.server.live import live
from tests.server.served import Served, settings_in, with_ada
from tests.waiting import PATIENCE_SECONDS

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
KNOWN = {
    "character": "ada-byrne",
    "document": "ada.md",
    "session": "s",
    "model": "ada-byrne",
    "run": "file-1",
    "other": "file-1",
}
"""What there is: a path of made-up names leads nowhere."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with Ada, a conversation with her, and an evaluation of her."""
    made = settings_in(tmp_path_factory.mktemp("fuzzed"))
    asyncio.run(with_ada(made))
    with live(create_app(made), ws="none") as address:
        with httpx.Client(base_url=address, timeout=PATIENCE_SECONDS) as client:
            body: dict[str, Any] = {"question": "Who was Tom?", "session": "s"}
            client.post("/api/characters/ada-byrne/ask", json=body).raise_for_status()
            body = {"questions": [{"question": "Who was Tom?"}], "characters": ["Ada Byrne"]}
            body["methods"] = ["vanilla", "naive"]
            begun = client.post("/api/evaluation/runs", json=body).raise_for_status()
            job = begun.headers["location"]
            assert '"status": "done"' in client.get(f"{job}/events").text
        KNOWN["job"] = job.rpartition("/")[2]
        yield address


def fuzz(url: str, examples: int) -> int:
    """Put so many cases to each operation; how many there were."""
    schema: Any = schemathesis.openapi.from_url(f"{url}/openapi.json", timeout=PATIENCE_SECONDS)
    return sum(_put(found.ok(), examples) for found in schema.get_all_operations())


def _put(operation: Any, examples: int) -> int:
    count = 0
    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    cases = st.one_of([operation.as_strategy(generation_mode=mode) for mode in modes])
    chosen = random.Random(operation.path)
    keeps = operation.method != "delete" and not operation.path.endswith("/cancel")

    @given(cases)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def put(case: Any) -> None:
        nonlocal count
        count += 1
        path = case.path_parameters or {}
        # A path that is wrong on purpose stays so: else nothing wrong may be left in the request.
        if keeps and chosen.random() < 0.85 and not _is_wrong(case, ParameterLocation.PATH):
            path.update({name: value for name, value in KNOWN.items() if name in path})
        case.call_and_validate(checks=CHECKS, timeout=PATIENCE_SECONDS)

    put()
    return count


def _is_wrong(case: Any, location: ParameterLocation) -> bool:
    part = case.meta.components.get(location)
    return part is not None and part.mode is GenerationMode.NEGATIVE


def test_every_operation_answers_as_it_is_described(url: str):
    assert fuzz(url, 5) >= 200


@pytest.mark.long
def test_two_thousand_cases_answer_as_they_are_described(url: str):
    assert fuzz(url, 60) >= 2_000


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text("utf-8")
EXAMPLES = re.findall(r"test_description.py runs it against one -->\n```sh\n(.*?)```", PAGE, re.S)


@pytest.mark.long
def test_the_commands_of_the_page_run(tmp_path: Path):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    settings = settings_in(tmp_path)
    asyncio.run(with_ada(settings))
    said = ""
    with Served(settings) as server:
        for example in EXAMPLES:
            code = example.replace("http://127.0.0.1:8321", server.root)
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", code],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=2 * PATIENCE_SECONDS,
            )
            assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
            said += done.stdout
    assert len(EXAMPLES) == 2
    assert "Mind the third step, Sam." in said
    assert "event: end" in said
    assert '"id":"file-1"' in said
    assert "<html" in (tmp_path / "report.html").read_text("utf-8")


def test_the_page_names_every_part_of_the_api(tmp_path: Path):
    named = set(re.findall(r"[a-z-]+", PAGE))
    for path in create_app(settings_in(tmp_path)).openapi()["paths"]:
        if path.startswith("/api"):
            parts = [part for part in path.split("/") if part and "{" not in part]
            assert set(parts) <= named, f"docs/api.md does not tell of {path}"
