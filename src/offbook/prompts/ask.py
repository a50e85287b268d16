"""The one caller of the wire: puts a prompt to a model and reads the answer.

Takes: a model, a prompt and its inputs.  Gives: the value of the answer, or pieces of its text.
An unusable answer is asked for again, as a new request that says what was wrong with it; after the
last time the error is raised, and the caller puts the item aside and goes on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from offbook.errors import AnswerError, InvalidAnswer
from offbook.prompts.answers import describe_schema, may_be_empty, may_be_short, read_answer
from offbook.prompts.prompt import Prompt, render
from offbook.types import Message
from offbook.wire import ChatRequest, Ending, parameters_of

if TYPE_CHECKING:
    from offbook.protocols import ChatModel

In = TypeVar("In")
Out = TypeVar("Out")

RETRIES: Final = 2
"""How often an unusable answer is asked for again (setting ``answers.retries``)."""


def request_of(
    prompt: Prompt[In, Out],
    inputs: In,
    *,
    sample: int = 0,
    documents: frozenset[str] = frozenset(),
    parameters: Mapping[str, Any] | None = None,
    ended: Callable[[Ending], None] | None = None,
) -> ChatRequest:
    """The request that puts ``prompt`` to a model; it makes no call.

    Args:
        prompt: What is asked.
        inputs: What the wording mentions.
        sample: Number of the sample, where several different answers are wanted.
        documents: Names ``character/document`` of the documents whose text the inputs hold.
        parameters: Sampling parameters on top of the prompt's own; None removes one.
        ended: Told how the answer ended.
    """
    merged = parameters_of(sample, {**prompt.parameters, **(parameters or {})})
    return ChatRequest(
        messages=render(prompt, inputs),
        parameters={name: value for name, value in merged.items() if value is not None},
        schema=prompt.answer.schema(),
        origin=(prompt, inputs),
        sample=sample,
        cacheable=prompt.cacheable,
        documents=documents,
        ended=ended,
    )


async def ask(
    model: ChatModel,
    prompt: Prompt[In, Out],
    inputs: In,
    *,
    sample: int = 0,
    documents: frozenset[str] = frozenset(),
    parameters: Mapping[str, Any] | None = None,
    retries: int = RETRIES,
    ended: Callable[[Ending], None] | None = None,
) -> Out:
    """The value of the model's answer; arguments as in :func:`request_of`.

    Args:
        model: Who is asked.
        prompt: What is asked.
        inputs: What the wording mentions.
        sample: Number of the sample.
        documents: Documents whose text the inputs hold.
        parameters: Sampling parameters on top of the prompt's own.
        retries: How often an unusable answer is asked for again.
        ended: Told how each answer ended, usable or not.

    Raises:
        AnswerError: no answer could be used; the item has to be put aside.
        InputRefused: the endpoint refuses these inputs; likewise.
        ModelError: the endpoint failed for good.
        BudgetReached: the next call would go over the budget.
    """
    first = request_of(
        prompt, inputs, sample=sample, documents=documents, parameters=parameters, ended=ended
    )
    request = first
    for left in range(retries, -1, -1):
        response = await model.complete(request)
        if response.read is not None and response.read[0] is request.origin:
            return cast("Out", response.read[1])
        try:
            short, empty = may_be_short(request), may_be_empty(request)
            return read_answer(prompt, inputs, response, short=short, empty=empty)
        except AnswerError as error:
            if left == 0:
                error.hint = error.hint or (
                    f"model {model.name!r} was asked {retries + 1} times for {prompt.label}; if "
                    "that happens often, use a stronger model"
                )
                raise
            request = _once_more(first, error)
    raise AssertionError("unreachable")


def _once_more(first: ChatRequest, error: AnswerError) -> ChatRequest:
    """A new request that says what was wrong with the last answer.

    It is said in front, in the system message: the last message stays what it was, so that the
    numbered items of a batch are still what the model reads last, and half an answer of thousands
    of tokens is not paid for again.
    """
    told = (
        f"An earlier answer to this could not be used: {error.message}.\n"
        "Answer whole and from the beginning. Do not apologize or explain."
    )
    if first.schema is not None:
        # Some endpoints take a schema and ignore it: the second time the model reads it.
        told = f"{told}\n{describe_schema(first.schema)}"
    head, *rest = first.messages
    if head.role == "system":
        messages = (replace(head, content=f"{head.content}\n\n{told}"), *rest)
    else:
        messages = (Message("system", told), *first.messages)
    return replace(first, messages=messages, retry_of=first)


async def stream_text(
    model: ChatModel,
    prompt: Prompt[In, str],
    inputs: In,
    *,
    sample: int = 0,
    documents: frozenset[str] = frozenset(),
    parameters: Mapping[str, Any] | None = None,
    ended: Callable[[Ending], None] | None = None,
) -> AsyncIterator[str]:
    """The pieces of the model's answer as they come; closing the iterator cancels the call.

    Raises:
        InvalidAnswer: the answer held nothing, though nothing was to stop it.
        ModelError: the endpoint failed, or the stream broke off; what came before is not whole.
    """
    request = request_of(
        prompt, inputs, sample=sample, documents=documents, parameters=parameters, ended=ended
    )
    empty = True
    stream = model.stream(request)
    async with aclosing(stream) as pieces:  # type: ignore[type-var]
        async for piece in pieces:
            empty = empty and not piece.strip()
            yield piece
    if empty and not may_be_empty(request):
        raise InvalidAnswer("the answer is empty", "ask again, or try another model")
