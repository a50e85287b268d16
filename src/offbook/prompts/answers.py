"""The answers that prompts ask for: how a text becomes a value, and how a value becomes a text.

Takes: the text of a model, or a value.  Gives: the value, or the text; ``parse(write(v)) == v``
for what a database takes.
A text that holds no usable value raises: no default, no half a list, no guessed verdict.
"""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from offbook.errors import AnswerError, IncompleteAnswer, InputRefused, InvalidAnswer
from offbook.prompts.notation import loads_strictly, mend_notation, spans, storable

if TYPE_CHECKING:
    from pydantic import BaseModel

    from offbook.prompts.prompt import Prompt
    from offbook.wire import ChatRequest, ChatResponse

In = TypeVar("In")
Out = TypeVar("Out")
M = TypeVar("M", bound="BaseModel")

_DECORATION: Final = " \t\r\n\"'`*_.,:;!()[]{}<>“”‘’«»。，、！：；「」『』（）"
_LABEL: Final = re.compile(
    r"^\W*(?:the\s+)?(?:final\s+)?(?:answer|verdict|choice)\s*(?:is|[:=])\s*", re.IGNORECASE
)
_REFUSED_KEYWORDS: Final = frozenset(
    {"title", "default", "minLength", "maxLength", "uniqueItems", "examples", "discriminator"}
)


class Answer(Protocol[Out]):
    """The format of an answer."""

    def parse(self, text: str) -> Out:
        """The value that ``text`` holds.

        Raises:
            InvalidAnswer: it does not fit the format.
            IncompleteAnswer: it was cut off.
        """
        ...

    def write(self, value: Out) -> str:
        """The text from which :meth:`parse` reads ``value`` again."""
        ...

    def schema(self) -> dict[str, Any] | None:
        """The JSON schema to ask the endpoint for, or None for plain text."""
        ...


def may_be_short(request: ChatRequest) -> bool:
    """Whether an answer that ends at the length limit is a short answer, not half of one.

    A person who limits the length of replies (``reply.max_tokens``) wants them that short. Half of
    a structure is nothing, and what is cached must be whole.
    """
    if request.origin is None or request.cacheable:
        return False
    limited = request.parameters.get("max_tokens") is not None
    return limited and isinstance(request.origin[0].answer, Text)


def may_be_empty(request: ChatRequest) -> bool:
    """Whether an empty answer may be all that was to come: it began with a text to stop at.

    Endpoints leave out where they stopped, so that nothing else tells it from a failure to answer.
    """
    if request.origin is None or request.cacheable:
        return False
    return bool(request.parameters.get("stop")) and isinstance(request.origin[0].answer, Text)


def read_answer(
    prompt: Prompt[In, Out],
    inputs: In,
    response: ChatResponse,
    *,
    short: bool = False,
    empty: bool = False,
) -> Out:
    """The value of a response, by the prompt's own format and check.

    The one reader: what the cache keeps and what the caller gets are judged alike.

    Args:
        prompt: What was asked.
        inputs: About what.
        response: What was answered.
        short: Whether a text that ends at the length limit is taken; see :func:`may_be_short`.
        empty: Whether an empty text is taken; see :func:`may_be_empty`.

    Raises:
        IncompleteAnswer: the endpoint cut the answer off (finish reason ``length``).
        InputRefused: the endpoint withheld it (``content_filter``); asking again is no use.
        InvalidAnswer: it does not fit.
    """
    if response.finish_reason == "length" and not (short and response.text.strip()):
        raise IncompleteAnswer(
            "the answer was cut off at the length limit",
            "raise the limit (reply.max_tokens for replies, else the endpoint's own)",
            response.text,
        )
    if response.finish_reason == "content_filter":
        raise InputRefused(
            f"the endpoint's content filter withheld the answer to {prompt.label}",
            "use another model, or another endpoint, for this text",
        )
    if empty and not response.text.strip():
        return typing.cast("Out", "")
    value = prompt.answer.parse(response.text)
    if prompt.check is not None:
        prompt.check(inputs, value)
    return value


