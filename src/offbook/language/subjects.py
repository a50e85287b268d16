"""Where in a sentence a noun is the subject of a clause.

Takes: tokens and places in them.  Gives: whether a verb belongs to what stands there, and where
adverbs and brackets end. Source: ours; rules over closed word classes.
"""

from __future__ import annotations

from typing import Final

from offbook.language import grammar
from offbook.language.clauses import Token, may_lead_clause, starts_clause
from offbook.language.grammar import word_set
from offbook.language.verbs import is_base, is_finite, is_third_singular

_INVERTING: Final = word_set("is are was were has have had does do did can could will would")
_REPORTING: Final = word_set(
    "say says said think thinks thought believe believes believed know knows knew hope hopes"
    " hoped feel feels felt claim claims claimed state states stated suppose supposes supposed"
    " fear fears feared wish wishes wished find finds found report reports reported"
)
_PAIRING: Final = word_set("between of with to for by against upon")
_BRACKET_TOKENS: Final = 80


def is_subject(tokens: list[Token], first: int, last: int) -> bool:
    """Whether the noun in ``[first, last)`` is the subject of a finite verb."""
    if last < len(tokens) and tokens[last].low in ("'s", "'", "’"):
        return False
    after = _verb_after(tokens, last)
    verb = after is not None and (is_finite(after.low) or is_third_singular(after.low))
    if first > 0 and tokens[first - 1].low in ("only", "even", "perhaps"):
        first -= 1
    if first == 0:
        return after is not None and after.text not in ".!?"
    return after is not None and _may_be_subject(tokens, first, after, verb)


def _may_be_subject(tokens: list[Token], first: int, after: Token, verb: bool) -> bool:
    """The same for a noun that does not open the sentence, by the word before it."""
    before = tokens[first - 1]
    if before.low in ("and", "or") and _in_pair_of_objects(tokens, first - 1):
        return False
    if before.low in ("and", "or") and is_base(after.low):
        return True
    if before.low == "and" and all(token.is_capital for token in tokens[: first - 1]):
        return after.text[0].islower()
    if may_lead_clause(before.low) and before.low != "but":
        return verb
    if starts_clause(tokens, first):
        opens = after.text in "(," or after.low in ("and", "who", "or")
        return verb or (opens and before.low != "and")
    if before.low in grammar.PREPOSITIONS or before.low in _INVERTING:
        return before.low in _INVERTING
    if before.low == "both":
        led = first > 1 and tokens[first - 2].low in grammar.PREPOSITIONS
        return after.low == "and" and not led
    if before.low in _REPORTING:
        return after.low == "and" or verb
    noun = any(token.low in grammar.DETERMINERS for token in tokens[max(0, first - 3) : first - 1])
    return verb and (noun or not (is_finite(before.low) or is_base(before.low)))


def _in_pair_of_objects(tokens: list[Token], conjunction: int) -> bool:
    """Whether the pair stands after a preposition ("between Antony *and* Cleopatra")."""
    at = conjunction - 1
    while at >= 0 and tokens[at].is_capital and conjunction - at <= 3:
        at -= 1
    named = at < conjunction - 1
    at -= at > 0 and tokens[at].low == "both"
    return at >= 0 and named and tokens[at].low in _PAIRING


def _verb_after(tokens: list[Token], last: int) -> Token | None:
    at = skip_adverbs(tokens, skip_brackets(tokens, last))
    return tokens[at] if at < len(tokens) else None


def skip_brackets(tokens: list[Token], at: int) -> int:
    """The index after a bracketed insertion that begins at ``at``, else ``at``."""
    if at >= len(tokens) or tokens[at].text not in "([":
        return at
    depth = 0
    for index in range(at, min(len(tokens), at + _BRACKET_TOKENS)):
        depth += (tokens[index].text in "([") - (tokens[index].text in ")]")
        if depth == 0:
            return index + 1
    return at


def skip_adverbs(tokens: list[Token], at: int) -> int:
    """The index of the first token at or after ``at`` that is no adverb."""
    while at < len(tokens) and not tokens[at].quoted:
        low = tokens[at].low
        if low not in grammar.ADVERBS and not (low.endswith("ly") and len(low) > 4):
            break
        at += 1
    return at


def thing_acts(tokens: list[Token], at: int) -> bool:
    """Whether a noun that names nobody is a subject here: "when *anger* takes him"."""
    if at < len(tokens) and tokens[at].low in grammar.DETERMINERS:
        at += 1
    for index in range(at, min(at + 3, len(tokens) - 1)):
        token = tokens[index]
        if not token.is_word or token.quoted or token.is_capital:
            return False
        if token.low in grammar.FUNCTION or is_finite(token.low) or token.low.endswith("ing"):
            return False
        after = skip_adverbs(tokens, index + 1)
        if after < len(tokens) and is_finite(tokens[after].low):
            return True
    return False
