"""The body of a chat completion, as lenient as clients need it and no more.

Takes: bytes.  Gives: a ``ChatBody``; what is of the wrong type is refused with the name of the
parameter, what is unknown is ignored and said once in the log.
"""

from __future__ import annotations

import json
import logging
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from offbook.models.responses import storable
from offbook.server.failures import RequestRefused

Role = Literal["system", "user", "assistant", "tool"]

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
_TOOLS: Final = ("tools", "functions")
_SILENT: Final = (
    "logprobs", "top_logprobs", "tool_choice", "parallel_tool_calls", "function_call", "store",
    "service_tier", "stream_options", "metadata", "user", "safety_identifier", "model", "messages",
    "stream", "n", "max_tokens", "max_completion_tokens", "offbook", *_TOOLS,
)  # fmt: skip
"""Parameters that are read elsewhere, or whose absence changes nothing that a client can see."""
_TOO_LONG: Final = "context_length_exceeded"
_said: set[str] = set()
"""Unknown parameters that the log has been told of."""
_MOST_SAID: Final = 200
_LONGEST_NAME: Final = 200
"""Of a person or a conversation; the native API takes no longer ones either."""
_LONGEST_MODEL: Final = 2_000
_LONGEST_TEXT: Final = 4_000_000
"""Of one message: more than any model reads."""
_DEEPEST: Final = 64
"""So many lists and objects may stand in one another in what is passed on."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message; ``text`` are its texts, ``others`` the kinds of its parts that are none."""

    role: Role
    text: str
    name: str | None = None
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatBody:
    """What a client asks for.

    ``parameters`` are sampling parameters for the model, ``users`` and ``session`` names that the
    client gives, ``warnings`` what of the body has no effect here, ``size`` its bytes.
    """

    model: str
    messages: tuple[ChatMessage, ...]
    stream: bool = False
    include_usage: bool = False
    n: int = 1
    parameters: Mapping[str, Any] = field(default_factory=dict)
    user: str | None = None
    session: str | None = None
    warnings: tuple[str, ...] = ()
    size: int = 0


def read_body(content: bytes, most_replies: int) -> ChatBody:
    """The body, checked.

    Args:
        content: The bytes as they came.
        most_replies: What ``n`` may be at most.

    Raises:
        RequestRefused: 400, with the parameter that is at fault.
    """
    told = _object(content)
    metadata = _typed(told, "metadata", Mapping, "an object") or {}
    options = _typed(told, "stream_options", Mapping, "an object") or {}
    return ChatBody(
        model=_model(told),
        messages=_messages(told),
        stream=bool(_typed(told, "stream", bool, "true or false")),
        include_usage=options.get("include_usage") is True,
        n=_count(told, "n", most_replies) or 1,
        parameters=_parameters(told),
        user=_name(told, "user") or _name(told, "safety_identifier"),
        session=_name(metadata, "session_id", "metadata.session_id"),
        warnings=_warnings(told),
        size=len(content),
    )


def _object(content: bytes) -> Mapping[str, Any]:
    def refused(constant: str) -> Any:
        raise ValueError(f"{constant} is no number of JSON")

    def finite(digits: str) -> float:
        number = float(digits)
        return number if math.isfinite(number) else refused(digits)

    try:
        told = json.loads(content, parse_constant=refused, parse_float=finite)
    except (ValueError, RecursionError) as error:
        raise RequestRefused(
            f"the body is not JSON: {error}", "send one JSON object", code="invalid_json"
        ) from None
    if not isinstance(told, Mapping):
        raise RequestRefused("the body is not a JSON object", "send an object with `messages`")
    return told


def _model(told: Mapping[str, Any]) -> str:
    model = _typed(told, "model", str, "a text")
    if not model or not storable(model).strip():
        raise _wrong("model", "is missing", "name a character; GET /v1/models lists them")
    if len(model) > _LONGEST_MODEL:
        raise _wrong("model", f"is {len(model)} characters long", f"{_LONGEST_MODEL} are read")
    return storable(model).strip()


def _messages(told: Mapping[str, Any]) -> tuple[ChatMessage, ...]:
    given = _typed(told, "messages", list, "a list")
    if not given:
        raise _wrong("messages", "is missing or empty", "say something")
    return tuple(_message(each, f"messages[{place}]") for place, each in enumerate(given))


def _message(told: Any, where: str) -> ChatMessage:
    if not isinstance(told, Mapping):
        raise _wrong(where, "is not an object", "a message has a role and a content")
    role = told.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        allowed = ", ".join(_ROLES)
        raise _wrong(f"{where}.role", f"is {role!r:.40}", f"it is one of: {allowed}")
    name = told.get("name")
    if name is not None and not isinstance(name, str):
        raise _wrong(f"{where}.name", f"is {name!r:.40}", "a name is a text")
    text, others = _content(told.get("content"), f"{where}.content")
    if len(text) > _LONGEST_TEXT:
        what = f"is {len(text)} characters long"
        raise _wrong(f"{where}.content", what, f"{_LONGEST_TEXT} are read", _TOO_LONG)
    return ChatMessage(_ROLES[role], storable(text), name_of(name, f"{where}.name"), others)


