"""The strict reading of a card: every rule of the specifications that it breaks.

Takes: a card, as it was read or from a raw object.  Gives: findings, each with a code, a severity,
a path, what is the matter and how to mend it. Source: the V1, V2 and V3 specifications; the rules
by themselves are listed in ``RULES``.

``error`` breaks a MUST, ``warning`` a SHOULD or does not do what its author thinks, ``note`` is
worth knowing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from offbook.cards.assets import embedded_path
from offbook.cards.card import (
    SPECS,
    V1_FIELDS,
    Card,
    Version,
    spec_number,
    spec_version_number,
)
from offbook.cards.decorators import DECORATORS, Decorated, argument_trouble
from offbook.cards.fields import BOOK_FIELDS, CARD_FIELDS, ENTRY_FIELDS, Field, fits, kind_name
from offbook.cards.findings import Findings, shown
from offbook.cards.keys import PatternRefused, PatternTime, is_delimited
from offbook.cards.lore_places import unheard_wishes
from offbook.cards.lorebook import USUAL_TOKENS, Lorebook, LoreEntry
from offbook.cards.macros import unknown_macros
from offbook.cards.raw_json import Json, same
from offbook.types import Finding, Severity

_TYPES: Final = frozenset({"icon", "background", "user_icon", "emotion"})
_SCHEMES: Final = ("http://", "https://", "data:", "ccdefault:")
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_POSITIONS: Final = frozenset({"before_char", "after_char"})
_DEEPEST: Final = 7  # "@@" and five fallbacks
_PROMPTED: Final = (*V1_FIELDS, "system_prompt", "post_history_instructions")
_WITH_ORIGINAL: Final = ("system_prompt", "post_history_instructions")
_TEXT_LISTS: Final = ("alternate_greetings", "group_only_greetings")
_ORIGINAL: Final = re.compile(r"\{\{\s*original\s*\}\}", re.IGNORECASE)
_START: Final = re.compile(r"[ \t\r\n]*<START>", re.IGNORECASE)
_SPOKEN: Final = re.compile(
    r"(?:\{\{(?:user|char)\}\}|<(?:user|bot|char)>)[ \t]*[:：]", re.IGNORECASE
)
_ACTIVE: Final = re.compile(r"<(?:script|iframe|object|embed)\b|\bon\w{3,20}\s*=|javascript:", re.I)
_MARKUP: Final = re.compile(
    r"</?(?:div|span|style|img|table|font|p|br|a|b|i|details)\b[^<>]{0,200}>", re.I
)
_KNOWN_EXTENSIONS: Final = frozenset(
    {"talkativeness", "fav", "world", "depth_prompt", "regex_scripts", "chub", "risuai"}
)
_LEFT_OUT: Final = ("character_book.extensions", "data.group_only_greetings")
"""What SillyTavern requires of nobody and does not write, or did not for long."""
_LOOKED_AT: Final = 500_000  # characters of a text in which HTML is looked for
_LANGUAGE: Final = re.compile(r"[a-z]{2}")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a specification, or of ours where ``source`` says so."""

    severity: Severity
    says: str
    source: str


