"""Chat logs of SillyTavern, Chub, Ooba, Agnai and CAI Tools: read, and written as SillyTavern does.

Takes: a file.  Gives: messages in SillyTavern's shape, each with the raw object that it was read
from, and their times in ISO 8601 (in UTC where the log says the zone); what SillyTavern has no
place for stays under ``extra``. Source: the importers of SillyTavern 1.12.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from offbook.cards.findings import Findings
from offbook.cards.lenient_json import decode_text, parse_json, write_json
from offbook.cards.macros import MONTHS
from offbook.cards.raw_json import Json, list_of, object_of, text_of
from offbook.cards.sources import DEFAULT_LIMITS, CardLimits, opened, read_whole
from offbook.errors import UnreadableCard
from offbook.foreign_files import ChatTurn
from offbook.types import Finding

_HUMAN: Final = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?"
)
_CLOCK: Final = (
    r",? (?:at )?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?: ?(?P<half>[ap]m))?"
)
_MONTH: Final = r"(?P<month>[A-Za-z]{3,9})"
_NAMED: Final = (
    re.compile(_MONTH + r" (?P<day>\d{1,2}), (?P<year>\d{4})" + _CLOCK, re.IGNORECASE),
    re.compile(r"(?P<day>\d{1,2})\.? " + _MONTH + r" (?P<year>\d{4})" + _CLOCK, re.IGNORECASE),
)
_MONTHS: Final = {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)}
_MILLISECONDS_FROM: Final = 100_000_000_000
ForeignChat = Literal["ooba", "agnai", "cai"]
ChatFormat = Literal["sillytavern", "chub", "ooba", "agnai", "cai"]
_BLANK: Final = b" \t\r\n"
_PIECE_BYTES: Final = 1 << 20


def iso_time(value: Any) -> str | None:
    """``value`` as an ISO 8601 time, or None."""
    try:
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return _since_1970(value)
        if isinstance(value, str):
            # Browsers put narrow and unbreakable blanks before "PM".
            return _from_text(" ".join(value[:64].split()))
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _since_1970(number: float) -> str | None:
    if number <= 0:
        return None
    seconds = number / 1000 if number >= _MILLISECONDS_FROM else number
    return _written(datetime.fromtimestamp(seconds, UTC))


def _from_text(text: str) -> str | None:
    if text.isascii() and text.isdigit():
        return _since_1970(int(text))
    if (human := _HUMAN.fullmatch(text)) is not None:
        year, month, day, hour, minute, second = (int(part) for part in human.groups()[:6])
    elif (named := _NAMED[0].fullmatch(text) or _NAMED[1].fullmatch(text)) is not None:
        year, day, minute = (int(named[part]) for part in ("year", "day", "minute"))
        month, second = _MONTHS.get(named["month"][:3].lower(), 0), int(named["second"] or 0)
        hour, half = int(named["hour"]), (named["half"] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "pm" else 0)
    else:
        return _written(datetime.fromisoformat(text))
    return _written(datetime(year, month, day, hour, minute, second))  # noqa: DTZ001 - no zone


def _written(moment: datetime) -> str:
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return moment.replace(microsecond=0).isoformat()


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
    read = list(items)
    messages = [item for item in read if item is not None]
    return name, messages, len(read) - len(messages)


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
    called = text_of(raw.get("name")) or "Character"
    for item in map(object_of, raw["messages"]):
        is_user = bool(item.get("userId"))
        said_by = item.get("handle") or item.get("name")
        yield _translated(item, ("msg", "createdAt"), is_user, said_by, called)


def _cai(histories: list[Any]) -> Iterator[Json | None]:
    for history in histories:
        messages = object_of(history).get("msgs")
        for item in map(object_of, messages if isinstance(messages, list) else [None]):
            source = object_of(item.get("src"))
            is_user = source.get("is_human") is True
            yield _translated(item, ("text", "created"), is_user, source.get("name"), "Character")


def _translated(
    item: Json, fields: tuple[str, str], is_user: bool, said_by: Any, called: str
) -> Json | None:
    """A message of another program, text and time in these fields; None where it is none."""
    text, time = fields
    if not isinstance(item.get(text), str):
        return None
    speaker = said_by if isinstance(said_by, str) else "User" if is_user else called
    rest = {key: value for key, value in item.items() if key not in fields}
    made = _message(speaker, item[text], is_user, rest)
    return {**made, "send_date": item[time]} if time in item else made


@dataclass(slots=True, eq=False)
class ChatMessage:
    """One message; ``raw`` is the object of its line in SillyTavern's shape."""

    raw: Json

    @property
    def name(self) -> str:
        """Who says it."""
        return text_of(self.raw.get("name"))

    @property
    def text(self) -> str:
        """What is said: the swipe that is shown."""
        message = self.raw.get("mes")
        if isinstance(message, str | dict):
            return _message_text(message)
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
        sent, infos, chosen = self.raw.get("send_date"), self.raw.get("swipe_info"), self._swipe
        if sent is None and isinstance(infos, list) and chosen is not None and chosen < len(infos):
            info = infos[chosen] if isinstance(infos[chosen], dict) else {}
            return iso_time(info.get("send_date")) or iso_time(info.get("gen_finished"))
        return iso_time(sent)

    @property
    def swipes(self) -> tuple[str, ...]:
        """All versions of the message."""
        return tuple(map(_message_text, list_of(self.raw.get("swipes"))))


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
        return self._name("character_name", is_user=False)

    @property
    def user_name(self) -> str:
        """The person's name, as header or messages have it."""
        return self._name("user_name", is_user=True)

    def _name(self, field: str, *, is_user: bool) -> str:
        named = text_of((self.header or {}).get(field))
        if named and named != "unused":
            return named
        return next((m.name for m in self.messages if m.is_user == is_user and m.name), "")


