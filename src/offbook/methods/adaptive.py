"""Adaptive-RAG: as much retrieval as the question's complexity asks for.

Takes: a question.  Gives: nothing, the chunks of one retrieval, or those of several steps.
Paper: Adaptive-RAG (Jeong et al. 2024, arXiv 2403.14403), section 3. Left out: the trained
classifier, whose place a prompt takes, and the data that label themselves for it; and the chain of
thought between the steps (IRCoT), of which only what is missing is asked for. At most three steps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from offbook.errors import AnswerError, InputRefused
from offbook.models.failures import why_without
from offbook.types import Needs, Skipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.methods.knowledge import Knowledge
    from offbook.prompts.complexity import Retrievals
    from offbook.retrieval.passages import Passage
    from offbook.settings import SettingsModel
    from offbook.types import Recall


class Adaptive:
    """No retrieval, one, or several steps of it."""

    name = "adaptive"

    def needs(self, settings: SettingsModel) -> Needs:
        """The chunks of one splitter, and their vectors unless the search is by words alone."""
        return Needs((settings.adaptive.splitter,), vectors=settings.retrieval.mode != "lexical")

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
            f"step {number}": [knowledge.passage(hit) for hit in hits]
            for number, hits in enumerate(steps, 1)
        }
        shares = dict.fromkeys(kinds, 1.0)
        return knowledge.divided_recall(self.name, question, kinds, shares, skipped=skipped)

    async def _route(self, knowledge: Knowledge, question: str) -> tuple[Retrievals, list[Skipped]]:
        """How many retrievals; where that could not be judged, one stands in, and it is said."""
        from offbook.prompts.ask import ask
        from offbook.prompts.complexity import CLASSIFY_QUESTION, ComplexityInputs

        inputs = ComplexityInputs(knowledge.character.name, knowledge.in_full(question))
        model, retries = knowledge.asked_by(self.name), knowledge.settings.answers.retries
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
        from offbook.retrieval.iterative import retrieve_in_steps

        settings = knowledge.settings.adaptive
        # What a step searches for stands alone: it refers back to nothing that was said.
        alone = replace(knowledge, history=())
        found = await retrieve_in_steps(
            knowledge.asked_by(self.name),
            knowledge.character,
            knowledge.in_full(question),
            lambda text, most: alone.search(text, settings.splitter, most),
            steps=settings.steps,
            k=settings.k,
            retries=knowledge.settings.answers.retries,
        )
        if not found.failed:
            return found.found, []
        title, why = f"step {len(found.found) + 1}", f"not taken: {found.failed}"
        return found.found, [Skipped("knowledge", title, why)]
