"""The bodies of chat completions and text completions, as lenient as clients need and no more.

What all bodies share is here: reading JSON, the first mistake, names, parts of messages.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticCustomError

from offbook.models.responses import storable
from offbook.server.failures import RequestRefused
from offbook.types import ToolCall

Role = Literal["system", "user", "assistant", "tool"]
T = TypeVar("T")
B = TypeVar("B", bound=BaseModel)

_LOG: Final = logging.getLogger("offbook.server")
_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
_TEXTS: Final = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_SAMPLING: Final = (
    "temperature", "top_p", "top_k", "min_p", "typical_p", "presence_penalty", "frequency_penalty",
    "repetition_penalty", "seed", "stop", "logit_bias", "response_format", "reasoning_effort",
)  # fmt: skip
"""Parameters that the model is asked with as they came."""
_FORMER_TOOLS: Final = "functions"
_WITHOUT_EFFECT: Final = frozenset(
    {"logprobs", "top_logprobs", "function_call", "service_tier", "offbook", "best_of",
     "include", "truncation", "prompt_cache_key", "max_tool_calls", _FORMER_TOOLS}
)  # fmt: skip
"""Parameters whose absence changes nothing that a client can see, except functions."""
_TOO_LONG: Final = "context_length_exceeded"
_LONGEST_NAME: Final = 200
"""Of a person or a conversation; the native API takes no longer ones either."""
_LONGEST_TEXT: Final = 4_000_000
"""Characters of one message: more than any model reads."""
_DEEPEST: Final = 64
"""So many lists and objects may stand in one another in what is passed on."""
_MOST_LOGGED: Final = 200
_logged: set[str] = set()
"""Unknown parameters that the log has been told of."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message; ``text`` are its texts, ``others`` the kinds of its parts that are none.

    ``speaker`` is another character whose words they are. ``calls`` are calls of tools that were
    the answer, ``call`` is the id of the one whose result this is.
    """

    role: Role
    text: str
    name: str | None = None
    others: tuple[str, ...] = ()
    speaker: str = ""
    calls: tuple[ToolCall, ...] = ()
    call: str = ""


def short_name(value: str | None) -> str | None:
    """Return a name of a person or a conversation; None: it is empty."""
    name = storable(value or "").strip()
    if len(name) > _LONGEST_NAME:
        raise ValueError(f"is {len(name)} characters long; {_LONGEST_NAME} are a name")
    return name or None


def model_name(value: str) -> str:
    """Return the name of a model."""
    name = storable(value).strip()
    if not name:
        raise ValueError("is missing: name a character; GET /v1/models lists them")
    return name


def _limit(value: int | None) -> int | None:
    if value == -1:  # how some clients write that there is no limit
        return None
    if value is not None and value < 1:
        raise ValueError("is a whole number from 1 on")
    return value


def flat(value: T) -> T:
    """Return what is passed on as it came, if it is no deeper than endpoints read."""
    if not _is_flat(value, _DEEPEST):
        raise ValueError(f"is nested too deeply: {_DEEPEST} levels are passed on")
    return value


def _is_flat(value: Any, levels: int) -> bool:
    parts = value.values() if isinstance(value, dict) else value
    if not isinstance(value, list | dict):
        return True
    return levels > 0 and all(_is_flat(part, levels - 1) for part in parts)


def _as_parts(content: Any) -> Any:
    if content is None:
        return []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


class Lenient(BaseModel):
    """What is not there yet is ignored: only strictness is shared."""

    model_config = ConfigDict(strict=True, extra="ignore")


class ContentPart(Lenient):
    """A part of a message; only texts are read."""

    type: str
    text: str | None = Field(None, validate_default=True)
    refusal: str | None = Field(None, validate_default=True)

    @field_validator("text", "refusal")
    @classmethod
    def _is_there(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None and _TEXTS.get(info.data.get("type", "")) == info.field_name:
            raise ValueError("is missing")
        return value


Content = Annotated[
    list[ContentPart],
    Field(fail_fast=True),
    BeforeValidator(_as_parts, json_schema_input_type=str | list[ContentPart] | None),
]
Name = Annotated[str | None, AfterValidator(short_name)]
Limit = Annotated[int | None, AfterValidator(_limit)]
Passed = Annotated[dict[str, Any] | None, AfterValidator(flat)]
Tools = Annotated[list[dict[str, Any]] | None, AfterValidator(flat)]
Number = Annotated[float, Field(allow_inf_nan=False)]


class CalledBody(Lenient):
    """What a call calls."""

    name: str
    arguments: str = ""


class CallBody(Lenient):
    """A call of a tool, as a client sends it back."""

    id: str = ""
    function: CalledBody | None = None


class MessageBody(Lenient):
    """One message as a client sends it."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Content = Field(default_factory=list)
    name: Name = None
    tool_calls: Annotated[list[CallBody] | None, Field(fail_fast=True)] = None
    tool_call_id: str | None = None

    @field_validator("content")
    @classmethod
    def _is_short(cls, parts: list[ContentPart]) -> list[ContentPart]:
        length = sum(len(part.text or "") for part in parts)
        if length > _LONGEST_TEXT:
            message = f"is {length} characters long; {_LONGEST_TEXT} are read"
            raise PydanticCustomError(_TOO_LONG, message)
        return parts

    def read(self) -> ChatMessage:
        """Return the message as text, and the kinds of its parts that are none."""
        texts, others = [], []
        for part in self.content:
            if part.type in _TEXTS:
                texts.append(getattr(part, _TEXTS[part.type]))
            else:
                others.append(storable(part.type)[:40])
        text = storable("\n".join(texts))
        calls = tuple(
            ToolCall(each.id, storable(each.function.name), storable(each.function.arguments))
            for each in self.tool_calls or ()
            if each.function is not None
        )
        return ChatMessage(
            role=_ROLES[self.role],
            text=text,
            name=self.name,
            others=tuple(dict.fromkeys(others)),
            calls=calls,
            call=self.tool_call_id or "",
        )


