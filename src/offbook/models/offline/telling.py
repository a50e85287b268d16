"""The answer itself: the best supported sentences, told by the character, in the order of the text.

Takes: evidence, hits, the character's names, what was already said.  Gives: one to four sentences
in the first person, or nothing where no sentence will do. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from offbook.language.clauses import quoted_spans
from offbook.language.first_person import FirstPerson, Told
from offbook.language.lifetime import last_year, within_life, years_in
from offbook.language.names import Names
from offbook.language.words import fold, word_term
from offbook.models.offline.editorial import is_about_works, is_editorial, without_editorial
from offbook.models.offline.evidence import Evidence, Hit

_LINK: Final = re.compile(
    r"^(?:(?:However|Thus|Therefore|Furthermore|Moreover|Nevertheless|Nonetheless|Instead|Meanwhile"
    r"|Then|Also|In addition|Additionally|Despite this|In contrast|As a result|Consequently|Besides"
    r"|For example|For instance|Similarly|Likewise|In turn|Hence|In fact), |(?:But|And|Yet|So"
    r"|Then) (?=[a-zI]|[A-Z]\w+ \w+))"
)
_LOOK_AT: Final = 14
_SENTENCES: Final = 3
_WORDS: Final = 60
_SHORT: Final = 16
_KEEP: Final = 0.6
_EDITORIAL: Final = 0.6
_WORKS: Final = 0.5
_SURE: Final = 0.75


@dataclass(frozen=True, slots=True)
class _Candidate:
    index: int
    text: str
    quality: float
    told: Told
    was_said: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who is to do what in the sentences of an answer.

    Args:
        about_self: The question is about the character: sentences about it come first.
        done_to_me: A verb of which the character is to be the object, not the subject.
        done_by_me: A verb of which it is to be the subject.
        nothing_else: That verb is all that is asked for: what others do is no answer.
        fact_of_self: Whether one thing holds of the character is asked: that it holds of others, or
            that something of its kind holds, is no answer.
        worth_again: What a sentence is worth that was said before, of 1.
        more: What goes beyond what was said is asked for: nothing of that is said again.
    """

    about_self: bool = True
    done_to_me: str = ""
    done_by_me: str = ""
    nothing_else: bool = False
    fact_of_self: bool = False
    worth_again: float = 1.0
    more: bool = False


