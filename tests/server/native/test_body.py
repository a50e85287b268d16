"""What a body's description forbids is refused: nothing is read as another type."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError

from offbook.server.native.body import Body


class Asked(Body):
    whole: int = 1
    most: int | None = Field(None, ge=0)
    money: Annotated[float, Field(ge=0)] | None = None
    new: bool = False
    name: str | None = None
    numbers: list[int] = Field(default_factory=list)
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
