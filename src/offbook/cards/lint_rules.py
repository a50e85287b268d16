"""The rules that the linter checks, by their codes.

Takes: nothing.  Gives: ``RULES``: of each rule how severe it is, what it says, and where from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from offbook.cards.findings import Severity


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
