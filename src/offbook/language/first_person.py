"""What is told of a character, told by the character: third person turned into first.

Takes: a passage, the spans of its sentences, the character's names.  Gives: each sentence in the
first person, with how sure the change is. Source: ours; rules over closed word classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from offbook.language import grammar
from offbook.language.clauses import Token, tokens_of
from offbook.language.grammar import word_set
from offbook.language.names import Names
from offbook.language.persons import Person, people
from offbook.language.reference import (
    FORMS,
    Reference,
    Scene,
    noun_follows,
    resolve,
)
from offbook.language.second_person import from_second_person, is_address, like
from offbook.language.subject_verbs import Edit, agree
from offbook.language.subjects import is_subject, skip_adverbs
from offbook.language.verbs import is_base, is_finite, is_participle
from offbook.language.words import fold

_NAMING: Final = word_set(
    "called named name nicknamed dubbed styled titled entitled surname alias née nickname"
    " word names pseudonym title signed form forms spelling variant"
)
_NAMING_LINKS: Final = word_set("as of is was become becomes became being be am")
_PARTS: Final = word_set("rest best most half part time case name names likes city town")
_OURS_TOKENS: Final = 20
_SINGULAR: Final = frozenset(word for forms in FORMS.values() for word in forms)
_UNRESOLVED: Final = 0.5
"""How sure a sentence is whose "she" may be the character: its gender is not known."""
_REFLEXIVES: Final = frozenset(("himself", "herself"))


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence as the character would say it.

    Args:
        text: In the first person, where it was about the character; else unchanged.
        start: Offset of the source sentence in the passage.
        end: Offset of its end.
        about: Whether it mentions the character.
        certainty: 0 to 1, how sure it is whom its pronouns mean; 1 where nothing was in doubt.
        dangling: Whether a pronoun in it means someone or something in an earlier sentence.
    """

    text: str
    start: int
    end: int
    about: bool
    certainty: float
    dangling: bool = False


class FirstPerson:
    """Turns passages about one character into what that character says of itself."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def passage(self, text: str, spans: Sequence[tuple[int, int]]) -> list[Told]:
        """The sentences ``text[start:end]`` in the first person, in order.

        A sentence that already speaks of *I* outside quotations is left as it is, so that turning
        twice changes nothing, unless that *I* stands behind a name as a numeral does; nothing
        inside quotation marks is ever changed.
        """
        tokens = tokens_of(text)
        scene = Scene()
        namesakes: set[str] = set()
        addressed = is_address(tokens)
        told: list[Told] = []
        at = 0
        for start, end in spans:
            while at < len(tokens) and tokens[at].start < start:
                at += 1
            last = at
            while last < len(tokens) and tokens[last].start < end:
                last += 1
            part = tokens[at:last]
            told.append(self._sentence(text, part, (start, end), scene, addressed, namesakes))
            at = last
        return told

    def sentence(self, text: str) -> Told:
        """One sentence on its own."""
        return self.passage(text, [(0, len(text))])[0]

    def _sentence(
        self,
        text: str,
        tokens: list[Token],
        span: tuple[int, int],
        scene: Scene,
        addressed: bool,
        namesakes: set[str],
    ) -> Told:
        source = text[span[0] : span[1]]
        plain = [token.low for token in tokens if not token.quoted]
        if any(word in grammar.FIRST_PERSON for word in _without_numerals(tokens)):
            scene.focus = "self"
            return Told(source, *span, about=True, certainty=1.0)
        if addressed and not grammar.SECOND_PERSON.isdisjoint(plain):
            edits = from_second_person(tokens)
            return Told(_apply(source, span[0], edits), *span, about=True, certainty=1.0)
        selves = self._names.mentions(tokens)
        selves = self._without_namesakes(tokens, selves, namesakes)
        everyone = people(tokens, selves, "")
        gender = self._names.gender
        references = resolve(tokens, selves, everyone, gender, scene)
        shown = self._kept_apart(tokens, selves)
        edits = _edits(tokens, [span for span in selves if span not in shown], everyone, references)
        certainty = min((reference.certainty for reference in references), default=1.0)
        if not gender and not _SINGULAR.isdisjoint(plain):
            certainty = _UNRESOLVED
        about = bool(selves) or any(reference.is_self for reference in references)
        turned = _apply(source, span[0], edits)
        return Told(turned, *span, about, certainty, _dangles(tokens, references, everyone))

    def _kept_apart(
        self, tokens: list[Token], selves: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Mentions that set one name against another ("Wilmore hates the Count")."""
        own = self._names.words
        kinds = [
            bool(own & {fold(token.text) for token in tokens[first:last]}) for first, last in selves
        ]
        words = [{token.low for token in tokens[first:last]} for first, last in selves]
        return [
            span
            for at, span in enumerate(selves)
            if at
            and not is_subject(tokens, *span)
            and not (kinds[0] and kinds[at])
            and not words[at] & words[0]
        ]

    def _without_namesakes(
        self, tokens: list[Token], selves: list[tuple[int, int]], namesakes: set[str]
    ) -> list[tuple[int, int]]:
        """Mentions of the character; ``namesakes`` keeps the given names that a relative shares."""
        kept = []
        own = {fold(word) for word in self._names.character.split()}  # the name it goes by
        for span in selves:
            words = {fold(token.text) for token in tokens[span[0] : span[1]]}
            if _is_namesake(tokens, span, selves):
                namesakes |= words - own
            elif not (words and words <= namesakes):
                kept.append(span)
        return kept


