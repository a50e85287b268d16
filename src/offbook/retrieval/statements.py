"""What a person tells, as against what they ask: "My sister is called Ilse", not "Who is Ilse?".

Takes: what was said.  Gives: the sentences of it that tell something, and whether one of them gives
a name to somebody or something. Source: ours; rules for English, and question marks, particles and
words for scripts without capitals.

What is only asked after, wished to be told of, named as a topic, denied, or claimed of whoever is
spoken to is not told: who says "You met Gudrun in Paris" has asked for a memory, and given none.
Where it is in doubt whether a sentence tells, it does not.
"""

from __future__ import annotations

import re
from typing import Final

from offbook.names.titles import KIN
from offbook.text.english_words import is_english
from offbook.text.grammar import AUXILIARIES, PERSON_NOUNS, PREPOSITIONS, PRONOUNS
from offbook.text.sentences import sentences
from offbook.text.verbs import is_base, is_finite, is_third_singular
from offbook.text.words import fold

_CAPITAL: Final = r"[^\W\d_a-zß-öø-ÿ][\w'’-]*"
_BELONGING: Final = re.compile(
    rf"\b(?:[Mm]y|[Oo]ur)(?: [a-zß-öø-ÿ][\w'’-]*){{1,3}},? {_CAPITAL}(?: {_CAPITAL})*"
)
"""Somebody's somebody with a name: "my little sister Ilse Berg". It tells even in a question."""
_LEAD: Final = re.compile(
    r"^(?:(?:and|but|so|well|oh|ah|ok|okay|yes|no(?=,)|now|then|please|by the way"
    r"|listen|look)\b[, ]*)+"
)
_INVERTED: Final = "|".join(sorted((*AUXILIARIES, "'s", "’s"), key=len, reverse=True))
_ASKS: Final = re.compile(
    rf"(?:who|whom|whose|what|which)\b|(?:when|where|why|how)(?:'s|’s| (?:{_INVERTED}))\b"
    r"|(?:how|what) about\b|(?:any|ever) |(?:if|whether|suppose)\b|(?:the |my )?next\b"
)
_WISHES: Final = re.compile(
    r"\b(?:want|wants|wanted|like|love|wish|need|hope|try|trying|going) (?:you )?to"
    r" (?:know|hear|ask|learn|talk|speak|discuss|understand|find out)\b"
    r"|\bwonder(?:ed|ing)?\b|\bcurious\b|\bi(?:'m|’m| am| was)? ask(?:ed|ing)?\b|\bmy question\b"
    r"|\btell (?:me|us)\b|, (?:who|what|where) (?:is|was|are) (?:that|this|he|she|it|they)$"
    r"|\blet(?:'s|’s| us| me)\b"
    r"|\b(?:i|we)(?:'d|’d| would| should)(?: \w+ly| also| just)? (?:like|love|prefer|enjoy)\b"
    r"|\b(?:i|we)(?: \w+ly| also| just)? (?:need|want|wish|hope|require|request|demand)\b"
    r"|\b(?:i|we)(?:'m|’m|'re|’re| am| are) (?:looking for|searching for|here (?:for|about))\b"
    r"|(?<!to )\bplease\b|\bnext\W*$"
)
_SAYING: Final = (
    r"(?:questions?|quer(?:y|ies)|info|information|stor(?:y|ies)|tales?|facts?|details?|words?|more"
    r"|ideas?|news|opinions?|thoughts?|views?|data|summar(?:y|ies)|descriptions?|lessons?|lectures?"
    r"|interest|interested|curious|(?:some|any|every)?thing)"
)
_TOPIC: Final = re.compile(
    r"\b(?:topics?|questions?|quiz|riddle|keyword|subject (?:is|was|of|matter))\b"
    rf"|\b{_SAYING}(?: \w+){{0,2}}? (?:about|on|regarding|concerning)\b"
    r"|\b(?:word|story|tale|idea|more|description|summary|question) of\b|\binterest(?:ed)? in\b"
    r"|\b(?:ask|talk|speak|chat|hear|heard|learn|read|think|know|spoke|thought)(?:s|ed|t|ing)?"
    r"(?: \w+){0,2}? about\b"
)
"""What the talk is to be about: it is named, and nothing is said of it."""
_NOT: Final = re.compile(
    r"\b(?:no|not|never|nobody|none|nothing|nowhere|neither|nor|hardly|barely|scarcely|without"
    r"|cannot|\w+n['’]t)\b"
)
_KNOWING: Final = re.compile(
    r"\b(?:know(?:s|n|ing)?|knew|hear|heard|meet|met|seen?|saw|remember|recall|recogni[sz]ed?"
    r"|understand|ideas?|clue|notion|memory|familiar|aware|sure|certain|exist(?:s|ed)?|real|told"
    r"|explain(?:ed)?|mention(?:ed)?)\b"
)
_UNKNOWN: Final = re.compile(
    r"\b(?:unknown|forg[eo]t(?:s|ten)?|ignorant|unfamiliar|unaware|unsure|uncertain|doubt)\b"
)
_CLAUSE_END: Final = re.compile(r"\s*[;:—–]\s*|,\s+|\s+(?=(?:and|but|yet|so)\b)")
_GOES_ON: Final = re.compile(
    r"(?:and |or )?(?:who|whom|whose|what|which|where|when|why|how|whether|if|that)\b"
)
_RELATIVE: Final = re.compile(r"(?:who|whom|whose|which)\b[^,]*, \S")
"""What is said of somebody by the way: "Ilse, who never married, ..."."""
_CALL: Final = re.compile(r"[\w'’-]+(?: [\w'’.-]+){0,2}, (?=\S+ \S)")
"""Whoever is spoken to, in front of what is said: "Holmes, ..."."""
_OF_YOU: Final = re.compile(r"\b(?:you|your|yours|yourself|thou|thee|thy)\b")
_GIVES_NAME: Final = frozenset(("called", "named", "name's", "name"))
_WIDE: Final = re.compile("[\u2e80-\u9fff\u3041-\u30ff\uac00-\ud7ff]")
_WIDE_ASKS: Final = re.compile(
    "[?？]|吗|呢$|什么|什麼|谁|誰|哪|怎么|怎樣|怎样|为什么|為什麼|几|幾|多少|是否|告诉|告訴|请|請|介绍|讲讲"
    "|说说|谈谈|你|您|ですか|ますか|でしょうか|どこ|いつ|なぜ|だれ|何|どう|教えて|あなた|君"
    "|까|나요|니$|무엇|무슨|어디|언제|누구|누가|왜|어떻게|당신|너"
    "|关于|關於|想知道|想了解|想听|想聽|话题|話題|主题|主題|问题|問題|について|知りたい|聞きたい|質問"
    "|에 대해|에 관해|알고 싶|듣고 싶|궁금|질문|주제"
)
_WIDE_NOT: Final = re.compile(
    "不(?![过過但仅僅错錯久同])|没|沒|[无無](?!论|論)|未(?!来|來)|忘"
    "|ない|ません|なかった|知ら|없|않|모르|몰라|몰랐|못|안 "
)
_WIDE_CLAUSE_END: Final = re.compile("[，,；;、：:]")
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NAMES_TOO: Final = frozenset(("will", "may"))
"""Verbs that ask where they come first, and given names."""
_LEAST: Final = 2
"""A name alone tells nothing."""


