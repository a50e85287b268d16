"""JSON as people really have it: with marks, raw control characters, trailing commas, NaN.

Takes: bytes or text, and limits.  Gives: a value that any JSON writer can write again, and a
finding for everything that had to be mended; an error where nothing can be made of it.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from offbook.cards.deadline import within
from offbook.cards.findings import Findings
from offbook.cards.limits import CardLimits
from offbook.errors import UnreadableCard

_BOMS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNMARKED: Final[Mapping[tuple[int, ...], str]] = {
    (1, 0, 1, 0): "utf-16-le",
    (0, 1, 0, 1): "utf-16-be",
    (1, 0, 0, 0): "utf-32-le",
    (0, 0, 0, 1): "utf-32-be",
}
"""Which of the first four bytes of JSON (two ASCII signs) are not 0, by encoding."""
_REPAIR_SECONDS: Final = 0.4
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_STRING_OR_COMMA: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|,(?=[ \t\r\n]*+[}\]])', re.DOTALL)


def decode_text(data: bytes, findings: Findings) -> str:
    """The text of ``data``: UTF-8, UTF-16 or UTF-32, with or without a mark.

    Bytes that are no UTF-8 become U+FFFD, with a warning.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            findings.warn(
                "text-encoding", "", f"the text is in {encoding.upper()}", "save it as UTF-8"
            )
            return data.decode(encoding, "replace")
    unmarked = _UNMARKED.get(tuple(min(byte, 1) for byte in data[:4]))
    if unmarked is not None:
        name = unmarked.rpartition("-")[0].upper()
        findings.warn("text-encoding", "", f"the text is in {name}", "save it as UTF-8")
        return data.decode(unmarked, "replace")
    if data.startswith(codecs.BOM_UTF8):
        findings.warn("text-bom", "", "the text begins with a byte order mark", "")
        data = data[len(codecs.BOM_UTF8) :]
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        findings.warn(
            "text-encoding",
            "",
            f"byte 0x{data[error.start]:02x} at offset {error.start} is not UTF-8; "
            "what cannot be decoded is shown as U+FFFD",
            "save the file as UTF-8 with the program that made it",
        )
        return data.decode("utf-8", "replace")


def read_json(data: bytes, findings: Findings, limits: CardLimits) -> Any:
    """The value that the JSON text ``data`` stands for.

    Raises:
        UnreadableCard: it is no JSON even with good will, or beyond the limits.
    """
    if len(data) > limits.card_bytes:
        raise UnreadableCard(
            f"the text is {len(data)} bytes long, and card_bytes is {limits.card_bytes}",
            "a card of that length is hardly a card; in Python CardLimits can be raised",
        )
    return parse_json(decode_text(data, findings), findings, limits)


def parse_json(text: str, findings: Findings, limits: CardLimits) -> Any:
    """``read_json`` for a text that is decoded already."""
    count = text.count(",") + text.count("[") + text.count("{")
    if count > limits.values:
        raise UnreadableCard(
            f"the JSON holds about {count} values, and the limit is {limits.values}",
            "split the lorebook or the chat log, or raise CardLimits.values in Python",
        )
    try:
        value = _first_that_parses(text.strip("\ufeff \t\r\n\0"), findings, limits)
    except RecursionError as error:
        raise _too_deep(limits) from error
    return _Cleaning(findings, limits).clean(value, "", 0)


def _first_that_parses(text: str, findings: Findings, limits: CardLimits) -> Any:
    tried = Findings()
    try:
        value = _loads(text, tried, strict=True)
        findings.extend(tried.all())
        return value
    except json.JSONDecodeError as error:
        first = error
    except ValueError as error:
        raise UnreadableCard(f"a number in the JSON cannot be read: {error}", "") from error
    attempts: list[tuple[str, str, Callable[[str], str]]] = [
        ("json-control", "raw control characters in strings are taken as they are", str),
    ]
    if len(text) <= limits.mend_chars:
        attempts.append(
            ("json-comma", "commas before a closing bracket are left out", _without_commas)
        )
    for code, what, mend in attempts:
        tried = Findings()
        try:
            value = _loads(mend(text), tried, strict=False)
        except ValueError:
            continue
        findings.extend(tried.all())
        findings.warn(code, "", what, "write the file anew with a program that writes JSON")
        return value
    return _repaired(text, first, findings, limits)