RULES: Final[Mapping[str, Rule]] = {
    "spec": Rule("error", "spec must be chara_card_v2 or chara_card_v3", "V2, V3"),
    "spec-newer": Rule("warning", "a newer version is read as far as it is understood", "V3"),
    "spec-version": Rule("error", "spec_version must be the text 2.0 or 3.0", "V2, V3"),
    "data-missing": Rule("error", "the fields must stand under data", "V2"),
    "field-missing": Rule("error", "required fields must be there, empty if need be", "V1, V2, V3"),
    "field-left-out": Rule("note", "SillyTavern leaves it out, and all read it as empty", "ours"),
    "field-null": Rule("error", "a required field must not be null", "V1"),
    "field-null-optional": Rule("warning", "an optional field is left out rather than null", "V2"),
    "field-type": Rule("error", "a field must be of its type", "V1, V2, V3"),
    "field-unknown": Rule("warning", "fields of one's own belong into extensions", "V2"),
    "field-twice": Rule("warning", "a field at the root must not contradict data", "ours"),
    "name-empty": Rule("error", "the name identifies the character", "V1"),
    "greeting-empty": Rule("note", "first_mes is offered as the first message", "V1"),
    "tag-twice": Rule("note", "tags are compared without case", "V2"),
    "extension-name": Rule("note", "keys of extensions should have a namespace", "V2"),
    "example-start": Rule("warning", "example conversations begin with <START>", "V1"),
    "example-speaker": Rule("warning", "lines of examples begin with {{user}}: or {{char}}:", "V1"),
    "macro-unknown": Rule("warning", "a macro that is not known stays as it is", "V3"),
    "macro-original": Rule("warning", "{{original}} belongs into the two prompts", "V2"),
    "macro-open": Rule("note", "braces of macros are pairs", "ours"),
    "html-active": Rule("warning", "scripts are never run, and may be taken out", "ours"),
    "html": Rule("note", "HTML is escaped by careful clients", "ours"),
    "language": Rule("error", "languages are codes of ISO 639-1", "V3"),
    "date": Rule("error", "dates are seconds since 1970 in UTC", "V3"),
    "asset-type": Rule("error", "an asset's type is a known one or begins with x_", "V3"),
    "asset-field": Rule("error", "an asset has type, uri, name and ext, all texts", "V3"),
    "asset-uri": Rule("error", "an asset's uri is http(s), data, embeded or ccdefault", "V3"),
    "asset-spelling": Rule("warning", "the address of embedded assets is embeded:// (sic)", "V3"),
    "asset-path": Rule("error", "an asset's path stays inside of the file", "ours"),
    "asset-remote": Rule("note", "an asset on a network is never fetched", "ours"),
    "asset-ext": Rule("warning", "an asset's ext is in lower case and without a dot", "V3"),
    "asset-main": Rule("error", "of several icons one is main, of backgrounds one at most", "V3"),
    "book-number": Rule("error", "scan_depth and token_budget are not negative", "ours"),
    "entry-id-twice": Rule("warning", "ids of entries are unique in a book", "ours"),
    "entry-id-type": Rule("warning", "the id of an entry is a number in V2", "V2"),
    "entry-position": Rule("error", "position is before_char or after_char", "V2"),
    "entry-wish": Rule("note", "not every wish of an entry is followed by offbook", "ours"),
    "entry-never": Rule("warning", "an entry that nothing activates is never used", "ours"),
    "entries-large": Rule("note", "what is larger than all entries may be is never told", "ours"),
    "entry-empty": Rule("warning", "an entry without content says nothing", "ours"),
    "entry-selective": Rule("warning", "selective needs secondary keys", "V2"),
    "key-empty": Rule("warning", "an empty key is never found", "ours"),
    "key-pattern": Rule("error", "a pattern that is wrong is no match", "V3"),
    "macro-in-key": Rule("note", "not every program replaces macros in keys", "ours"),
    "patterns-many": Rule("warning", "of very many patterns not all are read", "ours"),
    "decorator-unknown": Rule("warning", "a decorator that is not known is left out", "V3"),
    "decorator-value": Rule("error", "the value of a decorator fits it", "V3"),
    "decorator-unused": Rule("note", "the first decorator of a name counts", "V3"),
    "decorator-fallback": Rule("error", "a fallback (@@@) stands behind a decorator", "V3"),
    "decorator-deep": Rule("warning", "fallbacks are nested five deep at most", "V3"),
    "decorator-v2": Rule("warning", "V2 does not know decorators", "V3"),
}


def lint_fields(
    data: Json, fields: Mapping[str, Field], version: int, where: str, findings: Findings
) -> None:
    """Fields that are missing or of another type than the specification's."""
    for name, field in fields.items():
        if field.since > version:
            continue
        path = f"{where}{name}"
        required = field.required_since is not None and field.required_since <= version
        if name not in data:
            if required:
                code = "field-left-out" if path.endswith(_LEFT_OUT) else "field-missing"
                say(findings, code, path, f"V{version} requires {name}", "add it")
        elif data[name] is None:
            code = "field-null" if required else "field-null-optional"
            say(findings, code, path, "it is null", "leave it out" if not required else "")
        elif not fits(data[name], field.kind):
            kind = kind_name(field.kind)
            say(
                findings,
                "field-type",
                path,
                f"{shown(data[name])} is not {kind}",
                f"make it {kind}",
            )


def say(findings: Findings, code: str, path: str, message: str, mend: str = "") -> None:
    """Add a finding under the rule ``code``, as severe as that is."""
    findings.add(RULES[code].severity, code, path, message, mend)


def lint_assets(card: Card, findings: Findings) -> None:
    """What is wrong with the card's list of assets."""
    listed = card.data.get("assets")
    items = listed if isinstance(listed, list) else []
    for index, item in enumerate(items):
        if isinstance(item, dict):
            _one(item, f"data.assets[{index}]", findings)
    for kind in ("icon", "background"):
        names = [i.get("name") for i in items if isinstance(i, dict) and i.get("type") == kind]
        mains, several = names.count("main"), len(names) > 1
        if several and (mains > 1 or (kind == "icon" and not mains)):
            say(
                findings,
                "asset-main",
                "data.assets",
                f"of {len(names)} assets of type {kind}, {mains} are called 'main'",
            )


