"""Titles and kinship terms before names, with the gender that goes with them.

Takes: the words of a name.  Gives: closed lists of folded words, English, French, German and
others; what one of them is where it stands. Source: ours.
"""

from __future__ import annotations

import re
from typing import Final

from offbook.names.nicknames import is_given
from offbook.text.grammar import Gender, word_set
from offbook.text.words import fold

POSSESSIVES: Final = word_set(
    "my your yo his her our their thy mine its meine mon ma unser unsere notre votre mi tu su"
)
ARTICLES: Final = word_set("a an the this that these those another some such")
FOREIGN_ARTICLES: Final = word_set("le la les l' el los las il lo der die das den dem")
"""In small letters, and with a word behind them; with a capital they belong to a surname."""
FONDNESS: Final = word_set(
    "dear dearest darling sweet sweetest beloved poor po little lil good own excellent kind great"
    " silly naughty sad foolish fine noble honest pretty lovely precious worthy gallant charming"
    " amiable wretched unhappy unfortunate miserable blessed generous mad clever brave false cruel"
    " faithful gentle handsome stupid wicked wise happy lucky fair long-lost dearly-beloved love"
    " lovey old ole ol young younger elder eldest youngest late former famous so-called here there"
    " only very"
)
LOOKS: Final = word_set(
    "long big black red white grey gray blind fat thin tall short lame deaf dark daft crazy mad"
    " wild honest bold bonny lucky wee"
)
"""What somebody is called by before a given name ("Long Tom"); else these are surnames."""
AGES: Final = {
    **dict.fromkeys(word_set("old elder senior sr snr eldest"), "old"),
    **dict.fromkeys(word_set("young younger junior jr jnr youngest"), "young"),
}
ROMAN_AGES: Final = {"minor": "young", "maior": "old"}
SUFFIXES: Final = word_set("esq esquire jr sr jnr snr junior senior md phd qc kc mp")
PARTICLES: Final = word_set(
    "van von de der den du da di del della la le bin ibn el y zu ter ten mac st d' des dos"
)
DROPPED: Final = word_set("van von de der den du da di del della la le zu ter ten d' des dos")
"""Particles that a surname is as often said without."""
ORDINALS: Final[dict[str, str]] = dict(
    re.findall(
        r"(\w+) (\w+)",
        "first i second ii third iii fourth iv fifth v sixth vi seventh vii eighth viii ninth ix"
        " tenth x eleventh xi twelfth xii thirteenth xiii fourteenth xiv fifteenth xv sixteenth xvi"
        " seventeenth xvii eighteenth xviii nineteenth xix twentieth xx",
    )
)
ADDRESS_TITLES: Final = word_set("sir mrs mr miss lord lady ms master")
ADDRESS_NOUNS: Final = word_set(
    "child boy girl man woman fellow creature sir madam friend chap lad lass thing soul one dear"
    " dearest darling love sweetheart lady gentleman lord person fool wretch scoundrel rascal beast"
    " brute devil angel idiot baby honey pet dog cat cur ass"
)


