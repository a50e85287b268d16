"""What goes over the narrow wire between the prompts and the models.

Takes: messages with all that decides about a call.  Gives: a text and what it cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from offbook.types import Message

_HALF: Final = 2**63


@dataclass(frozen=True, slots=True)
class Ending:
    """Why an answer ended, and its tokens as far as the endpoint counts them (else 0).

    ``cached_tokens`` and ``reasoning_tokens`` are as in a response.
    """

    finish_reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call of a chat model, as it goes over the narrow wire.

    Args:
        messages: What is sent.
        parameters: Sampling parameters that are passed on (temperature, max_tokens ...).
        schema: JSON schema of the answer, or None for plain text.
        origin: ``(prompt, inputs)``; never sent. The offline backend answers from it, and the
            cache and the meters read the prompt's name and version from it.
        sample: 0 for what is asked once; replies number their samples, so that they differ.
        cacheable: Whether a validated answer is kept in the call cache.
        documents: Names ``character/document`` of the documents whose text the prompt holds, so
            that forgetting a document also forgets the cached calls that saw it.
        retry_of: The first request of which this one is a repetition after an unusable answer.
        ended: Told how the answer ended, also where it then fails; never sent.
        heard: Told of each text that comes in a stream, thoughts that nobody is shown among them,
            so that they are counted also where nobody waits for the end; never sent.
    """

    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    origin: tuple[Any, Any] | None = None
    sample: int = 0
    cacheable: bool = True
    documents: frozenset[str] = frozenset()
    retry_of: ChatRequest | None = None
    ended: Callable[[Ending], None] | None = field(default=None, compare=False, repr=False)
    heard: Callable[[str], None] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ChatResponse:
    """The answer of a chat model: text without ``<think>`` blocks, and what it cost.

    ``requests`` is more than 1 where the endpoint refused a form of the request and took another.
    ``cached_tokens`` are those of the prompt that it had read before, ``reasoning_tokens`` those of
    the answer that are thoughts; None where it does not count them apart. ``read`` is the origin of
    a request and what was read of the answer by it, where that was done already.
    """

    text: str
    finish_reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: bool = False
    requests: int = 1
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    read: tuple[object, object] | None = field(default=None, compare=False, repr=False)


def parameters_of(sample: int, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Sampling parameters of one of several answers: with one seed all of them would be the same.

    Seeds go on from the greatest of 64 bits with the least: endpoints take no others.

    Args:
        sample: Its number; the first keeps the seed.
        parameters: Those that were asked for.
    """
    told, seed = dict(parameters), parameters.get("seed")
    if not sample or not isinstance(seed, int) or isinstance(seed, bool):
        return told
    return {**told, "seed": (seed + sample + _HALF) % (2 * _HALF) - _HALF}
