"""Scenes: several characters in one conversation with the caller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from offbook.agent.next_speaker import Line
from offbook.app.commands import command_of
from offbook.app.documents import require_index
from offbook.app.scenes import scene_of
from offbook.server.dependencies import (
    Book,
    CurrentPrincipal,
    remembers,
    require_remembered,
    unless_left,
)
from offbook.server.native.access import Body, Listed, visible
from offbook.server.native.talk import Replied

_MOST: Final = 12
"""Characters of one scene: nobody follows more."""


class SceneTurn(
    Body,
    json_schema_extra={
        "examples": [{"characters": ["ada-byrne", "tom-reeve"], "said": "Who lit the lamp, Ada?"}]
    },
):
    """What is said in a scene, or that they go on; and who is present."""

    characters: Listed[str] = Field(
        min_length=2, max_length=_MOST, description="Ids or names, in the order of their turns."
    )
    said: str | None = Field(
        None,
        min_length=1,
        max_length=100_000,
        description="To all; whoever is addressed answers, or one. None: one of them goes on.",
    )
    by: str | None = Field(
        None, min_length=1, max_length=1_000, description="Who is to speak; none: by free rules."
    )
    session: str | None = Field(
        None, min_length=1, max_length=200, description="The scene's name; none: a new one."
    )
    as_of: str | None = Field(
        None, max_length=2_000, description="The point in the story, or a heading that is one."
    )
    about: str = Field("", max_length=4_000, description="The occasion.")
    user: str | None = Field(
        None, min_length=1, max_length=200, description="A person for whom the caller asks."
    )


@dataclass(frozen=True, kw_only=True)
class Present:
    """Somebody who is present."""

    id: str
    name: str


@dataclass(frozen=True, kw_only=True)
class SceneAnswer:
    """All lines of a scene, and the replies that came now with what they rest on."""

    scene: str
    present: list[Present]
    lines: list[Line]
    replies: list[Replied]


routes: Final = APIRouter(prefix="/api", tags=["talking"])


@routes.post("/scenes", response_model=SceneAnswer)
async def scenes(
    body: SceneTurn, request: Request, book: Book, caller: CurrentPrincipal
) -> Response:
    """Say something in a scene, or let it go on; all its lines, and what is new with its grounds.

    Each character has it as a conversation `scene:NAME`; deleting that of one deletes all.
    """
    require_remembered(remembers(request, caller))
    command = command_of(book)
    cast = [await visible(name, book, caller) for name in body.characters]

    async def replied() -> Response:
        for each in cast:
            await require_index(command, each, with_cost=False)
        scene = await scene_of(
            command,
            cast,
            caller.speaker(body.user),
            body.session,
            at=body.as_of,
            about=body.about,
        )
        pieces = scene.go_on(body.by) if body.said is None else scene.say(body.said, body.by)
        async for _ in pieces:
            pass
        return JSONResponse(scene.as_json())

    return await unless_left(request.receive, replied())
