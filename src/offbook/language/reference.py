"""Whom the pronouns of a passage mean: the character or someone else.

Takes: tokens of one sentence, who is named in it, and what the sentences before were about.
Gives: for each pronoun whether it means the character, and how sure that is. Paper: the idea of a
centre of attention is Grosz, Joshi, Weinstein 1995 (Centering); the rules and weights are ours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from offbook.language import grammar
from offbook.language.clauses import Token
from offbook.language.grammar import Gender, word_set
from offbook.language.persons import Person
from offbook.language.subjects import is_subject, skip_adverbs, thing_acts
from offbook.language.verbs import is_base, is_finite, is_third_singular

Who = Literal["self", "other", ""]

FORMS: Final[dict[Gender, dict[str, str]]] = {
    "m": {"he": "subject", "him": "object", "his": "possessive", "himself": "reflexive"},
    "f": {"she": "subject", "her": "either", "hers": "own", "herself": "reflexive"},
    "": {},
}
_NO_NOUN: Final = (
    grammar.PREPOSITIONS
    | grammar.COORDINATORS
    | grammar.SUBORDINATORS
    | grammar.DETERMINERS
    | grammar.PRONOUNS
    | grammar.AUXILIARIES
    | grammar.AMBIGUOUS_PREPOSITIONS
) - word_set("many few several two three four five six seven past inside outside")
_LATE_ADVERBS: Final = word_set(
    "never always often soon now still ever again there here together alone away back down"
    " forth too also indeed however enough once today yesterday tomorrow afterwards instead"
)
_LY_ADJECTIVES: Final = word_set(
    "early only family lovely lonely friendly daily weekly monthly yearly elderly ugly holy"
    " lively deadly costly kindly heavenly worldly orderly ally reply assembly monopoly italy"
    " july"
)
_PREDICATIVE: Final = word_set(
    "alive asleep awake afraid ashamed aware apart aside alike aloft ablaze alight adrift aground"
)
"""Adjectives that never stand before their noun: "keep her *alive*"."""
_CAUSATIVE: Final = ("help", "let", "ma", "see", "saw", "watch", "hear", "had", "have", "bid")
_GIVING: Final = word_set("gave gives give offered offers handed brought taught fed lent")
_JUDGING: Final = (
    "consider",
    "deem",
    "find",
    "found",
    "call",
    "think",
    "thought",
    "render",
    "made",
)
_CLAUSE_OPENERS: Final = (
    grammar.SUBORDINATORS | grammar.COORDINATORS | grammar.AMBIGUOUS_PREPOSITIONS
)
_THEN: Final = word_set("when before after until till since while though because")
_ADVISING: Final = word_set(
    "warned warns assured assures reminded reminds convinced convinces persuaded persuades forbade"
    " advised advises"
)
_TELLING: Final = _ADVISING | word_set("told tells informed informs")
_SCARCELY: Final = word_set("only just barely scarcely hardly still not yet about almost nearly")
_YOUNG: Final = word_set("young little small child girl boy baby infant born orphaned widowed")
_AGES: Final = word_set(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen twenty"
)
_ACCOMPANY: Final = word_set("with behind before around about beside after on upon")


@dataclass(slots=True)
class Scene:
    """What the passage has been about so far; changes from sentence to sentence."""

    focus: Who = ""
    rivals: int = 0


@dataclass(frozen=True, slots=True)
class Reference:
    """A pronoun at ``index``: its ``case``, whether it means the character, how sure (0 to 1)."""

    index: int
    case: str
    is_self: bool
    certainty: float


@dataclass(slots=True)
class _Sentence:
    main: Who = ""
    subject: Who = ""
    has_self: bool = False
    others: int = 0
    other_subjects: int = 0
    last_other: Person | None = None
    unclear: bool = False
    acted_on: tuple[int, int] | None = None
    """The words that name the character as the one to whom something is done."""
    coming: Who = ""
    found: list[Reference] = field(default_factory=list)


def resolve(
    tokens: list[Token],
    selves: list[tuple[int, int]],
    others: list[Person],
    gender: Gender,
    scene: Scene,
) -> list[Reference]:
    """References of one sentence in order; ``scene`` is carried on to the next sentence.

    Args:
        tokens: Of the sentence.
        selves: Spans that name the character.
        others: People whom a pronoun of this gender may mean.
        gender: Of the character's pronouns; without one no pronoun is resolved.
        scene: What came before.
    """
    state = _Sentence()
    starts_self = {span[0]: span for span in selves}
    starts_other = {person.first: person for person in others}
    state.coming = _first_subject(tokens, selves, others)
    forms = FORMS[gender]
    for index, token in enumerate(tokens):
        if _other_subject(tokens, index, gender):
            last = state.last_other
            of_other = token.low == "who" and last is not None and index - last.last <= 1
            state.subject = "other" if of_other else ""
        if index in starts_self:
            state.has_self = True
            _subject(state, tokens, starts_self[index], "self")
            _object(state, tokens, starts_self[index])
        if (person := starts_other.get(index)) is not None:
            if person.own and token.low in forms and not token.quoted:
                _meet_pronoun(state, tokens, index, "possessive", scene)
            _meet_person(state, tokens, person, gender)
        elif not token.quoted and (case := forms.get(token.low)):
            case = _case_of_her(tokens, index) if case == "either" else case
            _meet_pronoun(state, tokens, index, case, scene)
    _carry(state, scene)
    return state.found


def _meet_person(state: _Sentence, tokens: list[Token], person: Person, gender: Gender) -> None:
    if person.gender and person.gender != gender:
        # No rival for the pronoun, but a subject of its own: "she loved him".
        if is_subject(tokens, person.first, person.last):
            state.subject = ""
        return
    state.others += 1
    state.unclear = state.unclear or (gender == "f" and not person.gender)
    state.last_other = person
    _subject(state, tokens, (person.first, person.last), "other")


def _meet_pronoun(
    state: _Sentence, tokens: list[Token], index: int, case: str, scene: Scene
) -> None:
    reference = _decide(state, tokens, index, case, scene)
    state.found.append(reference)
    state.has_self = state.has_self or reference.is_self
    if case == "object" and reference.is_self:
        state.acted_on = (index, index + 1)
    if case == "subject":
        state.subject = "self" if reference.is_self else "other"
        state.main = state.main or state.subject


def _first_subject(tokens: list[Token], selves: list[tuple[int, int]], others: list[Person]) -> Who:
    """Whose the sentence will be: "During *her* youth Cleopatra studied"."""
    named: list[tuple[int, int, Who]] = [(*span, "self") for span in selves]
    named += [(person.first, person.last, "other") for person in others]
    subjects = (who for first, last, who in sorted(named) if is_subject(tokens, first, last))
    return next(subjects, "")


def _other_subject(tokens: list[Token], index: int, gender: Gender) -> bool:
    """Whether a clause begins here whose subject neither is the character nor vies with it."""
    token = tokens[index]
    if token.quoted:
        return False
    if token.text in ";:" or token.low in ("they", "it", "we"):
        return True
    if token.low in ("which", "that", "who"):
        at = skip_adverbs(tokens, index + 1)
        if at < len(tokens) and (is_finite(tokens[at].low) or is_third_singular(tokens[at].low)):
            return True
    if token.low in _CLAUSE_OPENERS:
        return thing_acts(tokens, index + 1)
    return token.low == {"m": "she", "f": "he", "": "you"}[gender]


def _subject(state: _Sentence, tokens: list[Token], span: tuple[int, int], who: Who) -> None:
    if is_subject(tokens, *span):
        state.main = state.main or who
        state.subject = who
        state.other_subjects += who == "other"


def _object(state: _Sentence, tokens: list[Token], span: tuple[int, int]) -> None:
    """Note that something is done to the character, by somebody else: "taught *Nora* to read"."""
    owner = span[1] < len(tokens) and tokens[span[1]].low in ("'s", "’s", "'")
    if state.main == "other" and state.subject != "self" and not owner:
        state.acted_on = span


def _of_object(state: _Sentence, tokens: list[Token], index: int) -> bool:
    """Whether a pronoun means the one to whom something is done, not the one who does it.

    "Taught Nora to read when *she* was six", "warned Nora that *she* would fall".
    """
    if state.acted_on is None:
        return False
    before = tokens[index - 1].low if index else ""
    if before in _THEN:
        return _tells_age(tokens, index + 1)
    first, end = state.acted_on
    told = tokens[first - 1].low if first else ""
    last = state.last_other
    unlike = last is not None and not last.gender
    follows = index - end == (before == "that")
    return follows and (told in _ADVISING or (told in _TELLING and unlike))


def _tells_age(tokens: list[Token], at: int) -> bool:
    """Whether it goes on with "was twelve", "turned 6", "was still a child"."""
    if at >= len(tokens) or tokens[at].low not in ("was", "turned", "became"):
        return False
    words = [token.low for token in tokens[at + 1 : at + 5] if token.low not in _SCARCELY]
    first = next((word for word in words if word not in ("a", "an", "very", "so")), "")
    return first in _AGES or first in _YOUNG or (first.isdigit() and int(first) <= 20)


def _case_of_her(tokens: list[Token], index: int) -> str:
    """Possessive or object: "helped her defeat him" and "finds her dull." take an object."""
    before = tokens[index - 1].low if index else ""
    after = tokens[index + 1] if index + 1 < len(tokens) else None
    if after is not None and before.startswith(_CAUSATIVE) and is_base(after.low):
        return "object"
    plain = after is not None and after.low not in grammar.PERSON_NOUNS | grammar.ADVERBS
    if plain and before in _GIVING:
        beyond = {token.low for token in tokens[index + 2 : index + 5]}
        if beyond.isdisjoint(("to", "up", "away", "back")):
            return "object"
    ends = index + 2 >= len(tokens) or not tokens[index + 2].is_word
    if ends and before.startswith(_JUDGING):
        return "object"
    return "possessive" if noun_follows(tokens, index + 1) else "object"


def noun_follows(tokens: list[Token], at: int) -> bool:
    """Whether a noun phrase without article goes on at ``at`` ("her *old friend*")."""
    if at >= len(tokens):
        return False
    token = tokens[at]
    if not token.is_word:
        return token.quoted
    if token.low in _NO_NOUN or token.low in _PREDICATIVE or token.low in ("'s", "not"):
        return False
    if token.low in _LATE_ADVERBS or (token.low.endswith("ly") and token.low not in _LY_ADJECTIVES):
        beyond = skip_adverbs(tokens, at)
        late = beyond < len(tokens) and tokens[beyond].is_word
        shaped = tokens[beyond].low.endswith(("ed", "ing", "ful", "ous")) if late else False
        return late and beyond > at and (shaped or "-" in tokens[beyond].text)
    return True


def _decide(
    state: _Sentence, tokens: list[Token], index: int, case: str, scene: Scene
) -> Reference:
    deciders = {
        "subject": _decide_subject,
        "possessive": _decide_possessive,
        "own": _decide_possessive,
        "object": _decide_object,
        "reflexive": _decide_reflexive,
    }
    is_self, certainty = deciders[case](state, tokens, index, scene)
    return Reference(index, case, is_self, certainty)


def _from_scene(state: _Sentence, scene: Scene) -> tuple[bool, float]:
    """Nobody is the subject of this sentence yet: the centre of the sentences before decides."""
    if state.coming == "self" and not state.others:
        return True, 0.85
    if scene.focus == "other":
        return False, 0.6
    sure = 0.95 if scene.focus == "self" else 0.8
    sure -= 0.15 * (scene.rivals > 0)
    return True, sure - 0.25 * (state.others > 0 and not state.has_self)


def _decide_subject(
    state: _Sentence, tokens: list[Token], index: int, scene: Scene
) -> tuple[bool, float]:
    if state.main == "self":
        if state.subject == "other" or state.other_subjects:
            return True, 0.5
        return True, 1.0 if not state.others else 0.85
    if state.main == "other":
        if _of_object(state, tokens, index):
            return True, 0.7
        return False, 0.5 if state.has_self or scene.focus == "self" else 0.8
    if state.has_self:
        return True, 0.9 if not state.others else 0.6
    return _from_scene(state, scene)


def _decide_possessive(
    state: _Sentence, tokens: list[Token], index: int, scene: Scene
) -> tuple[bool, float]:
    last = state.last_other
    if last is not None and last.last == index - 1 and tokens[index - 1].low == "and":
        return (True, 0.7) if last.own else (False, 0.8)
    if state.subject == "other":
        own = last is not None and last.own
        return (False, 0.5) if own or state.has_self or scene.focus == "self" else (False, 0.8)
    if state.main == "self" or (not state.main and state.has_self):
        close = last is not None and index - last.last < 6
        return True, 0.65 if close and not (last and last.own) else 0.9 if state.others else 1.0
    return _from_scene(state, scene)


def _decide_object(
    state: _Sentence, tokens: list[Token], index: int, scene: Scene
) -> tuple[bool, float]:
    if state.subject == "self":
        if index > 0 and tokens[index - 1].low in _ACCOMPANY:
            return (True, 0.7) if not state.others else (False, 0.5)
        if state.others or scene.rivals:
            return False, 0.85
        return False, 0.4
    if state.subject == "other":
        known = state.has_self or scene.focus == "self" or state.main == "self"
        return (True, 0.85 if state.others == 1 else 0.6) if known else (False, 0.5)
    if state.has_self:
        return True, 0.9 if not state.others else 0.6
    return _from_scene(state, scene)


def _decide_reflexive(
    state: _Sentence, tokens: list[Token], index: int, scene: Scene
) -> tuple[bool, float]:
    last = state.last_other
    if last is not None and index - last.last <= 1 and state.subject == "self":
        return False, 0.8  # "disillusioned by Napoleon declaring himself Emperor"
    if state.subject:
        return state.subject == "self", 0.9
    if state.has_self:
        return True, 0.8
    return _from_scene(state, scene)


def _carry(state: _Sentence, scene: Scene) -> None:
    """What the next sentence's "he" would mean."""
    meant = [reference.is_self for reference in state.found]
    if state.main:
        # A surname alone does not tell a woman from a man; most who are named so are men.
        scene.focus = "" if state.main == "other" and state.unclear else state.main
    elif state.has_self or (meant and any(meant)):
        scene.focus = "self"
    elif state.others or meant:
        scene.focus = "other"
    scene.rivals = state.others
