"""A LlamaIndex retriever of what a character knows, in the same process and without a server.

Takes: a question.  Gives: nodes with their kind, title and sources.  As a program it asks the
character of ``examples/ada.md`` in your home.  Needs: ``pip install llama-index-core``.
"""

from __future__ import annotations

import asyncio

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from offbook.sync import Offbook


class OffbookRetriever(BaseRetriever):  # type: ignore[misc]  # typed where LlamaIndex is installed
    """What a reply of a character would rest on.

    Args:
        book: An open offbook.
        character: Its id or name.
        method: How it is recalled; None: as it is configured.
        as_of: The point in the story at which the character is asked; None: its end.
        user: The person who asks, whose own memories are recalled, too.
    """

    def __init__(
        self,
        book: Offbook,
        character: str,
        *,
        method: str | None = None,
        as_of: str | None = None,
        user: str | None = None,
    ) -> None:
        super().__init__()
        self._book, self._character = book, character
        self._method, self._as_of, self._user = method, as_of, user

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        recall = self._book.recall(
            self._character,
            query_bundle.query_str,
            method=self._method,
            as_of=self._as_of,
            user=self._user,
        )
        nodes = []
        for item in recall.context:
            places = [f"{source.document}[{source.start}:{source.end}]" for source in item.sources]
            metadata = {"kind": item.kind, "title": item.title, "sources": places}
            nodes.append(
                NodeWithScore(node=TextNode(text=item.text, metadata=metadata), score=item.score)
            )
        return nodes

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def main() -> None:
    """Ask what the character of ``examples/ada.md`` knows, at the end and before it happened."""
    question = "What did the stranger pay with?"
    with Offbook.open() as book:
        for node in OffbookRetriever(book, "ada-byrne").retrieve(question):
            print(f"{node.score:.2f} {node.metadata['kind']}: {node.text}")

        early = OffbookRetriever(book, "ada-byrne", as_of="ada.md#How she came to the rock")
        nodes = asyncio.run(early.aretrieve(question))
        print("knows of the watch before he came:", any("watch" in node.text for node in nodes))


if __name__ == "__main__":
    main()
