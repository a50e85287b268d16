"""A model that gives the keywords a test wants, and rules for the graph.

Takes: keywords.  Gives: a model for ``tests.methods.questions.Asked`` with the method ``lightrag``.
"""

from __future__ import annotations

from typing import Any

from offbook.prompts.retrieval import Keywords, KeywordsInputs
from offbook.types import ChatRequest, ChatResponse
from tests.methods.questions import Asked, QuestionModel

METHOD: dict[str, Any] = {"method": "lightrag"}


class KeywordModel(QuestionModel):
    """Keywords of both levels as told; ``broken``: nonsense in their place."""

    def __init__(self, low: tuple[str, ...] = (), high: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.low, self.high = low, high

    @property
    def keyword_inputs(self) -> KeywordsInputs:
        """What the last keyword prompt was told."""
        found = [r.origin[1] for r in self.asked if r.origin and "keyw" in r.origin[0].name]
        inputs: KeywordsInputs = found[-1]
        return inputs

    async def complete(self, request: ChatRequest) -> ChatResponse:
        assert request.origin is not None
        prompt, _ = request.origin
        if prompt.name != "question_keywords":
            return await super().complete(request)
        self.asked.append(request)
        if self.broken:
            return ChatResponse("I would rather not.")
        keywords = Keywords(high_level=list(self.high), low_level=list(self.low))
        return ChatResponse(prompt.answer.write(keywords))


async def keyworded(store: Any, *texts: tuple[str, str], **told: Any) -> Asked:
    """A character whose mentions are indexed."""
    made = Asked(store, KeywordModel(), {**METHOD, **told})
    return await made.create(*texts)
