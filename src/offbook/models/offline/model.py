"""The embedded default model: it answers by rules, without a key, a network or chance.

Takes: a chat request whose origin is ``(prompt, inputs)``.  Gives: the answer in the prompt's own
format, so that it goes through the same parser as the answer of any model. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import ModelError
from offbook.language.tokens import count_tokens, truncate_to_tokens
from offbook.models.beside import worked_out
from offbook.prompts.answers import Text
from offbook.wire import ChatRequest, ChatResponse, Ending

if TYPE_CHECKING:
    from offbook.protocols import Embedder

_ANSWERS: Final[Mapping[str, str]] = {
    "reply": "offbook.models.offline.reply:reply",
    "profile": "offbook.models.offline.profile:profile",
    "analyse_question": "offbook.models.offline.question:analyse_question",
    "hypothetical_context": "offbook.models.offline.question:hypothetical_context",
    "question_entities": "offbook.models.offline.question:question_entities",
    "reveals_trait": "offbook.models.offline.traits:reveals_trait",
    "index_traits": "offbook.models.offline.traits:index_traits",
    "extract_attributes": "offbook.models.offline.traits:extract_attributes",
    "grade_passage": "offbook.models.offline.grading:grade_passage",
    "classify_question": "offbook.models.offline.complexity:classify_question",
    "next_step": "offbook.models.offline.complexity:next_step",
    "extract": "offbook.models.offline.extraction:extract",
    "glean": "offbook.models.offline.extraction:glean",
    "merge_entities": "offbook.models.offline.merging:merge_entities",
    "merge_relations": "offbook.models.offline.merging:merge_relations",
    "question_keywords": "offbook.models.offline.keywords:question_keywords",
    "summarize_cluster": "offbook.models.offline.cluster_summary:summarize_cluster",
    "probe_structured": "offbook.models.offline.probes:numbered_words",
    "probe_needle": "offbook.models.offline.probes:needle",
    "same_entity": "offbook.models.offline.same_entity:same_entity",
    "summarize_conversation": "offbook.models.offline.conversation:summarize_conversation",
    "score_emotions": "offbook.models.offline.emotions:score_emotions",
    "verify_group": "offbook.models.offline.same_entity:verify_group",
    "knowledge_exposure": "offbook.models.offline.judging:knowledge_exposure",
    "knowledge_hallucination": "offbook.models.offline.judging:knowledge_hallucination",
    "unknown_rejection": "offbook.models.offline.judging:unknown_rejection",
    "answer_contained": "offbook.models.offline.judging:answer_contained",
    "answer_quality": "offbook.models.offline.judging:answer_quality",
    "hallucination_score": "offbook.models.offline.judging:hallucination_score",
    "compare_replies": "offbook.models.offline.judging:compare_replies",
    "rate_mbti_item": "offbook.models.offline.interviewing:rate_mbti_item",
    "rate_bigfive_item": "offbook.models.offline.interviewing:rate_bigfive_item",
    "rate_bfi_batch": "offbook.models.offline.interviewing:rate_bfi_batch",
    "rate_16p_batch": "offbook.models.offline.interviewing:rate_16p_batch",
    "convert_options": "offbook.models.offline.interviewing:convert_options",
}
"""Prompt name to ``module:function``; the function turns the prompt's inputs into the value."""
_BY_MEANING: Final[Mapping[str, str]] = {
    "score_emotions": "offbook.models.offline.sentence_emotions:score_emotions",
}
"""The same for prompts that a configured embedder helps to answer; these are asynchronous."""
_PIECES: Final = re.compile(r"\S+\s*|\s+")


class OfflineModel:
    """A ChatModel of rules; equal requests have equal answers.

    ``embedder`` is the configured one, where it is not the embedded one: it tells what texts mean
    better than the rules do, and is asked where that counts.
    """

    name: Final = "offline"
    base_url: Final = "offline:"
    embedder: Embedder | None = None

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer whole.

        Raises:
            ModelError: the request does not say which prompt it comes from, or no rule answers it.
        """
        text, reason = _within(request, await self._answer(request))
        if request.ended is not None:
            request.ended(Ending(reason))
        prompt_tokens = sum(count_tokens(message.content) for message in request.messages)
        return ChatResponse(text, reason, prompt_tokens, count_tokens(text))

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """Answer word by word."""
        text, reason = _within(request, await self._answer(request))
        for piece in _PIECES.findall(text):
            yield piece
        if request.ended is not None:
            request.ended(Ending(reason))

    async def _answer(self, request: ChatRequest) -> str:
        if request.origin is None:
            raise ModelError(
                "the offline backend answers only what offbook itself asks, not free messages",
                "configure a model with chat.model and chat.base_url for anything else",
            )
        prompt, inputs = request.origin
        if self.embedder is not None and prompt.name in _BY_MEANING:
            value = await _found(_BY_MEANING[prompt.name])(inputs, self.embedder)
        else:
            value = await worked_out(_by_rule, prompt.name, inputs)
        written: str = prompt.answer.write(value)
        return written


def _within(request: ChatRequest, text: str) -> tuple[str, str]:
    """A reply up to where it is to stop, and as long as it may be; and why it ends there."""
    spoken = request.origin is not None and isinstance(request.origin[0].answer, Text)
    if not spoken or request.cacheable:
        return text, "stop"  # half of what another stage reads is nothing
    told, most = request.parameters.get("stop") or (), request.parameters.get("max_tokens")
    stops = [told] if isinstance(told, str) else told
    ends = [found for stop in stops if stop and (found := text.find(stop)) >= 0]
    text = text[: min(ends, default=len(text))]
    if most is None or count_tokens(text) <= most:
        return text, "stop"
    return truncate_to_tokens(text, most), "length"


def answered_prompts() -> frozenset[str]:
    """Names of the prompts that the offline backend answers."""
    return frozenset(_ANSWERS)


def _by_rule(prompt: str, inputs: Any) -> Any:
    """What the rule for a prompt answers; it is loaded at its first use."""
    if prompt not in _ANSWERS:
        raise ModelError(
            f"the offline backend has no rule for the prompt {prompt!r}",
            "configure a model (chat.model, extract.model or judge.model) for this command",
        )
    return _found(_ANSWERS[prompt])(inputs)


def _found(place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
