"""Facets of personality and value: how a person asks about them, and in which deeds they show.

Takes: search terms (see ``offbook.language.words``).  Gives: the facets that a question is about,
and how strongly the words of a sentence show a facet. Source: ours; the choice of facets follows
the usual inventories (the Big Five with their facets, Schwartz's values), the words are written
without any corpus.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from offbook.language.words import word_term

_TRAITS: Final = """
patience: patient patience impatient wait hurry haste rush persevere long : wait waited waiting
  months years decade slowly endured lingered bided haste impatient impatiently unhurried
  postponed
persistence: persist persistent persevere determined determination stubborn give effort goal
  finish obstacle quit resolve willpower : again repeatedly tried attempts continued refused
  insisted resolved determined stubborn obstinate finished laboured tireless struggled dug months
  years
punctuality: punctual time late early expected appointment deadline arrive schedule : clock hour
  minute struck punctual punctually prompt promptly late early o'clock moment appointed arrived
  watch delay
caution: cautious caution careful precaution careless danger dangerous risk risky safe safety
  prepare prudent vigilant reckless : case precaution guard guarded armed armour weapon tested
  checked examined warned watched looked listened hid locked spare lest prudent wary kept prepared
  beforehand measured
order: orderly order organised organized organise organize tidy tidiness neat clean cleanliness
  mess messy plan planned planning arrange arranged arrangement detail methodical system schedule
  routine prepare belongings : plan planned list drew drawing measure measured measures arranged
  exact exactly precise precisely sorted folded numbered labelled noted schedule ledger catalogue
  neat tidy clean disorder scattered mess detail advance
diligence: hardworking work industrious diligent lazy laziness effort discipline disciplined duty
  dutiful task responsible responsibility reliable dependable : worked laboured toiled practised
  studied rehearsed rose dawn late night tirelessly finished duty idle rested slept
self-control: hide conceal calm composed composure control controlled temper emotion emotional
  show feelings feel mask nervous stress pressure tense : calm calmly composed unmoved steady
  still silent smiled smile bow bowed cold coldly indifferent face expression trembled paled
  betrayed tear tears laugh laughed word sign
temper: anger angry temper irritated irritable furious rage provoked upset annoyed : anger angry
  rage furious fury shouted struck threw slammed cursed pale temper violent quarrelled insulted
  stormed
secrecy: secret secrets private privacy secretive discreet trust confide reveal open reserved tell
  hide share : secret secretly hid hidden locked key disguise disguised mask false concealed
  whispered told nobody known knew unknown name alone pretended silent burned sealed
honesty: honest honesty lie lies lying truth truthful sincere deceive deceit cheat fair trick
  manipulate pretend integrity : truth lied lie confessed admitted deceived cheated disguised
  pretended forged returned owned kept swore oath word honest false trick
temperance: eat food drink table meal indulge appetite pleasure luxury temptation abstain moderate
  moderation excess craving restrain : ate eaten drank drink wine food dish plate supper dinner
  meal touched mouthful hungry hunger fasted bread water refused moderate greedy feast
frugality: thrift thrifty frugal spend spending save saving waste luxury simple money possessions
  material : saved spent bought sold price cheap bargain coin counted patched mended simple
  splendid lavish luxury debts
generosity: generous generosity give giving share charity charitable money kind selfish stingy
  greedy donate : gave given paid pay gift present shared alms poor purse coin gold lent forgave
  offered left donated reward rewarded
gratitude: grateful gratitude thank thankful thanks repay return kindness remember favour favor
  turn debt good benefactor : thanked repaid paid returned saved rescued remembered kept owed debt
  grateful benefactor blessed reward rewarded honoured
loyalty: loyal loyalty faithful friend friends friendship stand desert betray abandon leave side
  commitment devoted trust promise : swore oath promise promised stayed remained refused leave
  kept faithful defended followed waited beside friend betrayed abandoned alone vowed shared
promise: promise promises oath vow word keep swear commitment : swore oath promised promise vow
  vowed kept word broke pledged
compassion: compassion compassionate sympathy sympathetic empathy kind kindness care caring pity
  suffering feel gentle cruel heart tender tenderness soft : comforted nursed wept pity pitied fed
  sheltered spared carried tended consoled embraced tears child poor sick wounded helped mercy
cruelty: cruel cruelty ruthless merciless harsh cold vengeful : killed poisoned ruined punished
  tortured struck laughed mercy spared suffer revenge starve starved
forgiveness: forgive forgiveness forgiving mercy merciful grudge pardon resent resentment :
  forgave forgiven pardon pardoned spared mercy released embraced grudge remembered revenge
vengeance: revenge vengeance avenge grudge hate hatred enemy enemies retaliate wrong wronged
  punish : revenge vengeance swore ruined punished enemy enemies hate hated destroyed avenged trap
  ruin
