"""Offline answers to what retrieval asks: how much of it, what is missing, which passage, keywords.

Takes: a question, and the passages that were found.  Gives: how many retrievals a question takes,
by its shape; what to search for next; the grade of a passage; keywords. Source: ours. A passage is
correct where the offline reply would answer from it, ambiguous where it speaks of what is asked for
most, or is like the question in meaning. LightRAG (arXiv 2410.05779), 3.2, has a model's keywords.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from offbook.models.builtin import embed_texts
from offbook.prompts import retrieval
from offbook.prompts.knowing import Knowing, KnowingInputs
from offbook.rules.evidence import Evidence, gather
from offbook.rules.languages import is_greeting, language_of
from offbook.rules.question_names import names_in_question
from offbook.text.questions import Question, read_question
from offbook.text.words import fold, search_terms, words
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
    r"|(?:'s|s') (?:\w+ )?\w+(?:'s|s') \w+"
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
_KEYWORDS: Final = 6
_SUPPORT: Final = 0.4
"""The least weighted share of the question's terms that a passage must hold to answer it: below a
half, since texts speak of things in other words than questions do."""
_MATCHED: Final = 0.25
"""The least weighted share of the terms that a single sentence must hold."""
_GENERAL_MATCHED: Final = 0.34
"""The same for a question of general words only, of which any sentence holds one by chance."""
_LIKE: Final = 0.25
"""The likeness from which a strip may bear on a question with which it shares no word: far above
what sentences on different subjects have."""
_WIDE_SUPPORT: Final = 0.3
"""The share of a question's pairs of characters that a strip has which answers it."""
_NEAR: Final = 0.5
"""Strips that hold at least so much of what the best one holds are relevant, too."""
_LEANS: Final = re.compile(
    r"\W*(?:he|she|it|they|him|her|his|its|their|this|that|these|those|there|then)\b", re.IGNORECASE
)


def classify_question(inputs: retrieval.ComplexityInputs) -> retrieval.Complexity:
    """None for small talk, several where the shape of the question says so, else one."""
    text = inputs.question.strip().rsplit("\n", 1)[-1]
    if language_of(text) != "en":
        if is_greeting(text):
            return retrieval.Complexity(retrievals="none")
        wide = _SEVERAL_WIDE.search(text) is not None
        return retrieval.Complexity(retrievals="several" if wide else "one")
    question = read_question(text, frozenset(words(inputs.character)))
    if question.courtesy in _SMALL_TALK:
        return retrieval.Complexity(retrievals="none")
    plain = _ASKED_FOR.sub("", text[:1].lower() + text[1:])
    several = text.count("?") > 1 or _SEVERAL.search(plain) is not None
    return retrieval.Complexity(retrievals="several" if several else "one")


def next_step(inputs: retrieval.NextStepInputs) -> retrieval.NextStep:
    """The words of the question that no passage holds, with the names that the best one gives."""
    evidence = gather([ContextItem("knowledge", "", text, 0.0) for text in inputs.passages])
    if language_of(inputs.question) != "en":
        return _next_by_pairs(inputs)
    own_names = frozenset(words(inputs.character))
    question = read_question(inputs.question, own_names)
    lacking = [term.word for term in question.terms if not evidence.holds(term)]
    searched = {term for text in inputs.searched for term in search_terms(text)}
    names = [name for name in _led_to(evidence, question, own_names) if _is_new(name, searched)]
    text = " ".join((*names[:_NEW_NAMES], *lacking[:_MISSING_WORDS]))
    if not lacking or not _is_new(text, searched):
        return retrieval.NextStep(thought="", enough=True, search="")
    return retrieval.NextStep(thought=text, enough=False, search=text)


def _led_to(evidence: Evidence, question: Question, own_names: frozenset[str]) -> list[str]:
    """Names in the sentence that bears most on the question, which itself does not use them."""
    hits = evidence.hits(question)
    if not hits:
        return []
    named_words = {word for name in question.names for word in words(name)}
    # The first word of a sentence may be capitalised for its place alone.
    best = evidence.sentences[hits[0].index].text
    named = read_question(f"of {best}", own_names).names
    return [name for name in named if named_words.isdisjoint(words(name))]


def _is_new(text: str, searched: set[str]) -> bool:
    return not set(search_terms(text)) <= searched


def _next_by_pairs(inputs: retrieval.NextStepInputs) -> retrieval.NextStep:
    """The same for scripts without blanks: the sentences of which the passages hold little."""
    held = {term for text in inputs.passages for term in search_terms(text)}
    held |= set(search_terms(inputs.character))
    parts = [part for part in re.split(r"[?？。！!，,、]", fold(inputs.question)) if part.strip()]
    for part in parts if len(parts) > 1 else ():
        pairs = set(search_terms(part))
        searched = part in (fold(text) for text in inputs.searched)
        if pairs and len(pairs & held) * 2 < len(pairs) and not searched:
            return retrieval.NextStep(thought=part.strip(), enough=False, search=part.strip())
    return retrieval.NextStep(thought="", enough=True, search="")


def grade_passage(inputs: retrieval.GradeInputs) -> retrieval.PassageGrade:
    """The grade, and the numbers of the strips that bear on the question."""
    if language_of(inputs.question) != "en":
        grade, shares = _by_pairs(inputs)
    else:
        grade, shares = _by_evidence(inputs)
    best = max(shares, default=0.0)
    if grade == "incorrect" or best <= 0:
        worse: retrieval.Grade = "ambiguous" if grade == "correct" else grade
        return retrieval.PassageGrade(relevant=[], grade=worse)
    near = [place for place, share in enumerate(shares) if share >= _NEAR * best]
    return retrieval.PassageGrade(relevant=_with_antecedents(inputs.strips, near), grade=grade)


