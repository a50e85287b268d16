"""The offline reply: it quotes what the context holds, and declines what it does not.

Takes: the inputs of the reply prompt.  Gives: the reply. It states nothing that no sentence of the
context, the profile or a memory states. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal
from zlib import crc32

from offbook.memory.gate import kept_out
from offbook.names.character import Names, learn_names
from offbook.prompts.emotion import heard_from, is_of_conversation, read_memory
from offbook.prompts.reply import ReplyInputs
from offbook.retrieval.statements import is_statement, told_sentences
from offbook.rules import declining
from offbook.rules.dated import is_later, shipped_topics
from offbook.rules.declining import DECLINES, answer_courtesy
from offbook.rules.evidence import Evidence, gather, with_names
from offbook.rules.languages import QUESTION_WORDS, is_in_english
from offbook.rules.quoting import MOST, Answer, Quoting
from offbook.text.concepts import is_of_any_age
from offbook.text.grammar import Gender
from offbook.text.questions import GRADES, LIGHT, Courtesy, Question, Term, read_question, spelt_out
from offbook.text.words import fold, search_terms, words
from offbook.types import ContextItem, Message

SHARE: Final = 0.4
"""The least weighted share of what is asked that a memory must hold; that of other evidence."""
_LONGEST: Final = 600
_READ: Final = 20_000
_SAME: Final = 0.6
"""The least share of the words of two questions that are one."""
_OF_THEMSELVES: Final = re.compile(
    r"\b(?:my|mine|our|ours)\b|\b(?:who|what|where) (?:am|was) i\b|\babout me\b", re.IGNORECASE
)
"""A question of whoever asks after what is theirs."""
_TOLD: Final = (
    "You told me yourself: “{it}”",
    "I have it from you: “{it}”",
    "What I know of that, you told me: “{it}”",
)
_HEARD: Final = "I heard {who} say: “{it}”"
_SENTENCES: Final = 2


def without_memories(inputs: ReplyInputs) -> ReplyInputs:
    """The inputs with what else is known: a memory's words are nobody's account of a life."""
    others = tuple(item for item in inputs.context if item.kind != "memory")
    return inputs if len(others) == len(inputs.context) else replace(inputs, context=others)


def said_before(inputs: ReplyInputs, weights: Mapping[str, float] | None = None) -> str:
    """The answer of the memory that holds most of what is asked, by ``weights``; or empty."""
    own_terms = set(search_terms(inputs.character))
    if weights is None:
        weights = dict.fromkeys(search_terms(inputs.question), 1.0)
    wanted = {term: weight for term, weight in weights.items() if term not in own_terms}
    total = sum(wanted.values())
    spoken = "\n".join(message.content for message in inputs.history if message.role == "assistant")
    answers: list[tuple[bool, float, int, str]] = []
    for index, memory in enumerate(_memories(inputs.context)):
        if memory.talked and not _is_same_question(memory, wanted, own_terms):
            continue
        held = set(search_terms(f"{memory.said}\n{memory.answered}"))
        share = sum(weight for term, weight in wanted.items() if term in held)
        if total and share / total >= SHARE and len(memory.answered) <= _LONGEST:
            # Of those that fit, one that was not told yet in this conversation goes first.
            answers.append((memory.answered in spoken, -share, index, memory.answered))
    return min(answers)[-1] if answers else ""


def _is_same_question(
    memory: _Memory, wanted: Mapping[str, float], own_terms: Collection[str]
) -> bool:
    """Whether a turn of a conversation answered what is asked now, not what shares a word."""
    if told_sentences(memory.said[:_READ]) or DECLINES.search(memory.answered):
        return False
    then = set(search_terms(memory.said)) - set(own_terms)
    shared = then & set(wanted)
    return bool(shared) and min(len(shared) / len(then), len(shared) / len(wanted)) >= _SAME


def is_of_themselves(question: str) -> bool:
    """Whether somebody asks after what is their own: "What is my sister called?"."""
    return bool(_OF_THEMSELVES.search(question))


def told_before(inputs: ReplyInputs) -> str:
    """What was told of whom is named, or by whoever asks of what is theirs; empty where nothing."""
    question = read_question(inputs.question, frozenset(words(inputs.character)))
    wanted = {term.term: term.weight for term in question.terms}
    named = {term for name in question.names for term in search_terms(name)}
    if not wanted or not (named or is_of_themselves(inputs.question)):
        return ""
    texts = [(one.speaker, one.content) for one in inputs.history if one.role == "user"]
    texts += [(each.speaker, each.said) for each in _memories(inputs.context) if each.talked]
    ranks: dict[str, tuple[float, bool]] = {}
    tellers: dict[str, str] = {}
    for teller, sentence in (
        (who, one) for who, text in texts for one in told_sentences(text[:_READ])
    ):
        if teller and not named:
            continue  # what is theirs they must have told themselves
        tellers.setdefault(sentence, teller)
        held = {*search_terms(sentence), *search_terms(teller)}  # "I" is the teller
        share = sum(weight for term, weight in wanted.items() if term in held)
        fits = named & held if named else share / sum(wanted.values()) >= SHARE
        if fits and len(sentence) <= _LONGEST:
            # "my sister Ilse", said by the way, says less than "My sister is called Ilse."
            ranks[sentence] = (-share, not is_statement(sentence))
    best = [sentence for sentence in ranks if ranks[sentence] == min(ranks.values())]
    if not best:
        return ""
    # The words of one of them, whoever said so last.
    one = [sentence for sentence in best if tellers[sentence] == tellers[best[-1]]]
    pick = crc32(inputs.question.encode()) % len(_TOLD)
    form = _HEARD if tellers[best[-1]] else _TOLD[pick]
    return form.format(who=tellers[best[-1]], it=" ".join(one[-_SENTENCES:]))


@dataclass(frozen=True, slots=True)
class _Memory:
    """A memory of the context; ``talked`` where a conversation taught it.

    ``speaker`` said it, empty: whoever talks to the character.
    """

    said: str
    answered: str
    talked: bool
    speaker: str = ""


def _memories(items: Sequence[ContextItem]) -> Iterator[_Memory]:
    for item in items:
        pair = read_memory(item.text) if item.kind == "memory" else None
        if pair is not None:
            yield _Memory(*pair, is_of_conversation(item.title), heard_from(item.text))


Situation = Literal["answer", "decline", "told", "heard", "memory", "courtesy"]

MATCHED: Final = 0.3
"""The least share of a question that the best sentence must hold to be given as its answer."""
MOSTLY: Final = 0.7
"""The share below which it is said that an answer may not be all that was asked for."""
SURE: Final = 0.75
"""The share from which a sentence is the answer."""
BEARS: Final = 0.3
"""The least score of a sentence that bears on a question at all."""
FAIR: Final = 0.75
"""The least score of a sentence that is given as the answer."""
ENGLISH_ONLY: Final = "I answer in English only, and quote what I find."
_MODERN: Final = 1850
"""From here on things are of their time, where the texts tell none."""
_LEAN: Final = 0.8
_TERSE: Final = 8
"""Words of a speech sample up to which a character is short of speech."""
_LEADS: Final = {
    True: ("As it is written:", "It stands so:", "In the words of the page:"),
    False: (
        "This is what is told of it:",
        "So it was written down:",
        "This is how it was set down:",
    ),
}
"""What stands before a quotation, for those who are short of speech and for others."""
_NEAREST: Final = "Of that itself nothing was told. Nearest to it is this:"
_PARTLY: Final = (
    "What comes nearest to that is this:",
    "This may not be all that you asked for, but so much is told:",
    "I am not sure that this is what you want to know, but it comes near:",
)
"""What stands before what may not be what was asked for."""
_AGAIN: Final = "As I told you:"
_OF_OTHERS: Final = frozenset(("entity", "relation", "attribute"))
"""Kinds of context whose titles are no names of the character."""
_GREETED: Final = re.compile(
    r"^\W*(?:hi|hello|hey|greetings|(?:good )?(?:morning|day|evening|afternoon))\b"
    r"[^.!?,]{0,30}[.!,]\s+"
    r"(?:(?:sir|madam|master|captain|doctor|my \w+|(?:mr|mrs|miss|ms|dr)\.? \w+)[.!,]\s+)?",
    re.IGNORECASE,
)
"""A greeting before what is asked."""
_ASKS_WHO: Final = re.compile(
    r"\byour (?:job|work|profession|occupation|trade|calling|nickname)\b|\bcall you\b"
    r"|\byou (?:work|do for a living|do\W*$)",
    re.IGNORECASE,
)
"""What is told where a text says who somebody is."""
_ASKS_WORK: Final = re.compile(
    r"\b(?:do you do|you do for a living|your (?:job|profession|occupation|trade))\W*$",
    re.IGNORECASE,
)
_AT_WORK: Final = re.compile(r"\bwork\w* (?:as|for)\b")
"""What says what somebody is; another sentence with the word only has it by chance."""
_REQUEST: Final = re.compile(r"^\W*(?:can|could|will|would) you\b", re.IGNORECASE)
"""What is asked of whoever is spoken to, and not about them: "Can you explain ..."."""
_SMALL_TALK: Final[tuple[tuple[str, Courtesy], ...]] = (
    ("farewell", "farewell"),
    ("thanks", "thanks"),
    ("health", "wellbeing"),
    ("greeting", "greeting"),
)
"""Kinds of small talk in any language, and what it is answered as."""
_SHORT: Final = 6
"""Words up to which something said is looked at as small talk."""
_OF_SYMPATHY: Final = frozenset(
    ("sorry", "condolence", "condolences", "loss", "lost", "lose", "hear", "heard", "really")
)
_SHORTEST: Final = 3
"""Words up to which what follows a greeting is a name."""
_ENTITY: Final = re.compile(r"(.+?) \((.+)\)")
"""How an entity is headed: its name, and the others that it goes by."""
_ALL_LEADS: Final = (*_LEADS[True], *_LEADS[False], *_PARTLY, _NEAREST, _AGAIN)
_NOTES: Final = re.compile(rf"^(?:{'|'.join(map(re.escape, _ALL_LEADS))}) ")


def reply(inputs: ReplyInputs) -> str:
    """What the character says."""
    text, _ = _reply(replace(inputs, question=spelt_out(inputs.question)))
    said = "\n".join(m.content for m in inputs.history if m.role == "assistant")
    if not is_in_english(inputs.question) and ENGLISH_ONLY not in said:
        return f"{ENGLISH_ONLY} {text}"
    return text


def is_answered(inputs: ReplyInputs) -> bool:
    """Whether the reply rests on the context, rather than declining or being small talk."""
    return _reply(replace(inputs, question=spelt_out(inputs.question)))[1] in (
        "answer",
        "memory",
        "told",
    )


def _reply(inputs: ReplyInputs) -> tuple[str, Situation]:
    """What is known, else what was told or answered before, else a reply that declines."""
    text, situation = _from_texts(without_memories(inputs))
    if "?" not in inputs.question and told_sentences(inputs.question):
        return (
            (declining.hear(inputs.question), "heard")
            if situation == "decline"
            else (text, situation)
        )
    from_user = told_before(inputs)
    if from_user and (situation == "decline" or is_of_themselves(inputs.question)):
        return from_user, "told"
    if situation != "decline" or any(item.kind == "out_of_scope" for item in inputs.context):
        return text, situation
    weights = {term.term: term.weight for term in _read(inputs, frozenset()).terms}
    remembered = said_before(inputs, weights)
    return (_NOTES.sub("", remembered), "memory") if remembered else (text, situation)


def _from_texts(inputs: ReplyInputs) -> tuple[str, Situation]:
    apart = ("premise", "out_of_scope", "unwitnessed")
    known = [item for item in (*inputs.life, *inputs.context) if item.kind not in apart]
    outside = [item.title for item in inputs.context if item.kind == "out_of_scope"]
    if inputs.profile:
        known.append(ContextItem("profile", "", inputs.profile, 0.0))
    names = names_in(inputs.character, known, inputs.gender, inputs.names)
    question = _read(inputs, names.words)
    quoting = Quoting(gather(known), names)
    is_one = any(quoting.evidence.frequency[term.term] for term in question.terms)
    if question.courtesy == "condolence" and not outside:
        return _thank_for_sympathy(question, quoting, inputs), "courtesy"
    if question.courtesy not in ("", "identity", "condolence") and not (
        question.courtesy == "nature" and is_one
    ):
        return answer_courtesy(question, names.full, inputs.voice), "courtesy"
    if outside and told_sentences(inputs.question):
        return declining.hear_first(question, outside), "heard"
    wide = not is_in_english(inputs.question)
    asks_who = not question.terms and (wide or question.kind == "tell")
    if question.courtesy == "identity" or (asks_who and not question.follow_up):
        about = quoting.introduction()
        return f"I am {names.full}. {_said(about, inputs) if about else ''}".strip(), "answer"
    if outside:
        return declining.decline_outside(question, outside, inputs.voice), "decline"
    text, situation = _answer(question, names, quoting, inputs)
    untold = any(item.kind == "unwitnessed" for item in inputs.context)
    if untold and (situation == "decline" or text.startswith((*_PARTLY, _NEAREST))):
        return declining.decline_unwitnessed(question), "decline"
    if situation == "decline" and _GREETED.match(inputs.question):
        greeting = replace(question, courtesy="greeting")
        return answer_courtesy(greeting, names.full, inputs.voice), "courtesy"
    return text, situation


def _thank_for_sympathy(question: Question, quoting: Quoting, inputs: ReplyInputs) -> str:
    """Thanks for condolences, with what is told of the loss."""
    thanks = answer_courtesy(question, "", inputs.voice)
    terms = tuple(term for term in question.terms if fold(term.word) not in _OF_SYMPATHY)
    if not terms:
        return thanks
    answer = quoting.answer(replace(question, terms=(*terms, Term("died", "die", 1.0))), most=1)
    fits = answer is not None and answer.score >= FAIR and answer.matched >= MOSTLY
    return f"{thanks} {_with_source(answer)}" if answer is not None and fits else thanks


def _read(inputs: ReplyInputs, own_names: frozenset[str]) -> Question:
    rest = _GREETED.sub("", inputs.question)
    text = rest if "?" in rest or len(rest.split()) > _SHORTEST else inputs.question
    question = read_question(text, own_names)
    is_english = is_in_english(inputs.question)
    brief = len(rest.split()) <= _SHORT and not ("?" in rest and is_english)
    if brief and not question.courtesy:
        greeted = rest if "?" in rest else rest.partition(",")[0]
        # "Bonjour Madame": one word more says to whom.
        said = "".join(
            kept_out(text, "", (inputs.character,))
            for text in (greeted, greeted.rpartition(" ")[0])
        )
        if courtesy := next((one for kind, one in _SMALL_TALK if said and kind in said), None):
            return replace(question, courtesy=courtesy)
    if is_english:
        return question
    search = search_terms(QUESTION_WORDS.sub(" ", inputs.question))
    own_terms = set(search_terms(inputs.character))
    terms = [Term(term, term, 1.0, name=True) for term in dict.fromkeys(search)]
    wanted = tuple(term for term in terms if term.term not in own_terms)
    return replace(question, terms=wanted, names=(), follow_up=False)


def names_in(
    character: str,
    items: Sequence[ContextItem],
    gender: Gender = "",
    given: Sequence[str] = (),
) -> Names:
    """What the context calls the character; the root of a heading path often has the full name."""
    # Entities and relations begin with the names of others: a mother may have the longer one.
    of_character = [item for item in items if item.kind not in _OF_OTHERS] or items
    titles = sorted({item.title.split("\n")[0] for item in of_character} - {""})
    names = learn_names(character, titles, [item.text for item in of_character], gender, given)
    headings = [_ENTITY.fullmatch(item.title) for item in items if item.kind == "entity"]
    aliases = {
        tuple(words(alias.strip().removeprefix("the ").removeprefix("The ")))
        for match in headings
        if match and fold(match.group(1)) in (fold(character), fold(names.full))
        for alias in match.group(2).split(",")
    }
    full = names.full.title() if names.full.isupper() else names.full
    return replace(names, full=full, aliases=names.aliases | (aliases - {()}), _by_first={})


def _answer(
    question: Question, names: Names, quoting: Quoting, inputs: ReplyInputs
) -> tuple[str, Situation]:
    said = "\n".join(m.content for m in inputs.history if m.role == "assistant")
    absent = [name for name in question.names if not quoting.evidence.knows(name)]
    if absent and len(absent) == len(question.names):
        return declining.decline(question, absent, inputs.voice), "decline"
    completed = _with_history(question, names, inputs.history) if question.follow_up else question
    most = MOST if is_in_english(inputs.question) else 1
    answer = quoting.answer(completed, said, most)
    if answer is None and question.more and said:
        return declining.no_more(question), "decline"
    if answer is not None and answer.score < BEARS:
        answer = None
    sure = SURE if question.kind in ("yes_no", "opinion") else 0.0
    if (answer is None or answer.matched < sure) and (leaning := quoting.leaning(completed)):
        return f"{_one_of(_PARTLY, inputs)} {_with_source(leaning)}", "answer"
    weak = answer is None or answer.matched < MATCHED
    weak = weak or _only_has_word(question, answer)
    if weak and _ASKS_WHO.search(question.text) and (about := quoting.introduction(plainly=True)):
        return f"{_one_of(_PARTLY, inputs)} {_with_source(about)}", "answer"
    return _weighed(answer, replace(question, terms=completed.terms), quoting, absent, inputs)


def _weighed(
    answer: Answer | None,
    question: Question,
    quoting: Quoting,
    absent: Sequence[str],
    inputs: ReplyInputs,
) -> tuple[str, Situation]:
    """An answer with as much reserve as it calls for, or what declines."""
    telling = [term for term in question.terms if term.term not in LIGHT]
    matched = answer.matched if answer else 0.0
    of_world = _is_of_the_world(question, telling, quoting.evidence, matched)
    if of_world or (matched < MOSTLY and _has_later_thing(question, telling, quoting.evidence)):
        return declining.decline(question, absent, inputs.voice), "decline"
    if answer is None or (not question.names and _misses(answer, telling)):
        return declining.decline(question, absent, inputs.voice), "decline"
    if absent:
        return f"{_NEAREST} {_with_source(answer)}", "decline"
    if _misses(answer, telling):
        return f"{_NEAREST} {_with_source(answer)}", "decline"
    if not _is_sure(answer, question, telling) or (question.follow_up and not inputs.history):
        return f"{_one_of(_PARTLY, inputs)} {_with_source(answer)}", "answer"
    return _said(answer, inputs), "answer"


def _has_later_thing(question: Question, terms: Sequence[Term], evidence: Evidence) -> bool:
    """Whether something is asked of that the texts lack and that not every time has had."""
    dated = " ".join(dated_topic.topic.name for dated_topic in shipped_topics().find(question.text))
    listed = set(search_terms(dated))
    return any(
        (term.term in listed or is_later(fold(term.word), _MODERN)) and evidence.lacks(term)
        for term in terms
        if not term.name and not is_of_any_age(fold(term.word))
    )


def _misses(answer: Answer, telling: Sequence[Term]) -> bool:
    """Whether an answer has next to nothing of what is asked."""
    if not telling or answer.score < FAIR / 2:
        return True
    return answer.matched < MATCHED / 2 and not all(term.name for term in telling)


def _is_sure(answer: Answer, question: Question, telling: Sequence[Term]) -> bool:
    """Whether an answer may be given without a word that it is only what comes nearest."""
    if answer.matched < SURE or answer.score < FAIR or not answer.fits:
        return False
    things = [t for t in telling if not t.name and fold(t.word) not in GRADES]
    if any(fold(term.word) in GRADES for term in question.terms) and not things:
        return False
    at_length = question.kind in ("why", "how", "yes_no", "opinion")
    if answer.keyed or (not things and not at_length):
        return True
    # Its one word alone makes no sentence the answer, where others have it as well.
    return len(things) > 1 or (answer.alone and bool(things) and not at_length)


def _only_has_word(question: Question, answer: Answer | None) -> bool:
    """Whether it is asked what somebody does, and an answer has "work" without saying as what."""
    if answer is None or question.kind != "what" or not _ASKS_WORK.search(question.text):
        return False
    return not (answer.keyed or _AT_WORK.search(answer.text))


def _is_of_the_world(
    question: Question, terms: Sequence[Term], evidence: Evidence, matched: float
) -> bool:
    """Whether something is asked that is not the character's, with a word that no text has."""
    plain = _REQUEST.sub("", question.text)
    known = any(map(evidence.knows, question.names))
    if known or question.follow_up or not is_in_english(question.text):
        return False
    if not {"you", "your", "yours", "yourself"}.isdisjoint(words(plain)):
        return False
    said = set(words(plain))
    least = 0.0 if matched < SURE else 1.0
    specific = [term for term in terms if term.weight >= least and fold(term.word) in said]
    unmatched = matched < MATCHED and question.kind != "tell"
    return unmatched or any(map(evidence.lacks, specific))


