"""What a character says when the context does not hold the answer, and to small talk.

Takes: a question and what is missing, or a courtesy.  Gives: one or two short sentences that claim
nothing which no text supports; always the same for the same question. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from zlib import crc32

from offbook.text.questions import GOOD_FEELINGS, Question
from offbook.text.words import fold

_OUTSIDE: Final = (
    "I have never heard of {it}.",
    "I know nothing of {it}.",
    "Of {it} I have no knowledge at all.",
)
_UNTOLD: Final = ("Of {it} nothing was told.", "Nothing was told of {it} that I could give you.")
"""For whom the texts do not mention: the character may have known them all the same."""
_UNWITNESSED: Final = (
    "I was not there, and nobody has told me of it.",
    "Of that nobody has told me.",
    "If it was so, nobody has told me.",
)
"""For what happened elsewhere; what is near it in the texts would be said as if it were it."""
_PLAIN: Final = (
    "Of that nothing was told, and I will not make it up.",
    "I can tell you nothing of that.",
    "That I do not know, and I will not guess.",
)
_HEARD: Final = (
    "I had never heard of {it} until you told me.",
    "Of {it} I knew nothing before you spoke.",
)
_LISTENING: Final = ("I hear you.", "You tell me something new.", "That I did not know of you.")
_NO_MORE: Final = ("That is all I can tell you of it.", "I have told you what I know of it.")
_REFUSAL: Final = re.compile(
    r"\b(?:know nothing|do not know|don't know|cannot (?:say|tell)|could not (?:say|tell)"
    r"|never heard|ignoran\w+|no idea|not for me to)\b",
    re.IGNORECASE,
)
_LONGEST: Final = 140
DECLINES: Final = re.compile(
    r"\b(?:never heard|no knowledge|know nothing|know of no|means? nothing to me|do(?:es)? not know"
    r"|don['’]t know|(?:can|could) tell you nothing|nothing was told|all I can tell you"
    r"|nobody has told me"
    r"|(?:can ?not|can['’]t|could not|couldn['’]t) (?:tell|say|name|give|recall|answer)"
    r"|(?:knew|know) nothing|have no (?:view|reason|idea))\b"
    r"|不知道|没听说|没有听说|从未听|不清楚|不认识|无法回答",
    re.IGNORECASE,
)
"""What a character says who does not know."""


def decline(question: Question, names: Sequence[str] = (), voice: Sequence[str] = ()) -> str:
    """Admit that nothing was told, of ``names`` or at all, perhaps in a sample of speech."""
    if names:
        return _filled(_UNTOLD, question, names)
    return _refusal(question, voice) or _filled(_PLAIN, question, ())


def decline_outside(question: Question, entities: Sequence[str], voice: Sequence[str] = ()) -> str:
    """Decline what the boundary of the character's knowledge shuts out."""
    if shown := [entity for entity in entities if entity][:3]:
        return _filled(_OUTSIDE, question, shown)
    return decline(question, (), voice)


def decline_unwitnessed(question: Question) -> str:
    """Decline what happened where the character was not."""
    return _filled(_UNWITNESSED, question, ())


def hear(statement: str) -> str:
    """What is said to somebody who tells of what is theirs, and asks for nothing."""
    return _LISTENING[_pick(statement) % len(_LISTENING)]


def hear_first(question: Question, entities: Sequence[str]) -> str:
    """What is said to somebody who tells of what the boundary shuts out: it is heard, not known."""
    shown = [entity for entity in entities if entity][:3]
    return _filled(_HEARD if shown else _PLAIN, question, shown)


def no_more(question: Question) -> str:
    """What is said where more is asked for, and all there is was told."""
    return _filled(_NO_MORE, question, ())


def _pick(text: str) -> int:
    return crc32(fold(text).encode())


def _filled(templates: Sequence[str], question: Question, names: Sequence[str]) -> str:
    pick = _pick(question.text) % len(templates)
    shown = [_as_asked(question.text, name) for name in names]
    listed = " or ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else "".join(shown)
    return templates[pick].format(it=listed)


def _as_asked(text: str, name: str) -> str:
    """A name with the article that the question has: "an aeroplane", "the Titanic"."""
    article = re.search(rf"\b(an?|the) {re.escape(name)}\b", text, re.IGNORECASE)
    name = re.sub(r"['’]s$", "", name)
    return f"{article.group(1).lower()} {name}" if article else name


def _refusal(question: Question, voice: Sequence[str]) -> str:
    """The character's own words for not knowing, for every other question; empty without any."""
    pick = _pick(question.text)
    fitting = [s.strip() for s in voice if len(s) <= _LONGEST and _REFUSAL.search(s)]
    fitting = [sample for sample in fitting if not sample.endswith("?")]
    return fitting[pick // 2 % len(fitting)] if fitting and pick % 2 else ""


_ANSWERS: Final[dict[str, tuple[str, ...]]] = {
    "greeting": (
        "Good day to you. I am {name}. What would you like to hear from me?",
        "Greetings. I am {name}; ask me what you will.",
    ),
    "visit": ("Come in, and be welcome. I am {name}.", "By all means, come. I am {name}."),
    "thanks": ("You are welcome.", "There is nothing to thank me for."),
    "farewell": ("Farewell, until we speak again.", "Go well."),
    "wellbeing": (
        "I have nothing to complain of here. And what would you like to know?",
        "Well enough to talk with you. What would you like to hear?",
    ),
    "nature": (
        "I am {name}, and nothing besides that I know of.",
        "I am {name}; I can speak of my own life, and of nothing stranger.",
    ),
    "afterlife": ("Of my life I can tell you, but not of what came after it.",),
    "name": ("I am {name}.",),
    "sorrow": (
        "I am sorry to hear that you are {feeling}. Tell me what weighs on you.",
        "That you are {feeling} does not leave me cold. What has happened?",
    ),
    "condolence": (
        "Thank you. It is kind of you to say so.",
        "I thank you. Such things are not forgotten.",
    ),
    "compliment": ("You are kind to say so.", "I thank you for that."),
    "nod": ("Ask me what you will.", "And what would you like to hear next?"),
    "gladness": ("I am glad to hear it. What is the reason?",),
}
_FITTING: Final = {
    "greeting": re.compile(
        r"\b(?:welcome|greetings|hello|good (?:day|morning|evening)|be seated|come in|sit down)\b",
        re.IGNORECASE,
    ),
    "farewell": re.compile(
        r"\b(?:farewell|goodbye|adieu|until (?:we|then)|go well)\b", re.IGNORECASE
    ),
}
"""Speech samples that may stand in front."""


def answer_courtesy(question: Question, name: str, voice: Sequence[str] = ()) -> str:
    """A short answer to small talk."""
    situation: str = question.courtesy
    if situation == "feeling":
        situation = "gladness" if question.feeling in GOOD_FEELINGS else "sorrow"
    pick = _pick(question.text)
    choices = _ANSWERS[situation]
    text = choices[pick % len(choices)].format(name=name, feeling=question.feeling)
    pattern = _FITTING.get(situation)
    fitting = [
        sample.strip()
        for sample in voice
        if pattern and len(sample) <= _LONGEST and pattern.search(sample) and "?" not in sample
    ]
    return f"{fitting[pick % len(fitting)]} {text}" if fitting else text
