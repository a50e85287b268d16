"""Names in a German passage, where every noun has a capital and a capital says nothing.

Takes: a passage.  Gives: whether it is German, and the spans of its names: behind titles, pairs of
given and family name, known given names, and what recurs without the article that a noun would
have and does what people do. Source: ours; school grammar.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from offbook.rules.entity_kinds import Span
from offbook.rules.name_words import COUNTRIES_AND_CITIES, PERSON_TITLES, is_given_name
from offbook.rules.passage_words import Passage
from offbook.text.english_words import is_english
from offbook.text.grammar import word_set
from offbook.text.words import fold, words


def _declined(stems: str) -> frozenset[str]:
    return frozenset(
        stem + ending for stem in stems.split() for ending in ("", "e", "en", "em", "er", "es")
    )


DETERMINERS: Final = _declined(
    "ein kein mein dein sein ihr unser euer eur dies jen jed welch manch solch all viel wenig"
) | word_set(
    "der die das den dem des beide beiden einige einigen mehrere mehreren etwas zwei drei vier fünf"
    " sechs sieben acht neun zehn zwölf hundert tausend derselbe dieselbe dasselbe dessen deren"
)
CONTRACTIONS: Final = word_set("am im ans ins aufs zum zur beim vom fürs durchs ums übers")
"""Prepositions that have an article in them."""
PREPOSITIONS: Final = word_set(
    "in nach aus bei von über durch bis an auf hinter neben unter vor zwischen mit zu gegen ohne um"
    " für seit trotz wegen außer statt"
)
PLACE_PREPOSITIONS: Final = word_set("in nach aus bei von über durch bis")
FUNCTION: Final = (
    DETERMINERS
    | CONTRACTIONS
    | PREPOSITIONS
    | word_set(
        "ich du er sie es wir man mir mich dir dich ihm ihn ihnen uns euch sich wer was wen wem"
        " wessen und oder aber denn sondern doch jedoch als wie wenn ob daß dass weil da damit"
        " bevor ehe nachdem während obwohl sobald solange indem sodass so laut gegenüber nicht nie"
        " niemals nur auch noch schon sehr mehr ganz gar hier dort dann nun jetzt heute gestern"
        " morgen einst bald immer oft wieder endlich plötzlich vielleicht freilich allerdings"
        " übrigens dabei dafür dagegen daher dahin daran darauf darin darum darüber davon davor"
        " dazu dennoch deshalb trotzdem zuerst zuletzt warum wo woher wohin wann wieso ja nein ach"
        " o oh ah na nanu hm ei bitte danke gewiß gewiss natürlich also eben nämlich ist sind war"
        " waren bin bist sei wäre hat haben habe hatte hatten hätte wird werden wurde wurden würde"
        " kann können konnte muß muss müssen mußte musste soll sollte will wollte darf durfte mag"
        " mochte möchte lassen laß lass gut guten"
    )
)
TITLES: Final = word_set(
    "herrn graf könig königin kaiserin senatorin amtmann rittmeister pater bruder schwester onkel"
    " vetter cousine base kommerzienrat direktor richter inspektor lehrer kapitän ritter sankt"
    " mamsell jungfer muhme gevatter oheim kollege genosse kommissar förster wachtmeister landgraf"
    " markgraf kurfürst erzherzog frl hr fr grafen fürsten prinzen barons konsuls herzogs königs"
    " kaisers"
)
"""What stands before names; alone it names nobody."""
PARTICLES: Final = word_set("von vom zu zum zur van de der den")
"""What joins the words of a name: "von der"."""
LEADING_PARTICLES: Final = PARTICLES - frozenset(("der", "den"))
KIN: Final = word_set("bruder schwester onkel tante vetter cousine base gevatter kollege meister")
"""Titles that behind "his" are no part of the name."""
SPEAKING: Final = word_set(
    "sagte sagt sprach spricht fragte fragt rief ruft antwortete antwortet erwiderte erwidert"
    " versetzte entgegnete meinte meint dachte denkt lachte lacht lächelte lächelt nickte nickt"
    " seufzte seufzt schrie weinte weint flüsterte flüstert murmelte murmelt bemerkte bemerkt"
    " erzählte erzählt erklärte erklärt schwieg schweigt wiederholte zögerte stöhnte"
)
"""What stands before the one who does it: "sagte Tony", where "trank Wein" has an object."""
ACTING: Final = SPEAKING | word_set(
    "saß sitzt setzte blickte blickt schaute schaut hörte hört sah sieht wußte wusste weiß wollte"
    " will nahm nimmt griff warf wandte wendete eilte eilt ritt reitet schrieb schreibt las liest"
    " heiratete heiratet liebte liebt haßte hasste lebte lebt starb wohnte wohnt arbeitete arbeitet"
    " aß trank schlief erwachte lernte lernt lehrte lehrt kannte kennt bat bittet dankte dankt"
    " grüßte grüßt küßte küsste küßt küsst begrüßte empfing verließ fühlte fühlt hieß heißt zuckte"
    " schüttelte unterbrach glaubte glaubt hoffte hofft fürchtete freute freut erschrak errötete"
)
"""What people do and things hardly."""
MEASURES: Final = word_set(
    "anfang mitte ende tasse glas stück flasche paar dutzend uhr art menge teller krug becher sack"
    " pfund meter meilen meile stunde stunden tag tage woche wochen jahr jahre mark taler gulden"
    " pfennig voll kapitel band teil seite nummer haus"
)
"""Nouns that have another behind them without being a name: "Ende Mai", "Glas Wein"."""
NOUNS_LIKE_NAMES: Final = word_set(
    "ernst art else rat rose wolf mark may will herz gott bar ring stern lamm glück frank engel"
    " heiland teufel august april mai juni juli mann mensch leute kinder vater mutter papa mama"
    " großvater großmutter freund freunde liebling kind sonntag montag dienstag mittwoch donnerstag"
    " freitag samstag sonnabend januar februar märz september oktober november dezember weihnachten"
    " ostern pfingsten"
)
"""Words that are given names elsewhere, or stand without an article as names do."""
NOT_TOWARDS: Final = word_set(
    "hause haus tisch wunsch belieben norden süden osten westen mittag mitternacht atem rache hilfe"
    " wahl luft möglichkeit kräften zeit recht art bedarf gold tagen wochen monaten jahren stunden"
    " minuten feierabend ablauf ansicht meinung"
)
"""What stands behind "nach" and is no place."""


_TELLING: Final = word_set(
    "der die das und nicht ein eine einen einem einer eines ich sie ist dem sich mit auf von zu für"
    " im auch wie daß dass wir ihr ihre ihren ihm ihn aber oder wenn noch nach bei aus über sein"
    " seine seinem seinen hatte wurde sind zum zur vom beim"
)
"""Frequent words of German that English and its other neighbours hardly write."""
_ENGLISH: Final = word_set("the of and to his was that with for he she it is they had were")
_SHARE: Final = 0.12
_FEWEST: Final = 3
_TWICE: Final = 2
_LONGEST: Final = 6
_LONGEST_WORD: Final = 40
_RARELY: Final = 4
"""A name may have an article once in so many times: "der" also means "who"."""
_INFLECTED: Final = ("e", "en", "er", "es", "em")
_PAST: Final = ("te", "ten")
_OPENING: Final = frozenset("„‚»›:")
_INITIALS: Final = frozenset(("dr", "prof", "st", "frl", "fr", "hr"))


def is_german(passage: Passage) -> bool:
    """Whether the function words of the passage are German ones."""
    total = german = english = 0
    for token in passage.tokens:
        if token.is_word:
            total += 1
            german += token.low in _TELLING
            english += token.low in _ENGLISH
    return german >= max(_FEWEST, _SHARE * total) and german > 2 * english


def german_spans(passage: Passage, character: str) -> tuple[list[Span], frozenset[Span]]:
    """The spans of the names in order, ``character`` among them, and those that name places."""
    return _Reading(passage, character).names()


class _Reading:
    """One passage, read twice: what stands beside each noun, then which nouns are names."""

    def __init__(self, passage: Passage, character: str) -> None:
        self._passage = passage
        self._own = frozenset(words(character)) - FUNCTION - PERSON_TITLES
        self._articled: Counter[str] = Counter()
        self._bare: Counter[str] = Counter()
        self._acting: set[str] = set()
        self._towards: dict[str, set[str]] = defaultdict(set)
        written = list(self._capitals())
        self._inside = {self._key(run) for run in written if not self._opens(run[0])}
        self._runs = [self._trimmed(run) for run in written]
        self._repeated = Counter(self._key(run) for run in self._runs)
        for run in self._runs:
            self._look(run)

    def names(self) -> tuple[list[Span], frozenset[Span]]:
        sure = {run for run in self._runs if self._is_named(run)}
        proven = {word for run in sure for word in self._key(run) if self._may_stand_alone(word)}
        proven |= self._own
        spans = [
            run
            for run in self._runs
            if run in sure or (run[1] - run[0] == 1 and self._is_proven(run[0], proven))
        ]
        return spans, frozenset(run for run in spans if self._is_place(run))

    def _word(self, index: int) -> str:
        return self._passage.word(index)

    def _key(self, run: Span) -> tuple[str, ...]:
        lows = (self._word(index) for index in range(*run))
        return tuple(word for word in lows if word[0].isalnum() and word not in PARTICLES)

    def _is_noun(self, index: int) -> bool:
        """Whether a word with a capital may be a noun or name: it is no pronoun, no article."""
        if not 0 <= index < len(self._passage.tokens):
            return False
        token = self._passage.tokens[index]
        plain = token.is_word and token.is_capital and len(token.text) <= _LONGEST_WORD
        return plain and token.low not in FUNCTION

    def _opens(self, index: int) -> bool:
        before = self._passage.tokens[index - 1].text if index else ":"
        return self._passage.opens[index] or before in _OPENING

    def _capitals(self) -> Iterator[Span]:
        """Runs of neighbouring capitals, particles between them included."""
        index, total = 0, len(self._passage.tokens)
        while index < total:
            last = index
            while last < total and last - index < _LONGEST and (step := self._step(index, last)):
                last += step
            if last > index:
                yield index, last
            index = max(last, index + 1)

    def _step(self, first: int, index: int) -> int:
        """By how many tokens the run that begins at ``first`` goes on at ``at``."""
        if index == first:
            return int(self._is_noun(index))
        before = self._word(index - 1)
        if self._word(index) == ".":
            short = len(before) == 1 or before in _INITIALS
            return 2 * (
                short and self._is_noun(index + 1) and self._passage.touches(index, index + 1)
            )
        if not self._passage.touches(index - 1, index):
            return 0
        if self._is_noun(index):
            return int(not self._opens(index))
        ahead = index + (self._word(index) in LEADING_PARTICLES)
        while ahead > index and ahead < index + 2 and self._word(ahead) in PARTICLES:
            ahead += 1
        person = self._is_title(self._word(first)) or is_given_name(self._word(first))
        joined = ahead > index and person and self._is_noun(ahead)
        return (ahead + 1 - index) * (joined and self._passage.touches(ahead - 1, ahead))

    def _trimmed(self, run: Span) -> Span:
        """The run without a first word that opens its sentence, or says who it is: "his friend"."""
        first, last = run
        word = self._word(first)
        if last - first < _TWICE or not self._is_noun(first + 1) or word in MEASURES:
            return run
        of_name = is_given_name(word) or (self._is_title(word) and word not in KIN)
        opens = self._opens(first) and self._key(run) not in self._inside
        return (first + 1, last) if not of_name and (opens or self._has_article(first)) else run

    def _look(self, run: Span) -> None:
        """Count what stands in front of the run and behind it, for its words."""
        first, last = run
        key = self._key(run)
        before = self._word(first - 1)
        if self._has_article(first):
            self._articled[key[0]] += 1
        elif not self._opens(first) and not self._passage.titled[first]:
            self._bare.update(key)
            if before in PLACE_PREPOSITIONS:
                self._towards[key[0]].add(before)
        if before in SPEAKING or (self._word(last) in ACTING and before not in PREPOSITIONS):
            self._acting.update(key)

    def _has_article(self, first: int) -> bool:
        """Whether an article or its like leads the noun, an adjective between them or none."""
        before = self._word(first - 1)
        if before in DETERMINERS | CONTRACTIONS:
            return True
        small = before.isalpha() and self._passage.tokens[first - 1].text.islower()
        adjective = small and before.endswith(_INFLECTED) and before not in FUNCTION
        verb = before in ACTING or before.endswith(_PAST)
        return adjective and not verb and self._word(first - 2) in DETERMINERS | CONTRACTIONS

    def _is_title(self, word: str) -> bool:
        return word in TITLES or fold(word) in PERSON_TITLES

    def _rarely_articled(self, word: str) -> bool:
        return _RARELY * self._articled[word] <= self._bare[word]

    def _may_stand_alone(self, word: str) -> bool:
        titled = self._is_title(word)
        return not titled and word not in MEASURES and word not in NOUNS_LIKE_NAMES

    def _is_named(self, run: Span) -> bool:
        """Whether the words and what stands around them show a name."""
        key = self._key(run)
        if not key or not self._passage.plain or self._passage.titled[run[0]]:
            return False
        if len(key) == 1:
            return self._is_single(run, key[0])
        if self._is_title(key[0]):
            return any(not self._is_title(word) and not self._articled[word] for word in key[1:])
        if len(key[0]) == 1:  # initials
            return len(key[-1]) > 1
        if is_given_name(key[0]) and key[0] not in NOUNS_LIKE_NAMES:
            return not self._articled[key[-1]]
        return self._is_pair(run, key)

    def _is_pair(self, run: Span, key: tuple[str, ...]) -> bool:
        """Two nouns side by side that nothing else explains, and that recur."""
        if self._has_article(run[0]) or any(self._articled[word] for word in key):
            return False
        if key[0] in MEASURES or any(word in self._passage.plain for word in key):
            return False
        if self._repeated[key] >= _TWICE:
            return True
        owner = key[0].endswith("s")  # "Tonys Mutter"
        return not owner and self._repeated[(key[-1],)] > 0 and key[-1] in self._acting

    def _is_single(self, run: Span, word: str) -> bool:
        if word in self._passage.plain or not self._may_stand_alone(word) or len(word) < _TWICE:
            return False
        if self._has_article(run[0]) or not self._rarely_articled(word):
            return False
        if word in COUNTRIES_AND_CITIES:
            return not self._opens(run[0]) or self._bare[word] > 0
        if is_given_name(word) and not is_english(fold(word)):
            after = self._word(run[1])
            led = after == "," or after in FUNCTION or word in self._acting
            return led or not self._opens(run[0]) or self._bare[word] > 0
        recurs = self._bare[word] > 0 and self._repeated[(word,)] >= _TWICE
        return recurs and (word in self._acting or self._is_towards(word))

    def _is_towards(self, word: str) -> bool:
        """Whether one goes there and is there: "nach Lübeck ... in Lübeck"."""
        ways = self._towards.get(word, set())
        return "nach" in ways and len(ways) >= _TWICE and word not in NOT_TOWARDS

    def _is_proven(self, index: int, proven: set[str]) -> bool:
        word = self._word(index)
        return word in proven and not self._has_article(index) and word not in self._passage.plain

    def _is_place(self, run: Span) -> bool:
        key = self._key(run)
        if len(key) != 1 or key[0] in self._acting or is_given_name(key[0]):
            return False
        return key[0] in COUNTRIES_AND_CITIES or self._is_towards(key[0])