class StreamOptions(Lenient):
    """How a reply is streamed."""

    include_usage: bool | None = None


class Metadata(Lenient):
    """What a client says of the request."""

    session_id: Name = Field(None, description="Names the conversation.")


class Sampled(Lenient):
    """How a reply is written: what both kinds of completions take."""

    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1)] | None = Field(
        None, description="How many replies; at most `server.replies`."
    )
    temperature: Number | None = None
    top_p: Number | None = None
    top_k: int | None = None
    min_p: Number | None = None
    typical_p: Number | None = None
    presence_penalty: Number | None = None
    frequency_penalty: Number | None = None
    repetition_penalty: Number | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    logit_bias: Passed = None


class ChatBody(Sampled):
    """What a client asks for; what it names beside this is ignored."""

    model: Annotated[str, AfterValidator(model_name)] = Field(
        max_length=2_000,
        description="A character's id; `ID@USER` names the person, `ID:raw` asks the language "
        "model itself.",
    )
    messages: list[MessageBody] = Field(min_length=1, fail_fast=True)
    response_format: Passed = None
    reasoning_effort: str | None = None
    tools: Tools = Field(None, description="Passed on where `server.tools` or the key says so.")
    tool_choice: str | Passed = None
    parallel_tool_calls: bool | None = None
    max_tokens: Limit = None
    max_completion_tokens: Limit = None
    user: Name = Field(None, description="Who speaks: conversations and memories are theirs.")
    safety_identifier: Name = Field(None, description="The same, where `user` is not there.")
    store: bool | None = Field(
        None, description="False: nothing of this turn is kept, neither conversation nor memory."
    )
    metadata: Metadata | None = None

    _size: int = 0
    _warnings: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return self._size

    @property
    def warnings(self) -> tuple[str, ...]:
        """What of the body has no effect here."""
        return self._warnings

    def note(self, size: int, warnings: tuple[str, ...]) -> None:
        """Note how large the body was, and what of it has no effect."""
        self._size, self._warnings = size, warnings

    @property
    def replies(self) -> int:
        """How many replies are to be given."""
        return self.n or 1

    @property
    def speaker(self) -> str | None:
        """The name that the client gives to the person."""
        return self.user or self.safety_identifier

    @property
    def session(self) -> str | None:
        """The name that the client gives to the conversation."""
        return self.metadata.session_id if self.metadata else None

    @property
    def include_usage(self) -> bool:
        """Whether a stream ends with what it cost."""
        return bool(self.stream_options and self.stream_options.include_usage)

    @cached_property
    def texts(self) -> tuple[ChatMessage, ...]:
        """The messages as texts."""
        return tuple(message.read() for message in self.messages)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Sampling parameters for the model."""
        values = {name: getattr(self, name) for name in _SAMPLING}
        values["stop"] = self.stop or None
        values["max_tokens"] = self.max_completion_tokens or self.max_tokens
        return {name: value for name, value in values.items() if value is not None}


def read_body(content: bytes, most_replies: int) -> ChatBody:
    """Read the body of a chat completion and check it."""
    fields = read_object(content)
    body = checked(ChatBody, fields)
    if body.replies > most_replies:
        raise wrong("n", f"is {body.n}", f"at most {most_replies} are given (server.replies)")
    body.note(len(content), without_effect(ChatBody, fields))
    return body


def checked(kind: type[B], fields: Mapping[str, Any]) -> B:
    """Make the body of the fields of a request.

    Raises:
        RequestRefused: the first mistake in it.
    """
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise _refused(error) from None


def read_object(content: bytes) -> Mapping[str, Any]:
    """Return the JSON object of a body."""

    def refused(constant: str) -> Any:
        raise ValueError(f"{constant} is no number of JSON")

    def finite(digits: str) -> float:
        number = float(digits)
        return number if math.isfinite(number) else refused(digits)

    try:
        fields = json.loads(content, parse_constant=refused, parse_float=finite)
        if b"\\ud" in content.lower():  # halves of characters: no request could be made of them
            text = json.dumps(fields, ensure_ascii=False)
            fields = json.loads(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise RequestRefused(
            f"the body is not JSON: {error}", "send one JSON object", code="invalid_json"
        ) from None
    if not isinstance(fields, Mapping):
        raise RequestRefused("the body is not a JSON object", "send an object with `messages`")
    return fields


def _refused(error: ValidationError) -> RequestRefused:
    """The first mistake, by the name of its parameter; a mistake in a union has it twice."""
    mistake = error.errors(include_url=False, include_input=False)[0]
    place: Sequence[int | str] = mistake["loc"]
    if place[0] not in ("messages", "metadata", "stream_options", "input", "text", "reasoning"):
        place = place[:1]
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    code = _TOO_LONG if mistake["type"] == _TOO_LONG else "invalid_value"
    words = mistake["msg"].removeprefix("Value error, ")
    return wrong(name.removeprefix("."), words, "see /docs for what it takes", code)


def name_of(value: str | None, where: str) -> str | None:
    """Return the name of a person or a conversation as a client gives it; None: it gives none."""
    try:
        return short_name(value)
    except ValueError as error:
        raise wrong(where, str(error), "shorten it") from None


def without_effect(kind: type[BaseModel], fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Warn of what of a body has no effect; the log is told of parameters that nobody knows."""
    known = kind.model_fields.keys() | _WITHOUT_EFFECT
    for name in fields:
        if name not in known and name not in _logged and len(_logged) < _MOST_LOGGED:
            _logged.add(name)
            _LOG.info("the parameter %r of clients is not known here: ignored", name[:80])
    if not fields.get(_FORMER_TOOLS):
        return ()
    return (f"{_FORMER_TOOLS} are ignored: send what may be called as `tools`",)


