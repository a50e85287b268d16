"""A LangChain retriever of what a character knows: the server's ``recall``, without a reply.

Takes: a question.  Gives: documents with their kind, score and sources.  As a program it takes the
server's address (default http://127.0.0.1:8321).  Needs: ``pip install langchain-core httpx``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

import httpx
from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from pydantic import SecretStr


class OffbookRetriever(BaseRetriever):
    """What a reply of a character would rest on.

    Args:
        character: Its id or name.
        base_url: The server's address, without ``/v1``.
        api_key: For servers that ask for one.
        kinds: Kinds of context that are wanted; None: all.
        method: How it is recalled; None: as the server is set up.
        as_of: The point in the story at which the character is asked; None: its end.
        session: The conversation that the question belongs to.
        user: The person who asks, whose own memories are recalled, too.
        timeout: Seconds.
    """

    character: str
    base_url: str = "http://127.0.0.1:8321"
    api_key: SecretStr | None = None
    kinds: frozenset[str] | None = None
    method: str | None = None
    as_of: str | None = None
    session: str | None = None
    user: str | None = None
    timeout: float = 60.0

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        with httpx.Client(headers=self._headers(), timeout=self.timeout) as client:
            return self._documents(client.post(self._url(), json=self._body(query)))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        async with httpx.AsyncClient(headers=self._headers(), timeout=self.timeout) as client:
            return self._documents(await client.post(self._url(), json=self._body(query)))

    def _url(self) -> str:
        name = quote(self.character, safe="")
        return f"{self.base_url.rstrip('/')}/api/characters/{name}/recall"

    def _headers(self) -> dict[str, str]:
        if self.api_key is None:
            return {}
        return {"Authorization": f"Bearer {self.api_key.get_secret_value()}"}

    def _body(self, query: str) -> dict[str, Any]:
        told = {
            "question": query,
            "method": self.method,
            "as_of": self.as_of,
            "session": self.session,
            "user": self.user,
        }
        return {name: value for name, value in told.items() if value is not None}

    def _documents(self, response: httpx.Response) -> list[Document]:
        recalled = response.json()
        if response.is_error:
            failed = recalled["error"]
            raise ValueError(f"{failed['message']} ({failed['hint']})")
        verdict = (recalled["boundary"] or {}).get("verdict")
        return [
            Document(
                page_content=item["text"],
                metadata={
                    "kind": item["kind"],
                    "title": item["title"],
                    "score": item["score"],
                    "sources": item["sources"],
                    "verdict": verdict,
                },
            )
            for item in recalled["context"]
            if self.kinds is None or item["kind"] in self.kinds
        ]


def as_text(documents: Iterable[Document]) -> str:
    """Documents as one text, for a prompt."""
    return "\n\n".join(f"[{d.metadata['kind']}] {d.page_content}" for d in documents)


def main() -> None:
    """Ask what the character of ``examples/ada.md`` knows, before and after the stranger came."""
    base_url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8321"
    key = os.environ.get("API_KEY")
    ada = OffbookRetriever(
        character="ada-byrne", base_url=base_url, api_key=SecretStr(key) if key else None
    )
    question = "What did the stranger pay with?"
    for document in ada.invoke(question):
        told = document.metadata
        print(f"{told['score']:.2f} {told['kind']}: {told['title']}")

    # One step of a chain: its output goes into the prompt of any model.
    passages = ada.model_copy(update={"kinds": frozenset({"knowledge"})})
    print((passages | RunnableLambda(as_text)).invoke(question))

    early = passages.model_copy(update={"as_of": "ada.md#How she came to the rock"})
    print("knows of the watch before he came:", "watch" in as_text(early.invoke(question)))


if __name__ == "__main__":
    main()
