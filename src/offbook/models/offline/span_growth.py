"""How far a name goes from its first capitalised word: particles, initials, bynames, owners.

Takes: a passage and where a name begins.  Gives: where it ends. Source: ours; closed word classes.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from offbook.language import grammar
from offbook.language.grammar import word_set
from offbook.language.verbs import is_finite, is_third_singular
from offbook.models.offline.common_words import is_common, is_function
from offbook.models.offline.name_words import (
    COUNTRIES_AND_CITIES,
    FAMILY_NAMES_OF_ADDRESS,
    HEADS,
    OF_PEOPLES,
    PERSON_TITLES,
    PLACE_FIRST,
    is_given_name,
)
from offbook.models.offline.passage_words import Passage

PARTICLES: Final = word_set(
    "of de du des del della dell delle degli dei di da do dos das van von vom der den zu bin ibn al"
    " el la le las los aux y"
)
"""What joins the words of a name."""
_ABBREVIATED: Final = word_set(
    "mr mrs ms dr st ste mt ft prof capt lieut lt col gen sgt maj hon rev rt messrs mme mlle m jr"
    " sr esq fr no op wm geo chas jas thos"
)
_INFORMING: Final = word_set(
    "remind reminds reminded inform informs informed tell tells told warn warned accuse accused"
    " accuses convince convinced assure assured rob robbed deprive deprived cure cured rid"
    " suspect suspected suspects asks ask asked beg begged require required demand demanded spoke"
    " speak speaks think thinks thought made make makes advise advised relieve relieved acquit"
    " convict convicted dispossess stripped strip heard hear hears"
)
_FIRMS: Final = word_set("son sons co company brothers bros daughters")
POSSESSIVE: Final = frozenset(("'s", "'", "’"))
_LONGEST_WORD: Final = 40
_ENGLISH_I: Final = frozenset(("i", "i'm", "i'll", "i'd", "i've"))
TIME_WORDS: Final = grammar.MONTHS_AND_DAYS - {"may", "march", "april", "june", "august"}
_ERAS: Final = frozenset(("ad", "bc", "bce", "ce"))
_PLACE_LEADS: Final = frozenset(("in", "on", "at", "near", "from", "to"))
LONGEST: Final = 9
"""Words of the longest name."""


def is_capital(passage: Passage, index: int) -> bool:
    """Whether the word is written as a name may be; d'Artagnan and O'Brien included."""
    token = passage.tokens[index]
    if not token.is_word or len(token.text) > _LONGEST_WORD or _is_torn(passage, token.end):
        return False
    if token.low in _ENGLISH_I:
        return _is_the_first(passage, index)
    if token.is_capital:
        return True
    return len(token.text) > 3 and token.text[1] in "'’" and token.text[2].isupper()


def _is_torn(passage: Passage, end: int) -> bool:
    """Whether an accent follows that Unicode holds apart: the word was cut in its middle."""
    return end < len(passage.text) and bool(unicodedata.combining(passage.text[end]))


def _is_the_first(passage: Passage, index: int) -> bool:
    """Whether "I" is a numeral: Ptolemy *I* Soter, Elizabeth *I*, but not "told Tom I would"."""
    if index == 0 or passage.tokens[index].text != "I" or passage.opens[index]:
        return False
    before = passage.tokens[index - 1]
    if not (before.is_capital and len(before.text) > 2) or is_common(before.low):
        return False
    after = passage.tokens[index + 1] if index + 1 < len(passage.tokens) else None
    if after is None or after.text in ",.;)":
        return True
    return after.is_capital or after.low in ("of", "and", "'s", "was", "is", "had")


def end_of_span(passage: Passage, first: int) -> int:
    """The index behind the last word that still belongs to the name that begins at ``first``."""
    at = first + 1
    while at < len(passage.tokens) and at - first < 2 * LONGEST:
        step = _next_word(passage, first, at)
        if step == 0:
            break
        at += step
    return at


def _next_word(passage: Passage, first: int, at: int) -> int:
    """How many tokens the name goes on by at ``at``; 0 where it ends."""
    token = passage.tokens[at]
    if token.text == ".":
        return _past_stop(passage, at)
    if token.low in POSSESSIVE:
        return _past_possessive(passage, at)
    if not passage.touches(at - 1, at) or passage.titled[at] != passage.titled[first]:
        return 0
    if is_capital(passage, at):
        return int(not passage.opens[at] and not _parts(passage, at))
    if token.low in PARTICLES:
        return _past_particles(passage, first, at)
    if token.low == "the" and passage.word(at - 1) not in TIME_WORDS:
        return 2 * _is_byname(passage, first, at)
    firm = token.text in ("&", "and") and _capital_after(passage, at)
    if firm and (token.text == "&" or passage.word(at + 1) in _FIRMS):
        return 2
    return 0


def _parts(passage: Passage, at: int) -> bool:
    """Whether another name begins at ``at``: after a day or month, or with a title."""
    before, word = passage.word(at - 1), passage.word(at)
    if before in TIME_WORDS | _ERAS or word in TIME_WORDS | _ERAS:
        return True
    if word in PERSON_TITLES and before in COUNTRIES_AND_CITIES:
        return True  # "In Paris Abbé Busoni kept a house"
    if _place_leads(passage, at):
        return True
    if word in PERSON_TITLES and passage.word(at + 1) == "of" and before not in PERSON_TITLES:
        return True  # "her aunt Eliza Countess of Gawsworth"
    always = word in ("mr", "mrs", "miss", "monsieur", "madame", "mademoiselle")
    return always and before not in PERSON_TITLES


def _place_leads(passage: Passage, at: int) -> bool:
    """Whether a sentence opens with a place and goes on with a person: "On Elba Edmond saw"."""
    led = at >= 2 and passage.opens[at - 2] and passage.word(at - 2) in _PLACE_LEADS
    if not led or passage.capitals[passage.word(at)] < 2 or passage.word(at) in HEADS:
        return False
    after = passage.word(at + 1)
    acts = is_finite(after) or is_third_singular(after)
    return acts or passage.word(at - 1) in COUNTRIES_AND_CITIES


def _past_stop(passage: Passage, at: int) -> int:
    """Past the full stop of an initial or an abbreviation, to the capital behind it."""
    before = passage.tokens[at - 1]
    if before.end != passage.tokens[at].start:
        return 0
    initial = len(before.text) == 1 or _is_initials(before.text)
    if not (initial or before.low in _ABBREVIATED):
        return 0
    if at + 1 >= len(passage.tokens) or passage.sentence[at + 1] != passage.sentence[at]:
        return 0
    following = passage.tokens[at + 1]
    near = passage.between(at, at + 1).strip() == "" and passage.between(at, at + 1).count("\n") < 2
    if near and is_capital(passage, at + 1):
        return 2
    ends_initial = initial and len(before.text) == 1 and following.text[0].islower()
    return int(ends_initial and passage.touches(at, at + 1))


def _is_initials(text: str) -> bool:
    return text.isupper() and len(text) <= 2


def _past_possessive(passage: Passage, at: int) -> int:
    """Past "'s" where a thing named after its owner follows: St James's Park."""
    if passage.tokens[at - 1].end != passage.tokens[at].start or not _capital_after(passage, at):
        return 0
    last = at + 1
    while (
        last + 1 < len(passage.tokens)
        and passage.touches(last, last + 1)
        and is_capital(passage, last + 1)
        and last - at < 4
    ):
        last += 1
    head = passage.word(last)
    named = head in HEADS and head not in ("letters", "letter", "book", "books", "house", "ring")
    return last + 1 - at if named or (head == "house" and last == at + 1) else 0


