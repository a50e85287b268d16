"""From a raw value to a card: which version it is, and every known field of its right type.

Takes: what a container held.  Gives: a ``Card`` and warnings, or an error that says what the value
is instead of a card. Source: the V1, V2 and V3 specifications, and what real cards look like.
"""

from __future__ import annotations

from typing import Any, Final

from offbook.cards.card import (
    SPECS,
    V1_FIELDS,
    Card,
    spec_number,
    spec_version_number,
    version_of,
)
from offbook.cards.chatlog import foreign_chat
from offbook.cards.fields import CARD_FIELDS, keep_unread, mend_fields
from offbook.cards.findings import Findings, shown
from offbook.cards.foreign_cards import foreign_card
from offbook.cards.lorebook import mend_book
from offbook.cards.lorebook_formats import from_world_info, is_world_info
from offbook.cards.raw_json import Json, same, text_of
from offbook.cards.sources import CardLimits
from offbook.errors import UnreadableCard

_NEWEST: Final = 3.0
_UNNAMED: Final = "Unnamed"
_TOLD_IN_CARDS: Final = ("description", "personality", "first_mes", "mes_example")
_OF_CARDS_ALONE: Final = ("personality", "scenario", "first_mes", "mes_example")
_BESIDE: Final = frozenset(
    (*V1_FIELDS, "spec", "spec_version", "avatar", "chat", "create_date", "talkativeness", "fav",
     "creatorcomment", "tags", "extensions", "character_book", "metadata")
)  # fmt: skip
"""What stands beside a name and a description in a card that says no more."""
_OF_CHATS: Final = "a chat log becomes memories: offbook remember NAME FILE"


def mend_card(raw: Any, stem: str, findings: Findings, limits: CardLimits) -> Card:
    """The card in ``raw``, which is changed in its place.

    A nameless character is called as ``stem``: the name of the file without its ending.

    Raises:
        UnreadableCard: it is something else than a card.
    """
    require_card(raw)
    if isinstance(raw, list):
        findings.warn("card-list", "", "the card stands in a list of its own")
        raw = raw[0]
    foreign = foreign_card(raw)
    if foreign is not None:
        findings.warn(
            "card-foreign", "", f"the character is in the format {foreign[0]}; it is read as V2"
        )
        raw = foreign[1]
    _spec(raw, findings)
    card = Card(raw)
    where = "data" if card.version > 1 else ""
    mend_fields(card.data, CARD_FIELDS, card.version, where, findings)
    _book(card, findings, limits)
    _duplicates(card, findings)
    _name(card, stem, findings)
    return card


def require_card(raw: Any) -> None:
    """Refuse what is something else than a card.

    Raises:
        UnreadableCard: what it is instead.
    """
    if isinstance(raw, list) and len(raw) == 1:
        raw = raw[0]
    if not isinstance(raw, dict):
        mend = _OF_CHATS if _is_chat(raw) else "a card is an object"
        raise UnreadableCard(f"the JSON is {shown(raw)} and no card", mend)
    if foreign_card(raw) is not None:
        return
    if _is_chat(raw):
        raise UnreadableCard("the file is a chat log and no card", _OF_CHATS)
    if raw.get("spec") == "lorebook_v3" or ("entries" in raw and "data" not in raw):
        raise UnreadableCard("the file is a lorebook and no card", "read it as a lorebook")
    if not isinstance(raw.get("data"), dict) and not _is_first_version(raw):
        some = ", ".join(repr(key[:20]) for key in list(raw)[:5])
        raise UnreadableCard(
            f"the JSON has none of the fields of a card alone; it has {some or 'none at all'}",
            "is it a chat log, a preset or a lorebook?",
        )


def _is_first_version(raw: Json) -> bool:
    """Whether a flat object is a card: many kinds of files have a name and a description."""
    if any(isinstance(raw.get(name), str) for name in _OF_CARDS_ALONE):
        return True
    return any(name in raw for name in V1_FIELDS) and raw.keys() <= _BESIDE


