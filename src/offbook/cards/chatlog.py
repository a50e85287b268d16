"""Chat logs: SillyTavern's JSON lines, and what Chub, Ooba, Agnai and CAI Tools export.

Takes: a path or bytes.  Gives: messages, each with the raw object that it was read from, and a log
in SillyTavern's shape again, unknown fields included.
Source: SillyTavern 1.12, ``src/endpoints/chats.js`` (its shape, and its importers).
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from offbook.cards.chat_dates import iso_time
from offbook.cards.findings import Finding, Findings
from offbook.cards.foreign_chats import foreign_chat
from offbook.cards.lenient_json import decode_text, parse_json, write_json
from offbook.cards.limits import DEFAULT_LIMITS, CardLimits
from offbook.cards.residue import Json
from offbook.cards.sources import opened, read_whole
from offbook.errors import UnreadableCard

ChatFormat = Literal["sillytavern", "chub", "ooba", "agnai", "cai"]
_BLANK: Final = b" \t\r\n"
_PIECE_BYTES: Final = 1 << 20


@dataclass(slots=True, eq=False)
class ChatMessage:
    """One message; ``raw`` is the object of its line in SillyTavern's shape."""

    raw: Json

    @property
    def name(self) -> str:
        """Who says it."""
        return _text(self.raw.get("name"))

    @property
    def text(self) -> str:
        """What is said: the swipe that is shown."""
        said = self.raw.get("mes")
        if isinstance(said, str | dict):
            return _message_text(said)
        chosen = self._swipe
        return "" if chosen is None else self.swipes[chosen]

    @property
    def _swipe(self) -> int | None:
        """Which of the swipes is shown; None where there are none."""
        chosen = self.raw.get("swipe_id")
        if not isinstance(chosen, int) or isinstance(chosen, bool):
            return None
        return chosen if 0 <= chosen < len(self.swipes) else None

    @property
    def is_user(self) -> bool:
        """Whether the person says it."""
        return _is_set(self.raw.get("is_user"))

    @property
    def hidden(self) -> bool:
        """Whether it is left out of prompts (``is_system``)."""
        return _is_set(self.raw.get("is_system"))

    @property
    def told(self) -> bool:
        """Whether a narrator says it, who is neither the person nor a character."""
        extra = self.raw.get("extra")
        return isinstance(extra, dict) and extra.get("type") == "narrator"

    @property
    def at(self) -> str | None:
        """When it was said, ISO 8601: where the message has no time, the swipe that is shown."""
        said, infos, chosen = self.raw.get("send_date"), self.raw.get("swipe_info"), self._swipe
        if said is None and isinstance(infos, list) and chosen is not None and chosen < len(infos):
            info = infos[chosen] if isinstance(infos[chosen], dict) else {}
            return iso_time(info.get("send_date")) or iso_time(info.get("gen_finished"))
        return iso_time(said)

    @property
    def swipes(self) -> tuple[str, ...]:
        """All versions of the message."""
        found = self.raw.get("swipes")
        return tuple(_message_text(item) for item in found) if isinstance(found, list) else ()


@dataclass(slots=True)
class ChatLog:
    """A conversation.

    ``header`` is the raw object of the first line, None where the file has none.
    """

    messages: list[ChatMessage]
    header: Json | None = None
    source_format: ChatFormat = "sillytavern"
    warnings: tuple[Finding, ...] = ()

    @property
    def character_name(self) -> str:
        """The character's name, as header or messages have it."""
        named = _text((self.header or {}).get("character_name"))
        if named and named != "unused":
            return named
        said = (message.name for message in self.messages if not message.is_user)
        return next((name for name in said if name), "")

    @property
    def user_name(self) -> str:
        """The person's name, as header or messages have it."""
        named = _text((self.header or {}).get("user_name"))
        if named and named != "unused":
            return named
        said = (message.name for message in self.messages if message.is_user)
        return next((name for name in said if name), "")


