"""Titles and kinship terms before names, with the gender that goes with them.

Takes: the words of a name.  Gives: closed lists of folded words, English, French, German and
others; what one of them is where it stands. Source: ours.
"""

from __future__ import annotations

from typing import Final

from offbook.language.grammar import Gender, word_set
from offbook.language.name_parts import FOREIGN_ARTICLES
from offbook.language.nicknames import is_given
from offbook.language.words import fold

TITLES: Final = (
    dict.fromkeys(word_set("mr mister mistah mistuh mist' muster mas'r marse massa sor"), "mr")
    | dict.fromkeys(word_set("maister mester measter measther"), "mr")
    | dict.fromkeys(word_set("mrs missis missus miz mistress mis' mizz"), "mrs")
    | dict.fromkeys(word_set("miss mademoiselle mlle fraulein signorina señorita senorita"), "miss")
    | dict.fromkeys(word_set("madame mme madam frau signora señora senora mevrouw"), "mrs")
    | dict.fromkeys(word_set("monsieur m herr signor signore señor senor mynheer"), "mr")
    | dict.fromkeys(word_set("gospodin господин"), "mr")
    | dict.fromkeys(word_set("gospozha госпожа pani"), "mrs")
    | dict.fromkeys(word_set("comte conde граф"), "count")
    | dict.fromkeys(word_set("comtesse grafin condesa grafinya графиня"), "countess")
    | dict.fromkeys(word_set("vicomte vizconde visconte"), "viscount")
    | dict.fromkeys(word_set("vicomtesse vizcondesa viscontessa"), "viscountess")
    | dict.fromkeys(word_set("freiherr barone"), "baron")
    | dict.fromkeys(word_set("baronne baronin freifrau baronessa"), "baroness")
    | dict.fromkeys(word_set("marques marchese"), "marquis")
    | dict.fromkeys(word_set("marquesa"), "marquise")
    | dict.fromkeys(word_set("duc herzog duque duca"), "duke")
    | dict.fromkeys(word_set("duchesse herzogin duquesa duchessa"), "duchess")
    | dict.fromkeys(word_set("prinz furst principe knyaz kniaz князь"), "prince")
    | dict.fromkeys(
        word_set("princesse prinzessin furstin princesa principessa knyaginya княгиня княжна"),
        "princess",
    )
    | dict.fromkeys(word_set("capitaine hauptmann capitan capitano"), "captain")
    | dict.fromkeys(word_set("oberst coronel colonnello"), "colonel")
    | dict.fromkeys(word_set("leutnant teniente tenente"), "lieutenant")
    | dict.fromkeys(word_set("docteur doktor dottore"), "dr")
    | dict.fromkeys(word_set("monseigneur monsignor monsignore"), "monseigneur")
    | dict.fromkeys(word_set("maitre maese maestro meister"), "master")
    | dict.fromkeys(word_set("pastor pfarrer"), "parson")
    | dict.fromkeys(word_set("bourgmestre burgermeister alcalde"), "mayor")
    | dict.fromkeys(word_set("widow veuve viuda witwe"), "mrs")
    | {
        word: word
        for word in word_set(
            "konsul konsulin landrat hofrat geheimrat licenciado bachiller avvocato apotheker"
            " lawyer trooper farmer"
        )
    }
    | dict.fromkeys(word_set("ms"), "ms")
    | dict.fromkeys(word_set("master"), "master")
    | dict.fromkeys(word_set("dr doctor"), "dr")
    | dict.fromkeys(word_set("prof professor"), "professor")
    | dict.fromkeys(word_set("capt captain cap'n"), "captain")
    | dict.fromkeys(word_set("col colonel"), "colonel")
    | dict.fromkeys(word_set("gen general"), "general")
    | dict.fromkeys(word_set("maj major"), "major")
    | dict.fromkeys(word_set("lieut lieutenant lt"), "lieutenant")
    | dict.fromkeys(word_set("sgt sergeant"), "sergeant")
    | dict.fromkeys(word_set("rev revd reverend"), "reverend")
    | dict.fromkeys(word_set("st saint"), "saint")
    | {
        word: word
        for word in word_set(
            "admiral commander commodore corporal private inspector detective constable officer"
            " judge justice bishop archbishop cardinal dean canon vicar rector parson curate"
            " deacon senator president governor chancellor minister mayor squire chief"
            " superintendent sir lord lady dame baron baroness baronet count countess"
            " earl viscount viscountess"
            " marquis marquess marquise marchioness duke duchess prince princess king queen emperor"
            " empress tsar tsarina czar sultan pasha don dona abbe abbot abbess pope comrade"
            " nurse headmaster principal goodman goodwife goody gaffer marchesa conte contessa"
            " brigadier ensign midshipman marshal sheriff nawab rajah maharajah begum khan hajji"
            " mullah rabbi imam"
        )
    }
)
"""Folded titles to one form of each."""
TITLES_BEFORE_NAMES: Final = {"pan": "mr", "graf": "count", "cura": "parson", "maire": "mayor"}
"""Words that are names as well ("Peter Pan", "Steffi Graf"): titles only before a name."""
MALE_TITLES: Final = word_set(
    "mr master sir lord baron baronet count earl viscount marquis marquess duke prince king emperor"
    " tsar czar sultan pasha don abbe abbot pope admiral captain colonel general major lieutenant"
    " sergeant reverend bishop archbishop cardinal dean canon vicar rector parson curate deacon"
    " squire commander commodore corporal inspector constable goodman gaffer conte brigadier"
    " midshipman ensign marshal sheriff nawab rajah maharajah rabbi imam mullah monseigneur mayor"
    " viscount konsul landrat hofrat geheimrat licenciado bachiller avvocato apotheker trooper"
    " farmer lawyer"
)
FEMALE_TITLES: Final = word_set(
    "mrs miss ms lady dame baroness countess viscountess marquise marchioness duchess princess"
    " queen empress tsarina dona abbess nurse goodwife goody marchesa contessa begum"
    " konsulin"
)
GIVEN_TITLES: Final = word_set(
    "sir dame king queen prince princess saint don dona pope emperor empress tsar czar"
)
"""Titles that a given name follows, not a surname."""
KIN: Final[dict[str, tuple[str, Gender]]] = {
    **dict.fromkeys(
        word_set("father papa dad daddy pa pap pappy pater pere vater padre"), ("father", "m")
    ),
    **dict.fromkeys(
        word_set("mother mama mamma mum mummy ma mammy mom mater maman mère mutter madre"),
        ("mother", "f"),
    ),
    **dict.fromkeys(word_set("husband hubby"), ("husband", "m")),
    "wife": ("wife", "f"),
    **dict.fromkeys(word_set("brother bruddah brothah frere bruder hermano"), ("brother", "m")),
    **dict.fromkeys(word_set("sister sis soeur schwester hermana"), ("sister", "f")),
    "son": ("son", "m"),
    "daughter": ("daughter", "f"),
    **dict.fromkeys(word_set("uncle oncle onkel"), ("uncle", "m")),
    **dict.fromkeys(word_set("aunt auntie aunty tante"), ("aunt", "f")),
    "nephew": ("nephew", "m"),
    "niece": ("niece", "f"),
    "cousin": ("cousin", ""),
    "vetter": ("cousin", "m"),
    "cousine": ("cousin", "f"),
    **dict.fromkeys(word_set("grandfather grandpa granddad grandpapa"), ("grandfather", "m")),
    **dict.fromkeys(
        word_set("grandmother grandma granny grandmamma grannie"), ("grandmother", "f")
    ),
    "father-in-law": ("father-in-law", "m"),
    "mother-in-law": ("mother-in-law", "f"),
    "brother-in-law": ("brother-in-law", "m"),
    "sister-in-law": ("sister-in-law", "f"),
    "guardian": ("guardian", ""),
    "ward": ("ward", ""),
}
"""Folded kinship terms to their plain form and gender; with its accent what is a word without."""
KIN_BEFORE_NAMES: Final[dict[str, tuple[str, Gender]]] = {
    "bro": ("brother", "m"),
    **dict.fromkeys(word_set("tio zio"), ("uncle", "m")),
    **dict.fromkeys(word_set("tia zia"), ("aunt", "f")),
}
"""Words that are names as well ("Tia Lane"): kin only before a given name."""


def kin_at(words: list[str], at: int, owner: str) -> tuple[str, Gender] | None:
    """The term of kinship that a word before the name is; None where it is none."""
    word = words[at]
    last = at == len(words) - 1
    kin = KIN.get(fold(word)) or KIN.get(word.casefold())
    if kin and (word[0].islower() or at == 0 or owner or not last):
        return kin
    follows = not last and words[at + 1][0].isupper() and is_given(fold(words[at + 1]))
    is_common = word[0].islower() and bool(owner)
    return KIN_BEFORE_NAMES.get(fold(word)) if follows or is_common else None


def title_at(words: list[str], at: int) -> str:
    """The title that a word before the name is; empty where it is none."""
    word = words[at]
    if title := TITLES.get(fold(word)):
        return title
    follows = words[at + 1 : at + 2]
    is_noun = at > 0 and words[at - 1] in FOREIGN_ARTICLES  # "der Graf", "le maire"
    if is_noun or (follows and follows[0][0].isupper()):
        return TITLES_BEFORE_NAMES.get(word.casefold(), "")
    return ""
