"""Words that stand for one another when a person asks, and words that belong to any life.

Takes: search terms (see ``offbook.text.words``).  Gives: the related terms, and whether a term
is general, so that its absence from a text says little. Source: ours; the split into general and
specific follows RoleRAG (papers 000, 001), the word lists are ours and written without any corpus.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from offbook.text.words import fold, word_term

_RELATED: Final = """
family: father mother parents brother sister wife husband son daughter children child
family: grandfather grandmother uncle aunt nephew niece cousin relatives kin siblings
parents: father mother
siblings: brother sister children
children: son daughter
spouse: wife husband married marry marriage wedding wed bride
love: loved beloved lover romance romantic courted proposed infatuated affair marry married
love: marriage betrothed
child: childhood boy girl youth young boyhood girlhood grew upbringing early
born: birth birthplace native baptised baptized birthday
origin: native homeland born hail come grew
live: lived lives resided residence lodged dwelt home house moved settled
die: died death dying dead killed buried funeral grave murdered executed assassinated suicide
teach: taught teacher tutor instruct instructed lessons pupil student studied study mentor
teach: learned learnt education school schooled trained
education: school schooled university college studied studies degree lessons taught trained
friend: friends friendship befriended companion comrade
enemy: enemies rival rivals foe opponent hated quarrel
hate: hated despised detested loathed dislike disliked contempt
like: likes liked enjoy enjoyed enjoys fond loves love loved favourite favorite prefer
like: preferred delight
hobby: hobbies interest interests pastime pastimes enjoy enjoyed leisure fond
work: works job profession career occupation trade employed employment post craft
emotion: felt grief joy anger fear sorrow horror rage despair tears wept shame remorse pride
emotion: happiness dread fury delight hope
fear: fears feared afraid dread dreaded frightened terror terrified
angry: anger rage fury furious temper wrath
sad: sadness sorrow grief grieved mourned melancholy despair despairing unhappy depressed
sad: wept weep cry cried
happy: happiness joy joyful glad delight delighted cheerful
ill: illness sick sickness disease ailment ailing suffered health fever unwell
deaf: deafness hearing
blind: blindness sight eyes
prison: imprisoned prisoner jail gaol dungeon cell captive captivity incarcerated arrested
arrest: arrested seized imprisoned
escape: escaped fled flee flight broke
war: battle battles fought campaign army fight military
religion: religious faith god church believe belief prayer pray christian
money: rich wealth wealthy fortune income poor poverty debt treasure paid salary
appearance: hair eyes face tall slender beard dressed features height complexion handsome pale
travel: travelled traveled journey journeyed voyage sailed visited trip toured
music: musical composer composed compositions symphony piano melody
write: wrote written writings book books author published
publish: published appeared printed
begin: began started start first initially
leader: lead led leadership commander command commanded ruler ruled
rule: ruled reign reigned power throne governed
help: helped aid aided assist assisted support supported
betray: betrayed betrayal traitor treachery denounced conspiracy
revenge: vengeance avenge avenged retribution
home: house residence dwelling
food: eat ate eaten dine dined meal dinner supper drink drank wine
age: old young aged years
famous: fame renowned celebrated reputation known admired
achievement: achievements accomplished accomplishment success proud proudest greatest
achievement: triumph masterpiece discovered invented
regret: regrets regretted remorse repented
dream: dreams ambition ambitions hoped wish goal goals aspired purpose aim
strength: strengths skill skills talent talents gifted ability abilities
weakness: weaknesses flaw flaws fault faults failing
personality: character temperament nature disposition manner
struggle: struggles struggled hardship hardships difficulty difficulties obstacle obstacles
struggle: challenge challenges adversity suffered
lesson: lessons learned learnt
opinion: view views believed thought considered
invent: invented invention inventions discovered discovery discoveries
kill: killed murder murdered slain slew executed
defeat: defeated victory won conquered lost
animal: animals cat dog horse pet
magic: magical spell spells wizard witch charm
slave: slaves slavery enslaved servitude freedom
influence: influenced influences inspired inspiration inspire impact
colleague: colleagues peers collaborator collaborated collaboration collaborators
patron: patrons patronage supporter sponsor
secret: secrets hidden concealed disguise disguised
name: names called named known alias
meet: met encounter encountered introduced acquainted
gift: gave given present presented
sea: ship sailed sailor voyage
"""
"""What is asked for, and words by which a text may speak of it."""
_FILE: Final = Path(__file__).parent / "data" / "general_words.txt"
_SHORTEST_GRADE: Final = 6
_ABSTRACT_ENDINGS: Final = ("ness", "ment", "ship", "hood", "ance", "ence")


@cache
def _related() -> dict[str, frozenset[str]]:
    related: dict[str, set[str]] = {}
    for line in _RELATED.strip().splitlines():
        head, *terms = (word_term(word) for word in line.replace(":", "").split())
        for term in terms:
            # The head word asks for all of its kind; the others are at most as near as the head.
            related.setdefault(term, set()).add(head)
        related.setdefault(head, set()).update(terms)
    return {term: frozenset(others - {term, ""}) for term, others in related.items()}


def related_terms(term: str) -> frozenset[str]:
    """Terms by which a text may speak of what ``term`` asks for."""
    return _related().get(term, frozenset())


@cache
def _listed() -> tuple[str, str]:
    """The general words, and those of any age besides."""
    _, general, plain = re.split(r"\[.+\]\n", _FILE.read_text(encoding="utf-8"))
    return general, plain


@cache
def _general() -> frozenset[str]:
    return frozenset(word_term(word) for word in _listed()[0].split()) | {""}


@cache
def words_of_any_age() -> frozenset[str]:
    """The words of ``is_general`` and ``related_terms``, as they are listed."""
    return frozenset(f"{_listed()[0]} {_RELATED}".replace(":", "").split())


@cache
def _terms_of_any_age() -> frozenset[str]:
    return frozenset(map(word_term, (*words_of_any_age(), *_listed()[1].split())))


def _term(word: str) -> str:
    return word_term(fold(word).partition("-")[0])


def is_of_any_age(word: str) -> bool:
    """Whether a folded word is general, or is met in any age in some form."""
    return _term(word) in _terms_of_any_age() or is_general(word)


@lru_cache(maxsize=1 << 14)
def is_general(word: str) -> bool:
    """Whether a folded word belongs to any life in any time, unlike a name or a device."""
    if len(word) > 7 and word.endswith(_ABSTRACT_ENDINGS):
        return True
    return _term(word) in _general() or any(
        term in _general() for form in ungraded(word) if (term := word_term(form))
    )


def ungraded(word: str) -> tuple[str, ...]:
    """What a word in -est may be the highest grade of: strong, large, big, happy."""
    if not word.endswith("est") or len(word) < _SHORTEST_GRADE:
        return ()
    stem = word[:-3]
    doubled = (stem[:-1],) if stem[-1] == stem[-2] else ()
    return (stem, f"{stem}e", *doubled, *((f"{stem[:-1]}y",) if stem.endswith("i") else ()))