justice: justice just fair fairness unfair law punish equal equality rights judge right wrong
  moral : law judge judged trial punished deserved fair justice guilty innocent rights equal
  sentence
courage: brave bravery courage courageous fear afraid fearless danger bold boldness coward risk
  dare daring scared : dared leapt jumped plunged faced fought unarmed stood refused flinched
  charged climbed swam danger rescued duel death steady fled trembled
fear: fear fears afraid scared anxious anxiety worry worried nervous panic phobia dread : feared
  fear afraid trembled fled dread hid shook shuddered sleepless worried screamed locked
ambition: ambition ambitious success successful achieve achievement goal goals career power status
  fame best compete competitive win : won rose promoted sought title rank fame conquered prize
  first best rival post office crown worked
pride: proud pride arrogant arrogance vain vanity humble humility modest modesty boast ego
  superior : boasted refused bowed knelt proud pride thanked praise praised title apologised beg
  begged disdained scorned mirror mocked insulted
modesty: modest modesty humble humility attention praise spotlight recognition credit : hid
  thanked nobody unseen anonymous anonymously credit praise refused blushed plain simple name
  shrugged
sociability: sociable social outgoing extrovert introvert introverted extroverted shy party
  parties crowd company alone solitude solitary lonely friends talkative gathering guests
  strangers : guests party ball company crowd alone solitude withdrew avoided invited visited
  joined danced talked joked introduced declined stayed apart corner friends society
talkativeness: talk talkative quiet silent silence speak words conversation chatter : spoke silent
  silence said word talked chattered answered nothing told stories
trust: trust trusting suspicious suspicion distrust believe doubt naive gullible : trusted
  believed suspected suspicious doubted tested asked proof thanked confided watched questioned
affection: love loving affection affectionate romantic romance passion warm warmth tender : loved
  kissed embraced wept married letter letters longed kept portrait tender held wrote
family: family father mother parents son daughter children brother sister home relatives : father
  mother brother sister son daughter child children knelt grave house kept visited home sent
  supported wept returned
cheerfulness: cheerful happy happiness joy optimistic optimism pessimistic positive mood laugh fun
  : laughed sang joked smiled danced merry cheerful whistled despaired wept hope hoped gloomy
humour: humour humor funny joke jokes wit witty tease laugh sarcastic serious : joked laughed
  teased mocked jest pun prank smiled wit
sadness: sad sadness depressed depression melancholy grief cry lonely blue despair gloomy : wept
  cried tears grief mourned grave despair silent alone sorrow died loss sat
regret: regret regrets guilt guilty remorse shame ashamed sorry apologise apologize mistake
  mistakes : regretted remorse guilt shame ashamed apologised confessed repented atoned returned
  wept knelt prayed
curiosity: curious curiosity learn learning knowledge explore new ideas interested questions study
  discover intellectual books read reading : asked studied read learned books questions examined
  explored experiments experimented discovered taught listened noted language languages science
  library
creativity: creative creativity imagination imaginative invent original art artistic daydream
  fantasy ideas : invented made built composed painted wrote drew designed carved imagined
  improvised devised contrived new
beauty: art beauty beautiful music poetry nature aesthetic paintings : music sang song painting
  garden flowers poem sea stars admired played opera gazed
adventure: adventure adventurous travel travelling thrill excitement excited routine bored boring
  change variety spontaneous new explore : sailed travelled journey climbed explored set voyage
  ran wandered crossed unknown away
impulsiveness: impulsive impulse spontaneous rash act think decide decision sudden suddenly hasty
  : suddenly leapt rushed threw seized ran instantly blurted regretted snatched thought considered
  slept
decisiveness: decide decision decisions decisive indecisive hesitate choose choice doubt sure :
  chose decided hesitated resolved instantly wavered minute considered mind settled ordered
assertiveness: assertive leader leadership lead command dominate dominant control charge authority
  influence persuade confident confidence : ordered commanded led took demanded insisted forbade
  organised obeyed followed persuaded charge spoke
obedience: obey obedient rules rule authority tradition traditional conform conventional rebel
  rebellious defy respect law follow : obeyed defied broke rule rules forbidden refused custom
  permission orders law escaped rebelled bowed
independence: independent independence freedom free self own alone help rely depend : refused
  alone own free escaped left help accepted taught herself himself built owed
faith: faith god religion religious pray prayer believe belief spiritual church heaven fate
  destiny providence : prayed prayer god church knelt faith blessed providence heaven bible priest
  cursed vow fate
altruism: help helping helpful selfless sacrifice altruistic volunteer serve service need : helped
  saved rescued gave sacrificed carried shared offered risked nursed served spared stayed taught