def _content(content: Any, where: str) -> tuple[str, tuple[str, ...]]:
    """Text of a content, and the kinds of its parts that are no text."""
    if content is None or isinstance(content, str):
        return content or "", ()
    if not isinstance(content, list):
        raise _wrong(where, f"is {content!r:.40}", "it is a text, null, or a list of parts")
    texts: list[str] = []
    others: list[str] = []
    for place, part in enumerate(content):
        kind = part.get("type") if isinstance(part, Mapping) else None
        if not isinstance(part, Mapping) or not isinstance(kind, str):
            raise _wrong(f"{where}[{place}]", "has no type", "parts are objects with a type")
        if kind not in _TEXTS:
            others.append(storable(kind)[:40])
            continue
        text = part.get(_TEXTS[kind])
        if not isinstance(text, str):
            raise _wrong(f"{where}[{place}].{_TEXTS[kind]}", "is missing", "it is a text")
        texts.append(text)
    return "\n".join(texts), tuple(dict.fromkeys(others))


# -- parameters ----------------------------------------------------------------------------------


def _number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= sys.float_info.max  # whole numbers have no end in JSON


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_flat(value: Any) -> bool:
    """Whether it is nested no deeper than a request to a model may be."""
    level = [value]
    for _ in range(_DEEPEST):
        level = [
            part
            for each in level
            if isinstance(each, list | dict)
            for part in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return True
    return False


def _sendable(value: Any) -> Any:
    """The value without halves of characters: no request could be made of them."""
    return json.loads(storable(json.dumps(value, ensure_ascii=False)))


def _stops(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    return all(isinstance(text, str) for text in texts)


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


_PASSED_ON: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "temperature": (_number, "a number"),
    "top_p": (_number, "a number"),
    "top_k": (_whole, "a whole number"),
    "min_p": (_number, "a number"),
    "typical_p": (_number, "a number"),
    "presence_penalty": (_number, "a number"),
    "frequency_penalty": (_number, "a number"),
    "repetition_penalty": (_number, "a number"),
    "seed": (_whole, "a whole number"),
    "stop": (_stops, "a text or a list of texts"),
    "logit_bias": (_is_object, "an object"),
    "response_format": (_is_object, "an object"),
    "reasoning_effort": (lambda value: isinstance(value, str), "a text"),
}
"""Parameters that the model is asked with as they came: whether a value may stand, and why not."""


def _parameters(told: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (allowed, what) in _PASSED_ON.items():
        value = told.get(name)
        if value is None:
            continue
        if not allowed(value):
            raise _wrong(name, f"is {value!r:.40}", f"it is {what}")
        if not _is_flat(value):
            raise _wrong(name, "is nested too deeply", f"{_DEEPEST} levels are passed on")
        found[name] = _sendable(value)
    if not found.get("stop", True):
        del found["stop"]
    most = _count(told, "max_completion_tokens") or _count(told, "max_tokens")
    return found | ({} if most is None else {"max_tokens": most})


def _count(told: Mapping[str, Any], name: str, most: int | None = None) -> int | None:
    """A number from 1 on; -1 is how some clients write that there is no limit."""
    value = told.get(name)
    if value is None or (value == -1 and most is None and _whole(value)):
        return None
    if not _whole(value) or value < 1:
        raise _wrong(name, f"is {value!r:.40}", "it is a whole number from 1 on")
    if most is not None and value > most:
        raise _wrong(name, f"is {value}", f"at most {most} are given (server.replies)")
    return int(value)


def _typed(told: Mapping[str, Any], name: str, kind: Any, what: str) -> Any:
    value = told.get(name)
    if value is not None and not isinstance(value, kind):
        raise _wrong(name, f"is {value!r:.40}", f"it is {what}")
    return value


def _name(told: Mapping[str, Any], name: str, where: str = "") -> str | None:
    value = told.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise _wrong(where or name, f"is {value!r:.40}", "it is a text")
    return name_of(value, where or name)


def name_of(value: str | None, where: str) -> str | None:
    """The name of a person or of a conversation as a client gives it; None: it gives none.

    Raises:
        RequestRefused: it is too long for one; ``where`` is the parameter or header at fault.
    """
    name = storable(value or "").strip()
    if len(name) > _LONGEST_NAME:
        raise _wrong(where, f"is {len(name)} characters long", f"{_LONGEST_NAME} are a name")
    return name or None


def _warnings(told: Mapping[str, Any]) -> tuple[str, ...]:
    known = {*_SILENT, *_PASSED_ON}
    for name in told:
        if name not in known and name not in _said and len(_said) < _MOST_SAID:
            _said.add(name)
            _LOG.info("the parameter %r of chat completions is not known here: ignored", name[:80])
    return tuple(f"{name} are ignored: a character calls none" for name in _TOOLS if told.get(name))


def _wrong(param: str, what: str, hint: str, code: str = "invalid_value") -> RequestRefused:
    return RequestRefused(f"{param} {what}", hint, param=param, code=code)
