"""Who may do what with which character, where it is computed, and bodies that routes take."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar, Unpack

from fastapi import Depends, Path, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, model_validator

from offbook.app.commands import command_of
from offbook.errors import UnknownName, UsageError
from offbook.models.failures import unquoted
from offbook.server.dependencies import OWNER, Book, Caller, CurrentPrincipal
from offbook.server.failures import forbidden
from offbook.server.masking import masked
from offbook.server.middleware import name_in_path
from offbook.stores.characters import may_change_source
from offbook.stores.principals import Right
from offbook.types import Character

if TYPE_CHECKING:
    from fastapi import Request

    from offbook.app.book import Offbook
    from offbook.settings.keywords import SettingKeywords

T = TypeVar("T")

Listed = Annotated[list[T], Field(fail_fast=True)]
"""A list of a body, which is read no further than to its first mistake."""


class Body(BaseModel):
    """A body that names nothing but what it may, each in its own type."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _has_one_unknown_name(cls, value: Any) -> Any:
        """Leave one of the names that there are not: to tell of 100,000 would take seconds."""
        if not isinstance(value, dict):
            return value
        left_out = [name for name in value if name not in cls.model_fields][1:]
        return {name: value[name] for name in value.keys() - left_out} if left_out else value


class SentFileBody(Body):
    """A file: its text, or its bytes."""

    name: str = Field(min_length=1, max_length=1_000, description="Its ending tells the type.")
    text: str | None = Field(None, description="The text.")
    content_base64: str | None = Field(None, description="The bytes of the file.")

    @model_validator(mode="after")
    def _has_one(self) -> SentFileBody:
        if (self.text is None) == (self.content_base64 is None):
            raise ValueError("give either `text` or `content_base64`")
        return self

    def data(self) -> bytes:
        """Return what the file holds."""
        if self.text is not None:
            try:
                return self.text.encode()
            except UnicodeEncodeError as error:
                raise UsageError(
                    f"the text of {self.name!r} holds half a character at {error.start}",
                    "send whole characters, or the bytes as `content_base64`",
                ) from error
        return decoded(self.content_base64 or "", f"the content of {self.name!r}")


def decoded(content: str, what: str) -> bytes:
    """Return the bytes that base64 stands for."""
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UsageError(f"{what} is no base64: {error}", "encode the whole file") from error


def answer(report: Any) -> JSONResponse:
    """Answer with a report as ``--json`` prints it; its dataclass describes it."""
    return JSONResponse(report.as_json())


Name = Annotated[
    str,
    Path(alias="character", description="The character's id or name.", examples=["ada-byrne"]),
]
User = Annotated[
    str | None,
    Query(min_length=1, max_length=200, description="A person for whom the caller asks."),
]

Responses = dict[int | str, dict[str, Any]]


def streamed(description: str, names: Sequence[str]) -> Responses:
    """A stream of server-sent events, described; the data of each is one JSON document."""
    event = {
        "type": "object",
        "required": ["event", "data"],
        "properties": {
            "event": {"type": "string", "enum": list(names)},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
    }
    content = {"text/event-stream": {"schema": event}}
    return {200: {"description": description, "content": content}}


def require(caller: Caller, right: Right) -> None:
    """Refuse a caller without a right."""
    if not caller.allows(right):
        raise forbidden(
            f"the key has the right {caller.right!r}, and this needs {right!r}",
            "make a key that has it: offbook key add --right",
        )


async def visible(name: Name, book: Book, caller: CurrentPrincipal) -> Character:
    """The character of this name or id, if it exists for the caller."""
    name = name_in_path(name)
    if caller.characters is None:
        return await book.find(name)
    character: Character | None = await book.store.read(caller.find, name)
    if character is None:
        hint = "GET /api/characters lists those that there are"
        raise UnknownName(f"there is no character {name!r}", hint)
    return character


def _with(right: Right) -> Any:
    async def allowed(
        character: Annotated[Character, Depends(visible)], caller: CurrentPrincipal
    ) -> Character:
        require(caller, right)
        return character

    return Depends(allowed)


async def _administrator(caller: CurrentPrincipal) -> None:
    require(caller, "admin")
    if caller.characters is not None:
        message = "the key opens only some characters, and this concerns all"
        raise forbidden(message, "make a key without --character")


async def require_change(character: Character, book: Offbook, caller: Caller) -> None:
    """Refuse a caller that does not open all characters who share a source."""
    if not await book.store.read(may_change_source, character.id, caller.characters):
        raise forbidden(
            f"what {character.name!r} has read is shared with others, which the key does not open",
            "a key without --character, or with all of them, may change it",
        )


async def _changeable(
    character: Annotated[Character, _with("write")], book: Book, caller: CurrentPrincipal
) -> Character:
    await require_change(character, book, caller)
    return character


ReadableCharacter = Annotated[Character, Depends(visible)]
"""A character that the caller may talk to."""
WritableCharacter = Annotated[Character, _with("write")]
"""A character whose memories the caller may change."""
ChangeableCharacter = Annotated[Character, Depends(_changeable)]
"""One whose documents and aliases they may change: these are of all who share its source."""
AdministeredCharacter = Annotated[Character, _with("admin")]
"""A character that the caller may delete and take away."""
ADMINISTRATOR: Final = Depends(_administrator)
"""Lets in whoever may do what concerns all characters."""


def readable(messages: Iterable[str], *, whole: bool) -> list[str]:
    """What was put aside and why, for a caller; ``whole``: also where a model is, and its words."""
    return [masked(each if whole else unquoted(each)) for each in messages]


def whose(caller: Caller, user: str | None) -> str | None:
    """Whose memories the caller sees beside the authored ones; None: everybody's.

    The owner of this machine sees all, as on the command line; a key only its own.
    """
    if caller.principal == OWNER.principal and user is None:
        return None
    return caller.speaker(user)


async def aside(request: Request, work: Callable[[Offbook], Coroutine[Any, Any, T]]) -> T:
    """The result of work on the offbook of that thread."""
    result: T = await request.app.state.background.aside(work)
    return result


async def commanded(
    request: Request,
    work: Callable[[Offbook], Coroutine[Any, Any, T]],
    **flags: Unpack[SettingKeywords],
) -> T:
    """The result of one command, with settings of its own."""
    return await aside(request, lambda book: work(command_of(book, **flags)))