def told_sentences(text: str) -> list[str]:
    """The sentences of ``text`` that tell something; of another, what it tells by the way."""
    telling: list[str] = []
    for start, end in sentences(text):
        sentence = " ".join(text[start:end].split())
        if is_statement(sentence):
            telling.append(sentence)
        else:
            telling += _belongings(sentence)
    return telling


def is_statement(sentence: str) -> bool:
    """Whether one sentence tells something, and neither asks nor wishes nor speaks of "you"."""
    if _WIDE.search(sentence):
        asks = _WIDE_ASKS.search(sentence.strip(" .。!！"))
        return asks is None and any(
            not _WIDE_NOT.search(c) for c in _clauses(sentence, frozenset())
        )
    bare = sentence.strip(" \"'“”‘’")
    plain = _LEAD.sub("", fold(bare))
    words = _WORD.findall(plain)
    if sentence.rstrip(" \"'”’)").endswith("?") or len(words) < _LEAST:
        return False
    if words[:2] == ["call", "me"]:
        return True
    if _WISHES.search(plain) or _TOPIC.search(plain) or _OF_YOU.search(plain):
        return False
    capitals = _capitals(bare)
    called = _CALL.match(plain)
    said = plain[called.end() :] if called else plain
    if _ASKS.match(plain) or (_ASKS.match(said) and not _RELATIVE.match(said)):
        return False
    if _is_inverted_or_orders(plain, capitals) or _is_inverted_or_orders(said, capitals):
        return False
    return any(_has_verb(c, capitals) and not _is_ignorant(c) for c in _clauses(plain, capitals))


