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
from typing import Any, Final

from offbook.cards.card import (
    SPECS,
    V1_FIELDS,
    Card,
    Version,
    spec_number,
    spec_version_number,
)
from offbook.cards.fields import CARD_FIELDS
from offbook.cards.findings import Finding, Findings, shown
from offbook.cards.lint_assets import lint_assets
from offbook.cards.lint_fields import lint_fields, say
from offbook.cards.lint_lorebook import lint_book_fields
from offbook.cards.lorebook import Lorebook
from offbook.cards.macros import unknown_macros
from offbook.cards.residue import Json, same

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
_LOOKED_AT: Final = 500_000  # characters of a text in which HTML is looked for
_LANGUAGE: Final = re.compile(r"[a-z]{2}")


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
            found = data.get(name)
            for index, text in enumerate(found if isinstance(found, list) else ()):
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
