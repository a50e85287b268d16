"""By which names a text speaks of its character, and whether it says he or she.

Takes: the character's name, headings and passages.  Gives: the names, the gender of the pronouns,
and where in a passage the character is named. Source: ours; rules, no list of characters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from offbook.names.evidence import WHERE_KNOWN
from offbook.text import grammar
from offbook.text.clauses import Token, starts_clause, tokens_of
from offbook.text.grammar import Gender, word_set
from offbook.text.verbs import is_base, is_finite, is_known_third, is_past, is_third_singular
from offbook.text.words import fold

_MALE: Final = frozenset(("he", "him", "his", "himself"))
_FEMALE: Final = frozenset(("she", "her", "hers", "herself"))
_NEAR: Final = 3.0
_LED: Final = 1.5
_UNNAMED: Final = 1.5
_BESIDE: Final = 0.7
_FAR: Final = 0.1
_NOUN: Final = 4.0
_GIVEN: Final = 4.0
_REACH: Final = 30
_ENOUGH: Final = 1.0
"""Less says nothing where a text has both: a wrong gender puts the deeds of others into the
character's mouth."""
_OPENS: Final = 0.35
"""What each "He" or "She" says that opens a sentence anywhere: a text speaks most of whom it is
about, and one mention with a pronoun near it outweighs eight of these."""
_ENDS: Final = frozenset(".!?")

Spoken = tuple[list[Token], list[tuple[int, int]]]


def gender_of(character: str, words: Collection[str], passages: Sequence[Spoken]) -> Gender:
    """The gender of the pronouns that mean the character, from tokens and spans of its names."""
    title = fold(character).partition(" ")[0].rstrip(".")
    if title in grammar.MALE_TITLES | grammar.FEMALE_TITLES:
        return "m" if title in grammar.MALE_TITLES else "f"
    lean = 0.0
    for tokens, spans in passages:
        lean += _lean_of_pronouns(tokens, spans)
        lean += sum(_lean_of_nouns(tokens, first, last) for first, last in spans)
    for word in words:
        lean += _GIVEN * ((word in grammar.MALE_NAMES) - (word in grammar.FEMALE_NAMES))
    spoken = {token.low for tokens, _ in passages for token in tokens if not token.quoted}
    both = not (spoken.isdisjoint(_MALE) or spoken.isdisjoint(_FEMALE))
    if not lean or (both and abs(lean) < _ENOUGH):
        return ""
    return "m" if lean > 0 else "f"


def _lean_of_pronouns(tokens: list[Token], spans: list[tuple[int, int]]) -> float:
    """Positive for *he*; a pronoun with no other name between it and the mention says most."""
    opening = [
        token.low
        for before, token in zip([None, *tokens], tokens, strict=False)
        if (before is None or before.text in _ENDS) and not token.quoted
    ]
    lean = _OPENS * (opening.count("he") - opening.count("she"))
    ends = dict(spans)
    weight, since = _UNNAMED, 0  # what a pronoun says here, and from where on
    leads, opened = False, True
    for index, token in enumerate(tokens):
        if index in ends:
            leads, opened = leads or opened, False
            weight = _NEAR if starts_clause(tokens, index) else _BESIDE
            since = ends[index]
        elif token.quoted or index < since:
            continue
        elif token.low in _MALE or token.low in _FEMALE:
            says = weight if index - since < _REACH else _FAR
            lean += max(says, _LED * leads) * (1 if token.low in _MALE else -1)
        elif token.text in _ENDS:
            leads, opened = False, True
        elif token.is_capital and token.low not in grammar.FUNCTION:
            weight, opened = _FAR, False
    return lean


def _lean_of_nouns(tokens: list[Token], first: int, last: int) -> float:
    """Of "X was a queen", "X, the daughter of", "the wife of X"."""
    if last < len(tokens) and tokens[last].low in ("was", "is", ",", "became"):
        for token in tokens[last + 1 : last + 8]:
            if token.low in grammar.FEMALE_NOUNS or token.low in grammar.MALE_NOUNS:
                return _NOUN if token.low in grammar.MALE_NOUNS else -_NOUN
            if not token.is_word or token.low in grammar.PREPOSITIONS:
                break
    if first > 1 and tokens[first - 1].low == "of":
        return _NOUN * ((tokens[first - 2].low == "wife") - (tokens[first - 2].low == "husband"))
    return 0.0


