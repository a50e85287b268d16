"""Tools with which a Pydantic AI agent consults characters, in the same process.

Takes: an open offbook.  Gives: functions for ``Agent(tools=...)``.  As a program it takes the name
of a model, as Pydantic AI has it; without one Pydantic AI's own test model calls every tool once.
Needs: ``pip install pydantic-ai-slim``.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.models.test import TestModel

from offbook import Offbook, OffbookError


def character_tools(book: Offbook, character: str) -> list[Callable[..., Any]]:
    """The tools for one character.

    Args:
        book: An open offbook.
        character: Its id or name.
    """

    async def ask_character(question: str) -> str:
        """Ask the character a question; it answers in its own words, from what it knows."""
        try:
            return str(await book.ask(character, question))
        except OffbookError as error:
            raise ModelRetry(f"{error.message} {error.hint}") from error

    async def recall(question: str) -> list[str]:
        """Find the passages that the character's answer to a question would rest on."""
        try:
            found = await book.recall(character, question)
        except OffbookError as error:
            raise ModelRetry(f"{error.message} {error.hint}") from error
        return [item.text for item in found.context]

    return [ask_character, recall]


async def main() -> None:
    """Let an agent ask the character of ``examples/ada.md`` in your home."""
    model = sys.argv[1] if len(sys.argv) > 1 else TestModel()
    async with await Offbook.open() as book:
        agent = Agent(
            model,
            tools=character_tools(book, "ada-byrne"),
            instructions="You write about a lighthouse. Ask its keeper, and say what she says.",
        )
        done = await agent.run("What did the stranger pay with?")
        print(done.output)


if __name__ == "__main__":
    asyncio.run(main())
