"""Words that tell what kind of thing a name names.

Takes: nothing.  Gives: sets of lower-case words: heads of the names of places, events, bodies and
works, countries and cities, given names. Source: ours; general vocabulary, no book's people.
"""

from __future__ import annotations

from typing import Final

from offbook.language.grammar import (
    FEMALE_TITLES,
    LANGUAGES,
    MALE_TITLES,
    PERSON_NOUNS,
    TITLES,
    word_set,
)
from offbook.language.nicknames import is_given
from offbook.language.person_titles import TITLES as OTHER_TITLES
from offbook.language.words import fold

PERSON_TITLES: Final = (
    frozenset(OTHER_TITLES)
    | TITLES
    | MALE_TITLES
    | FEMALE_TITLES
    | word_set(
        "m mme mlle messrs squire parson nurse cousin citizen citoyen citoyenne tante oncle"
        " donna fra rabbi imam sheikh shah khan czar tsarina czarina kaiser viceroy regent"
        " infanta dauphin viscountess marchioness grandfather grandmother grandma grandpa"
        " grandmamma granny auntie nanny deacon canon curate vicar chancellor chaplain"
        " constable sheriff corporal private ensign cornet brigadier admiral commodore"
        " lieutenant-colonel major-general lieut col gen hon rt brother-in-law pharaoh"
        " cardinal chevalier vicomte comte comtesse duc duchesse baronet lama guru swami"
        " bey dey maharaja raja mahatma caliph emir mullah maestro coach principal dean provost"
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
    "mother father mama mamma papa mum mummy mom mommy dad daddy grandmother grandfather"
    " grandma grandpa granny auntie nanny mater pater"
)
"""What a family calls its own as if it were a name."""

PLACE_LAST: Final = word_set(
    "street road avenue lane square river lake mountain mountains hill hills castle palace"
    " tower bridge island islands isle isles sea ocean bay gulf coast strait straits channel"
    " canal county city town village valley forest wood woods park garden gardens hall house"
    " manor lodge cottage abbey priory church cathedral chapel inn hotel tavern station"
    " harbour harbor port dock docks beach cliff cliffs rock moor heath field fields farm"
    " grange court place row terrace crescent gate cross market prison jail dungeon cemetery"
    " theatre theater museum library empire kingdom republic province territory states"
    " peninsula desert plain plains falls creek pond spring springs glen dale vale common"
    " green end corner court alley quay wharf plaza piazza hospital asylum observatory"
    " highlands lowlands heights shire parish borough fort fortress citadel cape cove point"
    " reef swamp marsh meadow grove ranch plantation estate villa chateau château temple"
    " monastery convent cave caverns ridge pass peak valley basin delta archipelago"
)
PLACE_FIRST: Final = word_set(
    "avenue boulevard pont faubourg mount lake cape fort port rue château chateau isle villa"
    " palazzo piazza via monte val"
    " loch lough rio san santa san allées allée quai cité place campo castel schloss burg"
    " hôtel hotel rock point gulf bay city town republic kingdom empire county province"
    " castle palace tower house temple church cathedral abbey island isle strait river"
    " new south north east west upper lower"
)
EVENT_HEADS: Final = word_set(
    "war wars battle siege revolution congress treaty peace conquest crusade crusades"
    " rebellion revolt uprising massacre armistice coronation reformation restoration"
    " renaissance plague conspiracy expedition invasion campaign campaigns tournament"
    " olympics games festival jubilee exhibition ball trial inquisition controversy affair"
    " schism partition donations accords convention conference council diet assassination"
    " ides games cup championship wedding funeral famine riot riots"
)
ORGANIZATION_HEADS: Final = word_set(
    "chamber university college school academy institute institution foundation society club league"
    " union company corporation association committee commission ministry department office"
    " bank order party parliament senate congress assembly council army navy legion regiment"
    " guard guards brigade corps fleet orchestra choir guild press times gazette herald"
    " tribune dynasty triumvirate alliance federation bureau agency brotherhood sisterhood"
    " co inc ltd corp llc gmbh brothers sons bros & embassy board faculty seminary lodge"
    " house court museum observatory mint admiralty tribunal directory convention commune"
    " band theatre conservatory conservatoire hospital quarterly review firm trust"
    " government police"
)
OBJECT_HEADS: Final = word_set(
    "symphony symphonies sonata sonatas concerto concertos quartet quartets trio opera mass"
    " overture variations bagatelle suite fantasy ballet nocturne requiem oratorio cantata"
    " testament bible gospel epistle codex manuscript chronicle history poem ode elegy ballad"
    " sonnet essay letters diary journal principia opticks dictionary encyclopedia crown"
    " diamond ring sword cup stone medal prize award act law laws theorem theory map"
    " portrait statue obelisk needle column express telescope cloak wand hat mirror potion"
    " manifesto declaration constitution charter memoirs commentaries book books volume"
)
NAMED_OBJECTS: Final = word_set(
    "ship boat frigate brig schooner vessel steamer yacht galley three-master clipper cutter"
    " sword horse dog novel novels book poem play opera song symphony sonata film movie story"
    " newspaper magazine painting portrait ballad essay pamphlet treatise tragedy comedy"
    " album journal train locomotive statue"
)
"""Nouns before or after the name of a thing: "the frigate *Hydra*"."""
PLACE_NOUNS: Final = word_set(
    "city town village hamlet river stream island isle country county province region"
    " kingdom capital port harbour harbor street road square district suburb borough parish"
    " valley mountain hill lake sea bay coast castle palace house inn hotel tavern estate"
    " farm fortress prison church cathedral colony state territory settlement seat spa resort"
    " planet moon continent peninsula desert forest place cities towns villages rivers streams"
    " islands isles counties countries provinces streets roads plains plain banks bank waters"
    " hillside hillsides landscape landscapes margin valleys vale parishes shore shores walls gates"
    " outskirts neighbourhood neighborhood suburbs coasts coastline cliffs hills heights moors"
    " fields ruins mines harbour docks quays rocks mouth source tip lowlands highlands"
)
ORGANIZATION_NOUNS: Final = word_set(
    "company firm society club university college school academy party newspaper bank army"
    " legion regiment order orchestra band institute association committee dynasty tribe"
    " family clan house team league organization organisation religion sect business"
)
EVENT_NOUNS: Final = word_set(
    "war battle siege revolution rebellion revolt treaty festival conference congress"
    " massacre election uprising expedition"
)
HEADS: Final = PLACE_LAST | EVENT_HEADS | ORGANIZATION_HEADS | OBJECT_HEADS
"""What the name of a thing, a place or a body ends in."""
COUNTRIES_AND_CITIES: Final = word_set(
    "england scotland wales ireland britain france germany prussia austria hungary bohemia"
    " poland russia ukraine spain portugal italy greece turkey egypt persia india china japan"
    " korea america canada mexico brazil argentina chile peru cuba jamaica haiti australia"
    " switzerland belgium holland netherlands denmark norway sweden finland iceland romania"
    " bulgaria serbia croatia albania armenia syria lebanon palestine israel judea arabia"
    " iraq iran afghanistan pakistan tibet vietnam thailand siam burma malaya indonesia java"
    " sumatra philippines africa ethiopia abyssinia sudan libya tunisia algeria morocco kenya"
    " nigeria congo europe asia macedonia thrace gaul germania hispania britannia numidia"
    " parthia carthage sicily sardinia corsica malta cyprus crete rhodes elba samos ithaca"
    " sparta athens corinth thebes troy rome naples venice florence milan turin genoa pisa"
    " siena bologna verona padua ravenna capua paris lyon lyons marseille marseilles bordeaux"
    " toulouse nice calais rouen versailles vienna berlin bonn cologne munich hamburg dresden"
    " leipzig frankfurt hanover heidelberg prague budapest warsaw moscow petersburg kiev"
    " london oxford cambridge bath bristol york leeds manchester liverpool birmingham dover"
    " brighton plymouth portsmouth southampton edinburgh glasgow dublin cork belfast galway"
    " cardiff madrid barcelona seville cadiz lisbon brussels antwerp ghent bruges amsterdam"
    " rotterdam utrecht copenhagen oslo stockholm geneva zurich basel berne constantinople"
    " istanbul smyrna alexandria cairo memphis jerusalem bethlehem damascus antioch tyre"
    " babylon nineveh baghdad mecca medina tehran delhi bombay calcutta madras peking"
    " beijing shanghai canton tokyo kyoto osaka edo seoul manila boston philadelphia"
    " baltimore chicago washington brooklyn manhattan california texas florida georgia"
    " virginia carolina massachusetts connecticut pennsylvania ohio illinois indiana michigan"
    " wisconsin minnesota iowa missouri kansas nebraska colorado nevada oregon montana"
    " louisiana alabama mississippi kentucky tennessee vermont maine hampshire jersey"
    " maryland delaware utah wyoming idaho arizona oklahoma dakota alaska hawaii quebec"
    " montreal toronto sydney melbourne tasmania zealand provence normandy brittany burgundy"
    " gascony flanders saxony bavaria tuscany lombardy piedmont andalusia castile aragon"
    " catalonia galilee samaria mesopotamia yorkshire lancashire devonshire devon cornwall"
    " somerset somersetshire kent sussex surrey essex norfolk suffolk dorset wiltshire"
    " hertfordshire derbyshire cheshire lincolnshire shropshire westminster piccadilly soho"
    " chelsea hampstead kensington nile thames seine rhine danube tiber euphrates tigris"
    " ganges volga loire rhone mediterranean atlantic pacific baltic adriatic aegean alps"
    " pyrenees himalayas apennines vesuvius etna caucasus siberia crimea balkans levant orient"
    " arctic antarctica sahara"
)
"""Well-known names of places; they are places unless the text says otherwise."""
OF_PEOPLES: Final = (
    LANGUAGES
    | word_set(
        "roman romans greeks egyptians persians trojan trojans spartan athenian macedonian"
        " ptolemaic hellenistic etruscan gallic gauls celtic celts saxon saxons norman normans"
        " viking vikings gothic goths hun huns turks ottoman ottomans moorish moors moor arab"
        " arabs jewish jew jews christian christians catholic catholics protestant protestants"
        " muslim muslims islamic buddhist hindu puritan quaker american americans british"
        " briton britons englishman englishmen englishwoman frenchman frenchmen frenchwoman"
        " scottish scotch scot scots scotsman irish irishman irishwoman welshman germans"
        " prussian prussians austrian austrians hungarian swiss italians spaniard spaniards"
        " russians dutchman dane danes danish swede swedish norwegian finnish belgian african"
        " africans asian european europeans indian indians mexican canadian australian"
        " egyptologist catalan catalans corsican venetian florentine neapolitan parisian"
        " viennese bohemian flemish breton gascon bonapartist bonapartists royalist jacobin"
        " jacobins tory tories whig whigs republican republicans democrat democrats victorian"
        " georgian elizabethan edwardian medieval renaissance baroque negro negroes gypsy"
        " thracian parthian numidian carthaginian judean nabataean syrian armenian ethiopian"
        " sicilian western eastern northern southern oriental continental latinized imperial"
        " londoner yankee creole"
    )
) - word_set("renaissance")
"""Adjectives and nouns of peoples, creeds and parties: no entities by themselves."""
_MORE_GIVEN: Final = word_set(
    "aisha akira alessandro alicia alonso alvaro andré angelica antonius anya appius arjun"
    " arnold aulus barnaby caius calvin camille cassius caterina cedric chen chester cnaeus"
    " consuelo decimus diego dolores douglas edna eileen elaine emilia ephraim erwin esme"
    " eugène fernando flavius florian floyd françoise frédéric fyodor gareth giles gilles"
    " graham grigory gérard hilary hiroshi hussein ian ibrahim igor ilya inez irma irving"
    " isabelle isidore jasper jed jill joachim jonas jun justine katrina kenji khadija"
    " konstantin krishna lambert leslie lev li ling livia lloyd luc luca lucian lucie lucrezia"
    " luther mandy manuel marc marietta marius marlene marvin mathilda matteo maximilian"
    " maxwell mei melvin meredith michel milton mona mustafa neville nicola noel norah odette"
    " piers pietro pompeius priya rachael ravi rodrigo rowena roy russell sakura salome"
    " septimus servius sextus seymour sheila silvia sybil thelma theodor thérèse tiberius"
    " ulysses valentin vittorio vivien wallace wanda wei woodrow yuki yusuf"
)
"""Given names beside those of ``offbook.language.nicknames``."""
PLACE_ENDINGS: Final = (
    ("shire", 3.0),
    ("stan", 2.0),
    ("polis", 2.0),
    ("land", 1.5),
    ("lands", 1.5),
    ("ville", 1.0),
    ("burgh", 1.2),
    ("burg", 1.0),
    ("bury", 0.8),
    ("borough", 1.2),
    ("mouth", 1.2),
    ("chester", 1.0),
    ("grad", 1.5),
    ("ton", 0.5),
    ("ford", 0.5),
    ("ham", 0.5),
    ("wick", 0.8),
    ("dale", 0.6),
    ("ia", 0.4),
)
"""How names of places end, and how much that says; families are named after places."""
OCCUPATIONS: Final = PERSON_NOUNS | word_set(
    "actor actress admiral adventurer alchemist ambassador antiquary archbishop architect"
    " aristocrat artisan astrologer astronomer athlete attorney barber bishop blacksmith"
    " bookseller boxer boy brewer builder burglar butler captain carpenter cavalier chambermaid"
    " chancellor charioteer charwoman chemist chief child clergyman clerk coachman cobbler"
    " courtesan courtier cousin criminal critic dancer deputy descendant diplomat"
    " director disciple drummer duellist economist editor elf emperor engineer envoy eunuch"
    " explorer fisherman footman founder freedman gardener gentleman gentlewoman giant girl"
    " gladiator goblin governess guard guest half-sister heir heiress helper hero herald"
    " historian host housekeeper housemaid hunter instructor journalist king knight"
    " labourer laborer landlady landlord lawyer leader lecturer librarian lieutenant man"
    " manager manservant martyr mathematician mayor member midwife miller minister miner"
    " monarch monk musician mystic naturalist navigator nephew niece nobleman noblewoman notary"
    " novelist officer one-time organist orator orphan outlaw page partisan peasant"
    " philanthropist physicist pilot pirate planter playwright poet politician postman preacher"
    " prefect priest professor prophet proprietor purser queen rebel representative robber"
    " royalist sage sailor scholar schoolmaster schoolteacher schoolfellow sculptor seamstress"
    " secretary sentry shepherd shipbuilder shipmate shopkeeper slave smith smuggler soldier"
    " son sorcerer spy statesman steward stepson stepdaughter stranger student surgeon tailor"
    " theologian trader translator tribune tutor twin tyrant usurer valet viceroy villager"
    " violinist vizier warrior weaver widower witch wizard woman workman youth"
)


def is_given_name(word: str) -> bool:
    """Whether a lower-case word is known as a given name."""
    return word in _MORE_GIVEN or is_given(fold(word))