PLACEHOLDER: Final = "{{char}}"
_CAPITAL: Final = r"[^\W\d_a-zß-öø-ÿ][\w'’-]*"
_NAME: Final = re.compile(
    rf"{_CAPITAL}(?:[ ]+(?:(?:{'|'.join(sorted(grammar.NAME_PARTICLES))})[ ]+)*{_CAPITAL})*"
)
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
_GIVING: Final = word_set(
    "taught gave told showed offered sent brought called named made asked left paid promised lent"
    " owed saved spared handed granted awarded bought sold denied refused teaches gives tells shows"
    " offers sends brings calls names makes asks leaves pays promises considered teach give tell"
    " show offer send bring call name make ask leave pay promise lend owe save spare hand grant"
    " award buy sell deny refuse consider"
)
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
        for alias in sorted(self.aliases, key=lambda words: (-len(words), words)):
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
        if after.low in grammar.NUMERALS and after.text.isupper() and not self._bears(after.low):
            return None  # another of that name ("Cleopatra I")
        for alias in self._by_first.get(fold(token.text), ()):
            last = index + len(alias)
            if _spells(tokens, index, alias) and (
                span := _whole_name(tokens, index, last, self.gender, alias, self.common)
            ):
                return span
        return None

    def _bears(self, word: str) -> bool:
        return any(word in alias for alias in self.aliases)


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
    given = first > 0 and tokens[first - 1].low in _GIVING | grammar.AUXILIARIES
    if _continues_name(tokens, last) or (not given and _is_attribute(tokens, last)):
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
    character: str, titles: Sequence[str], texts: Sequence[str], gender: Gender = ""
) -> Names:
    """Learn what headings, root first, profile and passages call the character."""
    name_words = _name_words(character)
    full = _fullest(name_words, titles, texts) or character
    aliases = (
        set(_forms(name_words)) | set(_forms(_name_words(full))) | set(_dignities(full, titles))
    )
    plain = Names(character, full, frozenset(aliases))
    for text in texts:
        aliases.update(_called(text, plain))
    aliases.update([(alias[0],) for alias in aliases if _is_dignity(alias)])
    known = Names(character, full, frozenset(aliases))
    if not gender:
        spoken = [(tokens := tokens_of(text), known.mentions(tokens)) for text in texts]
        gender = gender_of(character, known.words, spoken)
    return Names(character, full, frozenset(aliases), gender, _common(aliases, texts))


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
    leads = [match.group() for text in texts if (match := _lead_name(text))]
    texts = (*(title.split(",")[0] for title in titles), *leads)
    names = [name for text in texts for name in _NAME.findall(text) if _holds(name, name_words)]
    return max(names, key=lambda name: (len(name.split()), name), default="")


def _lead_name(text: str) -> re.Match[str] | None:
    match = _NAME.match(text.lstrip("#* \n"))
    if match and re.match(r"[*]*\s*(?:\(|,|was\b|is\b)", text.lstrip("#* \n")[match.end() :]):
        return match
    return None


def _holds(name: str, sought_words: tuple[str, ...]) -> bool:
    words = [fold(word) for word in _name_words(name)]
    sought = [fold(word) for word in sought_words]
    if grammar.GROUP_NOUNS & set(words) or len(words) > 6 or not set(sought) <= set(words):
        return False
    index = words.index(sought[0])
    return index == 0 or words[index - 1] not in ("of", "the", "for", "to")


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


def _common(aliases: set[tuple[str, ...]], texts: Sequence[str]) -> frozenset[str]:
    single = {alias[0] for alias in aliases if len(alias) == 1}
    return frozenset(
        word
        for word in single
        if any(re.search(rf"(?<![\w-]){re.escape(word)}(?!\w)", text) for text in texts)
    )
