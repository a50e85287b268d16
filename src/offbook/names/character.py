"""By which names a text speaks of its character, and what it tells in the character's own words.

Takes: the character's name, headings and passages; then sentences that follow one another.  Gives:
the names, the gender of the pronouns, and where in a passage the character is named; of each
sentence whether the character is its subject, whether it leans on the one before, and the sentence
in the first person where every word that must change is certain; else the sentence as it is.
Source: ours; rules, no list of characters.

A sentence is safe where the subject is the character by name, or "he" or "she" in a chain of
sentences of which it is the subject and in which nobody else comes who may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from offbook.names.evidence import WHERE_KNOWN
from offbook.names.gender import gender_of
from offbook.text import grammar
from offbook.text.clauses import Token, starts_clause, tokens_of
from offbook.text.grammar import Gender, word_set
from offbook.text.verbs import (
    first_person,
    is_base,
    is_finite,
    is_known_third,
    is_past,
    is_third_singular,
)
from offbook.text.word_lists import word_lists
from offbook.text.words import fold

_LISTS: Final = word_lists("offbook.names")

PLACEHOLDER: Final = "{{char}}"
_CAPITAL: Final = r"[^\W\d_a-zß-öø-ÿ][\w'’-]*"
_NAME: Final = re.compile(
    rf"{_CAPITAL}(?:[ ]+(?:(?:{'|'.join(sorted(grammar.NAME_PARTICLES))})[ ]+)*{_CAPITAL})*"
)
_LEAD_NAME: Final = re.compile(rf"[#* \n]*+((?>{_NAME.pattern}))[*]*\s*(?:\(|,|was\b|is\b)")
"""The name that a passage opens with."""
_ALIAS: Final = (
    rf"[ ]+[\"“'‘]?((?:[Tt]he )?{_CAPITAL}(?:[ ]+(?:(?:of|the|van|von|de|du|da)[ ]+)*{_CAPITAL})*)"
)
_KNOWN_AS: Final = re.compile(
    rf"\b(?:(?:known|remembered){WHERE_KNOWN} as"
    r"|(?:known|called|nicknamed|dubbed|styled|goes|went|née|born|remembered|renamed)"
    rf"(?: (?:as|to (?:his|her) \w+ as|by|by the name(?: of)?|simply|himself"
    rf"|herself)){{0,3}}){_ALIAS}"
)
_DISGUISED: Final = re.compile(
    r"\b(?:(?:disguise[sd]? (?:him|her)self|disguised|pos(?:es|ed|ing)|masquerad(?:es|ed|ing)) as"
    r"|(?:under|by|took|takes|with|adopt(?:s|ed)) the (?:false |assumed )?(?:name|alias|title"
    r"|identity)(?: of)?"
    rf"|alias|a\.k\.a\.|aka|call(?:s|ed|ing) (?:him|her)self){_ALIAS}"
)
_ADJECTIVES: Final = ("ous", "ful", "ive", "al", "ic", "less", "able", "ish", "ant", "ent")
_GIVING: Final = _LISTS["giving"]
_BETWEEN: Final = word_set("better generally commonly also usually widely ( , ) himself herself")


@dataclass(frozen=True, slots=True)
class Names:
    """What a character is called.

    Args:
        character: The name under which it was created.
        full: The fullest name that the text gives.
        aliases: Folded words of every name, ``the`` left out.
        gender: Of the pronouns that the text uses; empty when it does not tell.
        common: Names of one word that the text also writes in lower case ("rose").
    """

    character: str
    full: str
    aliases: frozenset[tuple[str, ...]]
    gender: Gender = ""
    common: frozenset[str] = frozenset()
    _by_first: dict[str, list[tuple[str, ...]]] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        for alias in sorted(sorted(self.aliases), key=len, reverse=True):
            self._by_first.setdefault(alias[0], []).append(alias)

    @property
    def words(self) -> frozenset[str]:
        """Folded words of the character's own name; particles, titles and aliases left out."""
        words = {fold(word) for name in (self.character, self.full) for word in _name_words(name)}
        return frozenset(words - grammar.NAME_PARTICLES - grammar.TITLES - grammar.NUMERALS)

    def mentions(self, tokens: list[Token]) -> list[tuple[int, int]]:
        """Spans ``[first, last)`` of tokens, outside quotations, that name the character."""
        spans: list[tuple[int, int]] = []
        index = 0
        while index < len(tokens):
            span = None if tokens[index].quoted else self._mention_at(tokens, index)
            if span is None:
                index += 1
            else:
                spans.append(span)
                index = span[1]
        return spans

    def _mention_at(self, tokens: list[Token], index: int) -> tuple[int, int] | None:
        token = tokens[index]
        if token.low == PLACEHOLDER:
            return index, index + 1
        after = tokens[index + 1] if index + 1 < len(tokens) else token
        numbered = after.low in grammar.NUMERALS and after.text.isupper()
        if numbered and not any(after.low in alias for alias in self.aliases):
            return None  # another of that name ("Cleopatra I")
        for alias in self._by_first.get(fold(token.text), ()):
            last = index + len(alias)
            if _spells(tokens, index, alias) and (
                span := _whole_name(tokens, index, last, self.gender, alias, self.common)
            ):
                return span
        return None


