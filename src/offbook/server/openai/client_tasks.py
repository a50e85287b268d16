"""Calls that clients make for themselves: titles, tags, follow-up questions, completions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from offbook.errors import ConfigurationError
from offbook.server.openai.body import ChatMessage
from offbook.server.openai.messages import TASK, ReadMessages

ORDER: Final = "order"
"""A client's own request whose answer only a language model can give: as a system message behind
the conversation, or as a task without a form that is known here."""

_TAIL: Final = re.compile(
    r"<chat_history>|###\s*(?:Chat History|Output|Guidelines|Messages Being Compacted)|\bJSON\b",
    re.I,
)
_FORM: Final = re.compile(r'\bJSON format:?\s{0,8}`?\{\s{0,8}"(\w+)"', re.I)
"""The JSON that is asked for, and its key."""
_KINDS: Final[Mapping[str, re.Pattern[str]]] = {
    "text": re.compile(r"autocompletion|\bcompletion type\b", re.I),
    "title": re.compile(r"\btitle\b", re.I),
    "tags": re.compile(r"\btags\b", re.I),
    "follow_ups": re.compile(r"follow[- ]?ups?\b", re.I),
    "queries": re.compile(r"\bquer(?:y|ies)\b", re.I),
}
"""Key of the JSON that is asked for -> what the request speaks of, where it does not show the form;
the first that fits."""
_TITLES: Final = (
    re.compile(r"\s*(?:please )?(?:provide|generate|create|write) an? (?:concise|short|brief)\b"
               r".{0,60}\btitle\b", re.I | re.S),
    re.compile(r"\s*create a concise, 3-5 word phrase\b", re.I),
    re.compile(r"\s*analyze this conversation and provide:.{0,200}\btitle\b", re.I | re.S),
    re.compile(r"\s*in 5 words or less\b.{0,80}\btitle\b", re.I | re.S),
)  # fmt: skip
_ORDERS: Final = (
    # Open WebUI's: a face for what is spoken aloud, several replies made into one, what its own
    # memory keeps of a turn.
    re.compile(r"\s*your task is to reflect the speaker's likely facial expression\b", re.I),
    re.compile(r"\s*you have been provided with a set of responses from various models\b", re.I),
    re.compile(r"\s*review the completed conversation turn and decide whether long-term\b", re.I),
)
_QUIET: Final = re.compile(
    r"\W{0,9}(?:ignore previous instructions\W{1,9}(?:summari[sz]e|classify)\b"
    r"|pause your roleplay\b|in the next response i want you to provide only\b)",
    re.I,
)
"""SillyTavern's, as system messages: a summary, a face, what a picture shows. They stand behind the
conversation, whoever spoke last in it, or in front of a single message."""
_TOOLS: Final = re.compile(r"\s*Available Tools:.*\"tool_calls\"", re.I | re.S)
_HISTORY: Final = "<chat_history>"
_SAID: Final = re.compile(r"^(?:USER|Human):[ \t]*(\S.*)$", re.I | re.M)
_TITLE_WORDS: Final = 5
_PIECE_CHARS: Final = 50_000
_SIGN_CHARS: Final = 200
"""No sign that is searched for is longer."""
_HEAD_CHARS: Final = 240
"""The first sentence says what is wanted; further down, guidelines speak of everything."""


def kind_of(read: ReadMessages, *, stream: bool) -> str | None:
    """What kind of a client's own call this is; None: somebody talks to the character."""
    if read.order is not None or any(_QUIET.match(text) for text in read.system):
        return ORDER
    question = read.transcript.said
    if read.transcript.turns or read.transcript.begun or read.transcript.replaced:
        return None
    # Nobody waits for these to appear word by word; a person who types so is answered in pieces.
    if not stream and TASK.match(question) and _found(_TAIL, question):
        return _kind_of_task(question)
    if any(sign.match(question) for sign in _ORDERS):
        return ORDER
    if not stream and any(_TOOLS.match(text) for text in read.system):
        return "tool_calls"
    spoken = [question, *read.system]
    return "title" if any(sign.match(text) for sign in _TITLES for text in spoken) else None


def _kind_of_task(said: str) -> str:
    request = said.partition(_HISTORY)[0]  # in the conversation people speak of titles, too
    form = _found(_FORM, request)
    if form is not None:
        return form[1] if form[1] in _KINDS else ORDER
    head = said[:_HEAD_CHARS]
    return next((kind for kind, sign in _KINDS.items() if sign.search(head)), ORDER)


def _found(sign: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Where the sign stands first.

    A search holds the interpreter until it ends, in whatever thread: long texts are searched in
    pieces, between which others go on.
    """
    for start in range(0, len(text), _PIECE_CHARS):
        end = start + _PIECE_CHARS
        match = sign.search(text, start, end + _SIGN_CHARS)
        if match is not None and match.start() < end:
            return match
    return None


def offline_answer(kind: str, messages: Sequence[ChatMessage]) -> str:
    """What the offline model, which has no language model, answers to such a call.

    It names a conversation by its first words, and proposes nothing.
    """
    if kind == ORDER:
        raise ConfigurationError(
            "the offline backend answers as characters do, not what is asked of a language model",
            "configure a model with chat.model and chat.base_url",
        )
    as_json = bool(TASK.match(messages[-1].text))
    if kind == "title":
        title = _first_words(messages[-1].text)
        return json.dumps({"title": title}, ensure_ascii=False) if as_json else title
    return json.dumps({kind: "" if kind == "text" else []})


def _first_words(text: str) -> str:
    history = text.partition(_HISTORY)[2]
    said = _SAID.search(history or text)
    # Of a conversation in which nobody has said anything there is no title.
    words = (said[1] if said else "" if history else text).split()
    return " ".join(words[:_TITLE_WORDS])
