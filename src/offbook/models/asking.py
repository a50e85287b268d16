"""The model that is asked about many items, and how much of them goes into one call.

Takes: items to decide, with the chunks that their text is from.  Gives: calls that know which
documents they have seen, so that forgetting a document forgets them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from offbook.prompts.ask import RETRIES, ask

if TYPE_CHECKING:
    from offbook.prompts.prompt import Prompt
    from offbook.protocols import ChatModel

In = TypeVar("In")
Out = TypeVar("Out")

BATCH_ITEMS: Final = 24
BATCH_TOKENS: Final = 3_000


def no_documents(chunks: Iterable[str]) -> frozenset[str]:
    """For texts that are from no stored document."""
    del chunks
    return frozenset()


@dataclass(frozen=True, slots=True)
class Asking:
    """Who is asked, and about whom.

    Args:
        model: The extractor.
        character: The character's name, as the prompts say it.
        documents: Names ``character/document`` of the documents that chunks belong to.
        retries: How often an unusable answer is asked for again.
        batch_items: The most items in a call.
        batch_tokens: About how many tokens the items of a call may have.
        side_by_side: Calls that may be out at once; few items are spread over as many, because
            answers take longer to write than questions to read.
    """

    model: ChatModel
    character: str
    documents: Callable[[Iterable[str]], frozenset[str]] = no_documents
    retries: int = RETRIES
    batch_items: int = BATCH_ITEMS
    batch_tokens: int = BATCH_TOKENS
    side_by_side: int = 16

    async def ask(self, prompt: Prompt[In, Out], inputs: In, chunks: Iterable[str]) -> Out:
        """The value of the answer to a prompt whose inputs hold text of these chunks.

        Raises:
            AnswerError: no answer could be used.
            InputRefused: the endpoint refuses these inputs.
            ModelError: the endpoint failed for good.
        """
        documents = self.documents(chunks)
        return await ask(self.model, prompt, inputs, documents=documents, retries=self.retries)


def tokens_of(line: str) -> int:
    """About what an item costs in a prompt; sizing a batch is not worth an exact count."""
    return len(line.encode("utf-8", "surrogatepass")) // 4 + 4
