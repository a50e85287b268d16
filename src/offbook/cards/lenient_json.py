"""JSON as people really have it: with marks, raw control characters, trailing commas, NaN.

Takes: bytes or text, and limits.  Gives: a value that any JSON writer can write again, and a
finding for everything that had to be mended; an error where nothing can be made of it.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import json
import math
import re
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TypeVar

from offbook.cards.findings import Findings
from offbook.cards.sources import CardLimits
from offbook.errors import UnreadableCard

_BLANKS: Final = b" \t\r\n\v\f\0"
_FOR_URLS: Final = bytes.maketrans(b"-_", b"+/")
_JUNK: Final = re.compile(rb"[^A-Za-z0-9+/]")


def decode_base64(text: bytes, findings: Findings, path: str = "") -> bytes:
    """What ``text`` stands for.

    Raises:
        UnreadableCard: it holds characters that are not of Base64.
    """
    packed = text.translate(None, _BLANKS)
    bare = packed.rstrip(b"=")
    normal = bare.translate(_FOR_URLS)
    if normal != bare:
        findings.warn("base64-alphabet", path, "the Base64 is in the alphabet for URLs")
    junk = _JUNK.search(normal)
    if junk is not None:
        raise UnreadableCard(
            f"the Base64 holds {junk[0]!r} at offset {junk.start()}",
            "the picture was damaged on its way; take the original",
        )
    if len(normal) % 4 == 1:
        findings.warn("base64-length", path, "the Base64 is cut off; its last sign is left out")
        normal = normal[:-1]
    padded = normal + b"=" * (-len(normal) % 4)
    if len(packed) != len(padded):
        findings.warn("base64-padding", path, "the Base64 is not padded as it should be")
    try:
        return base64.b64decode(padded, validate=True)
    except binascii.Error as error:  # pragma: no cover - what could raise it is mended above
        raise UnreadableCard(f"the Base64 cannot be decoded: {error}") from error


T = TypeVar("T")

_CALLS: Final = 256
"""Function calls between two looks at the clock."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """What ``work`` gives, which is pure Python that calls functions all the time.

    Raises:
        TimeoutError: it took longer than ``seconds`` of processor time.
    """
    end = time.thread_time() + seconds
    calls = 0

    def look(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += 1
        if calls % _CALLS == 0 and time.thread_time() > end:
            raise TimeoutError(f"it took longer than {seconds:g} seconds")

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        return work()
    finally:
        sys.setprofile(before)


_REPAIR_SECONDS: Final = 0.4
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_STRING_OR_COMMA: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|,(?=[ \t\r\n]*+[}\]])', re.DOTALL)


def decode_text(data: bytes, findings: Findings) -> str:
    """The text of ``data``: UTF-8, UTF-16 or UTF-32, with or without a mark.

    Bytes that are no UTF-8 become U+FFFD, with a warning.
    """
    encoding = json.detect_encoding(data)
    if encoding == "utf-8-sig":
        findings.warn("text-bom", "", "the text begins with a byte order mark")
        data = data[len(codecs.BOM_UTF8) :]
    elif encoding != "utf-8":
        name = encoding.removesuffix("-le").removesuffix("-be").upper()
        findings.warn("text-encoding", "", f"the text is in {name}", "save it as UTF-8")
        return data.decode(encoding, "replace")
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
        raise UnreadableCard(f"a number in the JSON cannot be read: {error}") from error
    attempts = [("json-control", "raw control characters in strings are taken as they are", text)]
    if len(text) <= limits.mend_chars:
        bare = _without_commas(text)
        attempts.append(("json-comma", "commas before a closing bracket are left out", bare))
    for code, what, mended in attempts:
        tried = Findings()
        try:
            value = _loads(mended, tried, strict=False)
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
    refused = UnreadableCard(
        f"the text is not JSON: {where}", "open it in an editor that checks JSON"
    )
    if not text.startswith(("{", "[")) or len(text) > limits.repair_chars:
        raise refused
    import json_repair

    try:
        value = within(_REPAIR_SECONDS, lambda: json_repair.loads(text, skip_json_loads=True))
    except RecursionError:
        raise
    except Exception as error:
        # A parser of broken text fails in ways of its own; none of them is ours to pass on.
        raise refused from error
    if not isinstance(value, dict | list) or not value:
        raise refused
    findings.warn(
        "json-repaired",
        "",
        f"the JSON is broken ({where}) and was repaired; a part of it may be missing",
        "compare what was read with the original",
    )
    return value


def _loads(text: str, findings: Findings, *, strict: bool) -> Any:
    def constant(name: str) -> None:
        findings.warn("json-constant", "", f"{name} is no JSON; it is read as null")

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(members)
        if len(made) < len(members):
            known: set[str] = set()
            twice = [key for key, _ in members if key in known or known.add(key)]  # type: ignore[func-returns-value]
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
            self._findings.warn("json-constant", path, f"{value!r} is read as null")
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
            "text-surrogate", path, "half of a character stands alone; it is read as U+FFFD"
        )
        return _SURROGATE.sub("\ufffd", text)


def write_json(value: Any, *, indent: int | None = None) -> bytes:
    """``value`` as JSON in UTF-8, keys in their order; half characters become U+FFFD."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _SURROGATE.sub("\ufffd", text).encode("utf-8")


def read_yaml(text: str, limits: CardLimits) -> Any:
    """Return the value of a YAML text: dictionaries, lists and strings only.

    There are no tags, no references and no numbers, so that "name: Yes" is a name, and no bomb can
    be built.

    Raises:
        UnreadableCard: the text is no YAML, or beyond the limits.
    """
    import yaml

    if len(text) > limits.yaml_bytes:
        raise UnreadableCard(
            f"the YAML is {len(text)} characters long, and yaml_bytes is {limits.yaml_bytes}",
            "convert it to JSON, or raise CardLimits.yaml_bytes in Python",
        )
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    depth = 0
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.AliasEvent):
                raise UnreadableCard("the YAML uses references (*name)", "write the text out")
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > limits.depth:
                raise UnreadableCard(f"the YAML is nested deeper than {limits.depth} levels")
        return yaml.load(text, Loader=loader)  # noqa: S506 - it builds texts, lists and dictionaries
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        line = str(error).replace("\n", " ")[:200]
        raise UnreadableCard(f"the text is no YAML: {line}", "check it in an editor") from error