def _spells(tokens: list[Token], index: int, alias: tuple[str, ...]) -> bool:
    if index + len(alias) > len(tokens):
        return False
    for offset, word in enumerate(alias):
        token = tokens[index + offset]
        small = word in grammar.NAME_PARTICLES and offset > 0
        if fold(token.text) != word or not (small or token.is_capital or word[0].isdigit()):
            return False
    return True


def _whole_name(
    tokens: list[Token],
    first: int,
    last: int,
    gender: Gender,
    alias: tuple[str, ...],
    common: frozenset[str],
) -> tuple[int, int] | None:
    """The span with its title and article, or None where the words belong to another name."""
    if not _ends_there(tokens, first, last, alias, common):
        return None
    while (title := _title_before(tokens, first)) is not None:
        if _clashes(tokens[title], gender):
            return None
        first = title
    before = tokens[first - 1] if first > 0 else None
    if len(alias) == 1 and alias[0] in grammar.TITLES and (before is None or before.low != "the"):
        return None
    if before is None or before.quoted:
        return first, last
    return _whole_beginning(tokens, first, last, plain=alias[0] not in common)


def _ends_there(
    tokens: list[Token], first: int, last: int, alias: tuple[str, ...], common: frozenset[str]
) -> bool:
    """Whether what follows leaves the words a name of their own."""
    is_given = first > 0 and tokens[first - 1].low in _GIVING | grammar.AUXILIARIES
    if _continues_name(tokens, last) or (not is_given and _is_attribute(tokens, last)):
        return False
    if len(alias) == 1 and alias[0] in common and starts_clause(tokens, first):
        after = tokens[last].low if last < len(tokens) else ""
        return is_finite(after) or after in ("'s", ",", "and", "'")
    return True


def _is_place_before(tokens: list[Token], first: int, last: int) -> bool:
    """Whether the word before a subject is a place that opens the sentence ("In Hull Nora")."""
    opens = first > 1 and tokens[first - 2].text in ("In", "At", "Near", "From")
    verb = tokens[last].low if last < len(tokens) else ""
    return opens and (is_finite(verb) or is_third_singular(verb))


def _whole_beginning(
    tokens: list[Token], first: int, last: int, *, plain: bool
) -> tuple[int, int] | None:
    """The span with its article, or None where what stands before makes it another name."""
    before = tokens[first - 1]
    if before.low in grammar.AGE_AND_FAME and first > 1 and tokens[first - 2].low == "the":
        return first - 2, last
    adjective = before.text[0].islower() and before.low.endswith(_ADJECTIVES)
    if adjective and first > 1 and tokens[first - 2].low in ("the", "a", "an", "less", "more"):
        return None
    if before.low in ("the", "a", "an"):
        titled = tokens[first].low in grammar.TITLES | grammar.PERSON_NOUNS or not plain
        return (first - 1, last) if before.low == "the" and titled else None
    if before.is_capital and before.is_word and not _is_function(tokens, first - 1):
        return (first, last) if _is_place_before(tokens, first, last) else None
    led = before.low in ("van", "von", "de") and first > 1 and tokens[first - 2].is_capital
    return None if led else (first, last)


def _title_before(tokens: list[Token], first: int) -> int | None:
    """The index of a title right before ``first``, its full stop passed over ("Mr. Bennet")."""
    index = first - 1
    if index > 0 and tokens[index].text == "." and tokens[index - 1].end == tokens[index].start:
        index -= 1
    if index < 0 or tokens[index].quoted or not tokens[index].is_capital:
        return None
    return index if tokens[index].low in grammar.TITLES else None


