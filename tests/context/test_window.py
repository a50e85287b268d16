"""A turn fits the window of its model, and says what it left out for that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from offbook import Offbook
from offbook.context.window import fit_to_window
from offbook.text.tokens import count_tokens
from offbook.types import ContextItem, Message, Recall

WINDOW = 2_000
ROOM = WINDOW - WINDOW // 20 - WINDOW // 8


def item(kind: str, words: int, title: str = "") -> ContextItem:
    return ContextItem(kind, title, "oil " * words, 1.0)  # type: ignore[arg-type]


def measure(recall: Recall, history: object) -> int:
    texts = [item.text for item in recall.context]
    texts += [message.content for message in history]  # type: ignore[attr-defined]
    return sum(map(count_tokens, texts))


def fitted(*context: ContextItem, history: tuple[Message, ...] = (), **more: int):
    recall = Recall("Ada", "ada", "ensemble", "default", "Who?", context)
    return fit_to_window(recall, history, WINDOW, measure, count_tokens, more.get("reply_tokens"))


TALK = tuple(Message(role, "sea " * 300) for role in ("user", "assistant") * 4)


def test_what_fits_stays_as_it_is():
    fit = fitted(item("profile", 200), item("knowledge", 200), history=TALK[:2])
    assert len(fit.recall.context) == 2
    assert fit.history == TALK[:2]
    assert fit.recall.skipped == ()


def test_first_go_the_last_pieces_then_the_oldest_turns_then_the_best_pieces():
    book = [item("knowledge", 200, f"entry {n}") for n in range(9)]
    fit = fitted(item("profile", 100), *book, history=TALK[:2])
    left = [i.title for i in fit.recall.context][1:]
    assert left == [f"entry {n}" for n in range(len(left))]
    assert [s.title for s in fit.recall.skipped] == [f"entry {n}" for n in range(len(left), 9)]
    assert all("window of 2,000 tokens" in s.why for s in fit.recall.skipped)
    assert fit.history == TALK[:2]
    fit = fitted(item("profile", 100), *book, history=TALK)
    assert [i.title for i in fit.recall.context] == ["", "entry 0"]
    assert fit.history == TALK[-4:]
    assert fit.recall.skipped[-1].title == "4 messages of this conversation"


def test_a_greeting_stays_in_front_of_a_conversation_that_stays_whole():
    greeted = (Message("assistant", "Good evening."), *TALK[:2])
    pieces = [item("knowledge", 200, f"entry {n}") for n in range(9)]
    assert fitted(*pieces, history=greeted).history == greeted
    assert fitted(*pieces, history=(greeted[0], *TALK)).history == TALK[-4:]


@pytest.mark.parametrize("kind", ["knowledge", "memory", "entity", "relation", "profile"])
def test_whatever_is_too_long_it_fits(kind):
    fit = fitted(item(kind, 9_000, "long"), item("profile", 300), history=TALK)
    assert measure(fit.recall, fit.history) <= ROOM
    assert fit.recall.skipped
    assert not fit.history or fit.history[0].role == "user"


def test_a_limit_of_the_reply_is_kept_free():
    fit = fitted(
        item("profile", 100), item("knowledge", 600), item("knowledge", 600), reply_tokens=900
    )
    assert measure(fit.recall, fit.history) <= WINDOW - 900


LINES = "\n\n".join(
    f"# Part {n}\n\n" + f"Ada mended clock number {n} in Hull. " * 12 for n in range(40)
)


async def test_a_full_lorebook_and_a_long_conversation_leave_room_for_the_reply(loopback, tmp_path):
    entries = {
        str(n): {"uid": n, "key": ["clock"], "content": f"Clock {n} strikes. " * 20, "order": n}
        for n in range(40)
    }
    book_file, text = Path(tmp_path / "world.json"), Path(tmp_path / "ada.md")
    book_file.write_text(json.dumps({"name": "w", "entries": entries}))
    text.write_text(LINES)
    flags = {
        "home": tmp_path / "home",
        "chat__model": "m",
        "chat__base_url": loopback.base_url,
        "chat__context_tokens": 4096,
        "extract__model": "offline",
        "lore__budget_tokens": 3_000,
    }
    loopback.answer = lambda body: "It strikes. " + "I wound it up in the evening, as ever. " * 3
    async with await Offbook.open(method="naive", **flags) as book:
        ada = await book.create("Ada")
        await book.ingest(ada.id, [text])
        await book.cards.attach(ada.id, book_file)
        await book.ingest(ada.id, [])
        talk = await book.session(ada.id)
        for number in range(8):
            reply = await talk.ask(
                f"Which clock did you mend, and why? {number} " + "Tell me. " * 90
            )
    sent = loopback.chat_bodies
    sizes = [sum(count_tokens(m["content"]) for m in body["messages"]) for body in sent]
    assert max(sizes) <= 4096 - 4096 // 8
    assert any("window of 4,096" in each.why for each in reply.recall.skipped)
