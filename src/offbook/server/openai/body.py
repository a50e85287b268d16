"""The body of a chat completion, as lenient as clients need it and no more."""

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

Role = Literal["system", "user", "assistant", "tool"]
T = TypeVar("T")

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
_TOOLS: Final = ("tools", "functions")
_WITHOUT_EFFECT: Final = frozenset(
    {"logprobs", "top_logprobs", "tool_choice", "parallel_tool_calls", "function_call",
     "service_tier", "offbook", *_TOOLS}
)  # fmt: skip
"""Parameters whose absence changes nothing that a client can see, except tools."""
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

    ``speaker`` is another character whose words they are.
    """

    role: Role
    text: str
    name: str | None = None
    others: tuple[str, ...] = ()
    speaker: str = ""


def _short_name(value: str | None) -> str | None:
    name = storable(value or "").strip()
    if len(name) > _LONGEST_NAME:
        raise ValueError(f"is {len(name)} characters long; {_LONGEST_NAME} are a name")
    return name or None


def _model_name(value: str) -> str:
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


def _flat(value: T) -> T:
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


class _Part(BaseModel):
    """What is not there yet is ignored: only strictness is shared."""

    model_config = ConfigDict(strict=True, extra="ignore")


class ContentPart(_Part):
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
Name = Annotated[str | None, AfterValidator(_short_name)]
Limit = Annotated[int | None, AfterValidator(_limit)]
Passed = Annotated[dict[str, Any] | None, AfterValidator(_flat)]
Number = Annotated[float, Field(allow_inf_nan=False)]


class MessageBody(_Part):
    """One message as a client sends it."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Content = Field(default_factory=list)
    name: Name = None

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
        return ChatMessage(_ROLES[self.role], text, self.name, tuple(dict.fromkeys(others)))


class StreamOptions(_Part):
    """How a reply is streamed."""

    include_usage: bool | None = None


class Metadata(_Part):
    """What a client says of the request."""

    session_id: Name = Field(None, description="Names the conversation.")


class ChatBody(_Part):
    """What a client asks for; what it names beside this is ignored."""

    model: Annotated[str, AfterValidator(_model_name)] = Field(
        max_length=2_000,
        description="A character's id; `ID@USER` names the person, `ID:raw` asks the language "
        "model itself.",
    )
    messages: list[MessageBody] = Field(min_length=1, fail_fast=True)
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
    response_format: Passed = None
    reasoning_effort: str | None = None
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
    """Read a body and check it."""
    fields = _object(content)
    try:
        body = ChatBody.model_validate(fields)
    except ValidationError as error:
        raise _refused(error) from None
    if body.replies > most_replies:
        raise _wrong("n", f"is {body.n}", f"at most {most_replies} are given (server.replies)")
    body._size = len(content)
    body._warnings = _without_effect(fields)
    return body


def _object(content: bytes) -> Mapping[str, Any]:
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
    if place[0] not in ("messages", "metadata", "stream_options"):
        place = place[:1]
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    code = _TOO_LONG if mistake["type"] == _TOO_LONG else "invalid_value"
    words = mistake["msg"].removeprefix("Value error, ")
    return _wrong(name.removeprefix("."), words, "see /docs for what it takes", code)


def name_of(value: str | None, where: str) -> str | None:
    """Return the name of a person or a conversation as a client gives it; None: it gives none."""
    try:
        return _short_name(value)
    except ValueError as error:
        raise _wrong(where, str(error), "shorten it") from None


def _without_effect(fields: Mapping[str, Any]) -> tuple[str, ...]:
    known = ChatBody.model_fields.keys() | _WITHOUT_EFFECT
    for name in fields:
        if name not in known and name not in _logged and len(_logged) < _MOST_LOGGED:
            _logged.add(name)
            _LOG.info("the parameter %r of chat completions is not known here: ignored", name[:80])
    return tuple(
        f"{name} are ignored: a character calls none" for name in _TOOLS if fields.get(name)
    )


def _wrong(param: str, what: str, hint: str, code: str = "invalid_value") -> RequestRefused:
    return RequestRefused(f"{param}: {what}", hint, param=param, code=code)


_REPLY: Final = "A completion, or a stream of chunks that ends with `data: [DONE]`; what the reply \
rests on stands under `offbook`"
CHAT: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ChatBody"}}},
    },
    "responses": {
        "200": {
            "description": _REPLY,
            "content": {
                "application/json": {"schema": {"type": "object", "required": ["choices"]}},
                "text/event-stream": {"schema": {"type": "string"}},
            },
        },
    },
}
"""What FastAPI adds to the description of the route; `description` has the body's."""
