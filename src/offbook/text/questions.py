"""What a person wants to know: the kind of a question, its subject, whom it names.

Takes: what was said, and the turns before it.  Gives: a Question. Source: ours; rules for English,
and character pairs for scripts without blanks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from offbook.text import grammar
from offbook.text.clauses import Token, tokens_of
from offbook.text.concepts import is_general, ungraded
from offbook.text.grammar import word_set
from offbook.text.verbs import is_base, is_known_third, is_past
from offbook.text.word_lists import word_lists
from offbook.text.words import fold, word_term, words

_LISTS: Final = word_lists("offbook.text")

Kind = Literal[
    "who", "what", "when", "where", "why", "how", "how_many", "yes_no", "opinion", "tell",
    "statement",
]  # fmt: skip
Courtesy = Literal[
    "", "greeting", "thanks", "farewell", "name", "identity", "nature", "afterlife", "wellbeing",
    "feeling", "condolence", "compliment", "nod", "visit",
]  # fmt: skip

_STAGE_DIRECTION: Final = re.compile(r"\*[^*\n]{1,80}\*")
"""What somebody does while they speak: "*knocks* hello?"."""
_FRAME: Final = _LISTS["frame"]
_DEALINGS: Final = _LISTS["dealings"]
"""What a question names on its way to the one "with" whom it was."""
_DESCRIBING: Final = (
    *("al", "ous", "ive", "ful", "ic", "less", "able", "ible", "ary", "ed", "ly", "est", "ian"),
    *("an", "ish", "ese", "ant", "ent", "y", "er"),
)
"""Endings of adjectives: what they describe stays the same kind of thing."""
_OPINION: Final = re.compile(
    r"\b(?:what do you (?:make|think) (?:of|about)|what did you think|how do you (?:feel|view"
    r"|see|regard)"
    r"|how did you feel|your (?:opinion|view|views|thoughts|feelings|take|impression)"
    r"|do you (?:like|love|hate"
    r"|admire|trust|respect|despise)|what is .{1,30} to you)\b"
)
_AT_LENGTH: Final = re.compile(
    r"^(?:and |but |so )?what (?:happened|became of"
    r"|(?:is|was|are|were) (?!it |that )\w+(?: \w+)? like$"
    r"|(?:do|does|did) (?!you )(?:[\w'-]+ ){1,3}do$)"
)
"""What asks for an account."""
_ASKS_WHY: Final = re.compile(r"(?:and |but |so )?why\b")
_COURTESY_PATTERNS: Final[dict[Courtesy, str]] = {
    "condolence": r".*\b(?:condolences?|sorry (?:about|(?:that )?your?\b"
    r"|for (?:you|your)\b|to hear))\b",
    "visit": r"^(?:[\w']+ ){0,3}(?:may|can|could|might) i (?:please )?(?:come|step|sit)"
    r" (?:in|inside|down|by|with|here)\b(?: \w+){0,5}$"
    r"|^is (?:this|it|now) (?:a )?(?:bad|good|right) (?:time|moment)$",
    "wellbeing": r"^(?:\w+,? ){0,4}(?:how (?:are|do) you(?: do| feel(?:ing)?| keeping)?"
    r"(?: today| now| doing| these days| (?:this|to) ?(?:morning|evening|afternoon|night))?"
    r"|how(?:'s| is| are) (?:it|things|everything|life|you)"
    r"(?: going)?(?: today| now)?"
    r"|how(?:'s| is| was| has) your (?:day|week|morning|evening)(?: been| going)?(?: so far)?"
    r"|how have you been|what's up)"
    r"(?: (?:my |old |dear )?(?:friend|man|lady|sir|madam|miss))?$",
    "nod": r"^(?:what a )?(?:nice|lovely|fine|beautiful|cold|hot) (?:weather|day|morning|evening)"
    r"(?: today| we have| we are having)?(?: isn't it)?$"
    r"|^(?:(?:oh|lol|haha|ok|okay|yes|yeah|yep|no|nope|sure|right|fine|great|cool|nice|wow|well|hm+"
    r"|i see|indeed|exactly|good|interesting|really)\b ?)+$",
    "compliment": r"^i (?:really |do )?(?:love|like|admire) you$"
    r"|^(?:you are|you're)(?: so| very| really)? (?:funny|kind|nice|great|sweet|lovely|brave|clever"
    r"|wise|amazing|wonderful|beautiful)$",
    "name": r"^(?:and )?(?:what(?:'s| is) your (?:full )?name|what are you called)$",
    "identity": r"^(?:and |so )?(?:who (?:are|might) you(?: be)?"
    r"|(?:(?:can|could|would) you )?(?:please )?(?:introduce yourself"
    r"|(?:(?:can|could|would|will) you (?:please )?)?tell (?:me|us)"
    r" (?:something |more |a (?:little|bit) )?about"
    r" (?:yourself|you))|describe yourself|who am i (?:talking|speaking) to"
    r"|(?:please )?(?:tell (?:me|us) |say )who you are|what (?:exactly )?are you"
    r"|give (?:me |us )?(?:an? )?(?:\w+ )?introduction (?:of|to) yourself)(?: really| exactly)?$",
    "nature": r"^(?:but |so )?(?:are you|you are|you're|aren't you)(?: really| just| actually"
    r"| only)?(?: an?| the)?(?: real| virtual)? ?"
    r"(?:ai|a i|artificial(?: intelligence)?|(?:chat ?)?bot|chatgpt|gpt|llm|robot|machine"
    r"|computer|(?:computer )?program|(?:large )?language model|assistant|simulation"
    r"|real|alive|human(?: being)?|person|fictional(?: character)?|imaginary|made up)$",
    "afterlife": r".*\bafter (?:you (?:had )?(?:died|passed away)|your (?:own )?death)\b",
    "greeting": r"^(?:(?:oh |well )?(?:hi|hello|hey|hail|ahoy|greetings|salutations|welcome"
    r"|good (?:morning|evening|afternoon|day|morrow)|morning|evening|hiya|howdy)(?: there| again)?"
    r"(?: (?:my|dear|sir|madam|mr|mrs|miss|old|friend|\w+)){0,3}|(?:it is "
    r"|it's )?(?:(?:so|very) )?(?:nice|good|great|lovely|glad|a pleasure|pleased|an honou?r) to"
    r" (?:meet|see|make) you(?:r acquaintance)?(?: again)?)$",
    "thanks": r"^(?:(?:many |ok |okay |oh )?thank(?:s| you)(?: (?:so|very|a|much|lot|again"
    r"|for \w+(?: \w+){0,4}))*|i am grateful(?: to you)?|cheers|much obliged)$",
    "farewell": r"^(?:(?:it(?:'s| is| was|'s been| has been) )?(?:nice|good|great|a pleasure)"
    r" (?:talking|speaking|chatting) (?:to|with) you|good ?bye|bye(?: bye)?|farewell|good ?night"
    r"|(?:i'll )?see you(?: (?:later|soon|tomorrow|around))?|take care|sleep well"
    r"|(?:well )?i (?:must|have to) (?:go|leave|run)(?: now)?)$",
}
_COURTESIES: Final = {kind: re.compile(text) for kind, text in _COURTESY_PATTERNS.items()}
_FEELING: Final = re.compile(
    r"^(?:today |lately )?i(?:'m| am| feel| have been|'ve been| was)?(?: feeling)?(?: (?:so"
    r"|very|really|a (?:bit|little)|just|quite|terribly))*"
    r" (sad|happy|lonely|angry|afraid|scared|tired|anxious|worried|depressed|heartbroken"
    r"|miserable|unhappy|glad|excited|ashamed|bored|upset|lost|hopeless|sick|ill|nervous"
    r"|joyful|grieving)\b"
)
GOOD_FEELINGS: Final = word_set("happy glad excited joyful")
_ABOUT: Final = re.compile(
    r"^(?:who (?:is|was|are)|(?:can you )?tell me about|what do you know (?:of|about)) "
)
_WHO: Final = (
    word_set("who is was are can you tell me about what do know of sir the")
    | grammar.NAME_PARTICLES
)
_ASKS: Final = re.compile(r"\b(?:who|what|when|where|why|how|which|tell|do|did|are|can)\b")
_ADDRESSED: Final = "|".join(sorted(grammar.NAME_PARTICLES | grammar.TITLES))
_HOW_OLD: Final = re.compile(r"\bhow old\b")
_IMPLIED: Final = (
    (re.compile(r"\b(?:come|came|are you) from\b|\bwhere are you\b.*\bfrom\b"), "origin"),
    (re.compile(r"\bdo you do\b(?: for a living| all day)?$|\bfor a living\b"), "work"),
    (re.compile(r"\byour (?:job|profession|occupation|trade|calling|career)\b"), "work"),
    (re.compile(r"\bwhat (?:happened to|became of)\b"), "fate"),
    (re.compile(r"\b(?:grow|grew|growing|brought) up\b|\bwere you raised\b"), "childhood"),
    (re.compile(r"\b(?:turn|turned) (?:\w+ )?down\b|\bsay no\b"), "refuse"),
    (re.compile(r"\bget (?:on|along) with\b"), "friendship"),
    (re.compile(r"\bhave (?:any )?kids\b"), "children"),
    (re.compile(r"\bdo (?:they|people|friends) call you\b"), "nickname"),
    (re.compile(r"\b(?:free|spare) time\b|\bfor fun\b"), "hobby"),
    (_HOW_OLD, "age"),
    (re.compile(r"\blanguages?\b.*\bspeak\b|\bspeak\b.*\blanguages?\b"), "speak"),
    (re.compile(r"\b(?:what|how) did you feel\b"), "emotion"),
    (
        re.compile(r"\blook(?:s|ed)? like\b|\byour looks\b"),
        "appearance",
    ),
    (
        re.compile(r"\bwhat (?:are|were) you like\b|\bwhat kind of (?:person|man|woman)\b"),
        "personality",
    ),
)
"""Turns of phrase that ask for something without its word."""
_ASKS_NAME: Final = re.compile(r"\bwhat\b.*(?:\bnames?\b|\bcalled$)")
_NAMING: Final = frozenset(map(word_term, word_set("name names called real full first last")))
_ASKS_TIME: Final = re.compile(r"\b(?:what|which) (?:year|day|month|century|date|time)\b")
_TIMES: Final = frozenset(map(word_term, word_set("year day month century date time")))
_REQUEST: Final = (
    r"(?:please |can you |could you |would you |will you )*"
    r"(?:tell|describe|talk|share|explain|discuss|recount|speak|elaborate)\b"
)
_BACKWARD: Final = word_set(
    "he she him her his hers they them their it its there then that this those"
)
_MORE: Final = re.compile(
    r"^(?:and |but |so )?(?:why(?: not)?|how so|(?:tell me|say) more|go on|what (?:else|then"
    r"|happened (?:then|next))|and then|really|more|how come|continue)$"
)


_SMILEY: Final = re.compile(r"(?:^|\s)[:;]['-]?[()DPp/]+(?=\s|$)")
_CHAT_WORD: Final = re.compile(r"(?<![\w'’-])[A-Za-z]+(?![\w'’-])")
_CHAT_WORDS: Final = {
    chat: " ".join(plain) for chat, *plain in (entry.split("_") for entry in _LISTS["chat words"])
}
"""How people write who chat, and the plain words, where there are any."""
_LEFT_OUT: Final = (
    (re.compile(r"(?:fancy|care for|want|need) [^?,]+\?\s*$", re.IGNORECASE), "Do you"),
    (re.compile(r"(?:ever )?(?:been|got|seen|heard|had) [^?,]+\?\s*$", re.IGNORECASE), "Have you"),
)
"""A question that leaves out whom it asks ("Fancy a walk?"), and what it leaves out."""


def spelt_out(text: str) -> str:
    """A question with plain words for those that are only written in chats ("whats ur dad")."""
    plain = _CHAT_WORD.sub(lambda word: _CHAT_WORDS.get(word.group().lower(), word.group()), text)
    for short, left_out in _LEFT_OUT:
        if short.match(plain):
            plain = f"{left_out} {plain[0].lower()}{plain[1:]}"
    return " ".join(plain.split()) if plain != text else text


@dataclass(frozen=True, slots=True)
class Term:
    """A word that a question is about.

    Args:
        word: As it was written.
        term: Its search term.
        weight: How much it tells: names 2, specific words 1, general ones less.
        name: Whether it is (part of) a name.
        modifier: Term of the noun right before it, which makes it another thing ("telephone
            *number*"); empty where there is none.
    """

    word: str
    term: str
    weight: float
    name: bool = False
    modifier: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, taken apart.

    Args:
        text: As it was said.
        kind: What sort of answer it wants.
        courtesy: Not empty where it is small talk.
        terms: What it is about, in order.
        names: Whom and what it names, the character left out.
        follow_up: Whether it leans on what was said before.
        more: Whether it asks for nothing but more of it ("go on").
        feeling: The feeling that the person told of, if any.
    """

    text: str
    kind: Kind
    courtesy: Courtesy
    terms: tuple[Term, ...]
    names: tuple[str, ...]
    follow_up: bool = False
    feeling: str = ""
    more: bool = False


GENERAL_WEIGHT: Final = 0.3
GRADES: Final = word_set(
    "best worst most least favourite favorite greatest biggest largest main chief"
)
"""Words that say which of several things is meant, and not what."""
_MOMENTS: Final = frozenset(map(word_term, word_set("day moment life time memory experience")))
"""What says no more where something is the happiest, or the best, of its kind."""
_OF_ANSWER: Final = 0.5
LIGHT: Final = frozenset(
    map(
        word_term,
        word_set(
            "take took come came go went get got keep kept make made let put bring brought give"
            " gave use turn move find found see saw look"
        ),
    )
)
"""Terms that stand in any text, and tell nothing of what is asked."""
VERB_WEIGHT: Final = 0.5
NAME_WEIGHT: Final = 2.0


def read_question(text: str, own_names: frozenset[str] = frozenset()) -> Question:
    """Take a question apart; ``own``, folded words of the character's names, ask for nothing."""
    plain = _STAGE_DIRECTION.sub("", _SMILEY.sub("", fold(text)))
    plain = re.sub(r"\s+", " ", plain).strip(" .!?…,;:\"'")
    plain = _unaddressed(plain, own_names) if own_names else plain
    tokens = tokens_of(text)
    names = tuple(_names(tokens, own_names))
    more = bool(_MORE.match(plain))
    implied = [Term(word, word_term(word), 1.0) for turn, word in _IMPLIED if turn.search(plain)]
    terms = () if more else (*_terms(tokens, own_names, names), *implied)
    if _HOW_OLD.search(plain):
        terms = tuple(term for term in terms if term.term != "old")
    if any(fold(t.word) in GRADES or any(map(is_general, ungraded(fold(t.word)))) for t in terms):
        terms = tuple(term for term in terms if term.term not in _MOMENTS) or terms
    if _ASKS_TIME.search(plain):
        terms = tuple(term for term in terms if term.term not in _TIMES) or terms
    if _ASKS_NAME.search(plain):
        # "your wife's name": whoever is named need not be called a name.
        terms = tuple(term for term in terms if term.term not in _NAMING) or terms
    if own_names and _ABOUT.match(plain) and set(words(plain)) - _WHO <= own_names:
        return Question(text, "who", "identity", terms, names)
    feeling = _FEELING.match(plain)
    courtesy = _courtesy(plain, bool(feeling) and "?" not in text)
    asks_back = any(token.low in _BACKWARD for token in tokens) and not names
    return Question(
        text,
        _kind(plain, text),
        courtesy,
        terms,
        names,
        follow_up=more or asks_back or not (terms or courtesy or names),
        feeling=feeling.group(1) if feeling else "",
        more=more,
    )


def _unaddressed(plain: str, own_names: frozenset[str]) -> str:
    """A question without the name of the one who is asked, in front of it or behind it."""
    name = "|".join(map(re.escape, sorted(own_names)))
    plain = re.sub(rf",? (?:{name})$", "", plain)
    return re.sub(
        rf"^(?:as )?(?:(?:{_ADDRESSED}) )*(?:{name})(?: (?:{_ADDRESSED}|{name}))*, ", "", plain
    )


def _courtesy(plain: str, feeling: bool) -> Courtesy:
    bare = re.sub(r"\s+", " ", re.sub(r"[.,!?;:]", " ", plain)).strip()
    whole = _courtesy_of(bare)
    if whole or feeling:
        return whole or "feeling"
    # "Thanks, good night": what is said last counts, where all of it is small talk.
    parts = [part.strip() for part in re.split(r"[.,!?;:]+", plain) if part.strip()]
    kinds = [_courtesy_of(part) for part in parts]
    return kinds[-1] if len(parts) > 1 and all(kinds) else ""


def _courtesy_of(bare: str) -> Courtesy:
    asks = _ASKS.search(bare)
    for courtesy, pattern in _COURTESIES.items():
        if pattern.match(bare) and not (asks and courtesy == "greeting"):
            return courtesy
    return ""


def _kind(plain: str, text: str) -> Kind:
    if _AT_LENGTH.search(plain):
        return "tell"
    if _OPINION.search(plain) and not _ASKS_WHY.match(plain):
        return "opinion"
    if _ASKS_NAME.search(plain):
        return "who"
    if re.search(r"\bhow (?:many|much|old|long|often|far|tall)\b", plain):
        return "how_many"
    if re.match(_REQUEST, plain) or re.match(
        r"(?:have|had|has|did|do|does|is|are|were|was) "
        r"|(?:can|could|would|will|should|must|may|might) \w+ .*\bwhen\b",
        plain,
    ):
        return "tell" if re.match(_REQUEST, plain) else "yes_no"
    if match := re.search(r"\b(who|whom|whose|what|which|when|where|why|how)\b", plain[:60]):
        word = match.group(1)
        kinds: dict[str, Kind] = {
            "who": "who", "whom": "who", "whose": "who", "when": "when", "where": "where",
            "why": "why", "how": "how",
        }  # fmt: skip
        if _ASKS_TIME.search(plain):
            return "when"
        if re.search(r"\b(?:what|which) (?:city|country|town|place|village)\b", plain):
            return "where"
        return kinds.get(word, "what")
    first = plain.split(" ", 1)[0] if plain else ""
    if first in grammar.AUXILIARIES and not re.match(r"(?:can|could|would|will) you\b", plain):
        return "yes_no"
    return "yes_no" if text.rstrip().endswith("?") else "statement"


def _names(tokens: list[Token], own_names: frozenset[str]) -> list[str]:
    """Capitalised names outside the first place, the character's own left out."""
    names: list[str] = []
    index = 0
    while index < len(tokens):
        last = index
        while last < len(tokens) and _is_name_word(tokens, last, last > index):
            last += 1
        while (
            last > index and not tokens[last - 1].is_capital and not tokens[last - 1].text.isdigit()
        ):
            last -= 1
        words = [token.text for token in tokens[index:last] if token.is_word]
        for token in tokens[last : last + 2] if words else ():
            if token.text in "+#" and token.start == tokens[last - 1].end + (
                token is not tokens[last]
            ):
                words[-1] += token.text
        if (
            words
            and len("".join(words)) > 1
            and not all(fold(word) in own_names or word.lower() in grammar.TITLES for word in words)
        ):
            names.append(" ".join(words))
        index = max(last, index + 1)
    return names


def _is_name_word(tokens: list[Token], index: int, inside: bool) -> bool:
    token = tokens[index]
    if not token.is_word:
        return False
    if inside and token.low in grammar.NAME_PARTICLES and token.low not in ("of", "the", "y"):
        return index + 1 < len(tokens) and tokens[index + 1].is_capital
    if inside and token.low in ("of", "the", "for"):
        ahead = tokens[index + 1 : index + 3]
        return any(t.is_capital for t in ahead[:1]) or (
            len(ahead) == 2 and ahead[0].low == "the" and ahead[1].is_capital
        )
    if not token.is_capital or token.low in ("i", "i'm", "i've", "god"):
        return False
    opens = index == 0 or tokens[index - 1].text in '.!?:"“'
    titled = index > 1 and tokens[index - 1].text == "." and tokens[index - 2].low in grammar.TITLES
    if titled or not opens:
        return token.low not in grammar.FUNCTION or inside
    plain = token.low in grammar.FUNCTION or token.low in _FRAME or is_general(token.low)
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    return not plain and (
        following is None or following.is_capital or following.low in ("'s", ",", "and") or
        following.low in grammar.AUXILIARIES
    )  # fmt: skip


def weight_of(word: str) -> float:
    """How much a plain word tells: things 1, verbs half as much, words of any life less."""
    if is_general(word) or word_term(word) in LIGHT:
        return GENERAL_WEIGHT
    return VERB_WEIGHT if is_base(word) or is_past(word) or is_known_third(word) else 1.0


def _terms(tokens: list[Token], own_names: frozenset[str], names: Sequence[str]) -> list[Term]:
    named = {fold(word) for name in names for word in name.split()}
    terms: dict[str, Term] = {}
    before: Term | None = None
    for index, token in enumerate(tokens):
        last, before = before, None
        word = fold(token.text)
        if not token.is_word or word in _FRAME or word in own_names:
            continue
        if word in _DEALINGS and index + 1 < len(tokens) and tokens[index + 1].low == "with":
            continue
        if token.is_capital and word in grammar.TITLES:
            behind = [other for other in tokens[index + 1 : index + 3] if other.text != "."]
            if behind and behind[0].is_capital:
                continue
        for part in word.split("-"):
            term = word_term(part)
            if not term or term in terms:
                continue
            name = word in named and token.is_capital
            weight = NAME_WEIGHT if name else weight_of(part)
            if index and tokens[index - 1].low in ("what", "which") and not name:
                weight *= _OF_ANSWER  # "what colour", "which year": the answer is one
            modifier = last.term if last is not None and not name else ""
            terms[term] = Term(token.text, term, weight, name, modifier)
            if weight >= 1 and not name and not word.endswith(_DESCRIBING):
                before = terms[term]
    return list(terms.values())
