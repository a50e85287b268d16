"""The one caller of the wire: puts a prompt to a model and reads the answer.

Takes: a model, a prompt and its inputs.  Gives: the value of the answer, or pieces of its text.
An unusable answer is asked for again, as a new request that says what was wrong with it; after the
last time the error is raised, and the caller puts the item aside and goes on. An answer may be far
longer than any valid one, but not as long as a model that runs away would make it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar, Unpack, cast

from offbook.errors import AnswerError, IncompleteAnswer, InvalidAnswer, OffbookError
from offbook.prompts.prompt import Prompt, describe_schema, may_be_empty, read_answer, render
from offbook.prompts.reply import REPLY
from offbook.text.repetition import runs_on
from offbook.text.sentences import last_sentence_end
from offbook.types import ChatRequest, Ending, Message

if TYPE_CHECKING:
    from offbook.protocols import ChatModel
    from offbook.types import ToolCall


In = TypeVar("In")

_ONCE: Final = 2_048
"""An analysis, a paragraph, a verdict: valid ones have at most a few hundred tokens."""
_ITEM: Final = 256
"""A part of a batch: a verdict with its reason, or one description made of several."""
_TIMES_PASSAGE: Final = 8
"""What is listed of a passage is told in its own words, a name several times, and in JSON."""
_BYTES_A_TOKEN: Final = 3
"""Fewer than English has (4), as many as one Chinese character."""


def answer_limit(prompt: Prompt[In, Any], inputs: In) -> int | None:
    """The most tokens of the answer; None for a reply, whose length is ``reply.max_tokens``'s.

    Answers that hold a list grow with the items that are asked about, and with the passage that
    they are taken from.
    """
    if prompt is REPLY:
        return None
    if prompt.limit is not None:
        return prompt.limit
    if not _has_list(prompt):
        return _ONCE
    values = {field.name: getattr(inputs, field.name) for field in fields(inputs)}  # type: ignore[arg-type]
    items = sum(
        len(v)
        for name, v in values.items()
        if isinstance(v, tuple) and name not in ("history", "earlier", "called")
    )
    passage = len(getattr(inputs, "passage", "").encode("utf-8", "replace")) // _BYTES_A_TOKEN
    return _ONCE + _ITEM * items + _TIMES_PASSAGE * passage


@cache
def _has_list(prompt: Prompt[Any, Any]) -> bool:
    return '"array"' in json.dumps(prompt.answer.schema())


Out = TypeVar("Out")

Doubt = Callable[[str], str]
"""Says what is wrong with how a text begins; empty where nothing is."""

RETRIES: Final = 2
"""How often an unusable answer is asked for again (setting ``answers.retries``)."""


_HALF: Final = 2**63


def parameters_of(sample: int, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Sampling parameters of one of several answers: with one seed all of them would be the same.

    Seeds go on from the greatest of 64 bits with the least: endpoints take no others.

    Args:
        sample: Its number; the first keeps the seed.
        parameters: Those that were asked for.
    """
    sampling, seed = dict(parameters), parameters.get("seed")
    if not sample or not isinstance(seed, int) or isinstance(seed, bool):
        return sampling
    return {**sampling, "seed": (seed + sample + _HALF) % (2 * _HALF) - _HALF}


class RequestOptions(TypedDict, total=False):
    """What may be wished of a request.

    ``sample`` is the number of the answer, where several different ones are wanted; ``documents``
    are the names ``character/document`` of those whose text the inputs hold; ``parameters`` are
    sampling parameters on top of the prompt's own, of which None removes one; ``ended`` is told how
    each answer ended, usable or not.
    """

    sample: int
    documents: frozenset[str]
    parameters: Mapping[str, Any] | None
    ended: Callable[[Ending], None] | None


def request_of(
    prompt: Prompt[In, Any], inputs: In, **options: Unpack[RequestOptions]
) -> ChatRequest:
    """Make the request that puts ``prompt`` to a model; it makes no call."""
    sample = options.get("sample", 0)
    merged = parameters_of(sample, {**prompt.parameters, **(options.get("parameters") or {})})
    return ChatRequest(
        messages=render(prompt, inputs),
        parameters={name: value for name, value in merged.items() if value is not None},
        limit=answer_limit(prompt, inputs),
        schema=prompt.answer.schema(),
        origin=(prompt, inputs),
        sample=sample,
        cacheable=prompt.cacheable,
        documents=options.get("documents", frozenset()),
        ended=options.get("ended"),
    )


