"""Cards from one version of the specification to another.

Takes: a card and a version.  Gives: a card of that version, and a finding for everything that its
readers will not see. Source: V2 and V3 specifications; SillyTavern's fields of V1 cards.

What V2 has no place for is kept under ``extensions["offbook/v3"]``, and comes back with V3; what V1
has no place for is lost, and said to be.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Final

from offbook.cards.card import V1_FIELDS, Card, Version, root_of
from offbook.cards.fields import CARD_FIELDS, ENTRY_FIELDS, fill_required, mended
from offbook.cards.findings import Findings, shown
from offbook.cards.lorebook import LoreEntry
from offbook.cards.raw_json import Json, extension_of, object_of, residue, restore, same
from offbook.types import Finding

KEPT_V3: Final = "offbook/v3"
KEPT_V1: Final = "offbook/v1"
BACKFILL_NOTE: Final = (
    "[This is a Character Card V3 in the older form V2: a program that reads V3 shows more of it.]"
)
_V3_ONLY: Final = tuple(name for name, field in CARD_FIELDS.items() if field.since == 3)
_V1_EXTENSIONS: Final = ("talkativeness", "fav")
_NOTE: Final = ("prompt", "depth", "role")


@dataclass(frozen=True, slots=True)
class Converted:
    """A card of the wanted version, and what its readers will not see."""

    card: Card
    losses: tuple[Finding, ...]


def convert(card: Card, version: Version) -> Converted:
    """``card`` as a card of ``version``; the original is left alone."""
    losses = Findings()
    made = card.copy()
    while made.version < version:
        made = _v1_to_v2(made) if made.version == 1 else _v2_to_v3(made)
    while made.version > version:
        made = _v3_to_v2(made, losses) if made.version == 3 else _v2_to_v1(made, losses)
    return Converted(made, losses.all())


def completed(card: Card) -> Card:
    """A copy of ``card`` with every required field of its version, as a writer needs it."""
    made = card.copy()
    fill_required(made.data, CARD_FIELDS, made.version)
    if made.book is not None:
        for name, empty in (("extensions", {}), ("entries", [])):
            if made.book.raw.get(name) is None:
                made.book.raw[name] = empty
        for entry in made.book.entries:
            fill_required(entry.raw, ENTRY_FIELDS, made.version)
    return made


def backfill(card: Card) -> Card:
    """The V2 card that goes beside a V3 card into a picture, with a note where V3 says more."""
    made = convert(card, 2)
    if made.losses:
        notes = made.card.creator_notes
        made.card.creator_notes = f"{BACKFILL_NOTE}\n\n{notes}" if notes else BACKFILL_NOTE
    return made.card


def _extended(data: Json, name: str, value: Json) -> None:
    """Put ``value`` under a name of its own among the extensions, or take it out if empty."""
    extensions = object_of(data.get("extensions"))
    if value:
        data["extensions"] = {**extensions, name: value}
    elif name in extensions:
        data["extensions"] = {key: item for key, item in extensions.items() if key != name}


def _v1_to_v2(card: Card) -> Card:
    """The fields move under ``data``; those that SillyTavern adds go where V2 has them."""
    flat = card.raw
    data: Json = {name: flat.get(name, "") for name in V1_FIELDS}
    taken = set(V1_FIELDS)
    data["extensions"] = dict(object_of(flat.get("extensions")))
    if isinstance(flat.get("creatorcomment"), str):
        data["creator_notes"] = flat["creatorcomment"]
        taken.add("creatorcomment")
    tags = mended(flat.get("tags"), "texts", "tags") if "tags" in flat else None
    if tags is not None:
        data["tags"] = tags
        taken.add("tags")
    for name in _V1_EXTENSIONS:
        if name in flat and name not in data["extensions"]:
            data["extensions"][name] = flat[name]
            taken.add(name)
    if isinstance(flat.get("depth_prompt_prompt"), str):
        data["extensions"]["depth_prompt"] = {
            "prompt": flat["depth_prompt_prompt"],
            "depth": flat.get("depth_prompt_depth", 4),
            "role": flat.get("depth_prompt_role", "system"),
        }
    book = flat.get("character_book")
    if isinstance(book, dict):
        data["character_book"] = copy.deepcopy(book)
        taken.add("character_book")
    fill_required(data, CARD_FIELDS, 2)
    rest = {
        key: copy.deepcopy(value)
        for key, value in flat.items()
        if key not in taken and key not in ("spec", "spec_version", "data", "extensions")
    }
    made = Card(root_of(2, data, rest))
    with_book: Json = {"character_book": book} if isinstance(book, dict) else {}
    left_over = residue(flat, _flat(made) | with_book)
    _extended(data, KEPT_V1, left_over | ({"book": True} if with_book else {}))
    return made


def _v2_to_v1(card: Card, losses: Findings) -> Card:
    flat = _flat(card)
    left_over = extension_of(card.data, KEPT_V1)
    carried = {*V1_FIELDS, "creator_notes", "tags"}
    if left_over.get("book") is True and "character_book" in card.data:
        flat["character_book"] = copy.deepcopy(card.data["character_book"])
        carried.add("character_book")
    for name, value in card.data.items():
        if name in carried or value in ("", [], {}, None):
            continue
        if name == "extensions" and set(value) <= {*_V1_EXTENSIONS, KEPT_V1, *_note_of(card)}:
            continue
        losses.warn(
            "lost-in-v1",
            f"data.{name}",
            f"V1 has no place for {name}: {shown(value)} is left out",
            "write the card as V2 or V3",
        )
    return Card(restore(flat, left_over))


def _flat(card: Card) -> Json:
    """The root of a V1 card made from a V2 card."""
    data = card.data
    flat: Json = {name: copy.deepcopy(data.get(name, "")) for name in V1_FIELDS}
    if data.get("creator_notes"):
        flat["creatorcomment"] = data["creator_notes"]
    if data.get("tags"):
        flat["tags"] = list(data["tags"])
    for name in _V1_EXTENSIONS:
        if name in card.extensions:
            flat[name] = copy.deepcopy(card.extensions[name])
    for note in _note_of(card).values():
        flat |= {f"depth_prompt_{name}": note[name] for name in _NOTE if name in note}
    for key, value in card.raw.items():
        if key not in ("spec", "spec_version", "data"):
            flat.setdefault(key, copy.deepcopy(value))
    return flat


def _note_of(card: Card) -> Json:
    """SillyTavern's note at a depth of the chat by its name, where V1 has a place for all of it."""
    note = card.extensions.get("depth_prompt")
    if not isinstance(note, dict) or not isinstance(note.get("prompt"), str):
        return {}
    return {"depth_prompt": note} if set(note) <= {*_NOTE} else {}


