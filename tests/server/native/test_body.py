"""What a body's description forbids is refused: nothing is read as another type."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError

from offbook.server.native.body import Body, Listed
from tests.server.inside import client_of, opened


class Asked(Body):
    whole: int = 1
    most: int | None = Field(None, ge=0)
    money: Annotated[float, Field(ge=0)] | None = None
    new: bool = False
    name: str | None = None
    numbers: list[int] = Field(default_factory=list)
    listed: Listed[str] = Field(default_factory=list)
    rows: dict[str, bool] = Field(default_factory=dict)
    part: Literal["a", "b"] = "a"


@pytest.mark.parametrize(
    "body",
    [
        {"whole": True},
        {"whole": "5"},
        {"most": False},
        {"most": "0"},
        {"money": True},
        {"money": "1.5"},
        {"new": 1},
        {"new": "yes"},
        {"new": None},
        {"name": 5},
        {"numbers": "5"},
        {"rows": True},
        {"part": True},
        {"other": 1},
    ],
)
def test_another_type_is_refused(body):
    with pytest.raises(ValidationError):
        Asked(**body)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({f"unknown-{n}": n for n in range(1_000)}, [("unknown-0",)]),
        ({"listed": [1] * 1_000, "whole": "5"}, [("whole",), ("listed", 0)]),
    ],
)
def test_a_thousand_mistakes_of_a_kind_are_told_as_one(body, where):
    with pytest.raises(ValidationError) as refused:
        Asked.model_validate(body)
    assert [told["loc"] for told in refused.value.errors()] == where


@pytest.mark.parametrize("words", [b"", b"[", b"\xff", b"[" * 100_000, b"9" * 10_000])
async def test_a_body_that_is_no_json_is_told_so(tmp_path, words):
    headers = {"content-type": "application/json"}
    async with opened(tmp_path) as book, client_of(book) as client:
        body = b'{"name": ' + words + b"}"
        refused = await client.post("/api/characters", content=body, headers=headers)
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert error["kind"] == "usage"
    assert error["message"].startswith("the body is not JSON: ")
    assert error["hint"]


@pytest.mark.parametrize(
    "body",
    [
        {"whole": 5, "most": None, "money": None},
        {"whole": 5.0, "most": 0, "money": 1},
        {"new": True, "name": "5", "numbers": [1, 2], "rows": {"x": True}, "part": "b"},
        {"name": None},
    ],
)
def test_what_is_described_is_taken(body):
    assert Asked(**body).model_dump(include=set(body)) == body