def _is_chat(raw: Any) -> bool:
    """Whether a value is a chat log, or the lines of one; those may have a character's name."""
    if isinstance(raw, list):
        return any(isinstance(item, dict) and "mes" in item for item in raw)
    if not isinstance(raw, dict):
        return False
    if isinstance(raw.get("data"), dict) or any(raw.get(name) for name in _TOLD_IN_CARDS):
        return False
    chat = foreign_chat(raw)
    # Agnai writes a scenario beside the messages of a chat; beside a list of none it is a card's.
    return chat is not None and not (raw.get("scenario") and not chat[1])


def _spec(raw: Json, findings: Findings) -> None:
    """Warn of specifications that are not known; a card is never refused for its version."""
    data, spec = raw.get("data"), raw.get("spec")
    number = spec_number(spec)
    if number is not None and number > 1 and not isinstance(data, dict):
        if data is not None:
            keep_unread(raw, {"data": data})
        raw["data"] = {name: raw[name] for name in CARD_FIELDS if name in raw}
        findings.warn(
            "card-data",
            "data",
            f"{spec} without an object 'data'; the fields of its root are read",
            "put the fields under 'data'",
        )
        data = raw["data"]
    if not isinstance(data, dict):
        return
    if number is None:
        findings.warn(
            "spec-unknown",
            "spec",
            f"{shown(spec)} is no known spec; it is read as V{version_of(raw)}",
            f"write {SPECS[version_of(raw)]!r}",
        )
    elif number > _NEWEST or number < 2:
        findings.warn("spec-unknown", "spec", f"{spec!r} is read as V{version_of(raw)}")
    _spec_version(raw, findings)


def _spec_version(raw: Json, findings: Findings) -> None:
    version, value = version_of(raw), raw.get("spec_version")
    number = spec_version_number(value)
    if number is None:
        findings.warn(
            "spec-version", "spec_version", f"{shown(value)} is no version", f"write '{version}.0'"
        )
    elif number > version:
        findings.warn(
            "spec-newer",
            "spec_version",
            f"the card is of version {shown(value)}, newer than {version}.0; it is read as far as "
            "it is understood, and the rest is kept",
        )


def _book(card: Card, findings: Findings, limits: CardLimits) -> None:
    if "character_book" not in card.data:
        return
    # V1 has no lorebook; where one stands there all the same, it is read as V2 has it.
    version = max(2, card.version)
    raw = card.data["character_book"]
    where = "data.character_book" if card.version > 1 else "character_book"
    if raw is None:
        return
    if isinstance(raw, list):
        findings.warn("book-entries", where, "the lorebook is a bare list of entries")
        raw = card.data["character_book"] = {"entries": raw, "extensions": {}}
    if not isinstance(raw, dict):
        findings.warn("field-type", where, f"{shown(raw)} is no lorebook; it is kept unread")
        keep_unread(card.data, {"character_book": raw})
        del card.data["character_book"]
        return
    if raw.get("entries") and is_world_info(raw):
        findings.warn(
            "book-foreign", where, "the lorebook is a World Info file; it is read as a lorebook"
        )
        raw = card.data["character_book"] = from_world_info(raw)
    mend_book(raw, version, where, findings, limits)


def _duplicates(card: Card, findings: Findings) -> None:
    """Fields at the root and under ``data`` that differ: ``data`` wins, both stay."""
    if card.version == 1:
        return
    for name in CARD_FIELDS:
        if name in card.raw and name in card.data and not same(card.raw[name], card.data[name]):
            findings.warn(
                "field-twice",
                name,
                f"{name!r} stands at the root and under 'data', and they differ; 'data' counts",
                "take the one at the root out, unless old programs need it",
            )


def _name(card: Card, stem: str, findings: Findings) -> None:
    if card.name.strip():
        return
    name = (
        text_of(card.raw.get("name")).strip() or card.nickname.strip() or stem.strip() or _UNNAMED
    )
    card.name = name
    findings.warn(
        "name-empty",
        "data.name" if card.version > 1 else "name",
        f"the card has no name; {name!r} is taken for it",
        "say how the character is called",
    )
