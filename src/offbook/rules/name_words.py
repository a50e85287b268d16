"""Words that tell what kind of thing a name names.

Takes: nothing.  Gives: sets of lower-case words: heads of the names of places, events, bodies and
works, countries and cities, given names. Source: ours; general vocabulary, no book's people.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from offbook.names.nicknames import is_given
from offbook.names.titles import TITLES as OTHER_TITLES
from offbook.text.english_words import is_english
from offbook.text.grammar import (
    FEMALE_TITLES,
    FUNCTION,
    LANGUAGES,
    MALE_TITLES,
    PERSON_NOUNS,
    TITLES,
    word_set,
)
from offbook.text.words import ENGLISH, fold

PERSON_TITLES: Final = (
    frozenset(OTHER_TITLES)
    | TITLES
    | MALE_TITLES
    | FEMALE_TITLES
    | word_set(
        "messrs cousin citizen citoyen citoyenne tante oncle donna fra sheikh shah czarina kaiser"
        " viceroy regent infanta dauphin grandfather grandmother grandma grandpa grandmamma granny"
        " auntie nanny chaplain cornet lieutenant-colonel major-general hon rt brother-in-law"
        " pharaoh chevalier lama guru swami bey dey maharaja raja mahatma caliph emir coach provost"
    )
)
BARE_TITLES: Final = (
    PERSON_TITLES
    - word_set(
        "sister saint st m judge chief master officer agent private principal coach chairman"
        " comrade ms miss mrs mr sir lord dame don citizen hon rt major general"
    )
) | word_set("general major master chevalier")
"""Titles that may stand for a person by themselves behind an article: "the Count"."""
FAMILY_NAMES_OF_ADDRESS: Final = word_set(
    "mother father mama mamma papa mum mummy mom mommy dad daddy grandmother grandfather grandma"
    " grandpa granny auntie nanny mater pater"
)
"""What a family calls its own as if it were a name."""

PLACE_LAST: Final = word_set(
    "street road avenue lane square river lake mountain mountains hill hills castle palace tower"
    " bridge island islands isle isles sea ocean bay gulf coast strait straits channel canal county"
    " city town village valley forest wood woods park garden gardens hall house manor lodge cottage"
    " abbey priory church cathedral chapel inn hotel tavern station harbour harbor port dock docks"
    " beach cliff cliffs rock moor heath field fields farm grange court place row terrace crescent"
    " gate cross market prison jail dungeon cemetery theatre theater museum library empire kingdom"
    " republic province territory states peninsula desert plain plains falls creek pond spring"
    " springs glen dale vale common green end corner alley quay wharf plaza piazza hospital asylum"
    " observatory highlands lowlands heights shire parish borough fort fortress citadel cape cove"
    " point reef swamp marsh meadow grove ranch plantation estate villa chateau château temple"
    " monastery convent cave caverns ridge pass peak basin delta archipelago"
)
PLACE_FIRST: Final = word_set(
    "avenue boulevard pont faubourg mount lake cape fort port rue château chateau isle villa"
    " palazzo piazza via monte val loch lough rio san santa allées allée quai cité place campo"
    " castel schloss burg hôtel hotel rock point gulf bay city town republic kingdom empire county"
    " province castle palace tower house temple church cathedral abbey island strait river new"
    " south north east west upper lower"
)
EVENT_HEADS: Final = word_set(
    "war wars battle siege revolution congress treaty peace conquest crusade crusades rebellion"
    " revolt uprising massacre armistice coronation reformation restoration renaissance plague"
    " conspiracy expedition invasion campaign campaigns tournament olympics games festival jubilee"
    " exhibition ball trial inquisition controversy affair schism partition donations accords"
    " convention conference council diet assassination ides cup championship wedding funeral famine"
    " riot riots"
)
ORGANIZATION_HEADS: Final = word_set(
    "chamber university college school academy institute institution foundation society club league"
    " union company corporation association committee commission ministry department office bank"
    " order party parliament senate congress assembly council army navy legion regiment guard"
    " guards brigade corps fleet orchestra choir guild press times gazette herald tribune dynasty"
    " triumvirate alliance federation bureau agency brotherhood sisterhood co inc ltd corp llc gmbh"
    " brothers sons bros & embassy board faculty seminary lodge house court museum observatory mint"
    " admiralty tribunal directory convention commune band theatre conservatory conservatoire"
    " hospital quarterly review firm trust government police"
)
OBJECT_HEADS: Final = word_set(
    "symphony symphonies sonata sonatas concerto concertos quartet quartets trio opera mass"
    " overture variations bagatelle suite fantasy ballet nocturne requiem oratorio cantata"
    " testament bible gospel epistle codex manuscript chronicle history poem ode elegy ballad"
    " sonnet essay letters diary journal principia opticks dictionary encyclopedia crown diamond"
    " ring sword cup stone medal prize award act law laws theorem theory map portrait statue"
    " obelisk needle column express telescope cloak wand hat mirror potion manifesto declaration"
    " constitution charter memoirs commentaries book books volume"
)
NAMED_OBJECTS: Final = word_set(
    "ship boat frigate brig schooner vessel steamer yacht galley three-master clipper cutter sword"
    " horse dog novel novels book poem play opera song symphony sonata film movie story newspaper"
    " magazine painting portrait ballad essay pamphlet treatise tragedy comedy album journal train"
    " locomotive statue"
)
"""Nouns before or after the name of a thing: "the frigate *Hydra*"."""
PLACE_NOUNS: Final = word_set(
    "city town village hamlet river stream island isle country county province region kingdom"
    " capital port harbour harbor street road square district suburb borough parish valley mountain"
    " hill lake sea bay coast castle palace house inn hotel tavern estate farm fortress prison"
    " church cathedral colony state territory settlement seat spa resort planet moon continent"
    " peninsula desert forest place cities towns villages rivers streams islands isles counties"
    " countries provinces streets roads plains plain banks bank waters hillside hillsides landscape"
    " landscapes margin valleys vale parishes shore shores walls gates outskirts neighbourhood"
    " neighborhood suburbs coasts coastline cliffs hills heights moors fields ruins mines docks"
    " quays rocks mouth source tip lowlands highlands"
)
ORGANIZATION_NOUNS: Final = word_set(
    "company firm society club university college school academy party newspaper bank army legion"
    " regiment order orchestra band institute association committee dynasty tribe family clan house"
    " team league organization organisation religion sect business"
)
EVENT_NOUNS: Final = word_set(
    "war battle siege revolution rebellion revolt treaty festival conference congress massacre"
    " election uprising expedition"
)
HEADS: Final = PLACE_LAST | EVENT_HEADS | ORGANIZATION_HEADS | OBJECT_HEADS
"""What the name of a thing, a place or a body ends in."""
COUNTRIES_AND_CITIES: Final = word_set(
    (Path(__file__).parent / "data" / "places.txt").read_text(encoding="utf-8")
)
"""Well-known names of places; they are places unless the text says otherwise."""
OF_PEOPLES: Final = (
    LANGUAGES
    | word_set(
        "roman romans greeks egyptians persians trojan trojans spartan athenian macedonian"
        " ptolemaic hellenistic etruscan gallic gauls celtic celts saxon saxons norman normans"
        " viking vikings gothic goths hun huns turks ottoman ottomans moorish moors moor arab arabs"
        " jewish jew jews christian christians catholic catholics protestant protestants muslim"
        " muslims islamic buddhist hindu puritan quaker american americans british briton britons"
        " englishman englishmen englishwoman frenchman frenchmen frenchwoman scottish scotch scot"
        " scots scotsman irish irishman irishwoman welshman germans prussian prussians austrian"
        " austrians hungarian swiss italians spaniard spaniards russians dutchman dane danes danish"
        " swede swedish norwegian finnish belgian african africans asian european europeans indian"
        " indians mexican canadian australian egyptologist catalan catalans corsican venetian"
        " florentine neapolitan parisian viennese bohemian flemish breton gascon bonapartist"
        " bonapartists royalist jacobin jacobins tory tories whig whigs republican republicans"
        " democrat democrats victorian georgian elizabethan edwardian medieval renaissance baroque"
        " negro negroes gypsy thracian parthian numidian carthaginian judean nabataean syrian"
        " armenian ethiopian sicilian western eastern northern southern oriental continental"
        " latinized imperial londoner yankee creole"
    )
) - word_set("renaissance")
"""Adjectives and nouns of peoples, creeds and parties: no entities by themselves."""
_MORE_GIVEN: Final = word_set(
    "aisha akira alessandro alicia alonso alvaro andré angelica antonius anya appius arjun arnold"
    " aulus barnaby caius calvin camille cassius caterina cedric chen chester cnaeus consuelo"
    " decimus diego dolores douglas edna eileen elaine emilia ephraim erwin esme eugène fernando"
    " flavius florian floyd françoise frédéric fyodor gareth giles gilles graham grigory gérard"
    " hilary hiroshi hussein ian ibrahim igor ilya inez irma irving isabelle isidore jasper jed"
    " jill joachim jonas jun justine katrina kenji khadija konstantin krishna lambert leslie lev li"
    " ling livia lloyd luc luca lucian lucie lucrezia luther mandy manuel marc marietta marius"
    " marlene marvin mathilda matteo maximilian maxwell mei melvin meredith michel milton mona"
    " mustafa neville nicola noel norah odette piers pietro pompeius priya rachael ravi rodrigo"
    " rowena roy russell sakura salome septimus servius sextus seymour sheila silvia sybil thelma"
    " theodor thérèse tiberius ulysses valentin vittorio vivien wallace wanda wei woodrow yuki"
    " yusuf"
)
"""Given names beside those of ``offbook.names.nicknames``."""
_ENDINGS: Final = {
    3.0: "shire",
    2.0: "stan polis",
    1.5: "land lands grad",
    1.2: "burgh borough mouth",
    1.0: "ville burg chester",
    0.8: "bury wick",
    0.6: "dale",
    0.5: "ton ford ham",
    0.4: "ia",
}
PLACE_ENDINGS: Final = tuple(
    (ending, weight) for weight, endings in _ENDINGS.items() for ending in endings.split()
)
"""How names of places end, and how much that says; families are named after places."""
OCCUPATIONS: Final = PERSON_NOUNS | word_set(
    "admiral adventurer alchemist ambassador antiquary architect aristocrat artisan astrologer"
    " astronomer athlete attorney barber blacksmith bookseller boxer brewer builder burglar butler"
    " carpenter cavalier chambermaid chancellor charioteer charwoman chemist chief clergyman clerk"
    " coachman cobbler courtesan courtier criminal critic dancer deputy descendant diplomat"
    " director disciple drummer duellist economist editor elf engineer envoy eunuch explorer"
    " fisherman footman founder freedman gardener gentlewoman giant gladiator goblin governess"
    " guest heir heiress helper hero herald historian host housekeeper housemaid hunter instructor"
    " journalist labourer laborer landlady landlord leader lecturer librarian lieutenant manager"
    " manservant martyr mathematician mayor member midwife miller miner monarch musician mystic"
    " naturalist navigator nobleman noblewoman notary novelist one-time organist orator orphan"
    " outlaw page partisan peasant philanthropist physicist pilot pirate planter playwright"
    " politician postman preacher prophet proprietor purser rebel representative robber royalist"
    " sage scholar schoolmaster schoolteacher schoolfellow sculptor seamstress sentry shepherd"
    " shipbuilder shipmate shopkeeper smith smuggler sorcerer spy statesman steward stepson"
    " stepdaughter surgeon tailor theologian trader translator tribune twin tyrant usurer valet"
    " viceroy villager violinist vizier warrior weaver workman youth"
)


def is_given_name(word: str) -> bool:
    """Whether a lower-case word is known as a given name."""
    return word in _MORE_GIVEN or is_given(fold(word))


INTERJECTIONS: Final = word_set(
    "ah oh o eh ha hah ho hey hi hello halloo hullo hush hurrah hurray huzza bah pooh pshaw ugh"
    " alas ay aye nay yea yes yeah no nope ok okay well why bravo amen damn hang goodness gracious"
    " heavens heaven indeed lo hark farewell goodbye good-bye welcome please pray thanks thank"
    " sorry sir madam madame ma'am gentlemen ladies fie tut um hm hmm mm dear god lord providence"
    " fool rubbish nonsense bless begone behold"
)
_OTHER: Final = word_set(
    "accordingly according ago ahead albeit aloud altogether amidst anyhow anywhere apart aside"
    " backward backwards beforehand considering contrary depending elsewhere ere excepting finally"
    " forever formerly forward forwards given granted half hardly hereafter herein hither hitherto"
    " howsoever inasmuch including indoors inward lastly latter let's likewise meantime methinks"
    " midway namely nigh notwithstanding nowadays nowhere onward onwards otherwise overhead owing"
    " perchance provided respecting round save scarce scarcely somehow sometime somewhat somewhere"
    " sooner suppose thence thenceforth thereby thereof thereupon thither touching upstairs"
    " downstairs upward used whence whereat whereby wherefore wherein whereupon whither whomever"
    " yonder came come comes go going gone went got gets look looks listen see seeing seen saw take"
    " taken took make making made mind put said says telling told thinking thought stay stop wait"
    " watch try keep hold leave give gave get bring brought ask asked call called run ran seated"
    " standing sitting left hearing heard stood lay lying born bred cease mark curse fetch shut"
    " pardon excuse begin beginning judge depend hurry sit stand turn follow step speak talk walk"
    " move imagine fancy consider observe note remember forget believe trust hear allow permit"
    " forgive god's confound enter exit exeunt ain't needn't twas 'twas tis 'tis i'm i've i'll i'd"
    " there's that's what's it's he's she's who's here's where's they're we're you're et al etc vol"
    " ch pp ibid op cit ed eds trans isbn nos fig"
)


@lru_cache(maxsize=1 << 14)
def is_common(word: str) -> bool:
    """Whether a lower-case word is an ordinary one, whatever else it may be."""
    word = word.replace("’", "'")
    if word in _FUNCTION:
        return True
    if is_given_name(word) or word in COUNTRIES_AND_CITIES:
        return False
    parts = word.split("-")
    if len(parts) > 1:
        return all(is_common(part) for part in parts if part)
    return word.isalpha() and (word in PERSON_NOUNS or is_english(fold(word)))


def is_function(word: str) -> bool:
    """Whether a lower-case word has no meaning of its own: articles, pronouns, conjunctions."""
    return word in _FUNCTION


_FUNCTION: Final = FUNCTION | ENGLISH | _OTHER | INTERJECTIONS
