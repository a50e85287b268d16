"""What the actor is told, and in which order."""

from __future__ import annotations

from dataclasses import replace

from offbook.context.assembly import assemble
from offbook.prompts.ask import request_of
from offbook.prompts.reply import REPLY
from offbook.settings.model import ContextSettings, ReplySettings
from offbook.text.emotion_names import EMOTIONS
from offbook.types import ContextItem, Message, Recall

HISTORY = (
    Message("user", "first question"),
    Message("assistant", "first answer"),
    Message("user", "second question"),
    Message("assistant", "second answer"),
)


def recall(*items: ContextItem) -> Recall:
    return Recall("Ada", "ada", "naive", "default", "the question now", items)


def item(kind: str, text: str) -> ContextItem:
    return ContextItem(kind, "title", text, 0.5)  # type: ignore[arg-type]


def test_the_profile_is_stable_and_the_rest_is_not():
    found = recall(item("knowledge", "a fact"), item("profile", "who"), item("profile", "more"))
    told = assemble(found, (), (), ContextSettings())
    assert told.profile == "who\n\nmore"
    assert [piece.text for piece in told.context] == ["a fact"]
    assert (told.character, told.question) == ("Ada", "the question now")


def test_speech_samples_are_as_many_as_set():
    voice = tuple(f"sample {n}" for n in range(9))
    assert len(assemble(recall(), voice, (), ContextSettings(voice_samples=2)).voice) == 2
    assert assemble(recall(), voice, (), ContextSettings(voice_samples=0)).voice == ()


def test_what_is_not_so_has_a_part_of_its_own():
    found = recall(item("knowledge", "a fact"), item("premise", "Tom is the father."))
    told = request_of(REPLY, assemble(found, (), (), ContextSettings())).messages[-1].content
    known, _, untrue = told.partition("The question takes for granted what is not so.")
    assert "What the texts about you say" in known
    assert "Tom is the father." not in known
    assert "set it right in your own manner:\n<context>" in untrue
    assert "Tom is the father." in untrue


def test_what_changes_with_every_question_stands_behind_what_does_not():
    """A provider's prefix cache serves all up to the question's own context."""
    voice = ("The sea does not argue.",)
    prompts = [
        request_of(
            REPLY,
            assemble(
                recall(item("profile", "She keeps a light."), item("knowledge", fact)),
                voice,
                HISTORY,
                ContextSettings(),
            ),
        ).messages
        for fact in ("a first fact", "another fact")
    ]
    assert prompts[0][:-1] == prompts[1][:-1]
    assert prompts[0][-1] != prompts[1][-1]
    assert [message.role for message in prompts[0]] == [
        "system",
        *(message.role for message in HISTORY),
        "user",
    ]
    assert "She keeps a light." in prompts[0][0].content
    assert "The sea does not argue." in prompts[0][-1].content
    assert "a first fact" in prompts[0][-1].content


def test_how_the_character_speaks_and_feels_is_told_unless_it_is_switched_off():
    voice = ("Well, no.", "Well, yes.", "Well, who knows?", "Ask the gulls.")
    felt = replace(recall(), mood=dict.fromkeys(EMOTIONS, 1.0) | {"fear": 8.0}, stance="open")
    said = tuple(Message("assistant", f"The sea does not argue. {n}") for n in range(2))
    told = assemble(felt, voice, said, ContextSettings())
    assert "Openings: well." in told.style
    assert "fear (strongly)" in told.mood
    assert told.repeated
    assert told.stance == "open"
    plain = assemble(felt, voice, said, ContextSettings(), reply=ReplySettings(style=False))
    assert (plain.style, plain.mood, plain.repeated) == ("", "", ())


def test_the_gender_of_the_characters_pronouns_is_told_where_it_is_known():
    assert assemble(recall(), (), (), ContextSettings(), overrides={"gender": "f"}).gender == "f"
    assert assemble(recall(), (), (), ContextSettings(), overrides={}).gender == ""