def select_strips(inputs: retrieval.StripsInputs) -> retrieval.BestStrips:
    """The strips that hold most of the question, in that order."""
    measure = _by_evidence if language_of(inputs.question) == "en" else _by_pairs
    _, shares = measure(retrieval.GradeInputs(inputs.character, inputs.question, "", inputs.strips))
    ranking = sorted(range(len(shares)), key=lambda place: (-shares[place], place))
    telling = [place + 1 for place in ranking if shares[place] >= _NEAR * max(shares) > 0]
    return retrieval.BestStrips(best=telling[: inputs.most])


def _by_evidence(inputs: retrieval.GradeInputs) -> tuple[retrieval.Grade, list[float]]:
    """The grade by the rules of the offline reply, and how much each strip holds."""
    question = read_question(inputs.question, frozenset(words(inputs.character)))
    evidence = gather([ContextItem("knowledge", inputs.headings, s, 0.0) for s in inputs.strips])
    if not question.terms:
        return _of_the_character(inputs)
    shares = _matched(evidence, question, len(inputs.strips))
    support, best = evidence.support(question.terms), max(shares, default=0.0)
    unknown = question.names and not any(map(evidence.knows, question.names))
    specific = len(question.terms) == 1 or any(term.weight >= 1 for term in question.terms)
    least = _MATCHED if specific else _GENERAL_MATCHED
    if support >= _SUPPORT and best >= least and not unknown:
        return "correct", shares
    weight = max(term.weight for term in question.terms)
    heaviest = (term for term in question.terms if term.weight == weight)
    if best > 0 and not unknown and (support >= _SUPPORT or any(map(evidence.holds, heaviest))):
        return "ambiguous", shares
    vectors = embed_texts([inputs.question, *inputs.strips])
    likeness: list[float] = (vectors[1:] @ vectors[0]).tolist()
    if not unknown and max(likeness, default=0.0) >= _LIKE:
        return "ambiguous", likeness
    return "incorrect", shares


def _of_the_character(inputs: retrieval.GradeInputs) -> tuple[retrieval.Grade, list[float]]:
    """A question that asks for nothing but the character: what speaks of it by its name."""
    name = set(search_terms(inputs.character))
    shares = [float(not name.isdisjoint(search_terms(strip))) for strip in inputs.strips]
    return ("correct", shares) if any(shares) else ("ambiguous", [1.0] * len(shares))


def _matched(evidence: Evidence, question: Question, count: int) -> list[float]:
    """The largest share of the question's terms that a sentence of each strip holds."""
    shares = [0.0] * count
    for hit in evidence.hits(question):
        place = evidence.sentences[hit.index].item
        shares[place] = max(shares[place], hit.matched)
    return shares


def _by_pairs(inputs: retrieval.GradeInputs) -> tuple[retrieval.Grade, list[float]]:
    """The same for scripts without blanks: the share of the question's search terms."""
    pairs = set(search_terms(inputs.question)) - set(search_terms(inputs.character))
    if not pairs:
        return _of_the_character(inputs)
    shares = [len(pairs & set(search_terms(strip))) / len(pairs) for strip in inputs.strips]
    best = max(shares, default=0.0)
    if best >= _WIDE_SUPPORT:
        return "correct", shares
    return ("ambiguous" if best > 0 else "incorrect"), shares


def _with_antecedents(strips: Sequence[str], places: Sequence[int]) -> list[int]:
    """The numbers of strips, and of those before them that a "he" or "then" leans on."""
    before = {place - 1 for place in places if place and _LEANS.match(strips[place])}
    return [place + 1 for place in sorted(before.union(places))]


def question_keywords(inputs: retrieval.KeywordsInputs) -> retrieval.Keywords:
    """Take names as low-level, other words of the subject as high-level keywords."""
    read = read_question(inputs.question, frozenset(words(inputs.character)))
    named = [named.name for named in names_in_question(inputs.question, lambda word: False)]
    low = _distinct([*read.names, *named])
    taken = {word for name in low for word in words(name)}
    high = _distinct([t.word for t in read.terms if t.weight >= 1 and fold(t.word) not in taken])
    return retrieval.Keywords(high_level=high or low, low_level=low or high)


def _distinct(texts: list[str]) -> list[str]:
    """Each once, the first ones."""
    return list({fold(text): text for text in reversed(texts)}.values())[::-1][:_KEYWORDS]


_STATED: Final = 0.6
"""Of the words of a fact so many stand in what states it, in other words or not: as much as a
paraphrase of one sentence keeps of names and things."""


def knowing(inputs: KnowingInputs) -> Knowing:
    """Whether one piece of what the character lived through has most words of the fact."""
    terms = set(search_terms(inputs.fact))
    for item in (*inputs.record, *inputs.passages):
        shared = terms.intersection(search_terms(item.text))
        if terms and len(shared) >= _STATED * len(terms):
            how = item.witness.how if item.witness is not None else "present"
            return Knowing(because=item.title[:400], knows=True, how=how)
    return Knowing(because="nothing of theirs states it", knows=False, how="absent")
