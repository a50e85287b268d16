"""Character cards, lorebooks and chat logs of other programs: read, checked, converted, written.

Takes: files, as paths or bytes.  Gives: what is listed below; nothing here knows a database, a
model or a network.
"""

from __future__ import annotations

from offbook.cards.assets import Asset
from offbook.cards.card import Card
from offbook.cards.chat_exchanges import Exchange, exchanges, speaker_of, speakers
from offbook.cards.chatlog import (
    ChatLog,
    ChatMessage,
    chatlog_from,
    read_chatlog,
    write_chatlog,
)
from offbook.cards.converting import Converted, convert
from offbook.cards.lint import RULES, lint, lint_lorebook
from offbook.cards.lore_recall import LoreRecall, RecalledEntry, RecallSettings, recall_lore
from offbook.cards.lorebook import Lorebook, LoreEntry
from offbook.cards.lorebook_files import (
    BOOK_FORMATS,
    ReadLorebook,
    read_lorebook,
    write_lorebook,
)
from offbook.cards.macros import MacroValues, expand, unknown_macros
from offbook.cards.matching import LoreMessage, Outcome, ScanSettings, matches
from offbook.cards.persona import (
    example_dialogues,
    lore_document,
    persona_document,
    voice_samples,
)
from offbook.cards.reading import ReadCard, load_asset, read_card
from offbook.cards.sources import DEFAULT_LIMITS, CardLimits
from offbook.cards.writing import FORMATS, WrittenCard, write_card
from offbook.types import Finding

__all__ = [
    "BOOK_FORMATS",
    "DEFAULT_LIMITS",
    "FORMATS",
    "RULES",
    "Asset",
    "Card",
    "CardLimits",
    "ChatLog",
    "ChatMessage",
    "Converted",
    "Exchange",
    "Finding",
    "LoreEntry",
    "LoreMessage",
    "LoreRecall",
    "Lorebook",
    "MacroValues",
    "Outcome",
    "ReadCard",
    "ReadLorebook",
    "RecallSettings",
    "RecalledEntry",
    "ScanSettings",
    "WrittenCard",
    "chatlog_from",
    "convert",
    "example_dialogues",
    "exchanges",
    "expand",
    "lint",
    "lint_lorebook",
    "load_asset",
    "lore_document",
    "matches",
    "persona_document",
    "read_card",
    "read_chatlog",
    "read_lorebook",
    "recall_lore",
    "speaker_of",
    "speakers",
    "unknown_macros",
    "voice_samples",
    "write_card",
    "write_chatlog",
    "write_lorebook",
]