def _without_commas(text: str) -> str:
    """``text`` without the commas that stand before a closing bracket, outside of strings."""
    return _STRING_OR_COMMA.sub(lambda match: "" if match[0] == "," else match[0], text)


def _repaired(
    text: str, first: json.JSONDecodeError, findings: Findings, limits: CardLimits
) -> Any:
    where = f"{first.msg} at line {first.lineno}, column {first.colno}"
    if not text.startswith(("{", "[")) or len(text) > limits.repair_chars:
        raise UnreadableCard(
            f"the text is not JSON: {where}", "open it in an editor that checks JSON"
        )
    import json_repair

    try:
        value = within(_REPAIR_SECONDS, lambda: json_repair.loads(text, skip_json_loads=True))
    except RecursionError:
        raise
    except Exception as error:
        # A parser of broken text fails in ways of its own; none of them is ours to pass on.
        raise UnreadableCard(
            f"the text is not JSON: {where}", "open it in an editor that checks JSON"
        ) from error
    if not isinstance(value, dict | list) or not value:
        raise UnreadableCard(
            f"the text is not JSON: {where}", "open it in an editor that checks JSON"
        )
    findings.warn(
        "json-repaired",
        "",
        f"the JSON is broken ({where}) and was repaired; a part of it may be missing",
        "compare what was read with the original",
    )
    return value


def _loads(text: str, findings: Findings, *, strict: bool) -> Any:
    def constant(name: str) -> None:
        findings.warn("json-constant", "", f"{name} is no JSON; it is read as null", "")

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(found)
        if len(made) < len(found):
            seen: set[str] = set()
            twice = [key for key, _ in found if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
            for key in dict.fromkeys(twice):
                findings.warn(
                    "json-duplicate",
                    key,
                    f"the key {key[:60]!r} stands twice in one object; the last one counts",
                    "take one of them out",
                )
        return made

    return json.loads(text, strict=strict, parse_constant=constant, object_pairs_hook=pairs)


def _too_deep(limits: CardLimits) -> UnreadableCard:
    return UnreadableCard(
        f"the JSON is nested deeper than {limits.depth} levels",
        "no card needs that; the file is damaged or hostile",
    )


class _Cleaning:
    """Makes a value one that can be written again: no lone surrogates, no infinities."""

    def __init__(self, findings: Findings, limits: CardLimits) -> None:
        self._findings = findings
        self._limits = limits

    def clean(self, value: Any, path: str, depth: int) -> Any:
        if depth > self._limits.depth:
            raise _too_deep(self._limits)
        if isinstance(value, str):
            return self._text(value, path)
        if isinstance(value, dict):
            return self._object(value, path, depth)
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, str | dict | list | float):
                    value[index] = self.clean(item, f"{path}[{index}]", depth + 1)
            return value
        if isinstance(value, float) and not math.isfinite(value):
            self._findings.warn("json-constant", path, f"{value!r} is read as null", "")
            return None
        return value

    def _object(self, value: dict[str, Any], path: str, depth: int) -> dict[str, Any]:
        if any(not key.isascii() and _SURROGATE.search(key) for key in value):
            value = self._with_keys(value, path)
        for key, item in value.items():
            if isinstance(item, str | dict | list | float):
                value[key] = self.clean(item, f"{path}.{key}" if path else key, depth + 1)
        return value

    def _with_keys(self, value: dict[str, Any], path: str) -> dict[str, Any]:
        """The object with keys that can be written; two that become the same are told apart."""
        made: dict[str, Any] = {}
        for key, item in value.items():
            whole = self._text(key, path)
            while whole in made or (whole != key and whole in value):
                whole += "\ufffd"
            made[whole] = item
        return made

    def _text(self, text: str, path: str) -> str:
        if text.isascii() or not _SURROGATE.search(text):
            return text
        self._findings.warn(
            "text-surrogate", path, "half of a character stands alone; it is read as U+FFFD", ""
        )
        return _SURROGATE.sub("\ufffd", text)


def write_json(value: Any, *, indent: int | None = None) -> bytes:
    """``value`` as JSON in UTF-8, keys in their order; half characters become U+FFFD."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _SURROGATE.sub("\ufffd", text).encode("utf-8")