def _one(item: dict[str, Any], path: str, findings: Findings) -> None:
    for name in ("type", "uri", "name", "ext"):
        if not isinstance(item.get(name), str):
            say(findings, "asset-field", f"{path}.{name}", f"{shown(item.get(name))} is no text")
            return
    if item["type"] not in _TYPES and not item["type"].startswith("x_"):
        say(findings, "asset-type", f"{path}.type", f"{shown(item['type'])} is not known")
    ext = item["ext"]
    if ext != ext.lower() or ext.startswith("."):
        say(findings, "asset-ext", f"{path}.ext", f"{shown(ext)}", "write it like 'png'")
    _uri(item["uri"], f"{path}.uri", findings)


def _uri(uri: str, path: str, findings: Findings) -> None:
    inside = embedded_path(uri)
    if inside is None:
        if not uri.startswith(_SCHEMES):
            say(findings, "asset-uri", path, f"{shown(uri)} has no scheme that is known")
        elif uri.startswith("http"):
            say(findings, "asset-remote", path, f"{shown(uri)} is not fetched")
        return
    if not uri.startswith("embeded://"):
        say(findings, "asset-spelling", path, f"{shown(uri)}", "write embeded://")
    parts = inside.replace("\\", "/").split("/")
    if ".." in parts or inside.startswith(("/", "\\")) or _DRIVE.match(inside) or "\\" in inside:
        say(findings, "asset-path", path, f"{shown(inside)} may lead out of the file")


def lint_book_fields(book: Lorebook, version: int, path: str, findings: Findings) -> None:
    """What is wrong with a book and its entries."""
    where = f"{path}." if path else ""
    lint_fields(book.raw, BOOK_FIELDS, version, where, findings)
    entries = book.raw.get("entries")
    if not isinstance(entries, list):
        code = "field-missing" if entries is None else "field-type"
        say(findings, code, f"{where}entries", f"{shown(entries)} is no list of entries")
    for name in ("scan_depth", "token_budget"):
        value = getattr(book, name)
        if value is not None and value < 0:
            say(findings, "book-number", f"{where}{name}", f"{value} is negative")
    if number := book.never_fit(USUAL_TOKENS):
        message = f"{number} of {len(book.entries)} entries can never fit: {USUAL_TOKENS:,}"
        hint = "divide them, or set chat.context_tokens"
        say(findings, "entries-large", f"{where}entries", f"{message} tokens are usual", hint)
    ids: set[str] = set()
    clock = PatternTime()
    for index, entry in enumerate(book.entries):
        here = f"{where}entries[{index}]"
        lint_fields(entry.raw, ENTRY_FIELDS, version, f"{here}.", findings)
        _Entry(entry, version, here, findings, clock).check(ids)
    if clock.unread:
        message = f"{clock.unread} patterns are not checked: there are too many before them"
        say(
            findings, "patterns-many", f"{where}entries", message, "write words where words will do"
        )