def _is_set(value: Any) -> bool:
    """Whether a flag is set: true, or as other writers have it, 1 or a text."""
    return value in (True, "true", "True")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _message_text(value: Any) -> str:
    """A message; Chub wraps it in an object."""
    if isinstance(value, dict):
        return _text(value.get("message"))
    return _text(value)


def read_chatlog(source: Path | str | bytes, limits: CardLimits = DEFAULT_LIMITS) -> ChatLog:
    """Read a chat log.

    A line that cannot be read is left out with a warning, as SillyTavern leaves it out.

    Raises:
        UnreadableCard: there is no chat in it, or it is beyond the limits.
    """
    path = Path(source) if isinstance(source, str) else source
    findings = Findings(limits.findings)
    with opened(path, limits) as raw:
        file = _as_utf8(raw, findings, limits)
        whole = _as_one_object(file, limits)
        if whole is not None:
            log = _foreign(parse_json(decode_text(whole, findings), findings, limits), findings)
        else:
            log = _from_lines(file, findings, limits)
    if not log.messages:
        raise UnreadableCard("there is no message in the chat log", "is it another kind of file?")
    log.warnings = findings.all()
    return log


def _as_utf8(file: BinaryIO, findings: Findings, limits: CardLimits) -> BinaryIO:
    """The file; one in UTF-16 or UTF-32 is decoded, since its lines do not end in a byte."""
    head = file.read(4)
    file.seek(0)
    if b"\0" not in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return file
    data = read_whole(file, limits.card_bytes, "the chat log", "card_bytes")
    return io.BytesIO(decode_text(data, findings).encode("utf-8", "replace"))


def _as_one_object(file: BinaryIO, limits: CardLimits) -> bytes | None:
    """The file, where it is one JSON value and not a value a line."""
    head = file.read(4096).lstrip(b"\xef\xbb\xbf" + _BLANK)
    file.seek(0)
    first, newline, rest = head.partition(b"\n")
    lines = newline and first.rstrip().endswith(b"}") and rest.lstrip()[:1] in (b"{", b"")
    if head[:1] not in (b"{", b"[") or lines:
        return None
    if not newline and not _is_single_line(file):
        return None
    return read_whole(file, limits.card_bytes, "the chat log", "card_bytes")


def _is_single_line(file: BinaryIO) -> bool:
    """Whether a file with a long first line has no other."""
    while piece := file.read(_PIECE_BYTES):
        at = piece.find(b"\n")
        if at >= 0:
            rest = piece[at:].strip() or file.read(16).strip()
            file.seek(0)
            return not rest
    file.seek(0)
    return True


def _foreign(raw: Any, findings: Findings) -> ChatLog:
    if isinstance(raw, list) and all(isinstance(item, dict) for item in raw) and raw:
        return _collected(_numbered(raw), findings)  # a log that somebody made a list of
    if isinstance(raw, dict) and "mes" in raw:
        return _collected(_numbered([raw]), findings)
    found = foreign_chat(raw)
    if found is None:
        raise UnreadableCard(
            "the JSON is no chat log of a program that is known",
            "known: SillyTavern, Chub, Ooba, Agnai, CAI Tools; is it a card?",
        )
    format_, messages, left_out = found
    if left_out:
        findings.warn(
            "chat-message", "", f"{left_out} items are no messages; they are left out", ""
        )
    return ChatLog([ChatMessage(raw) for raw in messages], None, format_)


def _from_lines(file: BinaryIO, findings: Findings, limits: CardLimits) -> ChatLog:
    return _collected(_objects(file, findings, limits), findings)


