"""A character as a LangChain chat model, with what its replies rest on in their metadata.

Takes: the server's address (default http://127.0.0.1:8321), and a key in API_KEY where one is
asked for.  Gives: what was said.  Needs: ``pip install langchain-openai``.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import openai
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

EXTRAS = "offbook"


class ChatOffbook(ChatOpenAI):
    """``ChatOpenAI`` that keeps the key ``offbook`` of answers, as ``response_metadata``.

    The plain class works as well; it drops what is not OpenAI's own.
    """

    def _create_chat_result(
        self,
        response: dict[str, Any] | openai.BaseModel,
        generation_info: dict[str, Any] | None = None,
    ) -> ChatResult:
        result = super()._create_chat_result(response, generation_info)
        told = response if isinstance(response, dict) else response.model_extra or {}
        if EXTRAS in told:
            for generation in result.generations:
                generation.message.response_metadata[EXTRAS] = told[EXTRAS]
        return result

    def _convert_chunk_to_generation_chunk(
        self,
        chunk: dict[str, Any],
        default_chunk_class: type,
        base_generation_info: dict[str, Any] | None,
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(
            chunk, default_chunk_class, base_generation_info
        )
        if made is not None and EXTRAS in chunk:
            made.message.response_metadata[EXTRAS] = chunk[EXTRAS]
        return made


def main() -> None:
    """Talk to the character of ``examples/ada.md``."""
    base_url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8321"
    chat = ChatOffbook(
        model="ada-byrne",
        base_url=f"{base_url}/v1",
        api_key=SecretStr(os.environ.get("API_KEY", "none")),
    )
    reply = chat.invoke("Who taught you to trim the lamp?")
    print(reply.content)
    print("  method:", reply.response_metadata[EXTRAS]["method"])

    pieces = []
    for piece in chat.stream("Have you ever used a smartphone?"):
        print(piece.text, end="", flush=True)
        pieces.append(piece)
    whole = sum(pieces[1:], pieces[0])  # what it rests on comes with the last piece
    print("\n  boundary:", whole.response_metadata[EXTRAS]["boundary"]["verdict"])

    # A conversation that the server keeps, and whose it is: both can be bound.
    prompt = ChatPromptTemplate([("human", "{said}")])
    talk = prompt | chat.bind(extra_headers={"X-Session-Id": "porch"}, user="sam")
    for said in ("What did the stranger pay with?", "Did you tell anybody of the stranger?"):
        print(talk.invoke({"said": said}).content)


if __name__ == "__main__":
    main()
