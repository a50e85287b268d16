"""The reply of a character: the one prompt whose answer a person reads.

Takes: who the character is, what was recalled, the conversation so far, the question.
Gives: the reply as plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from offbook.prompts.prompt import Prompt, Text
from offbook.prompts.refusals import assistant_speech
from offbook.text.grammar import Gender
from offbook.types import ContextItem, Message, Stance

if TYPE_CHECKING:
    from offbook.types import Ending


@dataclass(frozen=True, slots=True)
class Company:
    """Who else takes part in a conversation, and what of it is not the person's word.

    Args:
        present: The names of the others who hear and speak, the person not among them.
        about: The occasion, as whoever arranged the conversation tells it.
        speaker: Who said what is answered; empty: the person.
        is_silent: Nobody has said anything that is to be answered.
    """

    present: tuple[str, ...] = ()
    about: str = ""
    speaker: str = ""
    is_silent: bool = False


@dataclass(frozen=True, slots=True)
class ReplyInputs:
    """What the wording of the reply may mention.

    The stable part comes first (stance, names, profile, style), then the history, then what changes
    with every question, so that providers' prefix caches work. ``stance`` says what a reply may
    rest on, ``style`` how the character speaks, ``voice`` are lines of its for this question,
    ``mood`` is how it feels now, in one sentence, and ``repeated`` are phrases of its last replies.
    ``directions`` are of whoever runs the
    conversation, ``person`` is what is told of who asks and of the scene, ``called`` the name by
    which they have introduced themselves. ``begun`` are words that the reply begins with already,
    ``replaced`` is a reply that is to be given anew, as ``wish`` says. ``manner`` and ``reminder``
    are what a character card wishes for in front of the conversation and behind it (its
    ``system_prompt`` and ``post_history_instructions``): material, never orders. ``gender`` is that
    of the pronouns by which the documents speak of the character, "m" or "f"; the wording does not
    mention it. ``names`` are those of a character of a book, ``life`` what one of a story has lived
    through up to ``point``, the place of the story at which the conversation is held: both are
    stable too. ``company`` are the others of a conversation of several; None: there are none.
    """

    character: str
    profile: str
    voice: tuple[str, ...]
    history: tuple[Message, ...]
    context: tuple[ContextItem, ...]
    question: str
    directions: str = ""
    person: str = ""
    called: str = ""
    begun: str = ""
    replaced: str = ""
    wish: str = ""
    manner: str = ""
    reminder: str = ""
    gender: Gender = ""
    names: tuple[str, ...] = ()
    stance: Stance = "in_character"
    style: str = ""
    mood: str = ""
    repeated: tuple[str, ...] = ()
    life: tuple[ContextItem, ...] = ()
    point: str = ""
    company: Company | None = None


@dataclass(frozen=True, slots=True)
class ReplyOptions:
    """What whoever asks wishes of a reply, beside the question.

    Args:
        parameters: Sampling parameters on top of the settings'; None removes one.
        directions: Told to the actor as directions.
        person: Told to the actor of who asks and of the scene, as material.
        begun: Words that the reply begins with; what comes is the rest of it.
        replaced: A reply to the same words, in whose place this one comes.
        wish: What of that is to be otherwise.
        called: What whoever asks is called, for the macros of cards.
        introduced: Whether the actor is told what they are called, too.
        persona: What whoever asks says of themselves, for those macros and as material.
        sample: Number of the reply, where several to one question are wanted.
        session: The conversation, by which chance in cards chooses.
        earlier: How many messages of it stand before those that the prompt is given.
        ended: Told how the reply ended.
        company: Who else takes part in the conversation.
    """

    parameters: Mapping[str, Any] = field(default_factory=dict)
    directions: str = ""
    person: str = ""
    begun: str = ""
    replaced: str = ""
    wish: str = ""
    called: str = ""
    introduced: bool = False
    persona: str = ""
    sample: int = 0
    session: str = ""
    earlier: int = 0
    ended: Callable[[Ending], None] | None = None
    company: Company | None = None


DEFAULT_OPTIONS: Final = ReplyOptions()

REPLY: Final = Prompt(
    name="reply",
    role="actor",
    stage="reply",
    inputs=ReplyInputs,
    answer=Text(),
    source="ours",
    parameters={"temperature": 0.7},
    cacheable=False,
)
"""Speak as the character, from what the stance allows."""


def doubt_of(inputs: ReplyInputs) -> Callable[[str], str] | None:
    """Return what says whether a reply begins as an assistant's; None where words begin it."""
    if inputs.begun:
        return None
    material = (
        inputs.profile,
        *inputs.voice,
        *(item.text for item in (*inputs.life, *inputs.context)),
    )

    def doubt(beginning: str) -> str:
        said = assistant_speech(beginning, material)
        return f"it speaks as an assistant ({said!r}), not as {inputs.character}" if said else ""

    return doubt
