"""Words that carry no subject: they are never search terms.

Takes: nothing.  Gives: sets of folded words (see ``offbook.language.words.fold``): English function
words with those of questions and contractions, and the function characters of Chinese and Japanese.
"""

from __future__ import annotations

from typing import Final

_ARTICLES = "a an the"
_PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves thou thee thy thine
he him his himself she her hers herself it its itself they them their theirs themselves one ones
oneself this that these those someone somebody something anyone anybody anything everyone everybody
everything nobody nothing none each other another
"""
_VERBS = """
am is are was were be been being do does did done doing have has had having can could will would
shall should may might must ought need let lets ain
"""
_CONTRACTIONS = """
arent cant cannot couldnt didnt doesnt dont hadnt hasnt havent hed hes im isnt itd itll ive mightnt
mustnt neednt oughtnt shant shes shouldnt thats theres theyd theyll theyre theyve wasnt werent weve
whats wheres whos wont wouldnt youd youll youre youve
"""
_PREPOSITIONS = """
about above across after against along amid among around as at before behind below beneath beside
besides between beyond by despite down during except for from in inside into like near of off on
onto out outside over past per since through throughout till to toward towards under until unto up
upon via with within without
"""
_CONJUNCTIONS = """
and but or nor so yet if then else than because although though while whereas whether unless
"""
_ADVERBS = """
again also always almost already any anyway both either enough even ever every few further here
hence how however just less least many more most much neither never no not now often once only
own perhaps quite rather same several some still such there therefore thus too very well
"""
_QUESTIONS = """
what whatever when whenever where wherever which whichever who whoever whom whose why how
please tell say describe explain think know feel opinion thoughts question answer
"""

ENGLISH: Final = frozenset(
    " ".join(
        (
            _ARTICLES,
            _PRONOUNS,
            _VERBS,
            _CONTRACTIONS,
            _PREPOSITIONS,
            _CONJUNCTIONS,
            _ADVERBS,
            _QUESTIONS,
        )
    ).split()
)
"""English stop words, contractions without their apostrophe.

A contraction that spells another word without its apostrophe ("hell", "shed", "wed") is not among
them; with the apostrophe it is recognised by its ending.
"""

CONTRACTION_ENDINGS: Final = frozenset(("d", "ll", "m", "re", "t", "ve"))
"""What follows the apostrophe of a contraction; ``s`` is possessive or ``is``, dropped alike."""

ELISIONS: Final = frozenset(("c", "d", "j", "l", "m", "n", "qu", "s", "t"))
"""What precedes the apostrophe of a French or Italian elision (d'Artagnan, l'Homme)."""

HAN_FUNCTION: Final = "的了吗嗎呢吧啊呀嘛我你您他她它们們这這那哪谁誰什么麼麽是就也很都"
"""Chinese characters that end a run of search characters: pronouns, particles, question words."""
