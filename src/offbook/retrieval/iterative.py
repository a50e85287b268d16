"""Iterative retrieval: search, ask what is still missing, and search for that.

Takes: a search, a question, and how many steps at most.  Gives: the passages of each step, and why
it ended before the question was covered.
Paper: Adaptive-RAG (arXiv 2403.14403), section 3 (class C), which runs IRCoT (Trivedi et al.
2023). Differs: between the steps a model is asked for what is missing; its reasoning is not kept.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.errors import AnswerError, InputRefused
from offbook.language.words import fold, search_terms
from offbook.models.failures import why_without
from offbook.prompts.ask import RETRIES, ask
from offbook.prompts.complexity import NEXT_STEP, NextStepInputs

if TYPE_CHECKING:
    from offbook.protocols import ChatModel
    from offbook.retrieval.passages import Passage
    from offbook.types import Character

Search = Callable[[str, int], Awaitable[Sequence["Passage"]]]
"""The passages that fit a text best, and how many of them."""


@dataclass(frozen=True, slots=True)
class Steps:
    """What was found, step by step, each passage once.

    Args:
        found: The new passages of each step.
        searched: What was searched for in each.
        failed: Why a further step was not taken: nobody could say what is missing, or the search
            for it was refused. Else empty.
    """

    found: tuple[tuple[Passage, ...], ...]
    searched: tuple[str, ...]
    failed: str = ""


async def retrieve_in_steps(
    model: ChatModel,
    character: Character,
    question: str,
    search: Search,
    *,
    steps: int,
    k: int,
    retries: int = RETRIES,
) -> Steps:
    """Retrieve until nothing is missing, nothing new is found, or ``steps`` are done.

    Args:
        model: The extractor; it is asked once between two steps.
        character: Whose texts are searched.
        question: What is asked, with what it refers back to.
        search: How they are searched.
        steps: The most retrievals.
        k: New passages that a retrieval adds.
        retries: How often an unusable answer is asked for again.

    Raises:
        ModelError: the endpoint failed for good, or refuses the question itself.
        BudgetReached: the next call would go over the budget.
    """
    found: list[tuple[Passage, ...]] = []
    searched: list[str] = []
    text, failed = question, ""
    while True:
        known = {passage.chunk.id for step in found for passage in step}
        try:
            hits = await search(text, k + len(known))
        except InputRefused as error:
            if not found:
                raise
            failed = why_without(error)
            break
        new = tuple(hit for hit in hits if hit.chunk.id not in known)[:k]
        found.append(new)
        searched.append(text)
        if not new or len(found) == steps:
            break
        try:
            text = await _missing(model, character, question, found, searched, retries)
        except (AnswerError, InputRefused) as error:
            failed = why_without(error)
            break
        if not text or _is_known(text, searched):
            break
    return Steps(tuple(found), tuple(searched), failed)


async def _missing(
    model: ChatModel,
    character: Character,
    question: str,
    found: Sequence[Sequence[Passage]],
    searched: Sequence[str],
    retries: int,
) -> str:
    """What to search for next; empty where the passages are enough."""
    chunks = [passage.chunk for step in found for passage in step]
    inputs = NextStepInputs(
        character=character.name,
        question=question,
        passages=tuple(chunk.text_with_headings for chunk in chunks),
        searched=tuple(searched),
    )
    documents = frozenset(f"{character.id}/{chunk.document}" for chunk in chunks)
    answer = await ask(model, NEXT_STEP, inputs, documents=documents, retries=retries)
    return "" if answer.enough else " ".join(answer.search.split())


def _is_known(text: str, searched: Sequence[str]) -> bool:
    """Whether the same words were searched for before."""
    return _asked(text) in map(_asked, searched)


def _asked(text: str) -> set[str]:
    return set(search_terms(text)) or {fold(text)}
