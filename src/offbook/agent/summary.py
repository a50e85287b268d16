"""A conversation that outgrows the prompt is kept as a running summary beside its last turns.

Takes: turns and the budget of tokens.  Gives: what is shown word by word, and what is to be
summarized in the background, before it falls out of the prompt.  Source: ours.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.language.tokens import truncate_to_tokens
from offbook.prompts.ask import ask
from offbook.prompts.conversation import SUMMARIZE_CONVERSATION, SummarizeConversationInputs
from offbook.stores import conversation_states, conversations
from offbook.types import ContextItem, Message, Turn

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.language.encodings import TokenCounter
    from offbook.pipeline import Stage
    from offbook.stores.conversation_states import ConversationState
    from offbook.types import Character

TITLE: Final = "Earlier in this conversation"
FULL: Final = 0.75
"""Share of the budget from which on the oldest turns are summarized."""
LEFT: Final = 0.5
"""Share of the budget that the turns which are left may have."""
_TURN_TOKENS: Final = 600
_SUMMARY_TOKENS: Final = 400


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn as the session knows it.

    ``id`` is None where it is not stored; ``as_of`` is the point in the story at which it was held,
    None: at the end; ``documents`` are those that a reply which is not stored rested on.
    """

    id: str | None
    said: str
    answered: str
    as_of: str | None = None
    documents: frozenset[str] = frozenset()


def messages_of(turns: Sequence[SpokenTurn]) -> tuple[Message, ...]:
    """Turns as messages of a prompt; a greeting answers nothing that was said."""
    return tuple(
        message
        for turn in turns
        if turn.said or turn.answered
        for message in (Message("user", turn.said), Message("assistant", turn.answered))
        if message.content or message.role == "assistant"
    )


def without(turns: list[SpokenTurn], gone: Collection[str]) -> list[SpokenTurn]:
    """The turns, in their places, without the words of those that are forgotten."""
    if not gone:
        return turns
    return [SpokenTurn(None, "", "") if turn.id in gone else turn for turn in turns]


def uncovered(turns: Sequence[SpokenTurn], state: ConversationState) -> Sequence[SpokenTurn]:
    """The turns that the summary does not cover; all where there is none."""
    if state.summary and state.summarized is not None:
        for place in range(len(turns) - 1, -1, -1):
            if turns[place].id == state.summarized:
                return turns[place + 1 :]
    return turns


def is_summarized(turns: Sequence[SpokenTurn], state: ConversationState) -> bool:
    """Whether the summary is one of these turns."""
    return len(uncovered(turns, state)) < len(turns)


def summary_item(state: ConversationState) -> ContextItem:
    """The summary as a piece of context."""
    return ContextItem("memory", TITLE, state.summary or "", 1.0)


def overflowing(
    turns: Sequence[SpokenTurn], budget_tokens: int, count: TokenCounter
) -> Sequence[SpokenTurn]:
    """The oldest of these turns that are to be summarized now; none while there is room.

    Where far more was said than fits, only what was said last before it: the rest is remembered
    by recall.
    """
    left: int | None = None
    total = 0
    first = 0
    for place in range(len(turns) - 1, -1, -1):
        total += count(turns[place].said) + count(turns[place].answered)
        if left is None and total > LEFT * budget_tokens:
            left = place + 1
        if total > 3 * budget_tokens:
            first = place
            break
    if left is None or total <= FULL * budget_tokens:
        return ()
    return turns[first:left]


async def summarize(
    stage: Stage,
    character: Character,
    session: str,
    state: ConversationState,
    turns: Sequence[SpokenTurn],
) -> None:
    """Have the turns summarized, and keep it; where another was quicker, it is thrown away.

    Raises:
        AnswerError: no answer could be used; the next turn asks again.
        ModelError: the endpoint failed for good; likewise.
    """
    last = turns[-1].id
    if last is None:
        return
    shown = tuple(
        Turn(
            truncate_to_tokens(turn.said, _TURN_TOKENS),
            truncate_to_tokens(turn.answered, _TURN_TOKENS),
        )
        for turn in turns
    )
    inputs = SummarizeConversationInputs(character.name, state.summary or "", shown)
    retries = stage.settings.answers.retries
    ids = [turn.id for turn in turns if turn.id is not None]
    # Forgetting one of them forgets the stored answer, which may repeat its words.
    seen = await stage.store.read(
        lambda conn: conversations.documents_of_turns(conn, character.id, session, ids)
    )
    named = frozenset(f"{character.id}/{document}" for document in seen)
    text = await ask(
        stage.extractor, SUMMARIZE_CONVERSATION, inputs, documents=named, retries=retries
    )
    kept = truncate_to_tokens(text, _SUMMARY_TOKENS)

    def keep(conn: Connection) -> None:
        now = conversation_states.get(conn, character.id, session)
        here = conversations.holds(conn, character.id, session, last)
        # Forgotten meanwhile, words and all: the summary must not bring them back.
        gone = conversations.emptied(conn, character.id, session)
        if now.summarized == state.summarized and here and gone.isdisjoint(ids):
            conversation_states.set_summary(conn, character.id, session, kept, last)

    await stage.store.write(keep)
