"""Words around a name that are no part of it: articles, endearments, ages, particles, suffixes.

Takes: nothing.  Gives: closed lists of folded words, English, French, German, Spanish and others.
Source: ours.
"""

from __future__ import annotations

from typing import Final

from offbook.language.grammar import word_set

POSSESSIVES: Final = word_set(
    "my your yo his her our their thy mine its meine mon ma meine unser unsere notre votre mi tu su"
)
ARTICLES: Final = word_set("a an the this that these those another some such")
FOREIGN_ARTICLES: Final = word_set("le la les l' el los las il lo der die das den dem")
"""In small letters, and with a word behind them; with a capital they belong to a surname."""
FONDNESS: Final = word_set(
    "dear dearest darling sweet sweetest beloved poor po little lil good own excellent kind great"
    " silly naughty sad foolish fine noble honest pretty lovely precious worthy gallant"
    " charming amiable wretched unhappy unfortunate miserable blessed generous mad clever"
    " brave false cruel faithful gentle handsome stupid wicked wise happy lucky fair long-lost"
    " dearly-beloved love lovey old ole ol young younger elder eldest youngest late former famous"
    " so-called here there only very"
)
LOOKS: Final = word_set(
    "long big black red white grey gray blind fat thin tall short lame deaf dark daft crazy mad"
    " wild honest bold bonny lucky wee"
)
"""What somebody is called by before a given name ("Long Tom"); else these are surnames."""
AGES: Final = {
    **dict.fromkeys(word_set("old elder senior sr snr eldest"), "old"),
    **dict.fromkeys(word_set("young younger junior jr jnr youngest"), "young"),
}
ROMAN_AGES: Final = {"minor": "young", "maior": "old"}
SUFFIXES: Final = word_set("esq esquire jr sr jnr snr junior senior md phd qc kc mp")
PARTICLES: Final = word_set(
    "van von de der den du da di del della la le bin ibn el y zu ter ten mac st d' des dos"
)
DROPPED: Final = word_set("van von de der den du da di del della la le zu ter ten d' des dos")
"""Particles that a surname is as often said without."""
ORDINALS: Final = dict(
    zip(
        (
            *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"),
            *("ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth"),
            *("sixteenth", "seventeenth", "eighteenth"),
        ),
        (
            *("i", "ii", "iii", "iv", "v", "vi", "vii", "viii"),
            *("ix", "x", "xi", "xii", "xiii", "xiv", "xv"),
            *("xvi", "xvii", "xviii"),
        ),
        strict=True,
    )
)
ADDRESS_TITLES: Final = word_set("sir mrs mr miss lord lady ms master")
ADDRESS_NOUNS: Final = word_set(
    "child boy girl man woman fellow creature sir madam friend chap lad lass thing soul one dear"
    " dearest darling love sweetheart lady gentleman lord person fool wretch scoundrel rascal beast"
    " brute devil angel idiot baby honey pet dog cat cur ass"
)