def names(sentence: str, name: str) -> bool:
    """Whether a telling sentence names somebody or something ``name``, and not a thing by its word.

    A capital tells, except at the head of a sentence; so does a word that is none of English, and
    "called" in front of any. The smartphone in "I have a smartphone" stays a word. What stands
    behind a "no" in its clause, or in one that says what is not known, is not told of.
    """
    # "Dr Watson" and "Dr. Watson" are one name.
    spelt = r"\.?\s".join(re.escape(part.removesuffix(".")) for part in fold(name).split())
    pattern = re.compile(rf"(?<!\w){spelt}(?!\w)")
    match = pattern.search(fold(sentence)) if spelt else None
    if match is None:
        telling = (c for c in _clauses(sentence, frozenset()) if not _WIDE_NOT.search(c))
        return bool(_WIDE.search(name)) and any(name in clause for clause in telling)
    theirs = any(pattern.search(fold(belonging)) for belonging in _belongings(sentence))
    if not (theirs or _affirms(sentence, pattern)):
        return False
    words = [fold(word) for word in _WORD.findall(name)]
    written = (
        sentence[match.start() : match.end()] if len(fold(sentence)) == len(sentence) else name
    )
    before = _WORD.findall(fold(sentence)[: match.start()])
    # Behind the first word of a sentence a capital tells: "Ilse Berg", "St. John".
    behind = written.split() if before else written.split()[1:]
    if any(part[:1].isupper() for part in behind):
        return True
    return not all(map(is_english, words)) or any(word in _GIVES_NAME for word in before[-2:])


def _belongings(sentence: str) -> list[str]:
    """Whose somebody is, said by the way: "my sister Ilse", not "my question about Ilse"."""
    belongings = []
    for match in _BELONGING.finditer(sentence):
        _, *words = _WORD.findall(fold(match.group()))
        nouns = [w for w in _WORD.findall(match.group())[1:] if not w[:1].isupper()]
        last, before = nouns[-1], nouns[-2] if len(nouns) > 1 else ""
        acts = _is_verb(last) and (before in PERSON_NOUNS or before in KIN)
        if not (acts or last in PREPOSITIONS or _TOPIC.search(" ".join(words))):
            belongings.append(match.group())
    return belongings


def _clauses(text: str, names: frozenset[str]) -> list[str]:
    """The parts of a sentence that have a verb of their own, with what depends on them."""
    if _WIDE.search(text):
        return _WIDE_CLAUSE_END.split(text)
    clauses: list[str] = []
    for part in filter(None, _CLAUSE_END.split(text)):
        whole = clauses and _has_verb(clauses[-1], names) and _has_verb(f"it {part}", names)
        if clauses and (not whole or _GOES_ON.match(fold(part))):
            clauses[-1] += f", {part}"
        else:
            clauses.append(part)
    return clauses


def _capitals(sentence: str) -> frozenset[str]:
    """Folded words that are written with a capital behind the head of a sentence: names.

    Who shouts has none.
    """
    words = () if sentence.isupper() else _WORD.findall(sentence)[1:]
    return frozenset(fold(word) for word in words if word[:1].isupper())


def _is_ignorant(clause: str) -> bool:
    """Whether a folded clause says that something is not known."""
    unknown = _NOT.search(clause) and _KNOWING.search(clause)
    return bool(unknown or _UNKNOWN.search(clause))


def _affirms(sentence: str, name: re.Pattern[str]) -> bool:
    """Whether a clause of a sentence has a name that no negation stands before."""
    for clause in map(fold, _clauses(sentence, _capitals(sentence))):
        match = name.search(clause)
        if match and not _is_ignorant(clause) and not _NOT.search(clause, 0, match.start()):
            return True
    return False


def _has_verb(clause: str, names: frozenset[str]) -> bool:
    """Whether a clause has a verb behind its first word; a name is none ("Will", "Grant")."""
    first, *words = _WORD.findall(fold(clause)) or [""]
    return _is_contracted(first) or any(_is_verb(w) for w in words if w not in names)


def _is_inverted_or_orders(plain: str, names: frozenset[str]) -> bool:
    """Whether the verb comes first: "Do they ...", "Tell ...", but not "Will is my brother"."""
    first, *rest = _WORD.findall(plain)
    follows = bool(rest) and rest[0] not in names and _is_finite(rest[0])
    if first in AUXILIARIES:
        return first not in _NAMES_TOO or not follows
    return is_base(first) and first not in names and not follows


def _is_finite(word: str) -> bool:
    return is_finite(word) or is_third_singular(word)


def _is_contracted(word: str) -> bool:
    """Whether a verb hangs on a word: "I'm", "she’ll"."""
    return word.replace("’", "'").endswith(("'s", "'m", "'re", "'ve", "'d", "'ll"))


def _is_verb(word: str) -> bool:
    verb = is_finite(word) or is_base(word) or is_third_singular(word)
    return _is_contracted(word) or (verb and word not in PRONOUNS)