def _is_set(value: Any) -> bool:
    """Whether a flag is set: true, or as other writers have it, 1 or a text."""
    return value in (True, "true", "True")


def _message_text(value: Any) -> str:
    """A message; Chub wraps it in an object."""
    if isinstance(value, dict):
        return text_of(value.get("message"))
    return text_of(value)


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
            log = _collected(_objects(file, findings, limits), findings)
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
        newline = piece.find(b"\n")
        if newline >= 0:
            rest = piece[newline:].strip() or file.read(16).strip()
            file.seek(0)
            return not rest
    file.seek(0)
    return True


def _foreign(raw: Any, findings: Findings) -> ChatLog:
    if isinstance(raw, list) and all(isinstance(item, dict) for item in raw) and raw:
        return _collected(_numbered(raw), findings)  # a log that somebody made a list of
    if isinstance(raw, dict) and "mes" in raw:
        return _collected(_numbered([raw]), findings)
    chat = foreign_chat(raw)
    if chat is None:
        raise UnreadableCard(
            "the JSON is no chat log of a program that is known",
            "known: SillyTavern, Chub, Ooba, Agnai, CAI Tools; is it a card?",
        )
    format_, messages, left_out = chat
    if left_out:
        findings.warn("chat-message", "", f"{left_out} items are no messages; they are left out")
    return ChatLog([ChatMessage(raw) for raw in messages], None, format_)


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
        findings.warn("chat-line", where, "it is left out: it is no object")


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
            findings.warn("chat-message", where, "its message is no text")
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


def chatlog_from(turns: Sequence[ChatTurn], *, user: str, character: str) -> ChatLog:
    """Return a log in SillyTavern's shape; a greeting answers nothing."""
    messages: list[ChatMessage] = []
    for turn in turns:
        said = (turn.speaker or user, turn.said, not turn.speaker, ())
        for name, text, is_user, swipes in (said, (character, turn.answered, False, turn.swipes)):
            if not text:
                continue
            raw: Json = {"name": name, "is_user": is_user, "is_system": False}
            if turn.at is not None:
                raw["send_date"] = turn.at
            raw |= {"mes": text, "extra": {}}
            if len(swipes) > 1:
                raw |= {"swipes": list(swipes), "swipe_id": turn.swipe}
            messages.append(ChatMessage(raw))
    header: Json = {"user_name": user, "character_name": character}
    created = next((turn.at for turn in turns if turn.at), None)
    if created is not None:
        header["create_date"] = created
    return ChatLog(messages, {**header, "chat_metadata": {}})