def _past_particles(passage: Passage, first: int, at: int) -> int:
    """Past "of", "de la", "von der" to the capital that they lead to."""
    last = at + 1
    while last < at + 3 and passage.word(last) in PARTICLES | {"the"}:
        last += 1
    if not _capital_after(passage, last - 1) or _parts(passage, last):
        return 0
    if passage.tokens[at].low == "of" and not _of_joins(passage, first, at, last):
        return 0
    steps = range(at, last)
    return last + 1 - at if all(passage.touches(step, step + 1) for step in steps) else 0


def _of_joins(passage: Passage, first: int, at: int, last: int) -> bool:
    """Whether "X of Y" is one name: a title, a head, or someone's byname."""
    before = passage.word(at - 1)
    if before in _FIRMS | OF_PEOPLES:
        return False
    if before in HEADS | PERSON_TITLES | PLACE_FIRST:
        return before not in FAMILY_NAMES_OF_ADDRESS or not is_given_name(passage.word(last))
    if is_function(passage.word(first)) or (passage.opens[first] and is_common(before)):
        return False
    words = [index for index in range(first, at) if passage.tokens[index].is_word]
    if len(words) > 1 or (passage.word(first - 1) == "the" and not is_common(before)):
        return False  # "Archdeacon Cowley of Tring", "the Blaines of Lake Geneva"
    told = passage.word(first - 1) in _INFORMING
    following = passage.word(last)
    return not (told or is_given_name(following) or following in PERSON_TITLES)


def _is_byname(passage: Passage, first: int, at: int) -> bool:
    """Whether "the" leads a byname: Alexander *the Great*, Sinbad *the Sailor*."""
    if not _capital_after(passage, at) or at + 1 >= len(passage.tokens):
        return False
    word = passage.word(at + 1)
    given = passage.word(first - 1) not in _INFORMING and not is_function(passage.word(at - 1))
    apart = word in OF_PEOPLES | COUNTRIES_AND_CITIES or word in HEADS
    apart = apart or word in PERSON_TITLES or passage.word(at + 2) in POSSESSIVE
    return given and is_common(word) and not apart


def _capital_after(passage: Passage, at: int) -> bool:
    after = at + 1
    return (
        after < len(passage.tokens)
        and is_capital(passage, after)
        and passage.touches(at, after)
        and not passage.opens[after]
    )
