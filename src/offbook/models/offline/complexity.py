"""How much retrieval a question takes, by its shape; and what is still missing, by its words.

Takes: a question, and the passages that were found.  Gives: none, one or several; then whether the
passages hold all that is asked for, or what to search for next. Source: ours. Several: two
questions in one, somebody who is described by way of another, a comparison, before and after.
"""

from __future__ import annotations

import re
from typing import Final

from offbook.language.questions import Question, read_question
from offbook.language.words import fold, search_terms, words
from offbook.models.offline.evidence import Evidence, gather
from offbook.models.offline.wide_scripts import is_greeting, language_of
from offbook.prompts.complexity import Complexity, ComplexityInputs, NextStep, NextStepInputs
from offbook.types import ContextItem

_SMALL_TALK: Final = frozenset(("greeting", "thanks", "farewell", "wellbeing", "feeling", "nature"))
_ASKING: Final = r"(?:who|whom|whose|what|which|when|where|why|how|did|do|does|was|were|is|are)"
_SEVERAL: Final = re.compile(
    # Two questions in one: "who taught you, and when did he die?"
    rf"[,;]? and {_ASKING}\b"
    # A comparison.
    r"|\b(?:compare[ds]?|comparison|differ(?:s|ed|ences?|ent from)?|in common|unlike"
    r"|(?:more|less|worse|(?!rather|other)\w{2,}er) than|both .{1,200} and)\b"
    # Something else that it came before or after.
    r"|\b(?:before|after|until|while) (?:(?:you|he|she|they|[A-Z]\w+)(?: \w+)+"
    r"|(?:your|his|her|their|the)(?: \w+){2})"
    # Somebody who is described: "the man who taught your brother", "the wife of the man you freed".
    r"|\b(?:the|a) \w+(?: \w+)? (?:who|whom|whose|that|which) \w+"
    r"|\b(?:the|your|his|her|their) \w+ of (?:the|your|his|her|their|a) \w+ (?:of|who|whom|whose"
    r"|that|you|he|she|they)\b"
    r"|(?:'s|s') (?:\w+ )?\w+(?:'s|s') \w+",
)
_SEVERAL_WIDE: Final = re.compile(
    r"[?？].*[?？]|相比|比较|比較|区别|區別|不同|违い|違い|之前|之后|之後|の前|の後|차이|비교|전에|후에"
)
_ASKED_FOR: Final = re.compile(
    r"^(?:and |so )?(?:who(?: is|'s| was| are| were)|what(?: is|'s| was| are| were)|tell me about"
    r"|describe|do you (?:know|remember)) (?:the|a|an) \w+(?: \w+)? (?:who|whom|whose|that|which) "
)
"""What is described and asked for itself: one search for the description finds it."""
_MISSING_WORDS: Final = 6
_NEW_NAMES: Final = 2


def classify_question(inputs: ComplexityInputs) -> Complexity:
    """None for small talk, several where the shape of the question says so, else one."""
    text = inputs.question.strip().rsplit("\n", 1)[-1]
    if language_of(text) != "en":
        if is_greeting(text):
            return Complexity(retrievals="none")
        wide = _SEVERAL_WIDE.search(text) is not None
        return Complexity(retrievals="several" if wide else "one")
    question = read_question(text, frozenset(words(inputs.character)))
    if question.courtesy in _SMALL_TALK:
        return Complexity(retrievals="none")
    plain = _ASKED_FOR.sub("", text[:1].lower() + text[1:])
    several = text.count("?") > 1 or _SEVERAL.search(plain) is not None
    return Complexity(retrievals="several" if several else "one")


def next_step(inputs: NextStepInputs) -> NextStep:
    """The words of the question that no passage holds, with the names that the best one gives."""
    evidence = gather([ContextItem("knowledge", "", text, 0.0) for text in inputs.passages])
    if language_of(inputs.question) != "en":
        return _next_by_pairs(inputs)
    own = frozenset(words(inputs.character))
    question = read_question(inputs.question, own)
    lacking = [term.word for term in question.terms if not evidence.holds(term)]
    searched = {term for text in inputs.searched for term in search_terms(text)}
    names = [name for name in _led_to(evidence, question, own) if _is_new(name, searched)]
    text = " ".join((*names[:_NEW_NAMES], *lacking[:_MISSING_WORDS]))
    if not lacking or not _is_new(text, searched):
        return NextStep(enough=True, search="")
    return NextStep(enough=False, search=text)


def _led_to(evidence: Evidence, question: Question, own: frozenset[str]) -> list[str]:
    """Names in the sentence that bears most on the question, which itself does not use them."""
    hits = evidence.hits(question)
    if not hits:
        return []
    asked = {word for name in question.names for word in words(name)}
    # The first word of a sentence may be capitalised for its place alone.
    best = evidence.sentences[hits[0].index].text
    named = read_question(f"of {best}", own).names
    return [name for name in named if asked.isdisjoint(words(name))]


def _is_new(text: str, searched: set[str]) -> bool:
    return not set(search_terms(text)) <= searched


def _next_by_pairs(inputs: NextStepInputs) -> NextStep:
    """The same for scripts without blanks: the sentences of which the passages hold little."""
    held = {term for text in inputs.passages for term in search_terms(text)}
    held |= set(search_terms(inputs.character))
    parts = [part for part in re.split(r"[?？。！!，,、]", fold(inputs.question)) if part.strip()]
    for part in parts if len(parts) > 1 else ():
        asked = set(search_terms(part))
        searched = part in (fold(text) for text in inputs.searched)
        if asked and len(asked & held) * 2 < len(asked) and not searched:
            return NextStep(enough=False, search=part.strip())
    return NextStep(enough=True, search="")
