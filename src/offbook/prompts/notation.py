"""Notation of JSON answers: where an object begins and ends, and which slips may be mended.

Takes: the text of a model.  Gives: the balanced objects in it, or their values.
Mending changes notation only (quotes, trailing commas, literals, fences, prose around): no letter
or digit of the answer may be lost or added, and what does not close is cut off, never completed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

from offbook.errors import IncompleteAnswer, InvalidAnswer

_OPENERS: Final = {"{": "}", "[": "]"}
_DEEPEST: Final = 100
_VALUE_FOLLOWS: Final = "{[,:"
_VALUE_ENDS: Final = ",:}]"
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_LITERALS: Final = {"True": "true", "False": "false", "None": "null"}
_WORD: Final = re.compile(r"\b(?:True|False|None)\b")
_SPACE_ESCAPES: Final = frozenset("nrtbf")
_MAY_BE_UNSTORABLE: Final = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def loads_strictly(text: str) -> Any:
    """``json.loads`` that takes neither NaN nor a repeated key; line breaks in strings are fine.

    Raises:
        ValueError: it is not JSON, or a key stands twice in one object (one would be lost).
        InvalidAnswer: it holds NaN or Infinity, or is nested too deeply: no mending helps.
    """
    try:
        return json.loads(
            text, strict=False, parse_constant=_refuse_constant, object_pairs_hook=_unrepeated
        )
    except RecursionError:
        raise InvalidAnswer("the answer is nested too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidAnswer(f"the answer is not JSON: {name} is no number")


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")
    return value


def storable(value: Any, text: str) -> Any:
    """``value`` without what escapes in ``text`` can say and no database takes.

    That is NUL, and a half of a character without its other half: what is left of an emoji that a
    model began and did not end.

    Raises:
        InvalidAnswer: it is nested too deeply.
    """
    if not _MAY_BE_UNSTORABLE.search(text):
        return value
    try:
        return _storable(value)
    except RecursionError:
        raise InvalidAnswer("the answer is nested too deeply", answer=text) from None


def _storable(value: Any) -> Any:
    if isinstance(value, dict):
        return {_storable(key): _storable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_storable(part) for part in value]
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "ignore").decode("utf-8")
    return value


def spans(text: str) -> Iterator[str]:
    """The outermost ``{...}`` in ``text``, from left to right.

    Raises:
        IncompleteAnswer: one begins and does not close. Nothing after it is looked at: an object
            inside a cut-off one is a part of the answer, and would pass for the whole.
        InvalidAnswer: it is nested more than 100 deep, as no answer of ours is.
    """
    position = text.find("{")
    while position >= 0:
        end = _end_of(text, position)
        yield text[position:end]
        position = text.find("{", end)


def _end_of(text: str, start: int) -> int:
    """Index after the bracket that closes the one at ``start``."""
    stack: list[str] = []
    position, last = start, ":"
    while position < len(text):
        character = text[position]
        if character == '"' or (character == "'" and last in _VALUE_FOLLOWS):
            position = _end_of_string(text, position)
            last = character
            continue
        if character in _OPENERS:
            stack.append(_OPENERS[character])
            if len(stack) > _DEEPEST:
                raise InvalidAnswer("the answer is nested too deeply", answer=text)
        elif character in "}]":
            if character != stack.pop():
                break
            if not stack:
                return position + 1
        if not character.isspace():
            last = character
        position += 1
    raise IncompleteAnswer("the JSON does not close: the answer was cut off", answer=text)


def _end_of_string(text: str, start: int) -> int:
    """Index after the quote that closes the string at ``start``.

    A single quote closes only where the value can end, because apostrophes stand in such strings.
    """
    quote = text[start]
    position = start + 1
    while position < len(text):
        character = text[position]
        if character == "\\":
            position += 2
            continue
        if character == quote and (quote == '"' or _value_ends(text, position + 1)):
            return position + 1
        position += 1
    raise IncompleteAnswer("a string does not close: the answer was cut off", answer=text)


def _value_ends(text: str, position: int) -> bool:
    while position < len(text) and text[position].isspace():
        position += 1
    return position < len(text) and text[position] in _VALUE_ENDS


def mend_notation(span: str) -> Any:
    """The value of a balanced span whose notation may be loose.

    Raises:
        InvalidAnswer: it is not JSON, and mending would lose or add something (a comment, an
            ellipsis that stands for what was left out, a repeated key).
    """
    try:
        return loads_strictly(span)
    except ValueError as error:
        reason = str(error)
    import json_repair

    try:
        value = json_repair.loads(span, skip_json_loads=True)
    except (RecursionError, ValueError):
        value = None
    if _letters_of_value(value) != _letters(_unescape(span)):
        raise InvalidAnswer(f"the answer is not JSON: {reason}", answer=span)
    return value


def _unescape(span: str) -> str:
    def plain(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return " " if match[2] in _SPACE_ESCAPES else match[2]

    return _ESCAPE.sub(plain, _WORD.sub(lambda word: _LITERALS[word[0]], span))


def _letters(text: str) -> str:
    """What mending must leave alone: letters, digits, and the dots of an ellipsis."""
    return "".join(c for c in text if c.isalnum() or c in ".…-")


def _letters_of_value(value: Any) -> str:
    if isinstance(value, dict):
        return "".join(_letters(key) + _letters_of_value(part) for key, part in value.items())
    if isinstance(value, list):
        return "".join(map(_letters_of_value, value))
    if isinstance(value, str):
        return _letters(_WORD.sub(lambda word: _LITERALS[word[0]], value))
    return _letters(json.dumps(value))