def _refuse_empty(text: str) -> str:
    stripped = text.strip()
    if not stripped:
        raise InvalidAnswer("the answer is empty", answer=text)
    return stripped


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text without blanks around it; an empty one is no answer."""

    def parse(self, text: str) -> str:
        """The text without blanks around it."""
        return _refuse_empty(text)

    def write(self, value: str) -> str:
        """The text as it is.

        Raises:
            ValueError: ``value`` is empty or has blanks around it, so it could not be read again.
        """
        if not value or value != value.strip():
            raise ValueError(f"not a text answer: {value!r}")
        return value

    def schema(self) -> None:
        """None: plain text has no schema."""
        return


class Choice:
    """One of a few words, in any case; quotes, emphasis, a label or a full stop do no harm.

    "Yes.", "**yes**", "Answer: yes" and "Yes, because ..." all choose ``yes``. A sentence that only
    contains the word chooses nothing.
    """

    __slots__ = ("options",)

    def __init__(self, *options: str) -> None:
        folded = [option.casefold() for option in options]
        unclear = [o for o in options if not o or o != o.strip(_DECORATION)]
        if len(options) < 2 or len(set(folded)) != len(folded) or unclear:
            raise ValueError(f"a choice needs two or more different plain words, not {options!r}")
        self.options: Final = options

    def parse(self, text: str) -> str:
        """The option that the answer names."""
        stripped = _LABEL.sub("", _refuse_empty(text)).strip(_DECORATION)
        folded = stripped.casefold()
        for option in sorted(self.options, key=len, reverse=True):
            if folded == option.casefold():
                return option
        for option in sorted(self.options, key=len, reverse=True):
            lead = rf"{re.escape(option.casefold())}\W*?[\n.,:;!。，：；！—–]"
            if re.match(lead, folded):
                return option
        allowed = ", ".join(self.options)
        raise InvalidAnswer(f"the answer {stripped[:80]!r} is none of: {allowed}", answer=text)

    def write(self, value: str) -> str:
        """The option itself."""
        if value not in self.options:
            raise ValueError(f"{value!r} is none of {self.options!r}")
        return value

    def schema(self) -> None:
        """None: a choice is asked for in words, which every endpoint takes."""
        return


class Json(Generic[M]):
    """A JSON object that fits a pydantic model.

    Args:
        model: The model. No field of it or of its parts may have a default, or a missing field
            would pass for an answer; what may be absent is ``X | None`` and is asked for as null.
    """

    __slots__ = ("model",)

    def __init__(self, model: type[M]) -> None:
        _refuse_defaults(model, set())
        self.model: Final = model

    def parse(self, text: str) -> M:
        """The one value in ``text`` that fits the model.

        Fences and prose around it, single quotes, trailing commas and Python's literals are
        mended; brackets and strings that do not close are not.
        """
        stripped = _refuse_empty(text.lstrip("\ufeff"))
        try:
            return self._validate(loads_strictly(stripped), text)
        except ValueError:
            return self._find(stripped, text)

    def _find(self, stripped: str, text: str) -> M:
        """Look for the object among prose and fences."""
        found: list[M] = []
        reason: AnswerError | None = None
        for span in spans(stripped):
            try:
                value = self._validate(mend_notation(span), text)
            except InvalidAnswer as error:
                # The first misfit is the one to tell: later spans are mostly parts of the prose.
                reason = reason or error
                continue
            if value not in found:
                found.append(value)
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            raise InvalidAnswer(
                f"the answer holds {len(found)} different JSON objects; give exactly one",
                answer=text,
            )
        raise reason or InvalidAnswer("the answer holds no JSON object", answer=text)

    def _validate(self, value: object, text: str) -> M:
        from pydantic import ValidationError

        try:
            return self.model.model_validate(storable(value, text))
        except ValidationError as error:
            raise InvalidAnswer(_explain(error), answer=text) from None

    def write(self, value: M) -> str:
        """The value as compact JSON."""
        return value.model_dump_json()

    def schema(self) -> dict[str, Any]:
        """The schema in the strict dialect: every property required, no others allowed."""
        return strict_schema(self.model)


@cache
def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON schema of ``model`` that endpoints take with ``strict: true``.

    Keywords that strict endpoints refuse (lengths, titles) are left out here; the model still
    checks them when the answer is read.

    Raises:
        TypeError: the model has a part that the dialect cannot say (open dictionaries, tuples).
    """
    shape: dict[str, Any] = _strict(model.model_json_schema(), model.__name__)
    return {"title": model.__name__, **shape}


def _strict(given: Any, where: str) -> Any:
    if isinstance(given, list):
        return [_strict(part, where) for part in given]
    if not isinstance(given, dict):
        return given
    if "prefixItems" in given or isinstance(given.get("additionalProperties"), dict):
        raise TypeError(f"{where} has a tuple or an open dictionary: use a list of named parts")
    shape: dict[str, Any] = {}
    for key, part in given.items():
        if key in ("properties", "$defs"):
            shape[key] = {name: _strict(inner, where) for name, inner in part.items()}
        elif key in ("enum", "const", "required"):
            shape[key] = part
        elif key == "oneOf":
            shape["anyOf"] = _strict(part, where)
        elif key not in _REFUSED_KEYWORDS:
            shape[key] = _strict(part, where)
    if shape.get("type") == "object":
        shape["properties"] = shape.get("properties", {})
        shape["required"] = list(shape["properties"])
        shape["additionalProperties"] = False
    return shape


def _refuse_defaults(model: type[BaseModel], seen: set[type]) -> None:
    """Raise TypeError where a field of the model, or of a model inside it, has a default."""
    from pydantic import BaseModel, RootModel

    if model in seen:
        return
    seen.add(model)
    if issubclass(model, RootModel):
        raise TypeError(f"{model.__name__}: an answer is an object, so that it has an end")
    for name, field in model.model_fields.items():
        if not field.is_required():
            raise TypeError(f"{model.__name__}.{name} has a default: a missing field would pass")
        for part in _parts(field.annotation):
            if issubclass(part, BaseModel):
                _refuse_defaults(part, seen)


def _parts(annotation: Any) -> list[type]:
    """The classes in an annotation such as ``list[A] | None``."""
    inner = typing.get_args(annotation)
    if not inner:
        return [annotation] if isinstance(annotation, type) else []
    return [part for argument in inner for part in _parts(argument)]


def _explain(error: Any) -> str:
    """What pydantic found, one line a field, in words that a model can act on."""
    lines = []
    for problem in error.errors(include_url=False, include_context=False)[:8]:
        place = ".".join(str(step) for step in problem["loc"]) or "the answer"
        value = json.dumps(problem.get("input"), ensure_ascii=False, default=str)
        lines.append(f"{place}: {problem['msg']} (got {value[:80]})")
    return "; ".join(lines)


def describe_schema(schema: Mapping[str, Any]) -> str:
    """The schema in words, for endpoints that take none: appended to the last message."""
    shape = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return (
        "Answer with exactly one JSON object and nothing else: no heading, no explanation, no code "
        "fence. Every property is required; write null where there is nothing and null is allowed. "
        f"The object has to fit this JSON schema:\n{shape}"
    )
