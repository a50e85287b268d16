"""The one-paragraph profile of a character, from the beginnings of its documents.

Takes: documents in their order, a budget of tokens.  Gives: passages for the prompt.
Paper: RoleRAG (001) section 4.1 summarizes the whole page; here each document gives its beginning,
the budget divided among them, since persona documents begin with what matters most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from offbook.language.tokens import count_tokens, truncate_to_tokens
from offbook.types import Document


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first ``len(text)`` characters of a document."""

    document: str
    text: str


def beginnings(documents: Sequence[Document], budget_tokens: int) -> list[Beginning]:
    """The beginning of every document, the budget divided fairly.

    What a short document leaves over goes to the others.

    Args:
        documents: In the order of ingestion.
        budget_tokens: For all of them together.
    """
    shares: dict[str, int] = {}
    left = budget_tokens
    if len(documents) == 1:  # which has it all: how long it is need not be counted
        shares[documents[0].id] = left
    sizes = {d.id: count_tokens(d.text) for d in documents if d.id not in shares}
    for place, (name, size) in enumerate(sorted(sizes.items(), key=lambda item: item[1])):
        shares[name] = min(left // (len(sizes) - place), size)
        left -= shares[name]
    found = [Beginning(d.id, truncate_to_tokens(d.text, shares[d.id])) for d in documents]
    return [beginning for beginning in found if beginning.text]
