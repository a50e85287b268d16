"""Macros in the texts of cards: ``{{char}}``, ``{{random:a,b}}`` and their like.

Takes: a text, and what the macros stand for.  Gives: the text with them replaced; a macro that is
not known stays letter by letter, and is reported. Source: Character Card V3 specification, "Curly
Braced Syntaxes", and SillyTavern's persona, original, time, date, weekday, newline, trim, noop.

What is put in is never read again, so that a name cannot smuggle in a macro; and it makes a text
only so much longer, so that a long name cannot fill the memory.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from offbook.types import DEFAULT_USER

_TOKEN: Final = re.compile(r"\{\{|\}\}|<(?:user|char|bot)>", re.IGNORECASE)
_DICE: Final = re.compile(r"(?:(\d{0,3})\s*d)?\s*(\d{1,6})", re.IGNORECASE)
_MOST_NOTED: Final = 200
_LONGEST_NAME: Final = 200
_LEAST_ROOM: Final = 20_000
_ROOM_PER_SIGN: Final = 2
_DEEPEST: Final = 16
_NAMED: Final = re.compile(r"([A-Za-z_]+)\s*(?:::?|\s+)(.*)", re.DOTALL)
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_TRIM_MARK: Final = "\x00trim\x00"


@dataclass(frozen=True, slots=True)
class MacroValues:
    """What macros stand for.

    Attributes:
        char: The character's name (its nickname, where it has one).
        user: The name of the person.
        persona: What is known of the person.
        original: What would stand in the place of a system prompt without the card; None where
            ``{{original}}`` has no meaning.
        now: The time, for ``{{time}}``, ``{{date}}`` and ``{{weekday}}``.
        seed: Chooses for ``{{random}}``, ``{{pick}}`` and ``{{roll}}``: the same seed, the same
            choice. ``{{pick}}`` leaves ``turn`` out of it.
        turn: Whatever changes from one reply to the next.
    """

    char: str
    user: str = DEFAULT_USER
    persona: str = ""
    original: str | None = None
    now: datetime | None = None
    seed: str = ""
    turn: str = ""


@dataclass(slots=True)
class Expanded:
    """A text without macros; what was not known, and the words that only a search sees."""

    text: str
    unknown: tuple[str, ...] = ()
    hidden_keys: tuple[str, ...] = ()


@dataclass(slots=True)
class _Expansion:
    """``room`` is how much longer the text may become."""

    values: MacroValues
    room: int
    unknown: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    choices: int = 0


def expand(text: str, values: MacroValues) -> Expanded:
    """``text`` with its macros replaced."""
    if "{{" not in text and "<" not in text:
        return Expanded(text)
    named = replace(values, char=values.char[:_LONGEST_NAME], user=values.user[:_LONGEST_NAME])
    state = _Expansion(named, _LEAST_ROOM + _ROOM_PER_SIGN * len(text))
    made = _parsed(text.replace(_TRIM_MARK, ""), state)
    if _TRIM_MARK in made:  # line breaks around {{trim}} go with it
        parts = made.split(_TRIM_MARK)
        inner = [part.lstrip("\r\n") for part in parts[1:]]
        made = "".join([*(part.rstrip("\r\n") for part in (parts[0], *inner[:-1])), inner[-1]])
    return Expanded(made, tuple(dict.fromkeys(state.unknown)), tuple(state.hidden))


def expanded(
    text: str, *, char: str, user: str, persona: str = "", seed: str = "", turn: str = ""
) -> str:
    """Return ``text`` with its macros replaced, at this moment.

    What stands in the place of a prompt without the card stays there: ``{{original}}`` is empty.
    """
    now = datetime.now()  # noqa: DTZ005 - the time on the person's clock
    values = MacroValues(char, user, persona, original="", now=now, seed=seed, turn=turn)
    return expand(text, values).text


def unknown_macros(text: str) -> tuple[str, ...]:
    """The macros in ``text`` that are not known, as they stand there, each once."""
    values = MacroValues(char="x", original="", now=datetime(2000, 1, 1))  # noqa: DTZ001 - unused
    return expand(text, values).unknown


def _parsed(text: str, state: _Expansion) -> str:
    """Replace from the inside out, in one pass over the text."""
    stack: list[list[str]] = [[]]
    offset = 0
    for match in _TOKEN.finditer(text):
        stack[-1].append(text[offset : match.start()])
        offset = match.end()
        sign = match[0]
        if sign == "{{" and len(stack) <= _DEEPEST:
            stack.append([])
        elif sign == "}}" and len(stack) > 1:
            inner = "".join(stack.pop())
            whole, value = "{{" + inner + "}}", _value(inner, state)
            if value is None:
                _note(whole, state)
            stack[-1].append(whole if value is None else _fitting(value, whole, state))
        elif sign[0] == "<":
            values = state.values
            name = values.user if sign[1:5].lower() == "user" else values.char
            stack[-1].append(_fitting(name, sign, state))
        else:
            stack[-1].append(sign)
    stack[-1].append(text[offset:])
    while len(stack) > 1:  # braces that were never closed stay as they are
        open_part = "{{" + "".join(stack.pop())
        stack[-1].append(open_part)
    return "".join(stack[0])


def _fitting(value: str, macro: str, state: _Expansion) -> str:
    """``value``, or ``macro`` as it stands where the text would become too long."""
    longer = len(value) - len(macro)
    if longer > state.room:
        _note(macro, state)
        return macro
    state.room -= max(0, longer)
    return value


def _note(macro: str, state: _Expansion) -> None:
    if len(state.unknown) < _MOST_NOTED:
        state.unknown.append(macro[:80])


def _value(inner: str, state: _Expansion) -> str | None:
    """What a macro stands for; None where it is not known."""
    bare = inner.strip()
    if bare.startswith("//"):
        return ""
    plain = _PLAIN.get(bare.lower())
    if plain is not None and (value := plain(state.values)) is not None:
        return value
    match = _NAMED.fullmatch(bare)
    named = _NAMED_MACROS.get(match[1].lower()) if match else None
    return None if named is None or match is None else named(match[2], state)


def _date(values: MacroValues) -> str | None:
    now = values.now
    return None if now is None else f"{MONTHS[now.month - 1]} {now.day}, {now.year}"


_PLAIN: Final[Mapping[str, Callable[[MacroValues], str | None]]] = {
    "char": lambda values: values.char,
    "user": lambda values: values.user,
    "persona": lambda values: values.persona,
    "original": lambda values: values.original,
    "time": lambda values: None if values.now is None else f"{values.now:%H:%M}",
    "date": _date,
    "weekday": lambda values: None if values.now is None else _DAYS[values.now.weekday()],
    "newline": lambda values: "\n",
    "trim": lambda values: _TRIM_MARK,
    "noop": lambda values: "",
}


def _parts(argument: str) -> list[str]:
    """The parts of ``a,b`` or ``a::b``; a comma behind a backslash is a plain one."""
    if "::" in argument:
        return argument.split("::")
    return [part.replace("\\,", ",").strip() for part in re.split(r"(?<!\\),", argument)]


def _number(state: _Expansion, kind: str, what: str, turn: str) -> int:
    """A number that follows from the seed, the place in the text and the words of the macro."""
    state.choices += 1
    key = "\x1f".join((state.values.seed, turn, kind, str(state.choices), what))
    digest = hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=8)
    return int.from_bytes(digest.digest())


def _chosen(argument: str, state: _Expansion, kind: str, turn: str) -> str:
    parts = _parts(argument)
    return parts[_number(state, kind, argument, turn) % len(parts)]


def _roll(argument: str, state: _Expansion) -> str | None:
    match = _DICE.fullmatch(argument.strip())
    if match is None or int(match[2]) == 0:
        return None
    dice, sides = int(match[1] or 1), int(match[2])
    rolled = (_number(state, "roll", argument, state.values.turn) % sides + 1 for _ in range(dice))
    return str(sum(rolled))


def _hidden_key(argument: str, state: _Expansion) -> str:
    if len(state.hidden) < _MOST_NOTED:
        state.hidden.append(argument.strip())
    return ""


_NAMED_MACROS: Final[Mapping[str, Callable[[str, _Expansion], str | None]]] = {
    "random": lambda argument, state: _chosen(argument, state, "random", state.values.turn),
    "pick": lambda argument, state: _chosen(argument, state, "pick", ""),
    "roll": _roll,
    "hidden_key": _hidden_key,
    "comment": lambda argument, state: "",
    "reverse": lambda argument, state: argument[::-1],
}
