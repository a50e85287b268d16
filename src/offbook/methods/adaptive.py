"""Adaptive-RAG: as much retrieval as the question's complexity asks for.

Takes: a question.  Gives: nothing, the chunks of one retrieval, or those of several steps.
Paper: Adaptive-RAG (Jeong et al. 2024, arXiv 2403.14403), section 3; its class C runs IRCoT
(Trivedi et al. 2023). Left out: the trained classifier, whose place a prompt takes, and the data
that label themselves for it. By default there are three steps at most, a step searches for what is
missing, and greetings alone need none; ``faithful`` searches by the last thought
(``adaptive.search_by``), for 6 chunks a step and 15 in all, and has the model answer class A from
its own knowledge.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from offbook.errors import AnswerError, InputRefused
from offbook.models.failures import why_without
from offbook.prompts.ask import RETRIES, ask
from offbook.prompts.retrieval import (
    CLASSIFY_QUESTION,
    NEXT_STEP,
    ComplexityInputs,
    NextStepInputs,
)
from offbook.text.words import fold, search_terms
from offbook.types import IndexRequirements, Skipped

if TYPE_CHECKING:
    from offbook.methods.knowledge import Knowledge
    from offbook.prompts.retrieval import NextStep, Retrievals
    from offbook.protocols import ChatModel
    from offbook.settings import SettingsModel
    from offbook.types import Character, Passage, Recall


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
    most: int = 0,
    by_thought: bool = False,
    retries: int = RETRIES,
) -> Steps:
    """Retrieve until nothing is missing, nothing new is found, or ``steps`` are done.

    What is missing is searched for; ``by_thought``: the model's last thought, as in IRCoT. ``most``
    is how many passages all steps may find together; 0: as many as they do.

    Raises:
        ModelError: the endpoint failed for good, or refuses the question itself.
        BudgetReached: the next call would go over the budget.
    """
    passages_by_step: list[tuple[Passage, ...]] = []
    searched: list[str] = []
    text, failed = question, ""
    while True:
        known = {passage.chunk.id for step in passages_by_step for passage in step}
        try:
            hits = await search(text, k + len(known))
        except InputRefused as error:
            if not passages_by_step:
                raise
            failed = why_without(error)
            break
        room = min(k, most - len(known)) if most else k
        new = tuple(hit for hit in hits if hit.chunk.id not in known)[:room]
        passages_by_step.append(new)
        searched.append(text)
        is_full = most and len(known) + len(new) >= most
        if not new or is_full or len(passages_by_step) == steps:
            break
        try:
            step = await _next(model, character, question, passages_by_step, searched, retries)
        except (AnswerError, InputRefused) as error:
            failed = why_without(error)
            break
        query = step.thought if by_thought and step.thought.strip() else step.search
        text = "" if step.enough else " ".join(query.split())
        if not text or _terms(text) in map(_terms, searched):  # searched for before
            break
    return Steps(tuple(passages_by_step), tuple(searched), failed)


async def _next(
    model: ChatModel,
    character: Character,
    question: str,
    passages_by_step: Sequence[Sequence[Passage]],
    searched: Sequence[str],
    retries: int,
) -> NextStep:
    """What to do next."""
    chunks = [passage.chunk for step in passages_by_step for passage in step]
    inputs = NextStepInputs(
        character=character.name,
        question=question,
        passages=tuple(chunk.text_with_headings for chunk in chunks),
        searched=tuple(searched),
    )
    documents = frozenset(f"{character.id}/{chunk.document}" for chunk in chunks)
    return await ask(model, NEXT_STEP, inputs, documents=documents, retries=retries)


def _terms(text: str) -> set[str]:
    return set(search_terms(text)) or {fold(text)}


class Adaptive:
    """No retrieval, one, or several steps of it."""

    name = "adaptive"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """The chunks of one splitter, and their vectors unless the search is by words alone."""
        return IndexRequirements(
            (settings.adaptive.splitter,), vectors=settings.retrieval.mode != "lexical"
        )

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """What as many retrievals find as the question takes."""
        settings = knowledge.settings.adaptive
        # 1 -- how much retrieval the question takes ---------------------------------------------
        route, skipped = await self._route(knowledge, question)
        # 2 -- none, one, or step by step --------------------------------------------------------
        steps: Sequence[Sequence[Passage]] = ()
        if route == "one":
            steps = [await knowledge.search(question, settings.splitter, settings.k)]
        elif route == "several":
            steps, left = await self._steps(knowledge, question)
            skipped += left
        # 3 -- within a budget of which each step has its part -----------------------------------
        kinds = {
            f"step {number}": (1.0, [knowledge.passage(hit) for hit in hits])
            for number, hits in enumerate(steps, 1)
        }
        recalled = knowledge.divided_recall(self.name, question, kinds, skipped=skipped)
        alone = settings.own_knowledge and route == "none"
        return replace(recalled, stance="open") if alone else recalled

    async def _route(self, knowledge: Knowledge, question: str) -> tuple[Retrievals, list[Skipped]]:
        """How many retrievals; where that could not be judged, one stands in, and it is said."""
        alone = knowledge.settings.adaptive.own_knowledge
        inputs = ComplexityInputs(knowledge.character.name, knowledge.in_full(question), alone)
        model, retries = knowledge.extractor_for(self.name), knowledge.settings.answers.retries
        try:
            answer = await ask(model, CLASSIFY_QUESTION, inputs, retries=retries)
        except (AnswerError, InputRefused) as error:
            why = f"how many searches it takes was not judged: {why_without(error)}; one stands in"
            return "one", [Skipped("knowledge", "the question", why)]
        if answer.retrievals == "none":
            why = "judged to need none; nothing was searched for"
            return "none", [Skipped("knowledge", "retrieval", why)]
        return answer.retrievals, []

    async def _steps(
        self, knowledge: Knowledge, question: str
    ) -> tuple[Sequence[Sequence[Passage]], list[Skipped]]:
        """The passages of each step, and why there were no more of them."""
        settings = knowledge.settings.adaptive
        # What a step searches for stands alone: it refers back to nothing that was said.
        alone = replace(knowledge, history=())
        outcome = await retrieve_in_steps(
            knowledge.extractor_for(self.name),
            knowledge.character,
            knowledge.in_full(question),
            lambda text, most: alone.search(text, settings.splitter, most),
            steps=settings.steps,
            k=settings.k,
            most=settings.most,
            by_thought=settings.search_by == "thought",
            retries=knowledge.settings.answers.retries,
        )
        if not outcome.failed:
            return outcome.found, []
        title, why = f"step {len(outcome.found) + 1}", f"not taken: {outcome.failed}"
        return outcome.found, [Skipped("knowledge", title, why)]