def _without_numerals(tokens: list[Token]) -> list[str]:
    """Unquoted words; the numeral of "Charles I" is no pronoun, nor is the first of "Our Lady"."""
    found = []
    for index, token in enumerate(tokens):
        if token.quoted or (token.text in ("i", "US") and token.low in ("i", "us")):
            continue
        titled = index + 1 < len(tokens) and tokens[index + 1].is_capital
        if index and titled and token.text in ("Our", "My"):
            continue
        before = tokens[index - 1] if index else None
        numeral = token.text == "I" and before is not None and before.is_capital
        if not (numeral and before is not None and before.low not in grammar.SUBORDINATORS):
            found.append(token.low)
    return found


def _is_namesake(tokens: list[Token], span: tuple[int, int], selves: list[tuple[int, int]]) -> bool:
    """Whether a later mention names a relative who bears the same name ("grandson of ...")."""
    if selves[0] == span or span[0] < 2:
        return False
    before, kin = tokens[span[0] - 1], tokens[span[0] - 2]
    kinship = grammar.MALE_NOUNS | grammar.FEMALE_NOUNS
    if before.low == "of" and kin.low in kinship:
        return True
    return before.low in kinship or (before.text == "," and kin.low in kinship)


def _edits(
    tokens: list[Token],
    selves: list[tuple[int, int]],
    everyone: list[Person],
    references: list[Reference],
) -> list[Edit]:
    edits: dict[int, Edit] = {}
    partners = {person.first: person for person in everyone}
    own = {reference.index for reference in references if reference.is_self}
    named = False
    for span in selves:
        if _is_label(tokens, span, named):
            continue
        named = True
        for edit in _mention(tokens, span, partners, own):
            edits.setdefault(edit[0], edit)
    for reference in references:
        if reference.is_self:
            for edit in _pronoun(tokens, reference, partners, own):
                edits.setdefault(edit[0], edit)
    return sorted(edits.values())


def _is_label(tokens: list[Token], span: tuple[int, int], named: bool) -> bool:
    """Whether the name is spoken of as a name ("called Spartacus", "known as the Count")."""
    after = [token.low for token in tokens[span[1] : span[1] + 3]]
    if after[:1] in (["is"], ["was"]) and after[2:] == ["name"]:
        return True
    if span[0] == 0:
        return False
    before = tokens[span[0] - 1]
    if before.low in _NAMING:
        return not _has_complement(tokens, span[1])
    if before.low not in _NAMING_LINKS:
        return before.low == "alias"
    if span[0] > 1 and tokens[span[0] - 2].low in _NAMING | {"known", "disguised", "poses"}:
        return True
    verb = before.low not in ("of", "as")
    return (named and verb) or (before.low == "as" and not is_subject(tokens, *span))


def _has_complement(tokens: list[Token], at: int) -> bool:
    """Whether "called X" goes on with what X was called ("called Edmond *mad*")."""
    if at >= len(tokens):
        return False
    after = tokens[at]
    if after.quoted or after.low in ("a", "an", "the"):
        return True
    return after.is_word and not is_finite(after.low) and after.low not in grammar.FUNCTION


def _mention(
    tokens: list[Token], span: tuple[int, int], partners: dict[int, Person], own: set[int]
) -> list[Edit]:
    first, last = span
    start, end = tokens[first].start, tokens[last - 1].end
    after = tokens[last] if last < len(tokens) else None
    if after is not None and after.low in ("'s", "'", "’") and after.start == end:
        plain = noun_follows(tokens, last + 1)
        if first and tokens[first - 1].low == "of" and last + 1 < len(tokens):
            verb = tokens[last + 1].low
            known = is_participle(verb) and noun_follows(tokens, last + 2)
            plain = plain and (not is_finite(verb) or known)
        return [(start, after.end, "my" if plain else "mine")]
    if not is_subject(tokens, first, last):
        if myself := _myself(tokens, last):
            return [(start, myself[0][1], "me")]
        paired = last + 1 < len(tokens) and _goes_with(tokens[last], tokens[last + 1])
        return (not paired and _of_mine(tokens, first, end)) or [(start, end, "me")]
    if swapped := _swap(tokens, span, partners, own):
        return swapped
    edits = [(start, end, "I"), *_myself(tokens, last), *agree(tokens, first, last)]
    second = first > 1 and tokens[first - 1].low == "and"
    if second and any(partner.last == first - 1 for partner in partners.values()):
        edits += _ours(tokens, last)
    return edits


