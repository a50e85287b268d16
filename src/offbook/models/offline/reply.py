"""The offline reply: what the context holds, told by the character; what it does not, declined.

Takes: the inputs of the reply prompt.  Gives: the reply. It states nothing that no sentence of the
context or the profile states. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from offbook.language.grammar import Gender
from offbook.language.names import Names, learn_names
from offbook.language.questions import VERB_WEIGHT, Question, Term, read_question
from offbook.language.statements import told_sentences
from offbook.language.words import fold, search_terms
from offbook.models.offline import declining
from offbook.models.offline.courtesies import answer_courtesy, self_description
from offbook.models.offline.evidence import Evidence, gather, with_names
from offbook.models.offline.leanings import tell_leanings
from offbook.models.offline.manner import Situation, in_voice
from offbook.models.offline.remembered import (
    is_of_themselves,
    said_before,
    told_before,
    without_memories,
)
from offbook.models.offline.repeating import once_more, without_note
from offbook.models.offline.telling import Telling, Wanted, is_said
from offbook.models.offline.wide_scripts import language_of, reply_wide
from offbook.prompts.reply import ReplyInputs
from offbook.types import ContextItem, Message

SUPPORT: Final = 0.4
"""The least weighted share of the question's terms that the context must hold to be answered.

It lies below a half, since texts speak of things in other words than questions do. Lower values
gain balanced accuracy in benchmarks/offline_replies.py, by replies that only touch on the question.
"""
MATCHED: Final = 0.25
"""The least weighted share of the terms that a single sentence must hold."""
GENERAL_MATCHED: Final = 0.34
"""The same for a question of general words only, of which any sentence holds one by chance: more
than one of three."""
_OF_YOU: Final = re.compile(r"\W*(?:are|were|do|did|have|had) you\b", re.IGNORECASE)
_LEAN: Final = 0.8
_SAID: Final = 0.85
"""What a sentence that was said before is worth: another that is as good goes first."""
_SAID_AND_TOLD: Final = 0.4
"""The same where somebody asks to be told of something: they want to hear more of it."""
_OF_OTHERS: Final = frozenset(("entity", "relation", "attribute"))
"""Kinds of context whose titles are no names of the character."""
_RISEN: Final = frozenset(
    search_terms(
        "ghost undead vampire reborn resurrected resurrection reincarnated afterlife risen"
    )
)
"""What a text holds whose character may well tell of what came after its death."""


def reply(inputs: ReplyInputs) -> str:
    """What the character says."""
    language = language_of(inputs.question)
    if language != "en":
        return said_before(inputs) or reply_wide(without_memories(inputs), language)
    text, situation = _reply(inputs)
    return in_voice(once_more(text, inputs, situation), inputs, situation)


def is_answered(inputs: ReplyInputs) -> bool:
    """Whether the reply rests on the context, rather than declining or being small talk."""
    return language_of(inputs.question) == "en" and _reply(inputs)[1] in (
        "answer",
        "identity",
        "memory",
        "told",
    )


def _reply(inputs: ReplyInputs) -> tuple[str, Situation]:
    """What is known, else what was told or answered before, else a reply that declines."""
    text, situation = _from_texts(without_memories(inputs))
    if "?" not in inputs.question and told_sentences(inputs.question):
        return (
            (declining.hear(inputs.question), "heard")
            if situation == "decline"
            else (text, situation)
        )
    told = told_before(inputs)
    if told and (situation == "decline" or is_of_themselves(inputs.question)):
        return told, "told"
    if situation != "decline":
        return text, situation
    kinds = {item.kind for item in inputs.context}
    if "out_of_scope" in kinds or "memory" not in kinds:
        return text, situation
    weights = {term.term: term.weight for term in read_question(inputs.question, frozenset()).terms}
    remembered = said_before(inputs, weights)
    return (without_note(remembered), "memory") if remembered else (text, situation)


def _from_texts(inputs: ReplyInputs) -> tuple[str, Situation]:
    known = [item for item in inputs.context if item.kind != "out_of_scope"]
    outside = [item for item in inputs.context if item.kind == "out_of_scope"]
    if inputs.profile:
        known.append(ContextItem("profile", "", inputs.profile, 0.0))
    names = names_in(inputs.character, known, inputs.gender)
    question = read_question(inputs.question, names.words)
    evidence = gather(known)
    telling = Telling(evidence, names)
    if question.courtesy and not _tells_of(evidence, telling, question):
        return answer_courtesy(question, names, telling, evidence), question.courtesy
    if outside and told_sentences(inputs.question):
        return declining.hear_first(question, [item.title for item in outside]), "heard"
    if outside:
        return declining.decline_outside(question, [item.title for item in outside]), "decline"
    if not evidence.sentences:
        return declining.nothing_to_go_on(question, inputs.character), "decline"
    if language_of(known[0].text) != "en":
        return declining.other_language(), "decline"
    said = "\n".join(message.content for message in inputs.history if message.role == "assistant")
    attributes = [item for item in known if item.kind == "attribute"]
    if leaning := tell_leanings(question, evidence, telling, attributes, said):
        return " ".join(map(_closed, leaning)), "answer"
    return _answer(question, names, evidence, telling, inputs.history)


def _tells_of(evidence: Evidence, telling: Telling, question: Question) -> bool:
    """Whether the text itself says what the character is, or that it came back from death."""
    if question.courtesy == "nature":
        words = "|".join(re.escape(term.word) for term in question.terms)
        says = re.compile(
            rf"\bI (?:am|was) (?:(?:an?|the|not|no|only|still|half|part)[ -])*(?:{words})\b"
        )
        holding = (i for i, s in enumerate(evidence.sentences) if says.search(telling.speech(i)))
        return bool(words) and any(True for _ in holding)
    return question.courtesy == "afterlife" and not _RISEN.isdisjoint(evidence.frequency)


def names_in(character: str, items: Sequence[ContextItem], gender: Gender = "") -> Names:
    """What the context calls the character; the root of a heading path often has the full name."""
    # Entities and relations begin with the names of others: a mother may have the longer one.
    told = [item for item in items if item.kind not in _OF_OTHERS] or items
    titles = sorted({item.title.split("\n")[0] for item in told} - {""})
    return learn_names(character, titles, [item.text for item in told], gender)


def _answer(
    question: Question,
    names: Names,
    evidence: Evidence,
    telling: Telling,
    history: Sequence[Message],
) -> tuple[str, Situation]:
    said = "\n".join(message.content for message in history if message.role == "assistant")
    absent = [name for name in question.names if not evidence.knows(name)]
    if absent and len(absent) == len(question.names):
        return declining.decline(question, (), absent), "decline"
    asked = _with_history(question, names, history) if question.follow_up else question
    if not asked.terms:
        told = self_description(evidence, telling) if question.kind == "tell" else []
        about = [text for text in told if not is_said(text, said)] or told
        if about:
            return " ".join(about), "answer"
        return declining.decline(question, ()), "decline"
    if evidence.support(asked.terms) < SUPPORT:
        return declining.decline(question, _missing(asked.terms, evidence)), "decline"
    specific = any(term.weight >= 1 for term in asked.terms)
    least = MATCHED if specific or len(asked.terms) == 1 else GENERAL_MATCHED
    hits = [hit for hit in evidence.hits(asked) if hit.matched >= least]
    wanted = Wanted(
        about_self=not question.names,
        done_to_me=question.done_to_you,
        done_by_me=question.done_by_you,
        nothing_else=len(asked.terms) == 1,
        fact_of_self=_asks_one_thing_of_you(asked),
        worth_again=_worth_of_what_was_said(question, history),
        more=question.more,
    )
    if spoken := telling.answer(hits, said, wanted):
        return " ".join(map(_closed, spoken)), "answer"
    if wanted.more and said and telling.answer(hits, "", replace(wanted, more=False)):
        return declining.no_more(question), "decline"
    return declining.decline(question, _missing(asked.terms, evidence)), "decline"


def _asks_one_thing_of_you(question: Question) -> bool:
    """Whether it is yes or no to one word of any life: "Are you married?"."""
    one = len(question.terms) == 1 and question.terms[0].weight < VERB_WEIGHT
    return one and question.kind == "yes_no" and _OF_YOU.match(question.text) is not None


def _missing(terms: Sequence[Term], evidence: Evidence) -> list[str]:
    absent = [term for term in terms if not evidence.holds(term) and term.weight >= 1]
    return [term.word for term in sorted(absent, key=lambda term: -term.weight)]


def _with_history(question: Question, names: Names, history: Sequence[Message]) -> Question:
    """The question with what it leans on: names of the last exchange, or its whole subject."""
    last_told = next((m.content for m in reversed(history) if m.role == "assistant"), "")
    said = (read_question(m.content, names.words) for m in reversed(history) if m.role == "user")
    before = next((earlier for earlier in said if earlier.terms), None)
    if not question.terms and before is not None:
        return replace(question, terms=before.terms)
    recent = list(before.names) if before is not None else []
    if not recent:
        recent = list(read_question(last_told, names.words).names)[:3]
    return with_names(question, recent, _LEAN)


def _worth_of_what_was_said(question: Question, history: Sequence[Message]) -> float:
    """A question that is asked again has the same answer; another has rather a new one."""
    if question.kind == "tell":
        return _SAID_AND_TOLD
    asked = {fold(message.content).strip() for message in history if message.role == "user"}
    return 1.0 if fold(question.text).strip() in asked else _SAID


def _closed(text: str) -> str:
    return text if text[-1] in ".!?…”\"'’)" else f"{text}."


__all__ = ["MATCHED", "SUPPORT", "is_answered", "names_in", "reply"]