_TITLE_FORMS: Final = {
    "mr": "marse sor mas'r massa mistah mist' mister muster mistuh mester measther maister measter"
    " senor herr signore señor m signor mynheer monsieur господин gospodin",
    "mrs": "missis miz missus mis' mistress mizz signora senora señora frau madame madam mme"
    " mevrouw gospozha pani госпожа veuve widow viuda witwe",
    "miss": "signorina senorita mademoiselle mlle fraulein señorita",
    "count": "comte conde граф",
    "countess": "comtesse grafinya grafin графиня condesa",
    "viscount": "visconte vicomte vizconde",
    "viscountess": "vicomtesse vizcondesa viscontessa",
    "baron": "freiherr barone",
    "baroness": "freifrau baronin baronne baronessa",
    "marquis": "marchese marques",
    "marquise": "marquesa",
    "duke": "duca duc duque herzog",
    "duchess": "duchessa duchesse duquesa herzogin",
    "prince": "князь kniaz knyaz prinz furst principe",
    "princess": "княгиня principessa княжна prinzessin furstin princesa princesse knyaginya",
    "captain": "hauptmann capitaine capitan capitano cap'n capt",
    "colonel": "coronel oberst colonnello col",
    "lieutenant": "teniente tenente leutnant lieut lt",
    "dr": "dottore docteur doktor doctor",
    "monseigneur": "monsignor monsignore",
    "master": "maestro meister maitre maese",
    "parson": "pastor pfarrer",
    "mayor": "alcalde burgermeister bourgmestre",
    "professor": "prof",
    "general": "gen",
    "major": "maj",
    "sergeant": "sgt",
    "reverend": "revd rev",
    "saint": "st",
}
TITLES: Final = {
    form: title for title, forms in _TITLE_FORMS.items() for form in (title, *forms.split())
} | {
    title: title
    for title in word_set(
        "konsul avvocato lawyer licenciado farmer hofrat konsulin apotheker trooper bachiller"
        " geheimrat landrat ms president marchioness private pope emperor curate khan vicar senator"
        " mullah rabbi comrade chancellor rector tsar king nurse sultan commander lord baronet"
        " chief pasha bishop sir officer archbishop abbot dona commodore contessa principal canon"
        " cardinal abbe dame earl marshal hajji maharajah minister midshipman justice abbess"
        " detective czar deacon inspector governor brigadier begum judge marquess queen imam goody"
        " admiral empress marchesa goodman rajah goodwife conte sheriff superintendent headmaster"
        " squire corporal lady don gaffer nawab tsarina dean constable ensign"
    )
}
"""Folded titles to one form of each."""
TITLES_BEFORE_NAMES: Final = {"pan": "mr", "graf": "count", "cura": "parson", "maire": "mayor"}
"""Words that are names as well ("Peter Pan", "Steffi Graf"): titles only before a name."""
MALE_TITLES: Final = word_set(
    "mr master sir lord baron baronet count earl viscount marquis marquess duke prince king emperor"
    " tsar czar sultan pasha don abbe abbot pope admiral captain colonel general major lieutenant"
    " sergeant reverend bishop archbishop cardinal dean canon vicar rector parson curate deacon"
    " squire commander commodore corporal inspector constable goodman gaffer conte brigadier"
    " midshipman ensign marshal sheriff nawab rajah maharajah rabbi imam mullah monseigneur mayor"
    " konsul landrat hofrat geheimrat licenciado bachiller avvocato apotheker trooper farmer lawyer"
)
FEMALE_TITLES: Final = word_set(
    "mrs miss ms lady dame baroness countess viscountess marquise marchioness duchess princess"
    " queen empress tsarina dona abbess nurse goodwife goody marchesa contessa begum konsulin"
)
GIVEN_TITLES: Final = word_set(
    "sir dame king queen prince princess saint don dona pope emperor empress tsar czar"
)
"""Titles that a given name follows, not a surname."""
_KIN_FORMS: Final[dict[tuple[str, Gender], str]] = {
    ("father", "m"): "papa pater padre pap pa pappy pere vater dad daddy father",
    ("mother", "f"): "maman mother mom mutter mammy madre ma mère mater mummy mamma mama mum",
    ("husband", "m"): "husband hubby",
    ("wife", "f"): "wife",
    ("brother", "m"): "hermano brother bruddah bruder brothah frere",
    ("sister", "f"): "hermana sis soeur sister schwester",
    ("son", "m"): "son",
    ("daughter", "f"): "daughter",
    ("uncle", "m"): "uncle oncle onkel",
    ("aunt", "f"): "tante aunty auntie aunt",
    ("nephew", "m"): "nephew",
    ("niece", "f"): "niece",
    ("cousin", ""): "cousin",
    ("cousin", "m"): "vetter",
    ("cousin", "f"): "cousine",
    ("grandfather", "m"): "grandfather grandpa grandpapa granddad",
    ("grandmother", "f"): "granny grannie grandmother grandmamma grandma",
    ("father-in-law", "m"): "father-in-law",
    ("mother-in-law", "f"): "mother-in-law",
    ("brother-in-law", "m"): "brother-in-law",
    ("sister-in-law", "f"): "sister-in-law",
    ("guardian", ""): "guardian",
    ("ward", ""): "ward",
}
KIN: Final = {form: kin for kin, forms in _KIN_FORMS.items() for form in forms.split()}
"""Folded kinship terms to their plain form and gender; with its accent what is a word without."""
KIN_BEFORE_NAMES: Final[dict[str, tuple[str, Gender]]] = {
    "bro": ("brother", "m"),
    **dict.fromkeys(word_set("tio zio"), ("uncle", "m")),
    **dict.fromkeys(word_set("tia zia"), ("aunt", "f")),
}
"""Words that are names as well ("Tia Lane"): kin only before a given name."""


def kin_at(words: list[str], index: int, owner: str) -> tuple[str, Gender] | None:
    """The term of kinship that a word before the name is; None where it is none."""
    word = words[index]
    last = index == len(words) - 1
    kin = KIN.get(fold(word)) or KIN.get(word.casefold())
    if kin and (word[0].islower() or index == 0 or owner or not last):
        return kin
    follows = not last and words[index + 1][0].isupper() and is_given(fold(words[index + 1]))
    is_common = word[0].islower() and bool(owner)
    return KIN_BEFORE_NAMES.get(fold(word)) if follows or is_common else None


def title_at(words: list[str], index: int) -> str:
    """The title that a word before the name is; empty where it is none."""
    word = words[index]
    if title := TITLES.get(fold(word)):
        return title
    follows = words[index + 1 : index + 2]
    is_noun = index > 0 and words[index - 1] in FOREIGN_ARTICLES  # "der Graf", "le maire"
    if is_noun or (follows and follows[0][0].isupper()):
        return TITLES_BEFORE_NAMES.get(word.casefold(), "")
    return ""
