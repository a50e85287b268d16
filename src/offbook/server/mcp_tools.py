"""Characters as tools of an agent, over the Model Context Protocol.

Takes: an open offbook.  Gives: a server of the official SDK with three tools.  Each call is a
command of its own, with a budget of its own.  The shapes have no slots: the SDK reads their fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

import offbook
from offbook.app.commands import command_of, serving
from offbook.context.supports import DECLINED
from offbook.errors import OffbookError
from offbook.types import Verdict

if TYPE_CHECKING:
    from offbook.app import Offbook
    from offbook.types import ContextItem, Recall

_INSTRUCTIONS = (
    "Characters made from texts. ask_character answers as the character would, from what it knows; "
    "recall shows the passages that such an answer rests on; list_characters says who there is."
)


@dataclass(frozen=True)
class CharacterLine:
    """A character that can be asked."""

    id: str
    name: str
    documents: int


@dataclass(frozen=True)
class Passage:
    """A piece of what a character knows of a question."""

    kind: str
    title: str
    text: str
    score: float


@dataclass(frozen=True)
class Passages:
    """What a character knows of a question; ``within`` says whether it can know the answer."""

    passages: list[Passage]
    within: Verdict | None


@dataclass(frozen=True)
class Answer:
    """What a character says, and the titles of what it rests on."""

    reply: str
    within: Verdict | None
    rests_on: list[str]


class CharacterTools:
    """The tools; what they say of themselves is what an agent reads."""

    def __init__(self, book: Offbook) -> None:
        self._book = book

    async def list_characters(self) -> list[CharacterLine]:
        """List the characters that can be asked."""
        with _as_tool_errors():
            listed = await self._book.characters()
        return [CharacterLine(each.id, each.name, each.documents) for each in listed]

    async def ask_character(
        self,
        character: str,
        question: str,
        conversation: str | None = None,
        as_of: str | None = None,
    ) -> Answer:
        """Ask a character a question; it answers in its own words, from what it knows.

        Args:
            character: Its name or id, as list_characters gives it.
            question: What is asked.
            conversation: A name for the conversation, to continue it; without one nothing is kept.
            as_of: A point in the story, such as a document's name; the end without one.
        """
        with _as_tool_errors():
            reply = await command_of(self._book).ask(
                character, question, session=conversation, as_of=as_of
            )
        titles = dict.fromkeys(each.title for each in _known(reply.recall) if each.title)
        return Answer(reply.text, _within(reply.recall), [*titles])

    async def recall(self, character: str, question: str, as_of: str | None = None) -> Passages:
        """Find the passages that a character's answer would rest on; it does not answer.

        Args:
            character: Its name or id, as list_characters gives it.
            question: What would be asked.
            as_of: A point in the story, such as a document's name; the end without one.
        """
        with _as_tool_errors():
            recall = await command_of(self._book).recall(character, question, as_of=as_of)
        passages = [
            Passage(each.kind, each.title, each.text, round(each.score, 3))
            for each in _known(recall)
        ]
        return Passages(passages, _within(recall))


def _known(recall: Recall) -> list[ContextItem]:
    """What the character knows; not what it is to decline."""
    return [each for each in recall.context if each.kind not in DECLINED]


def _within(recall: Recall) -> Verdict | None:
    return None if recall.boundary is None else recall.boundary.verdict


@contextmanager
def _as_tool_errors() -> Iterator[None]:
    """Hand an agent the message and the hint of an error: it can often mend the call."""
    try:
        yield
    except OffbookError as error:
        raise ToolError("; ".join(filter(None, (error.message, error.hint)))) from error


def mcp_server(book: Offbook) -> Any:
    """A server of the SDK with the tools."""
    tools = CharacterTools(book)
    server = MCPServer(
        "offbook",
        instructions=_INSTRUCTIONS,
        version=offbook.__version__,
        log_level="WARNING",
    )
    for tool in (tools.list_characters, tools.ask_character, tools.recall):
        server.add_tool(tool, description=inspect.getdoc(tool))
    return server


async def serve_on_stdio(book: Offbook) -> None:
    """Answer on standard input and output until the other side closes them."""
    async with serving(book) as served:
        await mcp_server(served).run_stdio_async()
