"""Characters of other programs as cards: Gradio, text-generation-webui, NovelAI, Backyard AI.

Takes: what one of them wrote, as a raw object or an archive.  Gives: a raw card; what has no place
in one is kept among its extensions. Source: the programs' own files; ahoylabs' specification of
the Backyard Archive Format (BYAF); SillyTavern's importers.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from offbook.cards.card import V1_FIELDS, root_of
from offbook.cards.fields import CARD_FIELDS, fill_required
from offbook.cards.findings import Findings
from offbook.cards.lorebook import empty_entry
from offbook.cards.lorebook_formats import from_foreign
from offbook.cards.raw_json import Json, list_of, object_of, text_of
from offbook.errors import UnreadableCard

MANIFEST: Final = "manifest.json"
_GRADIO: Final = {
    "char_name": "name",
    "char_persona": "description",
    "char_greeting": "first_mes",
    "example_dialogue": "mes_example",
    "world_scenario": "scenario",
}
_TEXTGEN: Final = {
    "name": "name",
    "context": "description",
    "greeting": "first_mes",
    "example_dialogue": "mes_example",
}
_NOVELAI: Final = {
    "title": "name",
    "author": "creator",
    "description": "scenario",
    "prompt": "first_mes",
    "tags": "tags",
}
_BYAF_MACROS: Final = (
    (re.compile(r"#?\{user\}(?!\})", re.IGNORECASE), "{{user}}"),
    (re.compile(r"#?\{character\}(?!\})", re.IGNORECASE), "{{char}}"),
)


def foreign_card(raw: Json) -> tuple[str, Json] | None:
    """The name of the format and the V2 card, where ``raw`` is a character of another program."""
    if "scenarioVersion" in raw or "storyContainerVersion" in raw:
        return "novelai", _novelai(raw)
    if "data" in raw or "spec" in raw:
        return None
    if "char_name" in raw or "char_persona" in raw:
        return "gradio", _translated(raw, _GRADIO, "offbook/gradio")
    cardlike = any(name in raw for name in V1_FIELDS if name != "name")
    if not cardlike and ("context" in raw or "greeting" in raw):
        return "textgen", _translated(raw, _TEXTGEN, "offbook/textgen")
    return None


def _translated(raw: Json, names: Mapping[str, str], kept_under: str, **more: Any) -> Json:
    data: Json = {ours: raw[theirs] for theirs, ours in names.items() if theirs in raw}
    rest = {key: value for key, value in raw.items() if key not in names}
    data["extensions"] = {kept_under: rest} if rest else {}
    data |= more
    fill_required(data, CARD_FIELDS, 2)
    return root_of(2, data)


def _novelai(raw: Json) -> Json:
    """A scenario, or a story: its memory describes, its author's note is a reminder."""
    content = object_of(raw.get("content"))
    flat = raw
    if "storyContainerVersion" in raw:
        story = object_of(content.get("story"))
        fragments = [object_of(each) for each in list_of(story.get("fragments"))]
        begun = fragments[0].get("data") if fragments else story.get("text")
        flat = {**raw, **content, **object_of(raw.get("metadata")), "prompt": text_of(begun)}
    parts = [text_of(object_of(each).get("text")) for each in list_of(flat.get("context"))]
    more: Json = {"description": parts[0] if parts else ""}
    if len(parts) > 1:
        more["post_history_instructions"] = parts[1]
    book = object_of(flat.get("lorebook"))
    if isinstance(book.get("entries"), list):
        more["character_book"] = from_foreign(book, "novelai")
    rest = {key: value for key, value in flat.items() if key not in ("lorebook", "content")}
    return _translated(rest, _NOVELAI, "offbook/novelai-scenario", **more)


def byaf_card(manifest: Json, read: Callable[[str], Any], findings: Findings) -> Json:
    """The V3 card in an archive of Backyard AI, of which ``read`` gives the JSON of a member.

    Raises:
        UnreadableCard: there is no character in it.
    """
    paths = [path for path in list_of(manifest.get("characters")) if isinstance(path, str)]
    if not paths:
        raise UnreadableCard(
            f"there is neither a card nor a character in the zip: its {MANIFEST} names none",
            "a CHARX has card.json at its root, a BYAF names its characters; is it another zip?",
        )
    if len(paths) > 1:
        findings.warn("byaf-several", "", f"of {len(paths)} characters the first is read")
    person = object_of(read(paths[0]))
    named = [path for path in list_of(manifest.get("scenarios")) if isinstance(path, str)]
    scenarios = [object_of(read(path)) for path in named]
    first = scenarios[0] if scenarios else {}
    if said := sum(len(list_of(scenario.get("messages"))) for scenario in scenarios):
        findings.warn("byaf-chats", "", f"{said} messages of conversations are not read")
    if len(scenarios) > 1:
        findings.warn("byaf-scenarios", "", "of further scenarios only the greetings are read")
    author = object_of(manifest.get("author"))
    greetings = list(filter(None, map(_greeting, scenarios)))
    name = text_of(person.get("displayName")) or text_of(person.get("name"))
    data: Json = {
        "name": name,
        "nickname": text_of(person.get("name")),
        "description": _macros(person.get("persona")),
        "scenario": _macros(first.get("narrative")),
        "first_mes": _greeting(first),
        "alternate_greetings": greetings[1:] if _greeting(first) else greetings,
        "mes_example": "\n".join(f"<START>\n{text}" for text in _examples(first)),
        "system_prompt": _macros(first.get("formattingInstructions")),
        "creator": text_of(author.get("name")),
        "creator_notes": text_of(author.get("backyardURL")),
        "assets": list(_images(person, posixpath.dirname(paths[0]))),
        "extensions": {},
    }
    if items := [object_of(item) for item in list_of(person.get("loreItems"))]:
        entries = [_entry(number, item) for number, item in enumerate(items)]
        data["character_book"] = {"extensions": {}, "entries": entries}
    fill_required(data, CARD_FIELDS, 3)
    return root_of(3, data)


def _macros(value: Any) -> str:
    text = text_of(value)
    for pattern, macro in _BYAF_MACROS:
        text = pattern.sub(macro, text)
    return text


def _greeting(scenario: Json) -> str:
    messages = list_of(scenario.get("firstMessages"))
    return _macros(object_of(messages[0]).get("text")) if messages else ""


def _examples(scenario: Json) -> Iterator[str]:
    for message in list_of(scenario.get("exampleMessages")):
        if text := _macros(object_of(message).get("text")):
            yield text


def _entry(number: int, item: Json) -> Json:
    keys = [key.strip() for key in _macros(item.get("key")).split(",") if key.strip()]
    return empty_entry(keys=keys, content=_macros(item.get("value")), insertion_order=number)


def _images(person: Json, folder: str) -> Iterator[Json]:
    paths = [object_of(image).get("path") for image in list_of(person.get("images"))]
    for number, path in enumerate(path for path in paths if isinstance(path, str)):
        place = posixpath.join(folder, path)
        ending = posixpath.splitext(path)[1].lstrip(".").lower() or "png"
        name = "main" if number == 0 else posixpath.basename(path)
        yield {"type": "icon", "uri": f"embeded://{place}", "name": name, "ext": ending}
