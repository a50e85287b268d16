"""The verbs that a subject governs, made to agree with ``I``.

Takes: the tokens of a sentence and where the subject stands.  Gives: edits of the finite verbs in
the third person singular that belong to it, coordinated ones included. Source: ours.
"""

from __future__ import annotations

from offbook.language import grammar
from offbook.language.clauses import Token
from offbook.language.grammar import word_set
from offbook.language.subjects import skip_adverbs, skip_brackets
from offbook.language.verbs import (
    first_person,
    is_finite,
    is_known_third,
    is_past,
    is_third_singular,
)

Edit = tuple[int, int, str]

_BE_HAVE_DO = frozenset(("is", "has", "does", "isn't", "hasn't", "doesn't"))
_NEGATIVE_OPENINGS = word_set("nor neither never only rarely seldom not so how why when")
_AFTER_VERBS = word_set("to not that how what why")
_APPOSITION_TOKENS = 30
_COORDINATION_TOKENS = 100
_CLAUSE_SUBJECTS = frozenset(("he", "she", "they", "we", "i"))


def agree(tokens: list[Token], first: int, last: int) -> list[Edit]:
    """Edits of the verbs of the subject ``[first, last)``."""
    if inverted := _inverted(tokens, first):
        return inverted
    edits: list[Edit] = []
    at = _past_insertions(tokens, last, edits)
    if at is None or at >= len(tokens):
        return edits
    token = tokens[at]
    if token.low == "'s" and at == last:
        following = tokens[at + 1].low if at + 1 < len(tokens) else ""
        perfect = following in ("been", "got", "had") or is_past(following)
        edits.append((token.start, token.end, "'ve" if perfect else "'m"))
    elif token.text[0].islower() and is_third_singular(token.low):
        edits.append(_edit(token))
    return edits + _coordinated(tokens, at)


def _edit(token: Token) -> Edit:
    return token.start, token.end, first_person(token.low)


def _inverted(tokens: list[Token], first: int) -> list[Edit]:
    """The auxiliary in front of its subject ("nor does he", "never has she")."""
    if first < 2 or tokens[first - 1].low not in _BE_HAVE_DO or tokens[first - 1].quoted:
        return []
    opening = tokens[first - 2]
    if opening.low in _NEGATIVE_OPENINGS or not opening.is_word:
        return [_edit(tokens[first - 1])]
    return []


def _past_insertions(tokens: list[Token], last: int, edits: list[Edit]) -> int | None:
    """The index of the subject's verb, past brackets, adverbs, appositions, relative clauses."""
    at = skip_adverbs(tokens, skip_brackets(tokens, last))
    if at >= len(tokens) or tokens[at].quoted:
        return None
    if tokens[at].low == "who":
        return _past_relative(tokens, at, edits)
    if tokens[at].text != ",":
        return at
    inner = skip_adverbs(tokens, at + 1)
    if inner < len(tokens) and tokens[inner].low == "who":
        return _past_relative(tokens, inner, edits)
    for close in _commas(tokens, at + 1):
        after = skip_adverbs(tokens, close + 1)
        if after < len(tokens) and _is_verb(tokens[after]):
            return after
    return None


def _past_relative(tokens: list[Token], who: int, edits: list[Edit]) -> int | None:
    verb = skip_adverbs(tokens, who + 1)
    if verb < len(tokens) and _is_verb(tokens[verb]) and is_third_singular(tokens[verb].low):
        edits.append(_edit(tokens[verb]))
    for close in _commas(tokens, verb):
        after = skip_adverbs(tokens, close + 1)
        if after < len(tokens) and _is_verb(tokens[after]):
            return after
    return None


def _commas(tokens: list[Token], at: int) -> list[int]:
    found: list[int] = []
    index = at
    limit = min(len(tokens), at + _APPOSITION_TOKENS)
    while index < limit and tokens[index].text not in ".;:!?":
        if tokens[index].text == "," and not tokens[index].quoted:
            found.append(index)
        index = max(index + 1, skip_brackets(tokens, index))
    return found


def _is_verb(token: Token) -> bool:
    return not token.quoted and token.text[0].islower() and is_finite(token.low)


def _coordinated(tokens: list[Token], verb: int) -> list[Edit]:
    """Later verbs of the same subject: "was born in Bonn and *moves* to Vienna"."""
    edits: list[Edit] = []
    index = verb + 1
    nested = False
    last = min(len(tokens) - 1, verb + _COORDINATION_TOKENS)
    while index < last:
        token = tokens[index]
        if token.text in ".;:!?" or (token.low in _CLAUSE_SUBJECTS and not token.quoted):
            break
        if token.low in grammar.SUBORDINATORS and not token.quoted:
            commas = _commas(tokens, index)
            if not commas:
                break
            index = commas[0]  # what is coordinated inside the clause has the clause's subject
            nested = True  # that comma may as well lie within the clause
            continue
        if token.quoted or not (token.low in grammar.COORDINATORS or token.text == ","):
            index += 1
            continue
        comma = token.text == ","
        at = skip_adverbs(tokens, index + 1)
        if comma and at < len(tokens) and tokens[at].low in grammar.COORDINATORS:
            at = skip_adverbs(tokens, at + 1)
            comma = False
        elif comma and nested:
            index += 1
            continue
        if _new_subject(tokens, at) or _new_subject(tokens, index + 1):
            break
        if at < len(tokens) and _continues(tokens, index, at, comma):
            edits.append(_edit(tokens[at]))
        index = max(index + 1, at)
    return edits


def _new_subject(tokens: list[Token], at: int) -> bool:
    """Whether another subject with a verb of its own begins here."""
    if at + 1 >= len(tokens) or tokens[at].quoted:
        return False
    if tokens[at].low in grammar.SUBJECT_PRONOUNS:
        return True
    noun = tokens[at].is_capital or tokens[at].low in grammar.DETERMINERS
    if not noun:
        return False
    for index in range(at + 1, min(at + 6, len(tokens))):
        token = tokens[index]
        if not token.is_word or token.low in grammar.PREPOSITIONS | grammar.COORDINATORS:
            return False
        if _is_verb(token):
            return True
    return False


def _continues(tokens: list[Token], conjunction: int, at: int, comma: bool) -> bool:
    token = tokens[at]
    if token.quoted or not token.text[0].islower() or not is_third_singular(token.low):
        return False
    if token.low in _BE_HAVE_DO:
        return not comma
    if at > conjunction + 1 and is_known_third(token.low):
        return True  # an adverb stands before it ("never dances")
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    follower = after.low if after is not None else ""
    if follower in grammar.DETERMINERS | grammar.OBJECT_PRONOUNS:
        return True
    if not is_known_third(token.low):
        return False
    if follower in _AFTER_VERBS or follower in grammar.ADVERBS or follower.endswith("ly"):
        return True
    before = tokens[conjunction - 1] if conjunction else token
    if not before.is_word and conjunction > 1:
        before = tokens[conjunction - 2]
        if after is not None and after.is_word and after.low not in grammar.COORDINATORS:
            return True  # a comma before "and" parts clauses, or the last of a list
    verb_before = is_known_third(before.low) and conjunction >= 1
    plural = before.low.endswith("s") and not before.low.endswith("ss")
    if comma:
        governs = after is not None and after.is_word
        closed = grammar.PREPOSITIONS | grammar.COORDINATORS
        return verb_before or (governs and after is not None and after.low not in closed)
    return verb_before or not plural
