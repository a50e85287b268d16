"""A prompt: one question that offbook puts to a model, and how its answer is read.

Takes: a name, the type of its inputs, the format of its answer, a wording file
(``wording/<stage>/<name>.v<N>.jinja``).  Gives: the messages for given inputs, and the value of an
answer; ``parse(write(v)) == v`` for what a database takes. A text that holds no usable value
raises: no default, no half a list, no guessed verdict.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from offbook.errors import AnswerError, IncompleteAnswer, InputRefused, InvalidAnswer
from offbook.prompts.notation import loads_strictly, mend_notation, spans, storable
from offbook.types import Message, ModelRole

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from pydantic import BaseModel

    from offbook.types import ChatRequest, ChatResponse


In = TypeVar("In")
Out = TypeVar("Out")
M = TypeVar("M", bound="BaseModel")

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
    """Tell whether an answer that ends at the length limit is a short answer, not half of one.

    A person who limits the length of replies (``reply.max_tokens``) wants them that short. Half of
    a structure is nothing, and what is cached must be whole.
    """
    return _is_shown_text(request) and request.parameters.get("max_tokens") is not None


def may_be_empty(request: ChatRequest) -> bool:
    """Tell whether an empty answer may be all that was to come: it began with a text to stop at."""
    return _is_shown_text(request) and bool(request.parameters.get("stop"))


def _is_shown_text(request: ChatRequest) -> bool:
    if request.origin is None or request.cacheable:
        return False
    return isinstance(request.origin[0].answer, Text)


def read_answer(request: ChatRequest, response: ChatResponse) -> Any:
    """Read the value of a response, by the format and check of the prompt that was asked.

    Raises:
        IncompleteAnswer: the endpoint cut the answer off (finish reason ``length``).
        InputRefused: the endpoint withheld it (``content_filter``); asking again is no use.
        InvalidAnswer: it does not fit, or the request is of no prompt.
    """
    if request.origin is None:
        raise InvalidAnswer("no prompt says how to read this answer", answer=response.text)
    prompt, inputs = request.origin
    is_empty = not response.text.strip()
    if response.finish_reason == "length" and (is_empty or not may_be_short(request)):
        raise IncompleteAnswer(
            "the answer was cut off at the length limit",
            "raise the limit (reply.max_tokens for replies, else the endpoint's own), or set "
            "chat.thinks for a model that thinks aloud",
            response.text,
        )
    if response.finish_reason == "content_filter":
        raise InputRefused(
            f"the endpoint's content filter withheld the answer to {prompt.label}",
            "use another model, or another endpoint, for this text",
        )
    if is_empty and (response.calls or may_be_empty(request)):
        return ""
    value = prompt.answer.parse(response.text)
    if prompt.check is not None:
        prompt.check(inputs, value)
    return value


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text without blanks around it; an empty one is no answer."""

    def parse(self, text: str) -> str:
        """The text without blanks around it."""
        stripped = text.strip()
        if not stripped:
            raise InvalidAnswer("the answer is empty", answer=text)
        return stripped

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


