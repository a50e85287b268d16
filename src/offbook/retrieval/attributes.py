"""The attribute extractor: beliefs and values, and traits, that bear on a question.

Takes: the passages that guided selection chose.  Gives: at most two pieces of context, each with
the passages that it was inferred from. One call; what it finds nothing of is left empty.
Paper: AMADEUS (003), section 4.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from offbook.prompts.ask import RETRIES, ask
from offbook.prompts.traits import EXTRACT_ATTRIBUTES, AttributesInputs
from offbook.types import ContextItem

if TYPE_CHECKING:
    from offbook.protocols import ChatModel

BELIEFS: Final = "Beliefs and values"
TRAITS: Final = "Psychological traits"
"""Titles of the two pieces, in the order of the dynamic context."""


async def extract_attributes(
    model: ChatModel,
    character: str,
    question: str,
    passages: Sequence[ContextItem],
    *,
    documents: frozenset[str] = frozenset(),
    retries: int = RETRIES,
) -> list[ContextItem]:
    """What the passages reveal of the character, as far as it bears on the question.

    Args:
        model: The extractor.
        character: The character's name.
        question: What is asked, with what it refers back to.
        passages: Pieces of knowledge, their heading paths as titles; without any no call is made.
        documents: Names ``character/document`` of the documents that the passages are from.
        retries: How often an unusable answer is asked for again.

    Raises:
        AnswerError: no answer could be used.
        InputRefused: the endpoint refuses these passages.
        ModelError: the endpoint failed for good.
    """
    if not passages:
        return []
    texts = tuple(f"{p.title}\n{p.text}" if p.title else p.text for p in passages)
    inputs = AttributesInputs(character, question, texts)
    answer = await ask(model, EXTRACT_ATTRIBUTES, inputs, documents=documents, retries=retries)
    sources = tuple(source for passage in passages for source in passage.sources)
    score = max(passage.score for passage in passages)
    found = {BELIEFS: answer.belief_and_values, TRAITS: answer.psychological_traits}
    return [
        ContextItem("attribute", title, " ".join(text.split()), score, sources)
        for title, text in found.items()
        if text.strip()
    ]
