"""``/api/evaluation/runs/RUN/ratings``: a judge's ratings, looked over and overruled by people.

Takes: values, one at a time or in the CSV file that was handed out.  Gives: ratings, and how far
judge and people agree; a person's value stands beside the judge's, never in its place.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as InPath
from pydantic import ConfigDict, Field

from offbook.errors import OffbookError
from offbook.server.book import Book
from offbook.server.native.access import Administrator, Responses, failing
from offbook.server.native.aside import aside
from offbook.server.native.body import Body
from offbook.server.native.evaluation import Judge, RunId, saved_as
from offbook.server.native.evaluation_shapes import Agreement, Overruled, RatingShown, ReviewTaken

if TYPE_CHECKING:
    from offbook.app.book import Offbook

_CSV = "text/csv"
_NUMBER = 1e9
Metric = Annotated[str | None, Query(max_length=100, description="Only of this; none: of all.")]


class Overruling(Body):
    """A person's value."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"value": 7, "name": "Sam"}]}
    )

    value: float | None = Field(
        ge=-_NUMBER, le=_NUMBER, description="On the metric's scale; null takes it back."
    )
    name: str = Field("", max_length=300, description="Who reviewed.")
    note: str = Field("", max_length=20_000, description="Why.")
    judge: str | None = Field(
        None, max_length=300, description="Whose rating; none: that of the run's judge."
    )


class Review(Body):
    """The file of a review, as it came back."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, description="The rows, with their heading.")
    name: str = Field("", max_length=300, description="Who reviewed, where a row names nobody.")
    judge: str | None = Field(
        None, max_length=300, description="Whose ratings; none: those of the run's judge."
    )


def router() -> APIRouter:
    """The routes."""
    made = APIRouter(prefix="/api/evaluation/runs/{run}", tags=["evaluation"])
    one, given = failing(404), failing(404, 413, 415)
    file: Responses = {
        200: {"content": {_CSV: {"schema": {"type": "string"}}}, "description": "the file"}
    }
    made.get("/ratings", response_model=list[RatingShown], responses=one)(ratings)
    made.put("/ratings/{rating}", response_model=Overruled, responses=given)(overrule)
    made.get("/agreement", response_model=list[Agreement], responses=one)(agreement)
    made.get("/review", response_class=Response, responses={**one, **file})(hand_out)
    made.post("/review", response_model=ReviewTaken, responses=given)(take_in)
    return made


async def ratings(
    run: RunId,
    caller: Administrator,
    request: Request,
    judge: Judge = None,
    metric: Metric = None,
    offset: Annotated[int, Query(ge=0, le=10**9, description="Ratings that are passed over.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000, description="The most ratings.")] = 20,
) -> list[dict[str, str]]:
    """Ratings with question, right answers, reply and the judge's analysis."""
    del caller

    async def rows(book: Offbook) -> list[dict[str, str]]:
        reviews = book.evaluation.reviews
        return await reviews.rows(run, judge=judge, metric=metric, skip=offset, most=limit)

    return await aside(request, rows)


async def overrule(
    body: Overruling,
    run: RunId,
    rating: Annotated[str, InPath(max_length=2_000, description="Its id among the ratings.")],
    book: Book,
    caller: Administrator,
) -> dict[str, Any]:
    """Put a person's value beside the judge's."""
    del caller
    said = {"judge": body.judge, "name": body.name, "note": body.note}
    await book.evaluation.reviews.overrule(run, rating, body.value, **said)  # type: ignore[arg-type]
    return {"run": run, "rating": rating, "value": body.value}


async def agreement(
    run: RunId, caller: Administrator, request: Request, judge: Judge = None
) -> list[dict[str, Any]]:
    """How far a judge agrees with people, metric by metric, over what people rated."""
    del caller
    found = await aside(request, lambda book: book.evaluation.reviews.agreement(run, judge=judge))
    return [asdict(each) for each in found]


async def hand_out(
    run: RunId,
    caller: Administrator,
    request: Request,
    judge: Judge = None,
    metric: Metric = None,
    semicolon: Annotated[bool, Query(description="For a decimal comma.")] = False,
) -> Response:
    """Ratings as a CSV file; a person fills in ``person_value``."""
    del caller

    async def written(book: Offbook) -> bytes:
        with tempfile.TemporaryDirectory(prefix="offbook-") as folder:
            file = Path(folder, "review.csv")
            metrics = () if metric is None else (metric,)
            separator = ";" if semicolon else ","
            how: dict[str, Any] = {"judge": judge, "metrics": metrics, "separator": separator}
            await book.evaluation.reviews.export(run, file, **how)
            return await asyncio.to_thread(file.read_bytes)

    data = await aside(request, written)
    return Response(data, media_type=_CSV, headers=saved_as(f"{run}.csv"))


async def take_in(
    body: Review, run: RunId, caller: Administrator, request: Request
) -> dict[str, Any]:
    """Take over what people wrote into such a file; all of it, or nothing."""
    del caller

    async def taken(book: Offbook) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="offbook-") as folder:
            file = Path(folder, "review.csv")
            await asyncio.to_thread(file.write_text, body.text, "utf-8", newline="")
            try:
                reviews = book.evaluation.reviews
                report = await reviews.import_(run, file, judge=body.judge, name=body.name)
            except OffbookError as error:
                # The path is the server's own affair, and tells the client nothing.
                error.message = error.message.replace(repr(str(file)), "the file")
                raise
        return report.as_json()

    return await aside(request, taken)