class Json(Generic[M]):
    """A JSON object that fits a pydantic model, of which no field may have a default."""

    __slots__ = ("model",)

    def __init__(self, model: type[M]) -> None:
        self.model: Final = model

    def parse(self, text: str) -> M:
        """The one value in ``text`` that fits the model.

        Fences and prose around it, single quotes, trailing commas and Python's literals are
        mended; brackets and strings that do not close are not.
        """
        stripped = Text().parse(text.lstrip("\ufeff"))
        try:
            return self._validate(loads_strictly(stripped), text)
        except ValueError:
            return self._find(stripped, text)

    def _find(self, stripped: str, text: str) -> M:
        """Look for the object among prose and fences."""
        values: list[M] = []
        reason: AnswerError | None = None
        for span in spans(stripped):
            try:
                value = self._validate(mend_notation(span), text)
            except InvalidAnswer as error:
                # The first misfit is the one to tell: later spans are mostly parts of the prose.
                reason = reason or error
                continue
            if value not in values:
                values.append(value)
        if len(values) == 1:
            return values[0]
        if len(values) > 1:
            raise InvalidAnswer(
                f"the answer holds {len(values)} different JSON objects; give exactly one",
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
        return value.model_dump_json(serialize_as_any=True)

    def schema(self) -> dict[str, Any]:
        """The schema in the strict dialect: every property required, no others allowed."""
        return strict_schema(self.model)


@cache
def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON schema of ``model`` that endpoints take with ``strict: true``.

    Keywords that strict endpoints refuse (lengths, titles) are left out here; the model still
    checks them when the answer is read.

    Raises:
        TypeError: the model has a part that the dialect cannot say (open dictionaries, tuples), is
            no object, or has a default, by which a missing field would pass for an answer.
    """
    shape: dict[str, Any] = _strict(model.model_json_schema(), model.__name__)
    if "properties" not in shape:
        raise TypeError(f"{model.__name__}: an answer is an object, so that it has an end")
    return {"title": model.__name__, **shape}


def _strict(schema: Any, where: str) -> Any:
    if isinstance(schema, list):
        return [_strict(part, where) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "prefixItems" in schema or isinstance(schema.get("additionalProperties"), dict):
        raise TypeError(f"{where} has a tuple or an open dictionary: use a list of named parts")
    shape: dict[str, Any] = {}
    for key, part in schema.items():
        if key in ("properties", "$defs"):
            shape[key] = {name: _strict(inner, f"{where}.{name}") for name, inner in part.items()}
        elif key in ("enum", "const", "required"):
            shape[key] = part
        elif key == "oneOf":
            shape["anyOf"] = _strict(part, where)
        elif key not in _REFUSED_KEYWORDS:
            shape[key] = _strict(part, where)
    return _closed(shape, where) if shape.get("type") == "object" else shape


def _closed(shape: dict[str, Any], where: str) -> dict[str, Any]:
    properties = shape.get("properties", {})
    if missing := properties.keys() - set(shape.get("required", ())):
        raise TypeError(f"{where}.{min(missing)} has a default: a missing field would pass")
    shape |= {"properties": properties, "required": list(properties)}
    return shape | {"additionalProperties": False}


def _explain(error: Any) -> str:
    """What pydantic found, one line a field, in words that a model can act on."""
    lines = []
    for problem in error.errors(include_url=False, include_context=False)[:8]:
        place = ".".join(str(step) for step in problem["loc"]) or "the answer"
        value = json.dumps(problem.get("input"), ensure_ascii=False, default=str)
        lines.append(f"{place}: {problem['msg']} (got {value[:80]})")
    return "; ".join(lines)


class Numbered(Protocol):
    """A part of an answer about many items, numbered ``[1] ...`` in the question."""

    @property
    def item(self) -> int:
        """The number of the item that it is about."""
        ...


Part = TypeVar("Part", bound=Numbered)


def in_order(parts: Sequence[Part], count: int) -> list[Part]:
    """Return the parts of an answer in the order of the ``count`` items that were asked about.

    Raises:
        InvalidAnswer: names the numbers that are missing, repeated or unknown.
    """
    counts = Counter(part.item for part in parts)
    wanted = range(1, count + 1)
    faults = {
        "missing": [n for n in wanted if n not in counts],
        "given more than once": sorted(n for n, times in counts.items() if times > 1),
        "not in the question": sorted(n for n in counts if n not in wanted),
    }
    complaints = [f"{fault}: {_listed(numbers)}" for fault, numbers in faults.items() if numbers]
    if complaints:
        raise InvalidAnswer(
            f"every number from 1 to {count} must stand in the answer exactly once; "
            + "; ".join(complaints)
        )
    return sorted(parts, key=lambda part: part.item)


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(f"[{n}]" for n in numbers[:20])
    return shown if len(numbers) <= 20 else f"{shown} and {len(numbers) - 20} more"


def describe_schema(schema: Mapping[str, Any]) -> str:
    """The schema in words, for endpoints that take none: appended to the last message."""
    shape = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return (
        "Answer with exactly one JSON object and nothing else: no heading, no explanation, no code "
        "fence. Every property is required; write null where there is nothing and null is allowed. "
        f"The object has to fit this JSON schema:\n{shape}"
    )


WORDING: Final = Path(__file__).parent / "wording"
"""The folder of the wording files."""

FENCES: Final = ("passage", "profile", "voice", "context", "memory", "note", "reply", "line")
"""Names of the fences that hold text of documents and people in a wording."""

_FENCE_IN_DATA: Final = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(FENCES)})\b|\|)", re.IGNORECASE)


class WordingError(Exception):
    """A wording file is missing, or mentions what its prompt does not declare: our mistake."""


@dataclass(frozen=True, slots=True, eq=False)
class Prompt(Generic[In, Out]):
    """One question to a model.

    Args:
        name: Unique name; usage is counted under it.
        stage: The folder of the wording file.
        inputs: The frozen dataclass whose fields the wording may mention. A field ``history`` of
            messages is put between the two blocks of the wording.
        answer: The format of the answer.
        source: Where the question comes from: "RoleRAG section 3.4", or "ours".
        version: Grows with every change of the wording; old files stay.
        role: Who is asked: actor, extractor or judge.
        parameters: Sampling parameters.
        cacheable: Whether a valid answer is kept: yes for indexing, recall and judgement.
        check: Raises InvalidAnswer where a value does not fit these inputs, such as a batch of
            which a number is missing (:func:`in_order`).
        limit: Most tokens of a small answer; None: counted from the inputs
            (``ask.answer_limit``). Models that think aloud get none.
    """

    name: str
    stage: str
    inputs: type[In]
    answer: Answer[Out]
    source: str
    version: int = 1
    role: ModelRole = "extractor"
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0.0})
    cacheable: bool = True
    check: Callable[[In, Out], object] | None = None
    limit: int | None = None

    @property
    def label(self) -> str:
        """Name and version: ``reply.v1``."""
        return f"{self.name}.v{self.version}"

    @property
    def wording_file(self) -> Path:
        """Where the wording lies."""
        return WORDING / self.stage / f"{self.label}.jinja"

    def __repr__(self) -> str:
        return f"Prompt({self.label!r})"


def render(prompt: Prompt[In, Any], inputs: In) -> tuple[Message, ...]:
    """The messages of ``prompt`` for ``inputs``: system, the history if there is one, user.

    Makes no call, so that an estimate counts the tokens of the very text that would be sent.

    Raises:
        TypeError: ``inputs`` is not what the prompt declares.
        WordingError: the wording is missing or mentions an undeclared input.
    """
    if not isinstance(inputs, prompt.inputs):
        raise TypeError(f"{prompt!r} takes {prompt.inputs.__name__}, not {type(inputs).__name__}")
    template = wording(prompt)
    # Not asdict: wordings read attributes of the parts (item.title), and copies cost time.
    names = (f.name for f in fields(inputs))  # type: ignore[arg-type]
    context = template.new_context({name: getattr(inputs, name) for name in names})
    blocks = {
        name: "".join(template.blocks[name](context)).strip()
        for name in ("system", "user")
        if name in template.blocks
    }
    messages = [Message("system", blocks["system"])] if blocks.get("system") else []
    for message in (*getattr(inputs, "history", ()), Message("user", blocks["user"])):
        shown = Message(message.role, _shown(message))
        if (
            messages and message.role == messages[-1].role == "user"
        ):  # some endpoints want them to alternate
            shown = Message("user", f"{messages.pop().content}\n\n{shown.content}")
        messages.append(shown)
    return tuple(messages)


def _shown(message: Message) -> str:
    """A message as a model reads it: fenced and named where it is neither's own words."""
    if not message.speaker:
        return message.content
    return fenced(f"{message.speaker}: {message.content}", "line")


@cache
def wording(prompt: Prompt[Any, Any]) -> Template:
    """The compiled wording of ``prompt``, checked against its inputs.

    The check runs at the first use and in a test over all prompts, not at import: jinja2 alone
    would cost every command that asks no model its start-up time.
    """
    from jinja2 import TemplateSyntaxError, meta

    try:
        source = prompt.wording_file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise WordingError(f"{prompt!r} has no wording file {prompt.wording_file.name!r}") from None
    environment = _environment()
    try:
        mentioned = meta.find_undeclared_variables(environment.parse(source))
        template = environment.from_string(source)
    except TemplateSyntaxError as error:
        raise WordingError(f"wording of {prompt!r}, line {error.lineno}: {error}") from None
    declared = {f.name for f in fields(prompt.inputs)}
    if undeclared := sorted(mentioned - declared):
        raise WordingError(f"wording of {prompt!r} mentions undeclared inputs: {undeclared!r}")
    if "user" not in template.blocks or set(template.blocks) - {"system", "user"}:
        raise WordingError(f"wording of {prompt!r} needs a block 'user', and may have 'system'")
    return template


@cache
def _environment() -> Environment:
    from jinja2 import Environment, StrictUndefined

    # Wordings are plain text for a model: there is no HTML to escape for.
    environment = Environment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701
    )
    environment.filters["fenced"] = fenced
    return environment


def fenced(text: str, fence: str) -> str:
    """``text`` between ``<fence>`` and ``</fence>``, as data that cannot close its fence.

    A ``<`` of the data in front of a fence's name, or of the control tokens of chat templates
    (``<|``), becomes the typographic ‹.
    """
    if fence not in FENCES:
        raise WordingError(f"{fence!r} is none of the fences {FENCES!r}")
    return f"<{fence}>\n{_FENCE_IN_DATA.sub('‹', text)}\n</{fence}>"