def _said(answer: Answer, inputs: ReplyInputs) -> str:
    """An answer with its lead-in and its source."""
    said = [m.content for m in inputs.history if m.role == "assistant"]
    if any(answer.text in text for text in said):
        return f"{_AGAIN} {_with_source(answer)}"
    if not answer.quoted:
        return _with_source(answer)
    lengths = sorted(len(sample.split()) for sample in inputs.voice)
    terse = bool(lengths) and lengths[len(lengths) // 2] <= _TERSE
    return f"{_one_of(_LEADS[terse], inputs)} {_with_source(answer)}"


def _with_source(answer: Answer) -> str:
    return f"{answer.text} ({answer.source})" if answer.source else answer.text


def _one_of(leads: Sequence[str], inputs: ReplyInputs) -> str:
    return leads[crc32(fold(inputs.question).encode()) % len(leads)]


def _with_history(question: Question, names: Names, history: Sequence[Message]) -> Question:
    """The question with what it leans on: names of the last exchange, or its whole subject."""
    last_told = next((m.content for m in reversed(history) if m.role == "assistant"), "")
    earlier = (read_question(m.content, names.words) for m in reversed(history) if m.role == "user")
    before = next((one for one in earlier if one.terms), None)
    if not question.terms and before is not None:
        return replace(question, terms=before.terms)
    recent = list(before.names) if before is not None else []
    if not recent:
        recent = list(read_question(last_told, names.words).names)[:3]
    return with_names(question, recent, _LEAN)
