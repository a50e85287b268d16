"""The offline model, which is the default: it answers by rules, without key, network or chance.

Takes: a chat request whose origin is ``(prompt, inputs)``.  Gives: the answer in the prompt's own
format, so that it goes through the same parser as the answer of any model. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import ModelError
from offbook.models.beside import worked_out
from offbook.models.builtin import BuiltinEmbedder
from offbook.prompts.probes import (
    NeedleProbeInputs,
    NumberedWord,
    NumberedWords,
    StructuredProbeInputs,
)
from offbook.prompts.prompt import Text
from offbook.text.tokens import count_tokens, truncate_to_tokens
from offbook.types import ChatRequest, ChatResponse, Ending, ModelTraits

if TYPE_CHECKING:
    from offbook.protocols import Embedder

_MODULES: Final[Mapping[str, str]] = {
    "reply": "reply",
    "summaries": "profile summarize_cluster summarize_conversation distil_turns",
    "question": "analyse_question hypothetical_context question_entities understand_question",
    "traits": "reveals_trait index_traits extract_attributes",
    "retrieval_steps": "grade_passage select_strips classify_question next_step question_keywords"
    " knowing",
    "extraction": "extract glean",
    "merging": "merge_entities merge_relations",
    "group_verification": "same_entity verify_group who_is_who",
    "emotions": "score_emotions",
    "speakers": "speakers",
    "story_answer": "story",
    "judging": "knowledge_exposure knowledge_hallucination unknown_rejection answer_contained"
    " persona_kept consistent spacetime find_flaws"
    " answer_quality hallucination_score compare_replies rate_mbti_item rate_bigfive_item"
    " rate_bfi_batch rate_16p_batch convert_options",
    "acting": "next_speaker set_scene",
    "model": "probe_structured probe_needle",
}
"""Module to its functions, each named like the prompt whose inputs it turns into the value."""
_ANSWERS: Final[Mapping[str, str]] = {
    prompt: module for module, prompts in _MODULES.items() for prompt in prompts.split()
}
_PIECES: Final = re.compile(r"\S+\s*|\s+")


class OfflineModel:
    """A ChatModel of rules, equal for equal requests; an ``embedder`` tells what texts mean."""

    name: Final = "offline"
    base_url: Final = "offline:"
    traits: Final = ModelTraits(free=True, local=True, measures=False)
    embedder: Embedder | None = None

    def __init__(self, embedder: Embedder | None = None) -> None:
        # What the rules know of meanings is in the built-in embedder already.
        self.embedder = None if isinstance(embedder, BuiltinEmbedder) else embedder

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
        response = await self.complete(request)
        for piece in _PIECES.findall(response.text):
            yield piece

    async def _answer(self, request: ChatRequest) -> str:
        if request.origin is None:
            raise ModelError(
                "the offline backend answers only what offbook itself asks, not free messages",
                "configure a model with chat.model and chat.base_url for anything else",
            )
        prompt, inputs = request.origin
        if self.embedder is not None and prompt.name == "score_emotions":
            from offbook.rules.emotions import score_by_meaning

            value: Any = await score_by_meaning(inputs, self.embedder)
        else:
            value = await worked_out(_by_rule, prompt.name, inputs)
        written: str = prompt.answer.write(value)
        return written


def _within(request: ChatRequest, text: str) -> tuple[str, str]:
    """Cut a reply where it is to stop, and as long as it may be; and say why it ends there."""
    spoken = request.origin is not None and isinstance(request.origin[0].answer, Text)
    if not spoken or request.cacheable:
        return text, "stop"  # half of what another stage reads is nothing
    stop, most = request.parameters.get("stop") or (), request.parameters.get("max_tokens")
    for mark in filter(None, [stop] if isinstance(stop, str) else stop):
        text = text.partition(mark)[0]
    if most is None or count_tokens(text) <= most:
        return text, "stop"
    return truncate_to_tokens(text, most), "length"


def answered_prompts() -> frozenset[str]:
    """Names of the prompts that the offline model answers."""
    return frozenset(_ANSWERS)


def _by_rule(prompt: str, inputs: Any) -> Any:
    """Answer a prompt; its rule is loaded at its first use."""
    if prompt not in _ANSWERS:
        raise ModelError(
            f"the offline backend has no rule for the prompt {prompt!r}",
            "configure a model (chat.model, extract.model or judge.model) for this command",
        )
    return getattr(import_module(f"offbook.rules.{_ANSWERS[prompt]}"), prompt)(inputs)


def probe_structured(inputs: StructuredProbeInputs) -> NumberedWords:
    """Number the words: rules neither miscount nor truncate."""
    items = [NumberedWord(number=place, word=word) for place, word in enumerate(inputs.words, 1)]
    return NumberedWords(items=items)


def probe_needle(inputs: NeedleProbeInputs) -> str:
    """Find the word at the head of the prompt."""
    return inputs.needle
