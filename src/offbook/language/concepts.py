"""Words that stand for one another when a person asks, and words that belong to any life.

Takes: search terms (see ``offbook.language.words``).  Gives: the related terms, and whether a term
is general, so that its absence from a text says little. Source: ours; the split into general and
specific follows RoleRAG (papers 000, 001), the word lists are ours and written without any corpus.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from offbook.language.words import search_terms

_RELATED: Final = """
family: father mother parents brother sister wife husband son daughter children child
family: grandfather grandmother uncle aunt nephew niece cousin relatives kin siblings
parents: father mother
siblings: brother sister
spouse: wife husband married marry marriage wedding wed bride
love: loved beloved lover romance romantic courted proposed infatuated affair marry married
love: marriage betrothed
child: childhood boy girl youth young boyhood girlhood grew upbringing early
born: birth birthplace native baptised baptized birthday
origin: native homeland born hail come grew
live: lived lives resided residence lodged dwelt home house moved settled
die: died death dying dead killed buried funeral grave murdered executed assassinated suicide
teach: taught teacher tutor instruct instructed lessons pupil student studied study mentor
teach: learned learnt education school schooled trained
education: school schooled university college studied studies degree lessons taught trained
friend: friends friendship befriended companion comrade
enemy: enemies rival rivals foe opponent hated quarrel
hate: hated despised detested loathed dislike disliked contempt
like: likes liked enjoy enjoyed enjoys fond loves love loved favourite favorite prefer
like: preferred delight
hobby: hobbies interest interests pastime pastimes enjoy enjoyed leisure fond
work: works job profession career occupation trade employed employment post craft
emotion: felt grief joy anger fear sorrow horror rage despair tears wept shame remorse pride
emotion: happiness dread fury delight hope
fear: fears feared afraid dread dreaded frightened terror terrified
angry: anger rage fury furious temper wrath
sad: sadness sorrow grief grieved mourned melancholy despair despairing unhappy depressed
sad: wept weep cry cried
happy: happiness joy joyful glad delight delighted cheerful
ill: illness sick sickness disease ailment ailing suffered health fever unwell
deaf: deafness hearing
blind: blindness sight eyes
prison: imprisoned prisoner jail gaol dungeon cell captive captivity incarcerated arrested
arrest: arrested seized imprisoned
escape: escaped fled flee flight broke
war: battle battles fought campaign army fight military
religion: religious faith god church believe belief prayer pray christian
money: rich wealth wealthy fortune income poor poverty debt treasure paid salary
appearance: hair eyes face tall slender beard dressed features height complexion handsome pale
travel: travelled traveled journey journeyed voyage sailed visited trip toured
music: musical composer composed compositions symphony piano melody
write: wrote written writings book books author published
publish: published appeared printed
begin: began started start first initially
leader: lead led leadership commander command commanded ruler ruled
rule: ruled reign reigned power throne governed
help: helped aid aided assist assisted support supported
betray: betrayed betrayal traitor treachery denounced conspiracy
revenge: vengeance avenge avenged retribution
home: house residence dwelling
food: eat ate eaten dine dined meal dinner supper drink drank wine
age: old young aged years
famous: fame renowned celebrated reputation known admired
achievement: achievements accomplished accomplishment success proud proudest greatest
achievement: triumph masterpiece discovered invented
regret: regrets regretted remorse repented
dream: dreams ambition ambitions hoped wish goal goals aspired purpose aim
strength: strengths skill skills talent talents gifted ability abilities
weakness: weaknesses flaw flaws fault faults failing
personality: character temperament nature disposition manner
struggle: struggles struggled hardship hardships difficulty difficulties obstacle obstacles
struggle: challenge challenges adversity suffered
lesson: lessons learned learnt
opinion: view views believed thought considered
invent: invented invention inventions discovered discovery discoveries
kill: killed murder murdered slain slew executed
defeat: defeated victory won conquered lost
animal: animals cat dog horse pet
magic: magical spell spells wizard witch charm
slave: slaves slavery enslaved servitude freedom
influence: influenced influences inspired inspiration inspire impact
colleague: colleagues peers collaborator collaborated collaboration collaborators
patron: patrons patronage supporter sponsor
secret: secrets hidden concealed disguise disguised
name: names called named known alias
meet: met encounter encountered introduced acquainted
gift: gave given present presented
sea: ship sailed sailor voyage
"""
"""What is asked for, and words by which a text may speak of it."""
_GENERAL: Final = """
able accept accomplish achieve achievement act action actual add adversity advice advise affect
age ago aim alone ambition ambitious anger angry approach argue art ask aspect aspiration attitude
authority avoid aware bad balance bear beauty begin behave belief believe best better big birth
body bold bond born brave break bring brother build busy call calm care career cause celebrate
certain challenge chance change character cherish child childhood choice choose close collaborate
colleague come comfort common communicate community companion company compare complete compromise
concern confidence conflict consider contribute contribution control cope core could courage
create creative critic criticism critical culture current daily daughter day deal death decide
decision deep defeat define desire develop die differ different difficult difficulty discover
discuss disagree dislike dream dynamic early easy eat education effect effort emotion emotional
encounter encourage end enemy enjoy enough environment essential ethic evening event evolve
example excite expect expectation experience express extend eye face fact fail failure fair faith
fall fame family famous father favorite favourite fear feeling fellow felt few fight final find
fond foremost foster free freedom friend friendship fulfil full fun fundamental future gain
general gift girl give glad go goal god good great greatest grief grow guide habit handle happen
happiness happy hard hate have head heal health hear heart help hide high history hobby home
honest honor honour hope house human hurt husband idea ideal ill imagine impact important improve
individual influence injustice inner inspire inspiration intellect interact interest interpersonal
issue job join journey joy judge justice keep key kill kind know knowledge lack large last late
laugh lead leader leadership learn leave legacy lesson let letter lie life light like listen
little live lonely long look lose loss lot love low loyal loyalty main maintain major make man
manage marriage marry master matter mean meet memorable memory mentor method mind mindset mistake
moment money mood moral morning mother motivate motivation motive mourn move name nature need
negative never new night obstacle offer old open opinion opportunity oppose order origin outlook
overcome pain parent part particular partner passion passionate past peace peer people perceive
perception perfect period person personal personality perspective philosophy piece place plan play
please point poor positive possess power powerful practice praise prefer preference prepare
present pressure prevent pride principle prioritize priority private problem process professional
progress promise proud public purpose pursue pursuit quality question quick reach react reaction
read real reason recall receive recognition recent reflect regard regret relation relationship
relax remember reputation resilience resolve respect respond response responsible responsibility
rest result rise risk rival role rule sad sadness sacrifice safe satisfy say secret see seek self
sense serious set setback shape share show sick side significant similar single sister situation
skill sleep small social society solve someone son source speak special spend spirit stand start
stay step stop story strategy strength stress strive strong struggle style succeed success suffer
support surprise surround survive take talent talk task team tell temper thank thing think thought
threat time today together top tough train trait travel treat trouble true trust truth try turn
type uncertainty understand unique use value victory view vision visit voice vulnerable walk want
war watch way weak weakness wealth well wife win wisdom wise wish woman wonder word work world
worry worst worth write wrong year yesterday young youth
"""
_PLAIN: Final = """
abortion abstract activism advertising aesthetic alcohol alliance amber astronomy athlete audience
bag bakery ball batch bath bathroom bead beam bee beer beetle belt beverage bill blend bottle
brainstorm brawl bread breaker bubble bunch burnout buzz canvas cargo carpet cart catastrophe
channel charcoal chunk cipher circus clay cloth clothing cloud cloudy coach colleague colonial
colony comb comedian comedy comet comic commerce commune commute cone convoy cord cork cosmic
cosmopolitan cosmos coup coverage crack creed cube cup curtain dart data debris device dice
diplomacy diplomatic dirty discharge dock dodge dough drag draw droplet dye earring economics
ecstasy epidemic equipment espionage explosion fabric feedback fill filter flash flicker flour
fluid foam formula frame frantic friction fringe frog fuel fungus gallery game games gender
genocide genre glass globe gloss glove gossip grain greet grimace guerrilla gum halt handcuff
handkerchief healthcare helmet holder homesick homosexuality hoop hover humor humour immigrant
immigration imperialism impulse inflation inhale inject insurgency international interrupt
introvert inventor itinerary jar journal juice jumper keeper kinetic knit lamp latch leap lecture
leisure liberty librarian library lightning line liquid liquor list luggage lump machine machinery
maker manual marble mascot mass mat math mathematics maze mechanic membrane mentee mentor message
messenger milk mindset missile mixture model mosaic multicultural multilingual multitask mummy
mushroom needle net network networker networking nickname nipple object octagon office officer
output overcome panic pants peanut pedal peer peeve pepper perpetual physics pile pin pirate plague
planner platform plug pollution pool pottery powder prank privacy probe propaganda puddle pump
purse puzzle pyramid quilt race rag ram receptive recruit rectangular reform refuel refugee replica
research researcher resolution revolution revolutionary rib ribbon rigid ripple robe rotate routine
rug ruin rush rye sack sarcasm scandal scar scenery schedule scientist scissors scramble scratch
screen script seeker self-esteem sequence setback sexuality shaft sheet shirt shred shuffle signal
sketch slang slide sling slippery slit smash smoke sock spar sparkle spear spice spies spin spiral
sport sports spy squash squeeze stagger stain stamp stance steam steep stereotype stone strand
stream strip stripe studio sugar suitcase surgeon surgery surgical swarm sweep swift swing swirl
syllable taker tale tangle tap tattoo teamwork technical technique technological technology texture
theater theory thrill thrust thunder tidal tile timeline timer tissue toad token towel toy track
traffic trance transport transportation traumatic tray trend tribal trickle trumpet tub tune
underwear union universal unleash urban urine vase vehicle vine virtue vogue warp wax weed welfare
whirl wig workload workshop worldview wrap wrestle zealous zone
"""
"""Further words of any age, of things and of how people talk of their lives today.

