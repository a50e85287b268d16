"""The words of German that tell a name from a noun.

Takes: nothing.  Gives: sets of lower-case words: articles and their like, titles, verbs of people.
Source: ours; school grammar, no corpus.
"""

from __future__ import annotations

from typing import Final

from offbook.language.grammar import word_set


def _declined(stems: str) -> frozenset[str]:
    return frozenset(
        stem + ending for stem in stems.split() for ending in ("", "e", "en", "em", "er", "es")
    )


DETERMINERS: Final = _declined(
    "ein kein mein dein sein ihr unser euer eur dies jen jed welch manch solch all viel wenig"
) | word_set(
    "der die das den dem des beide beiden einige einigen mehrere mehreren etwas zwei drei vier"
    " fünf sechs sieben acht neun zehn zwölf hundert tausend derselbe dieselbe dasselbe dessen"
    " deren"
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
    | PLACE_PREPOSITIONS
    | word_set(
        "ich du er sie es wir ihr man mir mich dir dich ihm ihn ihnen uns euch sich wer was wen"
        " wem wessen und oder aber denn sondern doch jedoch als wie wenn ob daß dass weil da damit"
        " bevor ehe nachdem während obwohl bis sobald solange indem sodass so an auf hinter neben"
        " unter vor zwischen mit zu gegen ohne um für seit trotz wegen außer statt laut gegenüber"
        " nicht nie niemals nur auch noch schon sehr mehr ganz gar hier dort da dann nun jetzt"
        " heute gestern morgen einst bald immer oft wieder endlich plötzlich vielleicht freilich"
        " allerdings übrigens dabei dafür dagegen daher dahin daran darauf darin darum darüber"
        " davon davor dazu dennoch deshalb trotzdem zuerst zuletzt warum wo woher wohin wann wieso"
        " ja nein ach o oh ah nun na nanu hm ei bitte danke gewiß gewiss natürlich also eben"
        " nämlich ist sind war waren bin bist sei wäre hat haben habe hatte hatten hätte wird"
        " werden wurde wurden würde kann können konnte muß muss müssen mußte musste soll sollte"
        " will wollte darf durfte mag mochte möchte lassen laß lass gut guten"
    )
)
TITLES: Final = word_set(
    "herr herrn frau fräulein graf gräfin baron baronin freiherr freifrau fürst fürstin prinz"
    " prinzessin könig königin kaiser kaiserin herzog herzogin doktor dr professor prof konsul"
    " konsulin senator senatorin amtmann oberst hauptmann leutnant major general rittmeister pastor"
    " pfarrer pater bruder schwester onkel tante vetter cousine base meister madame mademoiselle"
    " monsieur hofrat geheimrat landrat kommerzienrat bürgermeister direktor richter inspektor"
    " lehrer kapitän ritter sankt witwe mamsell jungfer muhme gevatter oheim kollege genosse"
    " kommissar förster wachtmeister landgraf markgraf kurfürst erzherzog lady lord sir miss mister"
    " frl hr fr"
    " grafen fürsten prinzen barons konsuls herzogs königs kaisers"
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
    "hause haus tisch wunsch belieben norden süden osten westen mittag mitternacht atem rache"
    " hilfe wahl luft möglichkeit kräften zeit recht art bedarf gold tagen wochen monaten jahren"
    " stunden minuten feierabend ablauf ansicht meinung"
)
"""What stands behind "nach" and is no place."""