def _v2_to_v3(card: Card) -> Card:
    data = card.data
    left_over = extension_of(data, KEPT_V3)
    head = left_over.get("root")
    _extended(data, KEPT_V3, {})
    data = restore(data, left_over)
    notes = data.get("creator_notes", "")
    if isinstance(notes, str) and notes.startswith(BACKFILL_NOTE):
        notes = notes.removeprefix(BACKFILL_NOTE).lstrip("\n")
    data["creator_notes"] = notes
    fill_required(data, CARD_FIELDS, 3)
    made = Card(root_of(3, data, _rest(card.raw)))
    if isinstance(head, dict):
        made.raw.update(head)
    for entry in made.book.entries if made.book else ():
        entry_kept = extension_of(entry.raw, KEPT_V3)
        _extended(entry.raw, KEPT_V3, {})
        restored = restore(entry.raw, entry_kept)
        entry.raw.clear()
        entry.raw.update(restored)
        fill_required(entry.raw, ENTRY_FIELDS, 3)
    return made


def _rest(raw: Json) -> Json:
    return {key: value for key, value in raw.items() if key not in ("spec", "spec_version", "data")}


def _v3_to_v2(card: Card, losses: Findings) -> Card:
    original = card.data
    data = {name: value for name, value in original.items() if name not in _V3_ONLY}
    only = {name: original[name] for name in _V3_ONLY if name in original}
    if same(only.get("group_only_greetings"), []):
        del only["group_only_greetings"]  # every V3 card has it, and gets it again
    left_over = {"only": only}
    for name, value in left_over["only"].items():
        if value not in ("", [], {}, None):
            losses.warn(
                "unseen-in-v2",
                f"data.{name}",
                f"V2 does not know {name}: {shown(value)} is kept among the extensions, where its "
                "readers do not look",
                "write the card as V3 as well",
            )
    head = {
        key: card.raw[key]
        for key, plain in (("spec", "chara_card_v3"), ("spec_version", "3.0"))
        if card.raw.get(key, plain) != plain
    }
    if head:
        left_over["root"] = head
    for index, entry in enumerate(card.book.entries if card.book else ()):
        if entry.raw.get("use_regex") is False:
            del entry.raw["use_regex"]  # so is it with this
        _drop_decorators(entry, f"data.character_book.entries[{index}]", losses)
    _extended(data, KEPT_V3, {key: part for key, part in left_over.items() if part})
    return Card(root_of(2, data, _rest(card.raw)))


def _drop_decorators(entry: LoreEntry, path: str, losses: Findings) -> None:
    decorated = entry.decorated
    if entry.use_regex:
        losses.warn(
            "unseen-in-v2",
            f"{path}.use_regex",
            f"V2 does not know keys that are patterns: {shown(list(entry.keys))} is read as words",
            "add plain words to the keys",
        )
    if not decorated.lines:
        return
    original = {"content": entry.content}
    entry.content = decorated.text
    _extended(entry.raw, KEPT_V3, residue(original, {"content": decorated.text}))
    names = ", ".join(f"@@{line.name}" for line in decorated.lines)
    losses.warn(
        "unseen-in-v2",
        f"{path}.content",
        f"V2 does not know decorators; {names} of {shown(entry.title)} are left out",
        "write the card as V3 as well",
    )