async def ask(
    model: ChatModel,
    prompt: Prompt[In, Out],
    inputs: In,
    *,
    retries: int = RETRIES,
    doubt: Doubt | None = None,
    **options: Unpack[RequestOptions],
) -> Out:
    """Return the value of the model's answer.

    Args:
        model: Whom to ask.
        prompt: What.
        inputs: With what.
        retries: How often an unusable answer is asked for again.
        doubt: What is to be looked for in a text; one in doubt is asked for again once.

    Raises:
        AnswerError: no answer could be used, asked for again ``retries`` times; the item has to be
            put aside.
        InputRefused: the endpoint refuses these inputs; likewise.
        ModelError: the endpoint failed for good.
        BudgetReached: the next call would go over the budget.
    """
    first = request = request_of(prompt, inputs, **options)
    for left in range(retries, -1, -1):
        response = await model.complete(request)
        try:
            value = read_answer(request, response)
            why = doubt(value) if doubt is not None and left else ""
            if not why:
                return cast("Out", value)
            doubt, request = None, _once_more(first, why)
        except AnswerError as error:
            if left == 0:
                error.hint = error.hint or (
                    f"model {model.name!r} was asked {retries + 1} times for {prompt.label}; if "
                    "that happens often, use a stronger model"
                )
                raise
            limit = request.limit
            is_cut = isinstance(error, IncompleteAnswer) and not runs_on(error.answer)
            if limit is not None and is_cut:
                limit *= 2  # it may have been ours that cut the answer off
            request = replace(_once_more(first, error.message), limit=limit)
    raise AssertionError("unreachable")


def _once_more(first: ChatRequest, why: str) -> ChatRequest:
    """A new request that says what was wrong with the last answer.

    It is said in front, in the system message: the last message stays what it was, so that the
    numbered items of a batch are still what the model reads last, and half an answer of thousands
    of tokens is not paid for again.
    """
    complaint = (
        f"An earlier answer to this could not be used: {why}.\n"
        "Answer whole and from the beginning. Do not apologize or explain."
    )
    if first.schema is not None:
        # Some endpoints take a schema and ignore it: the second time the model reads it.
        complaint = f"{complaint}\n{describe_schema(first.schema)}"
    head, *rest = first.messages
    if head.role == "system":
        messages = (replace(head, content=f"{head.content}\n\n{complaint}"), *rest)
    else:
        messages = (Message("system", complaint), *first.messages)
    return replace(first, messages=messages, retry_of=first)


_HELD: Final = range(16, 160)
"""Characters of a beginning in doubt that are held back: to the end of its sentence, or to here."""


async def stream_text(
    model: ChatModel,
    prompt: Prompt[In, str],
    inputs: In,
    *,
    doubt: Doubt | None = None,
    **options: Unpack[RequestOptions],
) -> AsyncIterator[str]:
    """The pieces of the model's answer as they come; closing the iterator cancels the call.

    With a ``doubt`` the first sentence is held back; one in doubt is asked for again, once.

    Raises:
        InvalidAnswer: the answer held nothing, though nothing was to stop it.
        ModelError: the endpoint failed, or the stream broke off; what came before is not whole.
    """
    calls: list[ToolCall] = []
    request = _listened_to(request_of(prompt, inputs, **options), calls)
    empty = True
    while True:
        stream = model.stream(request) if doubt is None else _held_back(model, request, doubt)
        try:
            async with aclosing(stream) as pieces:  # type: ignore[type-var]
                async for piece in pieces:
                    empty = empty and not piece.strip()
                    yield piece
            break
        except _InDoubtError as error:
            doubt, request = None, _once_more(request, str(error))
    if empty and not calls and not may_be_empty(request):
        raise InvalidAnswer("the answer is empty", "ask again, or try another model")


def _listened_to(request: ChatRequest, calls: list[ToolCall]) -> ChatRequest:
    """The request, so that what its answer calls is in ``calls`` when that has ended."""
    told_too = request.ended

    def ended(ending: Ending) -> None:
        calls.extend(ending.calls)
        if told_too is not None:
            told_too(ending)

    return replace(request, ended=ended)


class _InDoubtError(Exception):
    """The beginning of a text is in doubt; nothing of it was shown."""


async def _held_back(model: ChatModel, request: ChatRequest, doubt: Doubt) -> AsyncIterator[str]:
    """The pieces of an answer, once its beginning is beyond doubt, or the stream broke off."""
    held: list[str] | None = []
    stream = model.stream(request)
    async with aclosing(stream) as pieces:  # type: ignore[type-var]
        try:
            async for piece in pieces:
                if held is None:
                    yield piece
                    continue
                held.append(piece)
                if _is_begun("".join(held)):
                    for each in _beyond(doubt, held):
                        yield each
                    held = None
        except InvalidAnswer as error:
            if held is None:
                raise
            raise _InDoubtError(error.message) from error  # nothing of it was shown
        except OffbookError:
            for each in held or ():
                yield each
            raise
    for each in _beyond(doubt, held or []):
        yield each


def _beyond(doubt: Doubt, held: list[str]) -> list[str]:
    if why := doubt("".join(held)):
        raise _InDoubtError(why)
    return held


def _is_begun(text: str) -> bool:
    """Whether a beginning is long enough to be judged."""
    return len(text) >= _HELD.stop or last_sentence_end(text, _HELD.start, len(text)) > 0
