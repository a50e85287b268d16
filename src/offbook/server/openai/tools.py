"""Tools and forms of answers that a client wishes for: passed on to the model, or refused.

A character calls tools only where its settings, the server's or the caller's key say so. Where a
call or JSON is asked for and cannot be had, the client is told so: prose in its place would break
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from offbook.server.openai.body import wrong

if TYPE_CHECKING:
    from offbook.server.openai.body import ChatBody
    from offbook.settings.model import ServerSettings
    from offbook.types import Character

SETTING: Final = "server.tools"
_OPEN: Final = (
    "set server.tools, name the character in server.tools_of, or use a key that was made with "
    "`offbook key add --tools`"
)
_NO_MODEL: Final = "configure a model with chat.model and chat.base_url"
_CODE: Final = "unsupported_value"


@dataclass(frozen=True, slots=True)
class Passing:
    """What is passed on to the model, and what the client is told."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def may_call(character: Character, settings: ServerSettings) -> bool:
    """Whether the settings let a character call tools."""
    mine = character.settings.get(SETTING) is True
    return settings.tools or mine or character.id in settings.tools_of


def passing(body: ChatBody, *, allowed: bool, is_offline: bool) -> Passing:
    """What of tools and forms is passed on.

    Raises:
        RequestRefused: a call or JSON is asked for, and cannot be had.
    """
    form = (body.response_format or {}).get("type")
    if is_offline and form in ("json_object", "json_schema"):
        why = "JSON is asked for, and the offline model writes none"
        raise wrong("response_format", why, _NO_MODEL, _CODE)
    if not body.tools:
        return Passing()
    why, mend = "", ""
    if not allowed:
        why, mend = "this character calls none", _OPEN
    elif is_offline:
        why, mend = "the offline model calls none", _NO_MODEL
    if why and is_forced(body.tool_choice):
        raise wrong("tool_choice", f"asks for a call of a tool, and {why}", mend, _CODE)
    if why:
        return Passing(warnings=(f"tools are ignored: {why} ({mend})",))
    values = {name: getattr(body, name) for name in _PASSED}
    return Passing({name: value for name, value in values.items() if value is not None})


_PASSED: Final = ("tools", "tool_choice", "parallel_tool_calls")


def is_forced(choice: str | Mapping[str, Any] | None) -> bool:
    """Whether an answer without a call is none."""
    if isinstance(choice, Mapping):
        allowed = choice.get("allowed_tools")
        return not isinstance(allowed, Mapping) or allowed.get("mode") == "required"
    return choice == "required"
