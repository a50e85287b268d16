"""Russian names: patronymics, and the pet forms of given names, however they are transcribed.

Takes: folded words, in Latin or Cyrillic letters.  Gives: what a patronymic is made of
("Arkadyevna", "Arkadyich": ``arkad``), and tables of pet forms. Source: ours; common knowledge.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from offbook.language.grammar import FEMALE_NAMES, MALE_NAMES, Gender, word_set

_LATIN: Final = "a b v g d e zh z i i k l m n o p r s t u f kh ts ch sh shch"
_CYRILLIC: Final = str.maketrans(
    dict(
        zip(
            "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ",
            (
                *_LATIN.split(),
                *("", "y", "", "e", "yu", "ya", "yo", "i", "i", "ye", "g"),
            ),
            strict=True,
        )
    )
)
_PATRONYMIC: Final = re.compile(
    r"(?P<of>\w{2,}?)(?:(?:[oe]v|ow|ew)(?:ich|na)|(?P<short>(?:in)?i(?:ch|sh)na|[iy]?(?:ich|ych)))"
)
_SPELLINGS: Final = (("tsch", "ch"), ("tch", "ch"), ("ss", "s"), ("yo", "e"), ("ks", "x"))
_FATHERS: Final = word_set(
    "alex andr arkad dan dem dmitr eg evgen yevgen efim yefim fom gavril grigor il ily iv ivan karp"
    " karl kondrat kuzm lavr luk makar matv maxim miron mikhail nikit nikol osip pavl petr potap"
    " prokof rodion savel sav semen serg sidor stepan tarash terent timof trofim vasil"
)
"""What the short patronymics are made of: other words may end in "ich" and "ishna" as well."""
_FATHERS_IN_FULL: Final = _FATHERS | word_set(
    "afanas akim alexandr anatol andrean anton apolon arsen artem boris denis edvard eduard efrem"
    " egor elis fad fedor fedot feodor filip genad georg german ignat igor ilarion"
    " inokent iosif ipolit kiril klim konstantin kornil leonid leont lukian lv mitrofan nazar"
    " nestor nikanor nikifor oleg panfil parfen platon polikarp porfir prokhor prokof roman"
    " spiridon stanislav sviatoslav svyatoslav tikhon trifon valentin valer varlam victor viktor"
    " vital vlad vladimir vladislav vsevolod vyacheslav yakovl iakovl jakovl yaroslav yefrem yegor"
    " yur iur jur zakhar zinov"
)
"""What the others are: surnames end in "ovich", too, so none that makes a common one is here."""
_VOWELS: Final = "aeiouyj"
MALE_FORMS: Final = """
aleksandr: alexander alexandr sasha sashka sashenka shura sanya; aleksei: alexei alexey alexis
aleksei: aleksey aleksej alyosha alesha lyosha lesha; anatoly: anatol anatole tolya; andrei: andrey
andrei: andrew andre andrusha andryusha; anton: antosha tosha; arkady: arkasha; boris: borya
borya:; vasily: vassily vasili vassili wassily vasya vaska; viktor: victor vitya
vladimir: wladimir volodya vova; gennady: gena; georgy: georgi zhora; grigory: grigori grisha
danila: danya; denis:; dmitri: dmitry dmitrii dmitriy dimitri mitya dima
evgeny: evgeni yevgeny eugene zhenya
yegor: egor; ilya: ilia ilyusha; innokenty: kesha; ivan: iwan vanya vanyusha jean
konstantin: konstantine constantine kostya; lev: leo lyova leva; leonid: lyonya; maxim: maksim
mikhail: mihail michail mikhael misha mishka mishenka; nikita: nikitushka; nikolai: nikolay nicolai
nikolai: nicholas nikolaus kolya kolenka nicolas nikolenka; oleg:; osip: osya; pavel: paul pasha
pyotr: petr peter pierre petya petrusha petrusha; platon: platosha; porfiry: porphyry; rodion: rodya
rodion: rodka; roman: roma; semyon: semen syoma senya; sergei: sergey serge seryozha serezha
stanislav: stas slava; stepan: stephen stiva styopa stepa; timofei: timofey timosha; fyodor: fedor
fyodor: feodor theodore fedya fedenka; ferapont:; foma:; makar: makarushka; ippolit: hippolyte
ardalion: ganya; gavrila: gavril ganya gavryusha; ilarion:; afanasy:; yakov: jacob yasha
yury: yuri jury yura; zosima:; kirill: cyril; matvei: matvey; savely:; trofim:; efim: yefim fima
"""
FEMALE_FORMS: Final = """
agrafena: agrippina grusha grushenka; agafya: agafia; akulina:; aleksandra: alexandra sasha shura
aleksandra: sashenka; anastasia: anastasiya nastasya nastya nastenka nastia nastassya nastasia
anna: anya annushka anyuta annette; avdotya: avdotia dunya dunia dounia dunechka evdokia
antonida: antonina tonya; varvara: barbara varya varenka; vera: verochka; galina: galya
glafira: glasha; darya: daria dasha dolly dashenka; ekaterina: katerina yekaterina catherine katya
ekaterina: katia katenka katka kitty katyusha katish; elena: yelena helen helene lena lyolya alyona
elizaveta: yelizaveta elizabeth liza lise lizaveta lizanka betsy; evgenia: evgeniya eugenia zhenya
zinaida: zina; irina: ira irene; klavdia: klava; larisa: larissa lara; lidia: lidiya lydia lida
lyubov: lyuba luba lyubochka; lyudmila: ludmila mila lyuda; maria: mariya marya marie masha
maria: mashenka marusya manya; marfa: martha marfusha; matryona: matrona; margarita: rita
nadezhda: nadya nadenka nadia; natalya: natalia nathalie natasha natashenka nataly natalie
nina: ninochka; olga: olya olenka; pelageya: polya palasha; polina: paulina pauline praskovya
praskovya: praskovia polina pasha parasha; pulcheria:; raisa: raya; sofya: sofia sofiya sophia
sofya: sophie sonya sonia sonechka sonka sophy; svetlana: sveta; tatyana: tatiana tanya tanyusha
ulyana: uliana; fedosya:; fenya:; fyokla:; julia: yulia yuliya julie; yevdokia: dunya; ksenia: xenia
zhenya:; alyona: alena; akulka:; marfa:; domna:; stepanida:; serafima: sima
"""
_RUSSIANS: Final = word_set(re.sub("[:;]", " ", f"{MALE_FORMS} {FEMALE_FORMS}"))
_MEN: Final = MALE_NAMES | word_set(re.sub("[:;]", " ", MALE_FORMS))
_WOMEN: Final = FEMALE_NAMES | word_set(re.sub("[:;]", " ", FEMALE_FORMS))
_PET_ENDINGS: Final = ("ka", "enka", "ochka", "echka", "ushka", "yushka")


def pet_forms(word: str) -> tuple[str, ...]:
    """Further pet forms made of one that ends in -a or -ya: ``mitya`` gives ``mitenka``."""
    stem = word.removesuffix("a").removesuffix("y")
    if stem == word or len(stem) < 3 or word.endswith(("ka", "ina", "ria", "lia", "nna")):
        return ()
    return tuple(stem + ending for ending in _PET_ENDINGS)


def latin(word: str) -> str:
    """A folded word in Latin letters, if it is in Cyrillic ones; a sign without a sound stays."""
    if word.isascii() or word[0] < "а" or word[0] > "ґ":
        return word
    return word.translate(_CYRILLIC) or word


@lru_cache(maxsize=1 << 14)
def patronymic_stem(word: str) -> str:
    """What a folded word is a patronymic of, without its last vowels; empty if it is none."""
    plain = latin(word)
    for spelling, common in _SPELLINGS:
        plain = plain.replace(spelling, common)
    plain = plain.replace("w", "v").replace("sch", "sh")
    match = _PATRONYMIC.fullmatch(plain)
    if match is None:
        return ""
    stem = match["of"].rstrip(_VOWELS)
    if match["short"] and stem not in _FATHERS:
        return ""
    return re.sub(r"(.)\1", r"\1", stem) if len(stem) > 1 else ""


def patronymic_gender(word: str) -> Gender:
    """Whether a folded patronymic is a man's or a woman's."""
    return "f" if latin(word).endswith("na") else "m"


def patronymic_at(words: tuple[str, ...]) -> int:
    """Where the patronymic behind the given name stands; 0 where there is none.

    "Ivan Petrovich" has one, and so has "Ivan Hugovich Lane"; "Ivan Hugovich", "John Petrovich"
    and "Anna Petrovich" have none: the word may as well be a surname.
    """
    for at, word in enumerate(words[1:3], 1):
        given = words[at - 1]
        stem = patronymic_stem(word)
        if not stem or len(given) == 1:
            continue
        of_woman = patronymic_gender(word) == "f"
        if given in (_MEN - _WOMEN if of_woman else _WOMEN - _MEN):
            continue
        foreign = given not in _RUSSIANS and given in _MEN
        if stem in _FATHERS_IN_FULL and not foreign:
            return at
        if at + 1 < len(words) and given in _RUSSIANS:
            return at
    return 0