def _clashes(title: Token, gender: Gender) -> bool:
    """Whether a title is that of the other gender: of a wife, a brother, a parent."""
    clash = {"m": grammar.FEMALE_TITLES, "f": grammar.MALE_TITLES, "": frozenset[str]()}[gender]
    return title.low in clash


def _is_function(tokens: list[Token], index: int) -> bool:
    """Whether a capitalised word owes its capital to its place ("When Beethoven ...")."""
    word = tokens[index].low
    if word in grammar.FUNCTION:
        return True
    return starts_clause(tokens, index) and (
        word.endswith(("ly", "ing", "ed")) or word in grammar.PERSON_NOUNS
    )


def _continues_name(tokens: list[Token], last: int) -> bool:
    if last >= len(tokens):
        return False
    after = tokens[last]
    if after.quoted or not after.is_word:
        return False
    if after.is_capital:
        apart = grammar.MONTHS_AND_DAYS | grammar.LANGUAGES
        joined = after.low not in grammar.FUNCTION and after.low not in apart
        return joined and not (after.low in grammar.NUMERALS and after.text.isupper())
    particle = after.low in ("van", "von", "de", "du", "della", "bin", "al")
    return particle and last + 1 < len(tokens) and tokens[last + 1].is_capital


def _is_attribute(tokens: list[Token], last: int) -> bool:
    """Whether a noun follows, as in "Beethoven scholars"."""
    if last >= len(tokens):
        return False
    after = tokens[last]
    if (
        after.quoted
        or not after.text[0].isalpha()
        or after.is_capital
        or after.low in grammar.FUNCTION
    ):
        return False
    if is_third_singular(after.low) and not is_known_third(after.low):
        beyond = tokens[last + 1] if last + 1 < len(tokens) else after
        governs = beyond.low in grammar.AUXILIARIES or is_base(beyond.low) or is_past(beyond.low)
        agents = after.low[:-1].endswith(("er", "or", "ist", "ar", "an"))
        return governs or agents or not beyond.is_word
    return not (is_finite(after.low) or is_base(after.low) or after.low.endswith(("ly", "ing")))


def learn_names(
    character: str,
    titles: Sequence[str],
    texts: Sequence[str],
    gender: Gender = "",
    given: Sequence[str] = (),
) -> Names:
    """Learn what headings, root first, profile and passages call the character.

    Where its names are ``given``, there are no others: a book's surname may be a sister's.
    """
    name_words = _name_words(character)
    if given:
        full = character
        aliases = {_folded(name) for name in (character, *given)} - {()}
    else:
        full = _fullest(name_words, titles, texts) or character
        aliases = (
            set(_forms(name_words)) | set(_forms(_name_words(full))) | set(_dignities(full, titles))
        )
    plain = Names(character, full, frozenset(aliases))
    for text in () if given else texts:
        aliases.update(_called(text, plain))
    aliases.update([(alias[0],) for alias in aliases if _is_dignity(alias)])
    known = Names(character, full, frozenset(aliases))
    if not gender:
        spoken = [(tokens := tokens_of(text), known.mentions(tokens)) for text in texts]
        gender = gender_of(character, known.words, spoken)
    common = frozenset(
        alias[0]
        for alias in aliases
        if len(alias) == 1
        if any(re.search(rf"(?<![\w-]){re.escape(alias[0])}(?!\w)", text) for text in texts)
    )
    return Names(character, full, frozenset(aliases), gender, common)


