"""The body of a request for a response: what was said, as text or as items, and how it is answered.

Takes: a body.  Gives: the same as a chat completion, which is what answers it. What only OpenAI's
own servers have (built-in tools, files, templates, work in the background) is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from offbook.server.openai.body import (
    CallBody,
    CalledBody,
    ChatBody,
    Content,
    ContentPart,
    Lenient,
    Limit,
    MessageBody,
    Metadata,
    Name,
    Number,
    Passed,
    Tools,
    checked,
    described,
    flat,
    model_name,
    read_object,
    without_effect,
    wrong,
)

_ITEMS: Final = ("message", "function_call", "function_call_output", "reasoning")
_READ: Final = frozenset({"input_text", "output_text", "text", "refusal"})
_FUNCTION: Final = "function"
_ITSELF: Final = "send the items themselves; `previous_response_id` goes on from a kept response"
_NOT_OFFERED: Final[Mapping[str, str]] = {
    "background": "ask without it, and stream: the answer comes as it is made",
    "conversation": "`previous_response_id` goes on from a response",
    "prompt": "send what it holds as `instructions` and `input`",
}
"""Parameters that are refused, and what to do instead."""


def _as_items(value: Any) -> Any:
    return [{"role": "user", "content": value}] if isinstance(value, str) else value


class InputItem(Lenient):
    """One item: a message, a call of a tool, or what it gave."""

    type: str = "message"
    role: Literal["system", "developer", "user", "assistant"] | None = None
    content: Content = Field(default_factory=list)
    call_id: str = ""
    name: str = ""
    arguments: str = ""
    output: Content = Field(default_factory=list)

    @model_validator(mode="after")
    def _is_read(self) -> InputItem:
        if self.type not in _ITEMS:
            raise ValueError(f"is of the type {self.type[:40]!r}, which is not read: {_ITSELF}")
        if self.type == "message" and self.role is None:
            raise ValueError("is a message without a role: say whose it is")
        if self.type == "reasoning":
            return self
        for part in (*self.content, *self.output):
            if part.type not in _READ:
                raise ValueError(
                    f"holds a part of the type {part.type[:40]!r}: characters read text, no "
                    "pictures, files or sound; say it in words"
                )
        return self

    def as_message(self) -> MessageBody | None:
        """The message of a chat completion that says the same; None: it says nothing."""
        if self.type == "message":
            role = self.role or "user"
            return MessageBody.model_construct(role=role, content=self.content)
        if self.type == "function_call":
            called = CalledBody(name=self.name, arguments=self.arguments)
            calls = [CallBody(id=self.call_id, function=called)]
            return MessageBody.model_construct(role="assistant", tool_calls=calls)
        if self.type == "function_call_output":
            return MessageBody.model_construct(
                role="tool", content=self.output, tool_call_id=self.call_id
            )
        return None


Items = Annotated[
    list[InputItem],
    Field(fail_fast=True),
    BeforeValidator(_as_items, json_schema_input_type=str | list[InputItem]),
]


class TextFormat(Lenient):
    """The form of an answer."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    name: str | None = None
    schema_: Annotated[dict[str, Any] | None, AfterValidator(flat)] = Field(None, alias="schema")
    strict: bool | None = None
    description: str | None = None


class TextOptions(Lenient):
    """How an answer is written."""

    format: TextFormat | None = None


class Reasoning(Lenient):
    """How long a model is to think."""

    effort: str | None = None