cooperation: cooperate cooperative agree agreeable argue argument conflict quarrel compromise
  peace criticise criticism compete stubborn polite rude : argued quarrelled agreed yielded
  shouted insulted compromise peace offered contradicted apologised fought refused
politeness: polite politeness manners courteous courtesy rude respect respectful considerate :
  bowed thanked greeted courteous polite politely manners bow hat rude insulted interrupted
jealousy: jealous jealousy envy envious rival : envied jealous rival watched resented followed
  coveted
vanity: appearance look looks dress clothes fashion beauty vain : dressed mirror clothes coat silk
  combed powdered admired perfume simple jewels
hygiene: clean cleanliness tidy neat room workspace living : swept washed scrubbed clean dust
  brushed folded dirt dirty
cunning: cunning clever sly scheme manipulate deceive trick strategy shrewd calculating plan smart
  : tricked disguise disguised plan forged pretended trap planted lured bribed false spy learned
  arranged feigned
resilience: resilient cope recover failure setback adversity hardship survive overcome pressure :
  survived endured recovered again rose escaped rebuilt continued began wounded pain prison
  despair
sensitivity: sensitive hurt criticism offended easily feelings insult : wept blushed hurt insulted
  offended trembled remembered paled withdrew
nostalgia: past memory memories remember nostalgic childhood home : kept remembered returned
  visited old room grave letter portrait preserved wept
nature: nature animal animals outdoors sea forest countryside : sea forest garden horse dog bird
  animals walked fed tended planted sailed
wealth: wealth wealthy rich money riches fortune luxury possessions : gold jewels bought fortune
  spent paid palace treasure horses splendid gave poor
equality: equal equality class rank servant servants poor rich status respect simple : servant
  servants sailor peasant beggar table shook hand greeted rank bowed
perfection: perfect perfectionist perfectionism detail details exact thorough standards mistake :
  exact exactly again measured corrected rewrote polished checked every detail rehearsed perfect
attention: attention notice observe observant observation detail perceptive intuition : noticed
  observed watched saw examined remarked recognised read guessed remembered
abstraction: philosophy abstract theory theoretical ideas logic logical reason rational think
  analyse analyze argue : reasoned calculated argued theory logic proved considered concluded
  deduced explained
"""
"""Name: words by which it is asked for : words by which deeds show it."""

_BELIEFS: Final = """
honesty promise forgiveness vengeance justice gratitude loyalty family faith altruism equality
obedience independence generosity compassion wealth abstraction
"""
"""Facets of what is held to be right or worth having, rather than of temper."""


@dataclass(frozen=True, slots=True)
class Facet:
    """A side of a person.

    Args:
        name: What it is called.
        asked: Search terms by which a question is about it.
        shown: Search terms by which a sentence shows it, one way or the other.
        is_belief: Whether it is a value rather than a trait.
    """

    name: str
    asked: frozenset[str]
    shown: frozenset[str]
    is_belief: bool


@cache
def facets() -> tuple[Facet, ...]:
    """All facets."""
    lines: list[str] = []
    for line in _TRAITS.strip().splitlines():
        if line.startswith(" "):
            lines[-1] += line
        else:
            lines.append(line)
    return tuple(_facet(line) for line in lines)


def _facet(line: str) -> Facet:
    name, asked, shown = (part.strip() for part in line.split(":"))
    return Facet(name, _terms(asked), _terms(shown), name in _BELIEFS.split())


def _terms(words: str) -> frozenset[str]:
    return frozenset(map(word_term, words.split())) - {""}


def facets_of_question(terms: Iterable[str]) -> dict[str, float]:
    """Name of a facet -> how much of the question asks for it, from 0 to 1.

    A word that asks for many facets says little about each of them.
    """
    asked = set(terms)
    found: dict[str, float] = {}
    for term in asked:
        about = _asking().get(term, ())
        for facet in about:
            found[facet] = found.get(facet, 0.0) + 1.0 / len(about)
    most = max(found.values(), default=0.0)
    return {facet: share / most for facet, share in found.items()}


@cache
def _asking() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for facet in facets():
        for term in facet.asked:
            found.setdefault(term, []).append(facet.name)
    return {term: tuple(names) for term, names in found.items()}


@cache
def showing() -> dict[str, tuple[str, ...]]:
    """Search term -> the facets that it shows; to be called patient shows patience, too."""
    found: dict[str, list[str]] = {}
    for facet in facets():
        for term in facet.shown | facet.asked:
            found.setdefault(term, []).append(facet.name)
    return {term: tuple(names) for term, names in found.items()}


@cache
def beliefs() -> frozenset[str]:
    """Names of the facets that are values."""
    return frozenset(facet.name for facet in facets() if facet.is_belief)