def _dignities(full: str, titles: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What a heading puts after the name: "Edmond Dantès, Count of Monte Cristo"."""
    for title in titles:
        index = title.find(f"{full}, ")
        match = (
            _NAME.match(title.removeprefix("the "), index + len(full) + 2) if index >= 0 else None
        )
        words = tuple(fold(word) for word in _name_words(match.group())) if match else ()
        if _is_dignity(words):
            yield words


def _is_dignity(alias: tuple[str, ...]) -> bool:
    """Whether an alias is a title with its place; then "the Count" alone is the character too."""
    return len(alias) > 2 and alias[0] in grammar.TITLES and alias[1] == "of"


def _name_words(name: str) -> tuple[str, ...]:
    return tuple(token.text for token in tokens_of(name) if token.is_word)


def _folded(name: str) -> tuple[str, ...]:
    return tuple(fold(word) for word in _name_words(name))


def _forms(name: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The whole name, the given name, the surname, and the two together."""
    if len(name) > 1 and fold(name[0]) == "the":
        name = name[1:]
    words = tuple(fold(word) for word in name)
    if not words:
        return
    yield words
    bare = words
    while len(bare) > 1 and bare[0] in grammar.TITLES:
        bare = bare[1:]
    if bare != words and bare[0] in grammar.NAME_PARTICLES:
        return
    cut = grammar.NUMERALS | {"of", "the"}
    head = next((index for index, word in enumerate(bare) if word in cut and index), len(bare))
    if head < len(bare) and bare[head] in grammar.NUMERALS:
        yield bare[: head + 1]
    bare = bare[:head]
    shown = dict(zip(words, name, strict=False))
    while len(bare) > 1 and shown.get(bare[-1], "").isupper() and len(bare[-1]) > 1:
        bare = bare[:-1]  # degrees and orders after a name: FRS, MD
    yield bare
    if not all(name[words.index(word)][0].isupper() for word in bare if len(word) > 3):
        return
    given, surname = bare[0], bare[-1]
    for form in ((given,), (surname,), (given, surname)):
        if form[0] not in grammar.NAME_PARTICLES | grammar.TITLES and len(form[0]) > 1:
            yield form if form != (given, given) else (given,)


def _fullest(name_words: tuple[str, ...], titles: Sequence[str], texts: Sequence[str]) -> str:
    """The longest name in a heading, else at the head of a passage, that holds the given one."""
    if not name_words:
        return ""
    leads = [match[1] for text in texts if (match := _LEAD_NAME.match(text))]
    texts = (*(title.split(",")[0] for title in titles), *leads)
    sought = [fold(word) for word in name_words]
    fullest = (0, "")
    for name in (name for text in texts for name in _NAME.findall(text)):
        words = [fold(word) for word in _name_words(name)]
        if grammar.GROUP_NOUNS & set(words) or len(words) > 6 or not set(sought) <= set(words):
            continue
        index = words.index(sought[0])
        if index == 0 or words[index - 1] not in ("of", "the", "for", "to"):
            fullest = max(fullest, (len(name.split()), name))
    return fullest[1]


def _called(text: str, names: Names) -> Iterator[tuple[str, ...]]:
    """Names that follow "known as" and the like, where the one so called is the character."""
    for pattern, strict in ((_KNOWN_AS, True), (_DISGUISED, False)):
        for match in pattern.finditer(text):
            if not _is_called(text, match, names, strict):
                continue
            words = tuple(fold(word) for word in _name_words(match.group(1)))
            words = words[1:] if words[0] == "the" else words
            if words and words[0] not in grammar.FUNCTION and not grammar.GROUP_NOUNS & set(words):
                yield words


def _is_called(text: str, match: re.Match[str], names: Names, strict: bool) -> bool:
    """Whether nobody and, when ``strict``, nothing stands between the character and "known as"."""
    start = max(text.rfind(". ", 0, match.start()) + 1, text.rfind("\n", 0, match.start()) + 1)
    tokens = [token for token in tokens_of(text[start : match.start()]) if not token.quoted]
    spans = names.mentions(tokens)
    pronoun = bool(tokens) and tokens[0].low in ("he", "she")
    if not (spans or pronoun):
        return False
    if spans and not starts_clause(tokens, spans[-1][0]):
        return False
    between = tokens[spans[-1][1] if spans else 1 :]
    if between and between[0].low in ("'s", "'", "’"):
        return False
    if any(token.is_capital and token.low not in ("he", "she") for token in between):
        return False
    closed = grammar.FUNCTION | _BETWEEN
    return not strict or all(token.low in closed or is_finite(token.low) for token in between)


# -- in the first person ------------------------------------------------------------------------

_PRONOUNS: Final = {"m": word_set("he him his himself"), "f": word_set("she her hers herself")}
_OF_OTHER_GENDER: Final = {
    "m": grammar.FEMALE_NOUNS | grammar.FEMALE_NAMES,
    "f": grammar.MALE_NOUNS | grammar.MALE_NAMES,
}
_PLAIN_FORMS: Final = {
    "he": "I", "she": "I", "him": "me", "hers": "mine", "himself": "myself", "herself": "myself",
}  # fmt: skip
_LEANING: Final = word_set("it they this that these those such both neither he she")
_GIVING_TO: Final = _LISTS["giving to"]
"""Behind these "her" before a noun may be "to her" or "her" alone as well as "of her"."""
_OPENERS: Final = grammar.PREPOSITIONS | _LISTS["openers"]
_PLACES: Final = word_set("in at from to near of off by for through across towards outside around")
_LONGEST_OPENING: Final = 12
_HE_OR_SHE: Final = word_set("he she")
_NAMING: Final = word_set("himself herself as called named name names")
"""What stands before a name of the character that stays one: "signed himself Sinbad"."""
_PLURAL: Final = word_set("they their them we us our you your")
"""Whoever is meant by these may include the character."""
_OWN_DEATH: Final = re.compile(
    r"\b(?:I|and) (?:\w+ly )?(?:died|(?:was|were) (?:buried|executed|beheaded|hanged|murdered))\b"
)
"""What nobody says of themselves."""
_JOINING: Final = word_set("and but or nor then yet")


_Edits = list[tuple[int, int, str]]
"""Offsets, and what is written there."""
_Focus = Literal["self", "open", "other"]
"""Whom "he" or "she" would mean next: the character; nobody else that is known; somebody else."""


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence as the character may say it.

    Args:
        text: In the first person where ``spoken``, else as it was.
        spoken: Whether it can be said as the character's own words.
        about: Whether the character is its subject, or the only one whom a pronoun there may mean.
        leans: Whether its subject is a pronoun that means somebody in an earlier sentence.
    """

    text: str
    spoken: bool
    about: bool
    leans: bool


class FirstPerson:
    """Reads sentences about one character.

    Args:
        names: What it is called.
        narrates: Whether "I" outside quotations is the character's: else it is another's.
    """

    def __init__(self, names: Names, *, narrates: bool = True) -> None:
        self._names = names
        self._narrates = narrates
        self._own = _PRONOUNS.get(names.gender, frozenset())
        self._doubtful = frozenset() if names.gender else _PRONOUNS["m"] | _PRONOUNS["f"]
        self._of_other_gender = _OF_OTHER_GENDER.get(names.gender, frozenset())

    def passage(self, sentences: Sequence[str], *, of_another: bool = False) -> list[Told]:
        """Each of some sentences that follow one another.

        ``of_another`` is set where "he" or "she" means somebody else as they begin.
        """
        focus: _Focus = "other" if of_another else "open"
        read: list[Told] = []
        for text in sentences:
            one, focus = self._sentence(text, focus)
            read.append(one)
        return read

    def _sentence(self, text: str, focus: _Focus) -> tuple[Told, _Focus]:
        tokens = tokens_of(text)
        selves = self._names.mentions(tokens)
        plain = [token.low for token in tokens if not token.quoted]
        if not selves and any(word in grammar.FIRST_PERSON for word in plain):
            own = self._narrates
            return Told(text, spoken=own, about=own, leans=False), "open" if own else "other"
        subject = self._subject(tokens, selves, chained=focus == "self")
        others = self._others(tokens, selves)
        if subject is None:
            first = next((token.low for token in tokens if token.is_word), "")
            is_self = first in self._own and focus == "open"
            leans = (first in _LEANING and not is_self) or self._means_another(tokens)
            return Told(
                text, spoken=False, about=is_self, leans=leans
            ), "other" if others else "open"
        edits = self._edits(tokens, selves, subject, others)
        said = text
        for start, end, form in reversed(edits or ()):
            said = said[:start] + form + said[end:]
        spoken = edits is not None and _OWN_DEATH.search(said) is None
        if spoken:
            text = said[:1].upper() + said[1:]
        sentence = Told(text, spoken=spoken, about=True, leans=False)
        return sentence, "other" if others else "self"

    def _subject(
        self, tokens: list[Token], selves: list[tuple[int, int]], *, chained: bool
    ) -> tuple[int, int] | None:
        """The span of tokens of the character as the subject; None where it is not."""
        first = next((index for index, token in enumerate(tokens) if token.is_word), len(tokens))
        opened = first < len(tokens) and tokens[first].low in _OPENERS
        for index in range(first, min(len(tokens), first + _LONGEST_OPENING)):
            token = tokens[index]
            for span in selves:
                if span[0] == index:
                    return span
            if token.low in ("he", "she") and not token.quoted:
                return (index, index + 1) if chained and token.low in self._own else None
            if not opened or (token.is_word and index > first and is_finite(token.low)):
                return None
            if chained and token.low in self._own and token.low in ("his", "her"):
                continue
            if token.low in grammar.PERSON_NOUNS or token.low in grammar.PRONOUNS:
                return None
        return None

    def _means_another(self, tokens: list[Token]) -> bool:
        """Whether "he" or "she" stands there for somebody else whom nobody names before it."""
        for token in tokens[1:]:
            if token.quoted or (token.is_capital and token.low not in grammar.MONTHS_AND_DAYS):
                return False
            if token.low in _HE_OR_SHE and token.low not in self._own:
                return True
        return False

    def _others(self, tokens: list[Token], selves: list[tuple[int, int]]) -> list[int]:
        """Where somebody else is named whom a pronoun of the character's gender may mean."""
        inside = {index for first, last in selves for index in range(first, last)}
        places: list[int] = []
        for index, token in enumerate(tokens):
            if index in inside or not token.is_word or index == 0:
                continue
            before = tokens[index - 1].low
            low = token.low
            named = token.is_capital and low not in grammar.MONTHS_AND_DAYS | grammar.LANGUAGES
            named = named and before not in _PLACES and before not in '.!?:"“' and low != "i"
            if (named or low in grammar.PERSON_NOUNS) and low not in self._of_other_gender:
                places.append(index)
        return places

    def _edits(
        self,
        tokens: list[Token],
        selves: list[tuple[int, int]],
        subject: tuple[int, int],
        others: list[int],
    ) -> _Edits | None:
        """What to write in whose place; None where any of it is in doubt."""
        first, last = subject
        verb = self._verb(tokens, last)
        if verb is None or any(
            span != subject and tokens[span[0] - 1].low not in _NAMING for span in selves
        ):
            return None
        edits = [(tokens[first].start, tokens[last - 1].end, "I"), *_agreeing(tokens[verb])]
        for index in (*range(first), *range(verb + 1, len(tokens))):
            if tokens[index].quoted or not tokens[index].is_word:
                continue
            if tokens[index].low in _PLURAL or tokens[index].low in self._doubtful:
                return None
            if tokens[index].low in self._own:
                changes = self._pronoun(tokens, index, others)
                between = tokens[verb + 1 : index]
                if _form(tokens, index) == "me" and not any(is_finite(t.low) for t in between):
                    return None  # the object of its own verb is somebody else: "she reads to her"
            else:
                changes = _joined_verb(tokens, index, verb)
            if changes is None:
                return None
            edits += changes
        return sorted(set(edits))

    def _pronoun(self, tokens: list[Token], index: int, others: list[int]) -> _Edits | None:
        """What the character says for a pronoun of its own; None where it may mean another."""
        form = _form(tokens, index)
        if not form or any(other < index for other in others):
            return None
        edits = [(tokens[index].start, tokens[index].end, form)]
        if form != "I":
            return edits
        verb = self._verb(tokens, index + 1)
        return None if verb is None else [*edits, *_agreeing(tokens[verb])]

    def _verb(self, tokens: list[Token], index: int) -> int | None:
        """The finite verb right behind a subject, adverbs passed over."""
        while index < len(tokens) and (
            tokens[index].low in grammar.ADVERBS or tokens[index].low.endswith("ly")
        ):
            index += 1
        if index >= len(tokens) or tokens[index].quoted or not tokens[index].is_word:
            return None
        low = tokens[index].low
        return index if is_finite(low) or is_third_singular(low) else None


def _joined_verb(tokens: list[Token], index: int, verb: int) -> _Edits | None:
    """The change of a verb that shares the subject ("she sings and plays"); None where in doubt."""
    low, before = tokens[index].low, tokens[index - 1].low
    joined = before in _JOINING or (index > 1 and tokens[index - 2].low in _JOINING)
    apart = before not in _JOINING and before not in grammar.ADVERBS and before != ","
    if apart or low == "was" or not is_known_third(low):
        return []
    if not is_third_singular(tokens[verb].low) or tokens[verb].low == "was":
        return None if joined else []
    between = {token.low for token in tokens[verb + 1 : index]}
    return None if between & grammar.SUBORDINATORS else _agreeing(tokens[index])


def _agreeing(verb: Token) -> _Edits:
    form = first_person(verb.low)
    return [(verb.start, verb.end, form)] if form != verb.low else []


def _form(tokens: list[Token], index: int) -> str:
    """What the character says for a pronoun that means it; empty where that is in doubt."""
    low = tokens[index].low
    if low in _PLAIN_FORMS:
        return _PLAIN_FORMS[low]
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    alone = (
        after is None
        or not after.is_word
        or (after.low in grammar.FUNCTION and after.low not in ("own", "two", "three", "four"))
    )
    if low == "his":
        return "mine" if alone else "my"
    if alone:
        return "me"
    return "" if tokens[index - 1].low in _GIVING_TO else "my"
