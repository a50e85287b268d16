"""English verbs as far as a change of person needs them.

Takes: single words.  Gives: whether a word can be a finite verb, and the form that goes with ``I``.
Source: ours; school grammar.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from offbook.text.grammar import AUXILIARIES, word_set

_IRREGULAR_FIRST: Final = {
    "is": "am",
    "has": "have",
    "does": "do",
    "isn't": "am not",
    "hasn't": "haven't",
    "doesn't": "don't",
    "dies": "die",
    "lies": "lie",
    "ties": "tie",
    "vies": "vie",
    "belies": "belie",
    "aches": "ache",
    "focuses": "focus",
    "quizzes": "quiz",
}
_ES_AFTER: Final = ("ss", "sh", "ch", "x", "zz", "o")
_VERBAL_ENDINGS: Final = ("ishes", "izes", "ises", "ifies", "ulates", "icates", "erates", "says")
_NO_VERB_IN_S: Final = word_set(
    "his this its us as was thus always perhaps besides less unless towards afterwards backwards"
    " forwards upwards downwards onwards nowadays sometimes hers ours yours theirs yes series"
    " species news mathematics politics physics ethics lens chaos christmas plus minus versus alas"
    " indoors outdoors upstairs downstairs overseas means whereas"
)
_PAST: Final = word_set(
    "was were had did could would should might went came took gave made wrote saw knew became began"
    " taught thought brought bought found left felt kept met lost led held told said stood sat ran"
    " rose fell grew drew threw flew spoke broke chose drove ate drank sang swam won wore woke"
    " fought caught sought built spent sent lent slept swept wept dealt meant heard paid laid lay"
    " read put set cut let hit hurt shut cost beat bore tore swore stole froze forgot forgave hid"
    " rode shook shone shot sank sprang struck strove swung understood withdrew wound withstood"
    " overcame undertook arose awoke bent bet bid bound bred cast clung crept dug fled flung"
    " foresaw got hung knelt leapt learnt lit overthrew outlived partook rang sold shrank slew slid"
    " sped spun spat stuck stung swelled trod underwent upheld wove bade begot mistook oversaw"
    " retook spelt split spread thrust ground"
)
_PARTICIPLES: Final = word_set(
    "been done gone seen taken given written known begun broken chosen driven eaten fallen"
    " forgotten forgiven frozen grown hidden ridden risen shaken shown spoken stolen sworn torn"
    " thrown woken worn born borne beaten bitten drawn flown become come run sung sunk swum"
    " overcome undertaken withdrawn overthrown slain"
)
_VERBS: Final = word_set(
    "accept accuse achieve act add admire admit adopt advise agree allow announce annoy answer"
    " appear apply appoint appreciate approach argue arrange arrest arrive ask assist assume attack"
    " attempt attend avoid bake bathe bear beat become befriend beg begin behave believe belong"
    " betray blame borrow break bring build burn bury buy call care carry catch cause celebrate"
    " challenge change charge chase choose claim clean climb close collect come comfort command"
    " commission compare compete complain complete compose conceal conduct confess confront conquer"
    " consider construct consult contain continue control convince cook copy correct count cover"
    " create criticise criticize cross cry cultivate dance dare deal decide declare dedicate defeat"
    " defend deliver demand deny depart describe deserve desire despise destroy detest devote die"
    " dine disappear discover discuss dislike dismiss doubt draw dream dress drink drive dwell earn"
    " eat embrace employ encounter encourage end endure enjoy enter escape examine exchange exile"
    " expect explain explore express face fail fall fear feed feel fight find finish fix flee fly"
    " follow force forget forgive form gain gather get give go govern grant grow guard guess guide"
    " handle hate have hear help hesitate hide hire hold hope hunt identify ignore imagine improve"
    " include inherit inform insist inspire intend invent invite involve join journey judge jump"
    " keep kill kiss know lack laugh lead learn leave lend let lie like listen live loathe lock"
    " long look lose love make manage march marry master meditate meet mind miss mock mourn move"
    " murder need negotiate neglect notice obey observe obtain occupy offer open oppose order"
    " organise organize overhear owe own paint pass pay perform persuade pity plan plant play plead"
    " please plot point possess praise pray preach prefer prepare present preserve press pretend"
    " prevent proceed produce promise protect prove provide publish pull punish pursue push put"
    " raise reach read realise realize rebel recall receive recognise recognize recover refuse"
    " regard regret reject rejoice relate release rely remain remember remind remove rent repair"
    " repeat reply request require rescue resemble resent resign resist resolve respect rest return"
    " reveal ride rise roam rule run rush sail save say scold search see seek seem seize sell send"
    " serve settle share shoot shout show sing sit sleep smile smoke speak speculate spend stand"
    " stare start starve stay steal stop strive struggle study submit succeed suffer suggest"
    " suppose suppress survive suspect swear swim take talk taste teach tell tend thank think"
    " threaten throw touch train travel treat trust try turn understand urge use value visit vow"
    " wait wake walk wander want warn wash waste watch wear weep win wish withdraw witness wonder"
    " work worry worship write yearn yell yield memorize memorise summon lecture devise attain"
    " wield brew knit sketch cherish tutor mentor reconcile repay avenge revenge ransom sacrifice"
    " secure steer drift row haul nod whisper mutter shrug limp stride pace sew stitch weave forge"
    " hammer carve hum whistle rehearse improvise scribble"
)


def first_person(verb: str) -> str:
    """The form of a lower-case finite verb that goes with ``I``; past forms stay as they are."""
    verb = verb.replace("’", "'")
    if (known := _IRREGULAR_FIRST.get(verb)) is not None:
        return known
    if not is_third_singular(verb):
        return verb
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith("es") and verb[:-2].endswith(_ES_AFTER):
        return verb[:-2]
    return verb[:-1]


@lru_cache(maxsize=4096)
def is_third_singular(word: str) -> bool:
    """Whether a word *standing where a finite verb must stand* is in the third person singular."""
    word = word.replace("’", "'")
    if word in _IRREGULAR_FIRST:
        return True
    ends_well = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return ends_well and len(word) > 2 and word not in _NO_VERB_IN_S and word not in _PAST


@lru_cache(maxsize=4096)
def is_known_third(word: str) -> bool:
    """Whether a word is the third person singular of a common verb, wherever it stands."""
    return is_third_singular(word) and (
        word in _IRREGULAR_FIRST or word.endswith(_VERBAL_ENDINGS) or first_person(word) in _VERBS
    )


@lru_cache(maxsize=4096)
def is_past(word: str) -> bool:
    """Whether a word looks like a past form or a past participle."""
    if word in _PAST or word in _PARTICIPLES:
        return True
    return word.endswith("ed") and len(word) > 3 and word not in ("indeed", "hundred", "kindred")


@lru_cache(maxsize=4096)
def is_finite(word: str) -> bool:
    """Whether a word after a subject reads as that subject's verb."""
    word = word.replace("’", "'")
    return word in AUXILIARIES or word in _PAST or is_past(word) or is_known_third(word)


def is_base(word: str) -> bool:
    """Whether a word is the base form of a common verb."""
    return word in _VERBS