def wrong(param: str, what: str, hint: str, code: str = "invalid_value") -> RequestRefused:
    """A part of a body that cannot be used as it is."""
    return RequestRefused(f"{param}: {what}", hint, param=param, code=code)


class TextBody(Sampled):
    """What a client of text completions asks for; what it names beside this is ignored."""

    model: Annotated[str, AfterValidator(model_name)] = Field(
        max_length=2_000, description="As in chat completions."
    )
    prompt: Annotated[str | list[str], Field(max_length=_LONGEST_TEXT)] = Field(
        description="What is said; or a dialogue whose lines begin with names or roles, and whose "
        "last line is the character's, still empty."
    )
    max_tokens: Limit = None
    echo: bool | None = None
    suffix: str | None = None
    user: Name = None
    store: bool | None = None
    metadata: Metadata | None = None

    @property
    def text(self) -> str:
        """The prompt."""
        if isinstance(self.prompt, str):
            return storable(self.prompt)
        if len(self.prompt) != 1:
            raise wrong("prompt", f"holds {len(self.prompt)} texts", "send one text a request")
        return storable(self.prompt[0])

    def as_chat(self, messages: list[MessageBody]) -> ChatBody:
        """The same, as a chat completion of these messages."""
        own = {"prompt", "echo", "suffix"}
        values = {name: getattr(self, name) for name in type(self).model_fields.keys() - own}
        return ChatBody.model_construct(**values, messages=messages)


def read_text_body(content: bytes, most_replies: int) -> TextBody:
    """Read the body of a text completion and check it."""
    body = checked(TextBody, read_object(content))
    if (body.n or 1) > most_replies:
        raise wrong("n", f"is {body.n}", f"at most {most_replies} are given (server.replies)")
    for name in ("echo", "suffix"):
        if getattr(body, name):
            raise wrong(name, "is not offered: a character replies", "leave it out")
    if not body.text.strip():
        raise wrong("prompt", "says nothing", "say something")
    return body


def described(body: str, answer: str, shown: str) -> dict[str, Any]:
    """What FastAPI adds to the description of a route; `description` has the body's.

    Args:
        body: The name of the body's schema.
        answer: What is answered.
        shown: The key that every whole answer has.
    """
    reference = {"$ref": f"#/components/schemas/{body}"}
    return {
        "requestBody": {"required": True, "content": {"application/json": {"schema": reference}}},
        "responses": {
            "200": {
                "description": answer,
                "content": {
                    "application/json": {"schema": {"type": "object", "required": [shown]}},
                    "text/event-stream": {"schema": {"type": "string"}},
                },
            },
        },
    }


_RESTS: Final = "what the reply rests on stands under `offbook`"
CHAT: Final = described(
    "ChatBody", f"A completion, or chunks that end with `data: [DONE]`; {_RESTS}", "choices"
)
TEXT: Final = described(
    "TextBody", f"A completion, or chunks that end with `data: [DONE]`; {_RESTS}", "choices"
)
