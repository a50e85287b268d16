"""What a person tells, as against what they ask: "My sister is called Ilse", not "Who is Ilse?".

Takes: what was said.  Gives: the sentences of it that tell something, and whether one of them gives
a name to somebody or something. Source: ours; rules for English, and question marks, particles and
words for scripts without capitals.

What is only asked after, wished to be told of, or claimed of whoever is spoken to is not told: who
says "You met Gudrun in Paris" has asked for a memory, and given none.
"""

from __future__ import annotations

import re
from typing import Final

from offbook.language.english_words import is_english
from offbook.language.grammar import AUXILIARIES, PRONOUNS
from offbook.language.sentences import sentences
from offbook.language.verbs import is_base, is_finite, is_third_singular
from offbook.language.words import fold

_CAPITAL: Final = r"[^\W\d_a-zß-öø-ÿ][\w'’-]*"
_BELONGING: Final = re.compile(
    rf"\b(?:[Mm]y|[Oo]ur)(?: [a-zß-öø-ÿ][\w'’-]*){{1,3}},? {_CAPITAL}(?: {_CAPITAL})*"
)
"""Somebody's somebody with a name: "my little sister Ilse Berg". It tells even in a question."""
_LEAD: Final = re.compile(
    r"^(?:(?:and|but|so|well|oh|ah|ok|okay|yes|no|now|then|please|by the way|listen|look)\b[, ]*)+"
)
_INVERTED: Final = "|".join(sorted((*AUXILIARIES, "'s", "’s"), key=len, reverse=True))
_ASKS: Final = re.compile(
    rf"(?:who|whom|whose|what|which)\b|(?:when|where|why|how)(?:'s|’s| (?:{_INVERTED}))\b"
    r"|(?:how|what) about\b|(?:any|ever) "
)
_WISHES: Final = re.compile(
    r"\b(?:want|wants|wanted|like|love|wish|need|hope|try|trying|going) (?:you )?to"
    r" (?:know|hear|ask|learn|talk|speak|discuss|understand|find out)\b"
    r"|\bwonder(?:ed|ing)?\b|\bcurious\b|\bi(?:'m|’m| am| was)? ask(?:ed|ing)?\b|\bmy question\b"
    r"|\btell (?:me|us)\b|, (?:who|what|where) (?:is|was|are) (?:that|this|he|she|it|they)$"
    r"|\blet(?:'s|’s| us| me)\b|\bdo(?:n't|n’t| not) (?:know|remember)\b"
)
_OF_YOU: Final = re.compile(r"\b(?:you|your|yours|yourself|thou|thee|thy)\b")
_GIVES_NAME: Final = frozenset(("called", "named", "name's", "name"))
_WIDE: Final = re.compile("[\u2e80-\u9fff\u3041-\u30ff\uac00-\ud7ff]")
_WIDE_ASKS: Final = re.compile(
    "[?？]|吗|呢$|什么|什麼|谁|誰|哪|怎么|怎樣|怎样|为什么|為什麼|几|幾|多少|是否|告诉|告訴|请|請|介绍|讲讲"
    "|说说|谈谈|你|您|ですか|ますか|でしょうか|どこ|いつ|なぜ|だれ|何|どう|教えて|あなた|君"
    "|까|나요|니$|무엇|무슨|어디|언제|누구|누가|왜|어떻게|당신|너"
)
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_LEAST: Final = 2
"""A name alone tells nothing."""


def told_sentences(text: str) -> list[str]:
    """The sentences of ``text`` that tell something; of another, what it tells by the way."""
    found: list[str] = []
    for start, end in sentences(text):
        sentence = " ".join(text[start:end].split())
        if is_statement(sentence):
            found.append(sentence)
        else:
            found += _BELONGING.findall(sentence)
    return found


def is_statement(sentence: str) -> bool:
    """Whether one sentence tells something, and neither asks nor wishes nor speaks of "you"."""
    if _WIDE.search(sentence):
        return _WIDE_ASKS.search(sentence.strip(" .。!！")) is None
    plain = _LEAD.sub("", fold(sentence).strip(" \"'“”‘’"))
    words = _WORD.findall(plain)
    if sentence.rstrip(" \"'”’)").endswith("?") or len(words) < _LEAST:
        return False
    if _ASKS.match(plain) or _WISHES.search(plain) or _OF_YOU.search(plain):
        return False
    if words[:2] == ["call", "me"]:
        return True
    has_verb = _is_contracted(words[0]) or any(map(_is_verb, words[1:]))
    return has_verb and not _is_inverted_or_orders(words)


def names(sentence: str, name: str) -> bool:
    """Whether a telling sentence names somebody or something ``name``, and not a thing by its word.

    A capital tells, except at the head of a sentence; so does a word that is none of English, and
    "called" in front of any. The smartphone in "I have a smartphone" stays a word.
    """
    # "Dr Watson" and "Dr. Watson" are one name.
    spelt = r"\.?\s".join(re.escape(part.removesuffix(".")) for part in fold(name).split())
    found = re.search(rf"(?<!\w){spelt}(?!\w)", fold(sentence)) if spelt else None
    if found is None:
        return bool(_WIDE.search(name)) and name in sentence
    words = [fold(word) for word in _WORD.findall(name)]
    written = (
        sentence[found.start() : found.end()] if len(fold(sentence)) == len(sentence) else name
    )
    before = _WORD.findall(fold(sentence)[: found.start()])
    # Behind the first word of a sentence a capital tells: "Ilse Berg", "St. John".
    behind = written.split() if before else written.split()[1:]
    if any(part[:1].isupper() for part in behind):
        return True
    return not all(map(is_english, words)) or any(word in _GIVES_NAME for word in before[-2:])


def _is_inverted_or_orders(words: list[str]) -> bool:
    """Whether the verb comes first: "Do they ...", "Tell ...", but not "Will is my brother"."""
    first, second = words[0], words[1]
    if first in AUXILIARIES:
        return not _is_verb(second)
    return is_base(first) and not _is_verb(second)


def _is_contracted(word: str) -> bool:
    """Whether a verb hangs on a word: "I'm", "she’ll"."""
    return word.replace("’", "'").endswith(("'s", "'m", "'re", "'ve", "'d", "'ll"))


def _is_verb(word: str) -> bool:
    verb = is_finite(word) or is_base(word) or is_third_singular(word)
    return _is_contracted(word) or (verb and word not in PRONOUNS)