class ResponsesBody(Lenient):
    """What a client asks for; what it names beside this is ignored."""

    model: Annotated[str, AfterValidator(model_name)] = Field(
        max_length=2_000, description="As in chat completions."
    )
    input: Items = Field(
        description="What is said: a text, or items, the last of which is answered."
    )
    instructions: str | None = Field(None, description="As a system message of chat completions.")
    previous_response_id: str | None = Field(
        None, max_length=200, description="The response behind which this is said."
    )
    store: bool | None = Field(
        None, description="False: nothing of this turn is kept, neither conversation nor memory."
    )
    stream: bool | None = None
    temperature: Number | None = None
    top_p: Number | None = None
    max_output_tokens: Limit = None
    text: TextOptions | None = None
    reasoning: Reasoning | None = None
    tools: Tools = Field(
        None, description="Functions; passed on where `server.tools` or the key says so."
    )
    tool_choice: str | Passed = None
    parallel_tool_calls: bool | None = None
    user: Name = Field(None, description="Who speaks: conversations and memories are theirs.")
    safety_identifier: Name = None
    metadata: Passed = None
    background: bool | None = None
    conversation: str | Passed = None
    prompt: Passed = None

    def as_chat(self) -> ChatBody:
        """The same as a chat completion."""
        messages = [each for item in self.input if (each := item.as_message()) is not None]
        if not messages:
            raise wrong("input", "says nothing", "say something")
        if self.instructions:
            told = ContentPart(type="input_text", text=self.instructions)
            messages.insert(0, MessageBody.model_construct(role="system", content=[told]))
        session = None if self.metadata is None else self.metadata.get("session_id")
        same = ("stream", "temperature", "top_p", "parallel_tool_calls", "user", "store")
        return ChatBody.model_construct(
            **{name: getattr(self, name) for name in same},
            model=self.model,
            messages=messages,
            max_tokens=self.max_output_tokens,
            safety_identifier=self.safety_identifier,
            metadata=None if session is None else checked(Metadata, {"session_id": session}),
            reasoning_effort=self.reasoning.effort if self.reasoning else None,
            response_format=self._form(),
            tools=[_nested(tool, place) for place, tool in enumerate(self.tools or ())] or None,
            tool_choice=_choice(self.tool_choice),
        )

    def _form(self) -> dict[str, Any] | None:
        form = self.text.format if self.text else None
        if form is None or form.type == "text":
            return None
        if form.type == "json_object":
            return {"type": form.type}
        if form.schema_ is None:
            raise wrong("text.format.schema", "is missing", "give the JSON schema of the answer")
        values = {"name": form.name or "answer", "schema": form.schema_, "strict": form.strict}
        values["description"] = form.description
        given = {name: value for name, value in values.items() if value is not None}
        return {"type": form.type, form.type: given}


def read_responses_body(content: bytes) -> ResponsesBody:
    """Read a body and check it."""
    body = checked(ResponsesBody, read_object(content))
    for name, instead in _NOT_OFFERED.items():
        if getattr(body, name):
            raise wrong(name, "is not offered here", instead, "unsupported_value")
    return body


def read_as_chat(content: bytes, body: ResponsesBody) -> ChatBody:
    """The body as a chat completion, with what of it has no effect."""
    chat = body.as_chat()
    chat.note(len(content), without_effect(ResponsesBody, read_object(content)))
    return chat


def _nested(tool: Mapping[str, Any], place: int) -> dict[str, Any]:
    """A function as chat completions name it."""
    kind = tool.get("type")
    if kind != _FUNCTION:
        raise wrong(
            f"tools[{place}].type",
            f"is {str(kind)[:40]!r}: this server has no tools of its own",
            "send functions, and run them yourself",
            "unsupported_value",
        )
    parts = {name: value for name, value in tool.items() if name != "type" and value is not None}
    return {"type": _FUNCTION, _FUNCTION: parts}


def _choice(choice: str | Mapping[str, Any] | None) -> str | dict[str, Any] | None:
    """Which tool is to be called, as chat completions say it."""
    if choice is None or isinstance(choice, str):
        return choice
    if choice.get("type") != _FUNCTION or not isinstance(choice.get("name"), str):
        raise wrong(
            "tool_choice",
            f"of the type {str(choice.get('type'))[:40]!r} is not offered",
            "choose auto, none, required, or a function by its name",
            "unsupported_value",
        )
    return {"type": _FUNCTION, _FUNCTION: {"name": choice["name"]}}


RESPONSES: Final = described(
    "ResponsesBody",
    "A response, or its events; what the reply rests on stands under `offbook`",
    "output",
)