def _goes_with(conjunction: Token, noun: Token) -> bool:
    """Whether "of Ada *and her* son" is about two."""
    named = noun.is_capital or noun.low in grammar.DETERMINERS
    return conjunction.low in ("and", "or") and named


def _of_mine(tokens: list[Token], first: int, end: int) -> list[Edit]:
    """As in "the early death of Cleopatra" -> "my early death"; empty if it is no such phrase."""
    at = first - 3
    while at > first - 6 and at > 0 and _is_modifier(tokens[at]):
        at -= 1
    if at < 0 or tokens[first - 1].low != "of" or tokens[at].low != "the":
        return []
    noun = tokens[first - 2]
    countable = (
        noun.low in grammar.FUNCTION or noun.low in _PARTS or noun.low.endswith(("st", "th"))
    )
    if any(token.quoted for token in tokens[at:first]) or (
        countable and noun.low not in ("death", "birth", "wrath", "youth", "mouth")
    ):
        return []
    the = tokens[at]
    return [(the.start, the.end, like(the.text, "my")), (noun.end, end, "")]


def _is_modifier(token: Token) -> bool:
    function = token.low in grammar.FUNCTION - grammar.DEGREE_AND_TIME
    return token.is_word and token.text[0].islower() and not function


def _myself(tokens: list[Token], at: int) -> list[Edit]:
    """As in "Beethoven himself said" -> "I myself said"."""
    if at < len(tokens) and tokens[at].low in _REFLEXIVES and not tokens[at].quoted:
        return [(tokens[at].start, tokens[at].end, "myself")]
    return []


def _swap(
    tokens: list[Token], span: tuple[int, int], partners: dict[int, Person], own: set[int]
) -> list[Edit]:
    """As in "Beethoven and Haydn met" -> "Haydn and I met"; empty where it is no such pair."""
    first, last = span
    if last >= len(tokens) or tokens[last].low != "and":
        return []
    partner = partners.get(last + 1)
    if partner is None or partner.last >= len(tokens):
        return []
    verb = tokens[skip_adverbs(tokens, partner.last)] if partner.last < len(tokens) - 1 else None
    if verb is None or not (is_finite(verb.low) or is_base(verb.low) or verb.low == "both"):
        return []
    words = tokens[partner.first : partner.last]
    head = words[0].text
    if words[0].low in ("his", "her"):
        if (
            partner.first not in own
            and span[1] - span[0] == 1
            and tokens[first].low in ("he", "she")
        ):
            return []
        head = "my"
    text = head + "".join(
        " " * (word.start > before.end) + word.text for before, word in pairwise(words)
    )
    return [
        (tokens[first].start, tokens[last - 1].end, text),
        (words[0].start, words[-1].end, "I"),
        *_ours(tokens, partner.last),
    ]


def _ours(tokens: list[Token], at: int) -> list[Edit]:
    """As in "Haydn and I held *their* feast" -> "our", while no other plural noun came between."""
    edits: list[Edit] = []
    for token in tokens[at + 1 : at + _OURS_TOKENS]:
        if token.low in ("their", "themselves") and not token.quoted:
            edits.append((token.start, token.end, "our" if token.low == "their" else "ourselves"))
        elif token.quoted or token.text in ".;:" or _may_be_several(token):
            break
    return edits


def _may_be_several(token: Token) -> bool:
    """Whether "their" behind it may mean what it names: "their parents and *their* house"."""
    plural = token.low.endswith("s") and not is_finite(token.low)
    return plural or token.is_capital or token.low in ("they", "them")


def _pronoun(
    tokens: list[Token], reference: Reference, partners: dict[int, Person], own: set[int]
) -> list[Edit]:
    index = reference.index
    token = tokens[index]
    if reference.case == "subject":
        if swapped := _swap(tokens, (index, index + 1), partners, own):
            return swapped
        subject = (token.start, token.end, "I")
        return [subject, *_myself(tokens, index + 1), *agree(tokens, index, index + 1)]
    if reference.case == "possessive":
        text = "my" if noun_follows(tokens, index + 1) else "mine"
    else:
        text = {"object": "me", "own": "mine", "reflexive": "myself"}[reference.case]
    return [(token.start, token.end, like(token.text, text))]


def _dangles(tokens: list[Token], references: list[Reference], everyone: list[Person]) -> bool:
    if not tokens:
        return False
    opening = tokens[0].low
    if opening in ("it", "they", "this", "these", "those", "such", "their", "its"):
        return True
    settled = {reference.index for reference in references if reference.is_self}
    named = min((person.first for person in everyone), default=len(tokens))
    return any(
        token.low in _SINGULAR and not token.quoted and index not in settled
        for index, token in enumerate(tokens[: named + 1])
    )


def _apply(source: str, offset: int, edits: list[Edit]) -> str:
    parts: list[str] = []
    at = 0
    for start, end, text in sorted(edits):
        if start - offset < at:
            continue
        parts.extend((source[at : start - offset], text))
        at = end - offset
    parts.append(source[at:])
    turned = "".join(parts)
    if source[:1].isupper() and turned[:1].islower():
        return turned[0].upper() + turned[1:]
    return turned
