"""A prompt: one question that offbook puts to a model, with everything that belongs to it.

Takes: a name, a version, the type of its inputs, the format of its answer, a wording file.
Gives: the messages for given inputs. Wordings lie in ``wording/<stage>/<name>.v<N>.jinja``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from offbook.types import Message, ModelRole

if TYPE_CHECKING:
    from jinja2 import Environment, Template

    from offbook.prompts.answers import Answer

In = TypeVar("In")
Out = TypeVar("Out")

WORDING: Final = Path(__file__).parent / "wording"
"""The folder of the wording files."""

FENCES: Final = ("passage", "profile", "voice", "context", "memory", "note", "reply")
"""Names of the fences that hold text of documents and people in a wording."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_FENCE_IN_DATA: Final = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(FENCES)})\b|\|)", re.IGNORECASE)


class WordingError(Exception):
    """A wording file is missing, or mentions what its prompt does not declare: our mistake."""


@dataclass(frozen=True, slots=True, eq=False)
class Prompt(Generic[In, Out]):
    """One question to a model.

    Args:
        name: Unique name; usage is counted under it.
        version: Grows with every change of the wording; old files stay.
        role: Who is asked: actor, extractor or judge.
        stage: The folder of the wording file.
        inputs: The frozen dataclass whose fields the wording may mention. A field ``history`` of
            messages is put between the two blocks of the wording.
        answer: The format of the answer.
        source: Where the question comes from: "RoleRAG section 3.4", or "ours".
        parameters: Sampling parameters, such as the temperature.
        cacheable: Whether a valid answer is kept: yes for indexing, recall and judgement.
        check: Raises InvalidAnswer where a value does not fit these inputs, such as a batch of
            which a number is missing (``batches.in_order``).
    """

    name: str
    version: int
    role: ModelRole
    stage: str
    inputs: type[In]
    answer: Answer[Out]
    source: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cacheable: bool = True
    check: Callable[[In, Out], object] | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or self.version < 1:
            raise WordingError(f"not a prompt's name and version: {self.name!r}, {self.version!r}")
        if not is_dataclass(self.inputs) or not self.inputs.__dataclass_params__.frozen:  # type: ignore[attr-defined]
            raise WordingError(f"inputs of {self.name!r} must be a frozen dataclass")

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
    messages.extend(getattr(inputs, "history", ()))
    messages.append(Message("user", blocks["user"]))
    return tuple(messages)


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
