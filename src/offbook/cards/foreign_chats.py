"""Chat logs of Ooba, Agnai and CAI Tools as messages in SillyTavern's shape.

Takes: a raw JSON value.  Gives: the format, and one raw message each; what SillyTavern has no place
for stays under ``extra``. Source: the importers of SillyTavern 1.12.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from typing import Any, Literal

from offbook.cards.residue import Json

ForeignChat = Literal["ooba", "agnai", "cai"]


def foreign_chat(raw: Any) -> tuple[ForeignChat, list[Json], int] | None:
    """Whose chat log it is, its messages, and how many items are none.

    None where the log is of none of these programs.
    """
    if not isinstance(raw, dict):
        return None
    visible = raw.get("data_visible", raw.get("visible"))
    histories = raw.get("histories")
    if isinstance(visible, list):
        return _counted("ooba", _ooba(visible))
    if isinstance(raw.get("messages"), list):
        return _counted("agnai", _agnai(raw))
    if isinstance(histories, dict) and isinstance(histories.get("histories"), list):
        return _counted("cai", _cai(histories["histories"]))
    return None


def _counted(
    name: ForeignChat, items: Iterator[Json | None]
) -> tuple[ForeignChat, list[Json], int]:
    found = list(items)
    messages = [item for item in found if item is not None]
    return name, messages, len(found) - len(messages)


def _message(name: str, text: str, is_user: bool, rest: Json) -> Json:
    extra = {"offbook/original": rest} if rest else {}
    made: Json = {"name": name, "is_user": is_user, "is_system": False, "mes": text}
    return {**made, "extra": extra}


def _ooba(pairs: list[Any]) -> Iterator[Json | None]:
    for pair in pairs:
        if not isinstance(pair, list):
            yield None
            continue
        for text, is_user in zip(pair[:2], (True, False), strict=False):
            if not isinstance(text, str):
                yield None
            elif text:
                # What Ooba shows is HTML.
                yield _message("User" if is_user else "Character", unescape(text), is_user, {})


def _agnai(raw: Json) -> Iterator[Json | None]:
    name = raw.get("name") if isinstance(raw.get("name"), str) else "Character"
    for item in raw["messages"]:
        if not isinstance(item, dict) or not isinstance(item.get("msg"), str):
            yield None
            continue
        is_user = bool(item.get("userId"))
        said_by = item.get("handle") or item.get("name")
        speaker = said_by if isinstance(said_by, str) else "User" if is_user else str(name)
        rest = {key: value for key, value in item.items() if key not in ("msg", "createdAt")}
        made = _message(speaker, item["msg"], is_user, rest)
        if "createdAt" in item:
            made["send_date"] = item["createdAt"]
        yield made


def _cai(histories: list[Any]) -> Iterator[Json | None]:
    for history in histories:
        messages = history.get("msgs") if isinstance(history, dict) else None
        for item in messages if isinstance(messages, list) else [None]:
            if not isinstance(item, dict) or not isinstance(item.get("text"), str):
                yield None
                continue
            source = item.get("src")
            source = source if isinstance(source, dict) else {}
            is_user = source.get("is_human") is True
            name = source.get("name")
            speaker = name if isinstance(name, str) else "User" if is_user else "Character"
            rest = {key: value for key, value in item.items() if key not in ("text", "created")}
            made = _message(speaker, item["text"], is_user, rest)
            if "created" in item:
                made["send_date"] = item["created"]
            yield made