def _objects(file: BinaryIO, findings: Findings, limits: CardLimits) -> Iterator[tuple[str, Json]]:
    """The objects of the lines that can be read, and where they stand."""
    # A line is never repaired: half a message is none.
    line_limits = replace(limits, repair_chars=0)
    values = count = length = 0
    number = 0
    while line := file.readline(limits.card_bytes + 1):
        number += 1
        if len(line) > limits.card_bytes:
            raise UnreadableCard(
                f"line {number} is longer than {limits.card_bytes} bytes (card_bytes)",
                "no message is that long; in Python CardLimits.card_bytes can be raised",
            )
        values += line.count(b",") + line.count(b"{") + line.count(b"[")
        count += 1
        length += len(line)
        if values > limits.chat_values or count > limits.messages or length > limits.chat_bytes:
            raise UnreadableCard(
                f"the chat log has more than {limits.messages} messages (messages), "
                f"{limits.chat_values} values (chat_values) or {limits.chat_bytes} bytes "
                "(chat_bytes)",
                "split it, or raise CardLimits in Python",
            )
        if line.strip(_BLANK + b"\0"):
            yield from _line(line, f"line {number}", findings, line_limits)


def _line(
    line: bytes, where: str, findings: Findings, limits: CardLimits
) -> Iterator[tuple[str, Json]]:
    unheard = Findings()
    try:
        value = parse_json(decode_text(line, unheard), unheard, limits)
    except UnreadableCard as error:
        findings.warn("chat-line", where, f"it is left out: {error.message}", error.hint)
        return
    for one in unheard:
        findings.add(one.severity, one.code, where, one.message, one.mend)
    if isinstance(value, dict):
        yield where, value
    else:
        findings.warn("chat-line", where, "it is left out: it is no object", "")


def _numbered(objects: list[Json]) -> Iterator[tuple[str, Json]]:
    return ((f"[{index}]", item) for index, item in enumerate(objects))


def _collected(objects: Iterator[tuple[str, Json]], findings: Findings) -> ChatLog:
    """Header and messages: what has no ``mes`` is a header, wherever it stands."""
    header: Json | None = None
    messages: list[ChatMessage] = []
    chub = False
    for where, raw in objects:
        if "mes" not in raw:
            if header is None and not messages:
                header = raw
            else:
                findings.warn("chat-line", where, "it has no message; it is left out")
            continue
        chub = chub or isinstance(raw["mes"], dict)
        message = ChatMessage(raw)
        if not isinstance(raw["mes"], str | dict):
            findings.warn("chat-message", where, "its message is no text", "")
        if raw.get("send_date") is not None and message.at is None:
            findings.warn("chat-date", where, f"{raw['send_date']!r:.40} is no time; it is kept")
        messages.append(message)
    return ChatLog(messages, header, "chub" if chub else "sillytavern")


def write_chatlog(log: ChatLog) -> bytes:
    """The log as SillyTavern's JSON lines; each message as it was read, unknown fields included."""
    header = log.header
    if header is None:
        header = {
            "user_name": log.user_name or "User",
            "character_name": log.character_name or "Character",
            "chat_metadata": {},
        }
    lines = [header, *(_plain(message.raw) for message in log.messages)]
    return b"\n".join(write_json(line) for line in lines) + b"\n"


def _plain(raw: Json) -> Json:
    """A message with texts where Chub has objects."""
    swipes = raw.get("swipes")
    wrapped = isinstance(swipes, list) and any(isinstance(item, dict) for item in swipes)
    if not isinstance(raw.get("mes"), dict) and not wrapped:
        return raw
    made = {**raw, "mes": ChatMessage(raw).text}
    if isinstance(swipes, list):
        made["swipes"] = [_message_text(item) for item in swipes]
    return made


def chatlog_from(
    turns: Sequence[tuple[str, str, str | None]], *, user: str, character: str
) -> ChatLog:
    """A log in SillyTavern's shape from turns: what was said, what was answered, and when.

    Where a text is empty there is no message: a greeting answers nothing.
    """
    messages: list[ChatMessage] = []
    for said, answered, at in turns:
        for name, text, is_user in ((user, said, True), (character, answered, False)):
            if not text:
                continue
            raw: Json = {"name": name, "is_user": is_user, "is_system": False}
            if at is not None:
                raw["send_date"] = at
            messages.append(ChatMessage({**raw, "mes": text, "extra": {}}))
    created: Any = next((at for _, _, at in turns if at), None)
    header: Json = {"user_name": user, "character_name": character}
    if created is not None:
        header["create_date"] = created
    return ChatLog(messages, {**header, "chat_metadata": {}})
