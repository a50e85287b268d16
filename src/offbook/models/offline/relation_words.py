"""How strong a relation is, by the words that stand between its ends.

Takes: lower-case words.  Gives: a strength from 1 (mentioned together) to 10 (decisive for a life).
Source: ours; an explicit table.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from offbook.language.grammar import word_set

MENTIONED: Final = 1
IN_A_SENTENCE: Final = 2
IN_A_CLAUSE: Final = 3
ACTS_ON: Final = 4
OF_MINE: Final = 9
"""Of the narrator and "my father"."""

_TABLE: Final[tuple[tuple[int, frozenset[str]], ...]] = (
    (
        10,
        word_set(
            "killed kills kill murdered murders murder assassinated executed stabbed poisoned"
            " slain slew married marries marry wed wedded wife husband beheaded drowned"
            " strangled spouse bride bridegroom"
        ),
    ),
    (
        9,
        word_set(
            "father mother brother sister son daughter uncle aunt nephew niece cousin"
            " grandfather grandmother grandson granddaughter half-brother half-sister"
            " stepfather stepmother stepson stepdaughter twin parents parent child children"
            " brothers sisters sons daughters siblings sibling widow widower father-in-law"
            " mother-in-law brother-in-law sister-in-law son-in-law daughter-in-law loved"
            " loves love adored betrothed betrothal fiancé fiancée lover lovers"
            " mistress divorced betrayed betrays denounced grandnephew great-uncle orphaned"
            " adopted descendant ancestor eloped"
        ),
    ),
    (
        8,
        word_set(
            "saved saves rescued rescues rescue hated hates hatred enemy enemies rival rivals"
            " friend friends friendship ally allies defeated defeats conquered overthrew"
            " imprisoned arrested banished exiled avenged revenge vengeance ruined freed"
            " liberated fought fights duel attacked besieged captured guardian ward godfather"
            " godmother protector benefactor forgave accomplice kidnapped wounded"
        ),
    ),
    (
        7,
        word_set(
            "taught teaches teacher taught pupil student studied tutor mentor master servant"
            " served serves slave disciple apprentice founded founder established discovered"
            " invented ruled reigned king queen emperor governor captain commanded led born"
            " died buried native heir successor predecessor succeeded inherited crowned"
            " appointed promised swore swears confessed patron"
        ),
    ),
    (
        6,
        word_set(
            "wrote writes written composed composes painted author dedicated published"
            " created built owned owns bought sold worked works work employed employer partner"
            " colleague colleagues member professor joined elected hired commissioned"
            " performed conducted accused trusted admired admires feared despised envied"
            " respected helped helps quarrelled quarreled condemned examined neighbour"
            " neighbor belongs belonged"
        ),
    ),
    (
        5,
        word_set(
            "met meets visited visits visit lived lives live grew moved travelled traveled"
            " went goes came returned sailed settled stayed arrived fled escaped received gave"
            " gives sent brought told tells asked begged thanked saw sees found followed"
            " entered left reached attended invited recognised recognized resembled kissed"
            " embraced dined danced"
        ),
    ),
)
"""The first class that has a word decides."""
_BY_WORD: Final = {word: strength for strength, words in reversed(_TABLE) for word in words}
_LIFE: Final = word_set("born died married killed crowned founded arrested executed")
_DATED: Final = 2
_DATED_LIFE: Final = 6


def strength_of(words: Iterable[str]) -> int:
    """The strongest that one of ``words`` speaks for; 0 where none does."""
    return max((_BY_WORD.get(word, 0) for word in words), default=0)


def strength_of_date(words: Iterable[str]) -> int:
    """How much a date says of what it dates: of a birth more than of a walk."""
    return _DATED_LIFE if not _LIFE.isdisjoint(words) else _DATED


KIN: Final = word_set(
    "wife husband spouse bride bridegroom father mother brother sister son daughter uncle"
    " aunt nephew niece cousin grandfather grandmother grandson granddaughter half-brother"
    " half-sister stepfather stepmother stepson stepdaughter twin parents parent child"
    " children brothers sisters sons daughters siblings sibling widow widower father-in-law"
    " mother-in-law brother-in-law sister-in-law son-in-law daughter-in-law fiancé fiancée"
    " lover mistress grandnephew great-uncle descendant ancestor friend friends enemy enemies"
    " rival rivals ally allies ward guardian godfather godmother protector benefactor"
    " accomplice"
)
"""Nouns that say what one person is to another; they bind only who stands beside them."""
_BETWEEN_PEOPLE: Final = 8


def strength_with_things(words: Iterable[str]) -> int:
    """The strength where an end is no person: one is born in a place, but not married to it."""
    found = [_BY_WORD.get(word, 0) for word in words if word not in KIN]
    return max((weight for weight in found if weight < _BETWEEN_PEOPLE), default=0)