class _Entry:
    def __init__(
        self, entry: LoreEntry, version: int, path: str, findings: Findings, clock: PatternTime
    ) -> None:
        self._clock = clock
        self._entry = entry
        self._version = version
        self._path = path
        self._findings = findings

    def check(self, ids: set[str]) -> None:
        self._id(ids)
        position = self._entry.raw.get("position")
        if isinstance(position, str) and position not in _POSITIONS:
            self._note("entry-position", "position", f"{shown(position)} is neither of the two")
        decorated = self._entry.decorated
        self._activation(decorated)
        self._keys()
        self._decorators(decorated)
        for macro in unknown_macros(decorated.text):
            self._note("macro-unknown", "content", f"{macro!r} stays as it is", "write it out")
        for wish in unheard_wishes(self._entry):
            self._note("entry-wish", "", f"offbook does not follow this wholly: {wish}")

    def _note(self, code: str, name: str, message: str, mend: str = "") -> None:
        path = f"{self._path}.{name}" if name else self._path
        say(self._findings, code, path, message, mend)

    def _id(self, ids: set[str]) -> None:
        identity = self._entry.id
        if identity is None:
            return
        if str(identity) in ids:
            self._note("entry-id-twice", "id", f"{identity!r} is the id of another entry too")
        ids.add(str(identity))
        if self._version < 3 and not fits(identity, "number"):
            self._note("entry-id-type", "id", f"{shown(identity)} is no number")

    def _activation(self, decorated: Decorated) -> None:
        entry = self._entry
        keys = [*entry.keys, *decorated.names("additional_keys")]
        free = entry.constant or decorated.has("activate")
        if entry.enabled and not free and not any(key.strip() for key in keys):
            self._note("entry-never", "keys", "it has no keys and is not constant", "add a key")
        if entry.enabled and not decorated.text.strip():
            self._note("entry-empty", "content", "its content is empty")
        if entry.selective and not entry.secondary_keys and entry.raw.get("use_regex") is not True:
            # World Info files have ``selective`` everywhere, and mean nothing by it.
            self._note("entry-selective", "secondary_keys", "selective, and no secondary keys")

    def _keys(self) -> None:
        entry = self._entry
        for name in ("keys", "secondary_keys"):
            for index, key in enumerate(getattr(entry, name)):
                self._key(key, f"{name}[{index}]")

    def _key(self, key: str, path: str) -> None:
        if not key.strip():
            self._note("key-empty", path, "it is empty", "take it out")
            return
        if "{{" in key:
            self._note("macro-in-key", path, f"{shown(key)} is looked for with its macros replaced")
        world_info = "selectiveLogic" in self._entry.extensions
        if self._entry.use_regex and (is_delimited(key) or not world_info):
            self._pattern(key, path)

    def _pattern(self, key: str, path: str) -> None:
        unread = self._clock.unread
        try:
            self._clock.read(key, ignore_case=False)
        except PatternRefused as error:
            if self._clock.unread == unread:
                self._note("key-pattern", path, f"{shown(key)} is never found: {error}")

    def _decorators(self, decorated: Decorated) -> None:
        if decorated.lines and self._version < 3:
            names = ", ".join(f"@@{line.name}" for line in decorated.lines[:5])
            self._note("decorator-v2", "content", f"{names} in a V{self._version} card")
        if decorated.lines and decorated.lines[0].level > 2:
            self._note("decorator-fallback", "content", "it begins with a fallback")
        if any(line.level > _DEEPEST for line in decorated.lines):
            self._note("decorator-deep", "content", "fallbacks are nested too deep")
        for line, _ in decorated.unused:
            trouble = argument_trouble(line)
            if line.name not in DECORATORS:
                self._note("decorator-unknown", "content", f"@@{line.name[:40]} is not known")
            elif trouble is not None:
                self._note("decorator-value", "content", f"@@{line.name}: {trouble}")
            else:
                self._note("decorator-unused", "content", f"@@{line.name} does not count")


def lint(card: Card | Mapping[str, Any]) -> tuple[Finding, ...]:
    """Every rule that ``card`` breaks.

    A raw object is looked at as it is; a card that ``read_card`` gave is mended already, and what
    was mended is in its ``warnings``.
    """
    subject = card if isinstance(card, Card) else Card(dict(card))
    return _Lint(subject).run()


