"""An agent's side of ``offbook mcp``: the characters as tools of the Model Context Protocol.

Takes: nothing; it starts ``offbook mcp`` on your home and asks the character of
``examples/ada.md``.  An agent's own configuration names the same command.
Needs: ``pip install mcp``, which the extra ``mcp`` of offbook brings.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters


async def main() -> None:
    """List the tools, then use each of them."""
    command = Path(sys.executable).with_name("offbook")
    server = StdioServerParameters(command=str(command), args=["mcp"], env=dict(os.environ))
    async with Client(server) as client:
        listed = await client.list_tools()
        print("tools:", ", ".join(tool.name for tool in listed.tools))

        characters = await client.call_tool("list_characters", {})
        print((characters.structured_content or {})["result"])

        asking = {"character": "ada-byrne", "question": "What did the stranger pay with?"}
        answer = await client.call_tool("ask_character", asking)
        print((answer.structured_content or {})["reply"])

        early = {**asking, "as_of": "ada.md#How she came to the rock"}
        recalled = await client.call_tool("recall", early)
        passages = (recalled.structured_content or {})["passages"]
        print("knows of the watch before he came:", any("watch" in p["text"] for p in passages))

        wrong = await client.call_tool("ask_character", {**asking, "character": "ada-burn"})
        print("an error:", wrong.is_error, "did you mean" in str(wrong.content))


if __name__ == "__main__":
    asyncio.run(main())