class Telling:
    """Turns the sentences of one evidence into speech, a paragraph at a time, when asked for."""

    def __init__(self, evidence: Evidence, names: Names) -> None:
        self._evidence = evidence
        self._speaker = FirstPerson(names)
        self._paragraph_of = {
            index: paragraph for paragraph in evidence.paragraphs for index in paragraph.sentences
        }
        self._told: dict[int, Told] = {}

    @cached_property
    def _last_year(self) -> int | None:
        """The last year of the character's life, as far as this evidence tells."""
        told = (self.told(index) for index in range(len(self._evidence.sentences)))
        return last_year(one.text for one in told if one.about)

    def told(self, index: int) -> Told:
        """Sentence ``index`` in the first person, read in the light of those before it."""
        sentence = self._evidence.sentences[index]
        if sentence.is_heading:
            return Told(sentence.text, sentence.start, sentence.end, about=False, certainty=1.0)
        if index not in self._told:
            paragraph = self._paragraph_of[index]
            inside = [i for i in paragraph.sentences if not self._evidence.sentences[i].is_heading]
            spans = [
                (self._evidence.sentences[i].start, self._evidence.sentences[i].end) for i in inside
            ]
            turned = self._speaker.passage(paragraph.text, spans)
            self._told.update(zip(inside, turned, strict=True))
        return self._told[index]

    def speech(self, index: int) -> str:
        """Sentence ``index`` as it is said: first person, no notes, one line.

        What came after the character's life is left out; empty where nothing else is told.
        """
        text = " ".join(without_editorial(self.told(index).text).split())
        return within_life(text, self._last_year if any(years_in(text)) else None)

    def answer(self, hits: Sequence[Hit], said: str, wanted: Wanted) -> list[str]:
        """The sentences to say, in order; empty where none will do.

        Args:
            hits: Sentences that bear on the question, best first.
            said: Everything that the character has said before.
            wanted: Who is to do what in them.
        """
        found = (self._candidate(hit, said, wanted) for hit in hits[:_LOOK_AT])
        candidates = sorted(
            filter(None, found), key=lambda candidate: (-candidate.quality, candidate.index)
        )
        if not candidates:
            return []
        best = candidates[0]
        chosen = {best.index: best.text}
        if best.told.dangling and (leading := self._leads_in(best.index, _before(best, said))):
            chosen[best.index - 1] = leading
        for candidate in candidates[1:]:
            full = (
                len(chosen) >= _SENTENCES or _count(chosen) + len(candidate.text.split()) > _WORDS
            )
            if full or candidate.quality < _KEEP * best.quality:
                continue
            if candidate.told.dangling and candidate.index - 1 not in chosen:
                continue
            if not self._repeats(candidate.index, chosen):
                chosen[candidate.index] = candidate.text
        if _count(chosen) < _SHORT:
            self._go_on(max(chosen), chosen, said)
        return [
            text if index - 1 in chosen else _without_link(text)
            for index, text in sorted(chosen.items())
        ]

    def _candidate(self, hit: Hit, said: str, wanted: Wanted) -> _Candidate | None:
        told = self.told(hit.index)
        text = self.speech(hit.index)
        was_said = is_said(text, said)
        if not text or (was_said and wanted.more) or _is_torn(text):
            return None
        if wanted.fact_of_self and (not told.about or hit.matched < 1):
            return None
        quality = hit.score * self._fitness(hit.index, text, wanted)
        if was_said:
            quality *= wanted.worth_again
        if is_editorial(text):
            if hit.matched < _EDITORIAL:
                return None
            quality *= 0.35
        if told.certainty < _SURE:
            quality *= 0.75 if told.certainty >= 0.55 else 0.45
        if told.dangling:
            quality *= 0.6 if self._leads_in(hit.index, "" if was_said else said) else 0.3
        if wanted.about_self and not told.about:
            quality *= 0.7
        return _Candidate(hit.index, text, quality, told, was_said) if quality else None

    def _fitness(self, index: int, text: str, wanted: Wanted) -> float:
        """How well a sentence fits by where it stands and by who does what in it; 0: not at all."""
        sentence = self._evidence.sentences[index]
        fitness = _WORKS if is_about_works(self._evidence.items[sentence.item].title) else 1.0
        deed = word_term(wanted.done_by_me)
        if deed and _does(text, deed):
            fitness *= 1.3
        elif deed and sentence.counts[deed]:
            fitness *= 0.0 if wanted.nothing_else else 0.7
        if wanted.done_to_me:
            doing = rf"\bI (?:\w+ )?{re.escape(wanted.done_to_me)}\b"
            fitness *= 0.4 if re.search(doing, re.sub(r"\bI was (?:\w+ly )*", "", text)) else 1.0
        return fitness

    def _leads_in(self, index: int, said: str) -> str:
        """What a sentence that begins with "it" leans on; empty where that cannot be told."""
        before = index - 1
        if self._paragraph_of.get(before) is not self._paragraph_of[index]:
            return ""
        text = "" if self._evidence.sentences[before].is_heading else self.speech(before)
        return "" if is_said(text, said) or _is_torn(text) else text

    def _go_on(self, last: int, chosen: dict[int, str], said: str) -> None:
        """The next sentence, where it goes on about the character."""
        following = last + 1
        if self._paragraph_of.get(following) is not self._paragraph_of[last]:
            return
        told = self.told(following)
        text = self.speech(following)
        fits = told.about and told.certainty >= _SURE and len(text.split()) <= 40
        fresh = bool(text) and not is_said(text, said)
        if fits and fresh and not is_editorial(text) and not _is_torn(text):
            chosen[following] = text

    def _repeats(self, index: int, chosen: dict[int, str]) -> bool:
        mine = set(self._evidence.sentences[index].counts)
        for other in chosen:
            theirs = set(self._evidence.sentences[other].counts)
            if len(mine & theirs) > 0.6 * min(len(mine), len(theirs) or 1):
                return True
        return False


def _before(candidate: _Candidate, said: str) -> str:
    """What was said before a sentence is told: what it leans on is said again with it."""
    return "" if candidate.was_said else said


def is_said(text: str, said: str) -> bool:
    """Whether a sentence was said before, with or without the word that tied it to another."""
    return bool(text) and (text in said or _without_link(text).rstrip(".") in said)


def _does(text: str, deed: str) -> bool:
    """Whether the character is the subject of the verb with the search term ``deed``."""
    spoken = text.split()
    return any(
        word_term(fold(word.strip(",.;:!?"))) == deed
        for at, first in enumerate(spoken)
        if first in ("I", "me")
        for word in spoken[at + 1 : at + (4 if first == "I" else 2)]
    )


def _without_link(text: str) -> str:
    """The first sentence of an answer without the word that tied it to the one before."""
    rest = _LINK.sub("", text)
    return rest[:1].upper() + rest[1:]


def _count(chosen: dict[int, str]) -> int:
    return sum(len(text.split()) for text in chosen.values())


def _is_torn(text: str) -> bool:
    """Whether a quotation begins or ends outside of the sentence."""
    if (
        text.count("(") != text.count(")")
        or text.count('"') % 2
        or text.count("“") != text.count("”")
    ):
        return True
    spans = quoted_spans(text)
    return bool(spans) and sum(end - start for start, end in spans) > 0.8 * len(text)