class _Lint:
    def __init__(self, card: Card) -> None:
        self._card = card
        self._version: Version = card.version
        self._where = "data." if card.version > 1 else ""
        self._findings = Findings(2_000)

    def run(self) -> tuple[Finding, ...]:
        self._root()
        lint_fields(self._card.data, CARD_FIELDS, self._version, self._where, self._findings)
        self._names()
        self._texts()
        self._extensions()
        self._unknown_fields()
        book = self._card.book
        if book is not None and self._version > 1:
            lint_book_fields(book, self._version, f"{self._where}character_book", self._findings)
        if self._version == 3:
            self._third()
            lint_assets(self._card, self._findings)
        return self._findings.all()

    def _say(self, code: str, path: str, message: str, mend: str = "") -> None:
        say(self._findings, code, path, message, mend)

    def _root(self) -> None:
        raw, version = self._card.raw, self._version
        if version == 1:
            if spec_number(raw.get("spec")) not in (None, 1):
                self._say("data-missing", "data", f"{raw['spec']!r} without 'data'", "add 'data'")
            return
        number = spec_number(raw.get("spec"))
        if number is None or number < 2:
            self._say("spec", "spec", f"{shown(raw.get('spec'))}", f"write {SPECS[version]!r}")
        elif number > 3:
            self._say("spec-newer", "spec", f"{raw['spec']!r} is newer than V3")
        stated = spec_version_number(raw.get("spec_version"))
        if not isinstance(raw.get("spec_version"), str) or stated is None:
            value = shown(raw.get("spec_version"))
            self._say("spec-version", "spec_version", value, f"write '{version}.0'")
        elif stated != version:
            severity = "spec-newer" if stated > version else "spec-version"
            self._say(severity, "spec_version", f"{raw['spec_version']!r} in a V{version} card")
        for name in CARD_FIELDS:
            twice = name in raw and name in self._card.data
            if twice and not same(raw[name], self._card.data[name]):
                self._say("field-twice", name, f"{name!r} differs from data.{name}")

    def _names(self) -> None:
        if not self._card.name.strip():
            self._say("name-empty", f"{self._where}name", "the name is empty", "give it a name")
        tags = [tag.casefold() for tag in self._card.tags]
        for tag in sorted({tag for tag in tags if tags.count(tag) > 1} if len(tags) < 500 else ()):
            self._say("tag-twice", f"{self._where}tags", f"{shown(tag)} is there more than once")

    def _texts(self) -> None:
        for name, text in self._prompted(self._card.data):
            self._text(name, f"{self._where}{name}", text)
        examples, path = self._card.mes_example, f"{self._where}mes_example"
        if examples.strip() and not _START.match(examples):
            self._say("example-start", path, "it does not begin with <START>", "put <START> there")
        if examples.strip() and not _SPOKEN.search(examples):
            self._say("example-speaker", path, "no line begins with {{user}}: or {{char}}:")
        if not self._card.first_mes.strip():
            self._say("greeting-empty", f"{self._where}first_mes", "there is no first message")

    def _text(self, name: str, path: str, text: str) -> None:
        for macro in unknown_macros(text):
            self._say("macro-unknown", path, f"{macro!r} stays as it is", "write it out")
        if name not in _WITH_ORIGINAL and _ORIGINAL.search(text):
            self._say("macro-original", path, "{{original}} means nothing here")
        if text.count("{{") != text.count("}}"):
            self._say("macro-open", path, "'{{' and '}}' are not pairs")
        looked_at = text[:_LOOKED_AT]
        if _ACTIVE.search(looked_at):
            self._say("html-active", path, "it holds a script, or what runs one")
        elif _MARKUP.search(looked_at):
            self._say("html", path, "it holds HTML", "clients show it in different ways")

    @staticmethod
    def _prompted(data: Json) -> Iterator[tuple[str, str]]:
        for name in _PROMPTED:
            if isinstance(data.get(name), str):
                yield name, data[name]
        for name in _TEXT_LISTS:
            texts = data.get(name)
            for index, text in enumerate(texts if isinstance(texts, list) else ()):
                if isinstance(text, str):
                    yield f"{name}[{index}]", text

    def _extensions(self) -> None:
        for name, value in self._card.extensions.items():
            spaced = "/" in name or isinstance(value, dict) or name in _KNOWN_EXTENSIONS
            if not spaced:
                path = f"{self._where}extensions.{name}"
                self._say("extension-name", path, f"{shown(name)} has no namespace", "app/key")

    def _unknown_fields(self) -> None:
        if self._version == 1:
            return
        for name in self._card.data:
            field = CARD_FIELDS.get(name)
            if field is None or field.since > self._version:
                what = "is no field" if field is None else f"is a field of V{field.since}"
                path = f"{self._where}{name}"
                self._say("field-unknown", path, f"{shown(name)} {what}", "put it in extensions")

    def _third(self) -> None:
        data = self._card.data
        notes = data.get("creator_notes_multilingual")
        for language, text in notes.items() if isinstance(notes, dict) else ():
            path = f"data.creator_notes_multilingual.{language}"
            if not _LANGUAGE.fullmatch(language):
                self._say("language", path, f"{shown(language)} is no code of ISO 639-1")
            if not isinstance(text, str):
                self._say("field-type", path, f"{shown(text)} is no text")
        created, changed = data.get("creation_date"), data.get("modification_date")
        for name, value in (("creation_date", created), ("modification_date", changed)):
            if isinstance(value, int) and not 0 <= value < 100_000_000_000:
                hint = "count seconds since 1970, not milliseconds"
                self._say("date", f"data.{name}", f"{value} is no time in seconds", hint)
        if isinstance(created, int) and isinstance(changed, int) and 0 < changed < created:
            self._say("date", "data.modification_date", "it lies before creation_date")


def lint_lorebook(book: Lorebook, version: Version = 3) -> tuple[Finding, ...]:
    """Every rule that a lorebook by itself breaks."""
    findings = Findings(2_000)
    lint_book_fields(book, version, "", findings)
    return findings.all()
