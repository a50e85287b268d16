"""The closed word classes of English that the rules of the offline model lean on.

Takes: nothing.  Gives: frozen sets of lower-case words. Source: ours; school grammar, no corpus.
"""

from __future__ import annotations

from typing import Final, Literal

from offbook.text.word_lists import word_lists

_LISTS: Final = word_lists("offbook.text")

Gender = Literal["m", "f", ""]


def word_set(text: str) -> frozenset[str]:
    """The words of ``text``."""
    return frozenset(text.split())


DETERMINERS: Final = _LISTS["determiners"]
PREPOSITIONS: Final = _LISTS["prepositions"]
AMBIGUOUS_PREPOSITIONS: Final = word_set("after before since until till than like as but for")
"""Words that lead either a noun or a clause."""
SUBORDINATORS: Final = _LISTS["subordinators"]
COORDINATORS: Final = word_set("and or but nor yet then")
SUBJECT_PRONOUNS: Final = word_set("i he she it we they you there who")
OBJECT_PRONOUNS: Final = word_set("me him her it us them you himself herself itself themselves")
PRONOUNS: Final = SUBJECT_PRONOUNS | OBJECT_PRONOUNS | word_set("mine yours his hers ours theirs")
FIRST_PERSON: Final = word_set("i me my mine myself we us our ours ourselves")
AUXILIARIES: Final = _LISTS["auxiliaries"]
ADVERBS: Final = _LISTS["adverbs"]
DEGREE_AND_TIME: Final = word_set(
    "early late long hard fast straight yesterday today tomorrow tonight next last when"
)
FUNCTION: Final = (
    DETERMINERS
    | PREPOSITIONS
    | AMBIGUOUS_PREPOSITIONS
    | SUBORDINATORS
    | COORDINATORS
    | PRONOUNS
    | AUXILIARIES
    | ADVERBS
    | DEGREE_AND_TIME
)
"""Words without a subject of their own; they may be capitalised only by their place."""
AGE_AND_FAME: Final = word_set(
    "young younger old elderly ageing aging famous great little late dear"
)
"""What stands between an article and a name without making it another one ("the young Bach")."""
MONTHS_AND_DAYS: Final = _LISTS["months and days"]
LANGUAGES: Final = _LISTS["languages"]
NUMERALS: Final = word_set(
    "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx"
)
NAME_PARTICLES: Final = word_set(
    "van von de der den du da di del della la le bin ibn al el of the y"
)

MALE_NOUNS: Final = _LISTS["male nouns"]
FEMALE_NOUNS: Final = _LISTS["female nouns"]
PERSON_NOUNS: Final = MALE_NOUNS | FEMALE_NOUNS | _LISTS["more person nouns"]
MALE_TITLES: Final = _LISTS["male titles"]
FEMALE_TITLES: Final = _LISTS["female titles"]
TITLES: Final = MALE_TITLES | FEMALE_TITLES | _LISTS["more titles"]
GROUP_NOUNS: Final = _LISTS["group nouns"]
"""Words that make a capitalised name the name of a thing, not of a person."""
MALE_NAMES: Final = _LISTS["male names"]
FEMALE_NAMES: Final = _LISTS["female names"]