They are said of old times in translation: to ask a Roman for his network of allies is in order.
"""
_SHORTEST_GRADE: Final = 6
_ABSTRACT_ENDINGS: Final = ("ness", "ment", "ship", "hood", "ance", "ence")


@lru_cache(maxsize=1 << 14)
def word_term(word: str) -> str:
    """The search term of one word; empty for a stop word."""
    return next(iter(search_terms(word)), "")


@cache
def _related() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _RELATED.strip().splitlines():
        head, *terms = (word_term(word) for word in line.replace(":", "").split())
        for term in terms:
            # The head word asks for all of its kind; the others are at most as near as the head.
            found.setdefault(term, set()).add(head)
        found.setdefault(head, set()).update(terms)
    return {term: frozenset(others - {term, ""}) for term, others in found.items()}


def related_terms(term: str) -> frozenset[str]:
    """Terms by which a text may speak of what ``term`` asks for."""
    return _related().get(term, frozenset())


@cache
def _general() -> frozenset[str]:
    return frozenset(word_term(word) for word in _GENERAL.split()) | {""}


@cache
def words_of_any_age() -> frozenset[str]:
    """The words of ``is_general`` and ``related_terms``, as they are listed."""
    return frozenset(f"{_GENERAL} {_RELATED}".replace(":", "").split())


@cache
def _terms_of_any_age() -> frozenset[str]:
    return frozenset(map(word_term, (*words_of_any_age(), *_PLAIN.split())))


def is_of_any_age(word: str) -> bool:
    """Whether a folded word is general, or is met in any age in some form."""
    return word_term(word) in _terms_of_any_age() or is_general(word)


@lru_cache(maxsize=1 << 14)
def is_general(word: str) -> bool:
    """Whether a folded word belongs to any life in any time, unlike a name or a device."""
    if len(word) > 7 and word.endswith(_ABSTRACT_ENDINGS):
        return True
    return word_term(word) in _general() or any(
        term in _general() for form in _ungraded(word) if (term := word_term(form))
    )


def _ungraded(word: str) -> tuple[str, ...]:
    """What a word in -est may be the highest grade of: strong, large, big, happy."""
    if not word.endswith("est") or len(word) < _SHORTEST_GRADE:
        return ()
    stem = word[:-3]
    doubled = (stem[:-1],) if stem[-1] == stem[-2] else ()
    return (stem, f"{stem}e", *doubled, *((f"{stem[:-1]}y",) if stem.endswith("i") else ()))
