"""Common English words, so that a capital at the head of a sentence does not make a name.

Takes: a lower-case word.  Gives: whether it is an ordinary word of the language, by a list and by
its ending. Source: ours; no corpus.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from offbook.language.grammar import FUNCTION, PERSON_NOUNS, word_set
from offbook.language.stopwords import ENGLISH
from offbook.language.verbs import first_person, is_base, is_known_third, is_past
from offbook.models.offline.name_words import GIVEN_NAMES, OCCUPATIONS

INTERJECTIONS: Final = word_set(
    "ah oh o eh ha hah ho hey hi hello halloo hullo hush hurrah hurray huzza bah pooh pshaw ugh"
    " alas ay aye nay yea yes yeah no nope ok okay well why bravo amen damn hang goodness"
    " gracious heavens heaven indeed lo hark farewell goodbye good-bye welcome please pray"
    " thanks thank sorry sir madam madame ma'am gentlemen ladies fie tut um hm hmm mm dear"
    " god lord providence fool rubbish nonsense bless begone behold"
)
_ADJECTIVES: Final = word_set(
    "able absent active afraid aged alike alive alone amiable ancient angry anxious apt awake"
    " aware bad bare bad-tempered beautiful bent best better big bitter black blank blessed"
    " blind blue bold brave brief bright brilliant broad broken brown busy calm careless certain"
    " charming cheap cheerful chief clean clear clever close cold common complete content cool"
    " correct cruel curious daily damp dark dead deaf dear deep dense different difficult dim"
    " direct dirty distant double doubtful dreadful dry due dull eager early easy eight"
    " eighteen eleven elder eldest elegant empty entire equal even evil exact excellent extra"
    " extreme fair faint false familiar famous fast fat favourite favorite fearful feeble few"
    " fierce fifteen fifth fifty final fine firm first fit five flat fond foolish foreign former"
    " fortunate forty foul four fourteen fourth free frequent fresh friendly full funny future"
    " general gentle genuine glad golden good grand grave gray great greater greatest green grey"
    " half handsome happy hard harsh healthy heavy high holy honest horrible hot huge human"
    " humble hundred hungry ill immense important impossible innocent keen kind large last late"
    " lazy left lesser light likely little lively living local lonely long loose loud lovely low"
    " lucky mad main married mere merry mighty mild million modern modest moral mortal most"
    " mutual narrow native natural near neat nervous new nice nine nineteen noble numerous odd"
    " old older oldest only open opposite ordinary other outer own pale past patient peculiar"
    " perfect perpetual plain pleasant polite poor popular possible precious present pretty"
    " previous private probable proper proud public pure quaint queer quick quiet rapid rare raw"
    " ready real recent red regular remarkable rich ridiculous right ripe rough round royal rude"
    " sacred sad safe same second secret senior serious seven seventeen severe shallow sharp"
    " short shy sick silent silly similar simple single sincere six sixteen slight slow small"
    " smart smooth sober soft sole solemn sore sour spare special splendid stale steady stern"
    " stiff still stout straight strange strict strong stupid subsequent sudden sure sweet swift"
    " tall ten tender terrible thick thin third thirsty thirteen thirty thousand three tight"
    " tiny tired total tough true twelve twenty two ugly unable uneasy unhappy universal upper"
    " urgent used useful usual vague vain various vast violent warm weak weary wet whole wicked"
    " wide wild willing wise wonderful wooden worn worse worst worthy wrong yellow young younger"
    " youngest zealous next nearest latest further farther utmost inner"
)
_NOUNS: Final = word_set(
    "ability absence accident account act action admiration adversity advice affection affliction"
    " afternoon age agony aid air alarm ale ambition amount anger angel anguish animal ankle"
    " answer anxiety apple april arm armour art article ashes aspect attention autumn avarice"
    " aversion baby back bag ball band bank bar barn bath battle beach bear beard beauty bed bee"
    " beef beer beginning being belief bell benefit bird birth bit blackness blame blessing blood"
    " board boat body bone book boot bottle bottom bow box boy branch brandy bread break breakfast"
    " breath brick bride bridge brother building bush business butter button cake call candle cap"
    " capital captain car card care carriage cart case cat cattle cause caution cave ceiling cell"
    " century ceremony chair chamber chance change chapter charity charm cheek cheese child"
    " childhood children choice circumstance circumstances city civilization class clay clock"
    " cloth clothes cloud clouds coach coal coat coffee colour color comfort command companion"
    " company compassion composure compliment concern condition confidence conscience consolation"
    " contempt conversation copy corn corner cottage cotton council country couple courage course"
    " court cousin cow creature credit cries crime crops cross crowd crowds crown cry culture cup"
    " curiosity curtain custom damage dance danger darkness darling date daughter dawn day days"
    " daylight death debt deception defeat delay delight depression desire despair destiny"
    " devil dew dignity dinner direction discipline discretion disease disgrace disgust distance"
    " distress doctor dog dogs door doors doubt dream dreams dress drink dust duty ear earth ease"
    " edge education effect effort egg eggs emotion enemy energy england envy error escape esteem"
    " eve evening evenings event events evidence example excitement excuse exercise existence"
    " experience eye eyes face fact facts failure faith fall fame family fancy fashion fatality"
    " fate father fault favour favor fear feast feeling feelings feet female fever field fields"
    " figure finger fire fish flame flesh floor flower flowers fog folk folks food foot force"
    " forest form fortune freedom friend friends friendship fright fruit fun fury game garden gate"
    " gentleman girl girls glass gloom glory glove goat god gold grace grain grandeur grandfather"
    " grandmother grass gratitude greatness greed grief ground group growth guard guest guilt"
    " guilty gun habit hair hall hand hands happiness harm haste hat hate hatred head heads health"
    " heart hearts heat hell help herb hill history hole home honesty honour honor hope hopes"
    " horror horse horses hospitality host hour hours house houses humanity humility humour humor"
    " hunger husband ice idea ideas idleness ignorance image imagination impatience imprisonment"
    " impulse inch independence indignation industry infancy infant influence ink instinct"
    " intelligence interest iron jealousy jewel job joke journey joy judgment judgement justice"
    " key king kindness kitchen knee knife knowledge labour labor lack lad lady lamp lamps land"
    " landlord language laughter law laws lawyer leaf leaves leather legend leisure lesson letter"
    " letters liberty lie life light lightning lights limbs line lion lip lips list literature"
    " loneliness loss lot love lover luck luncheon lunch luxury machine machinery madness magic"
    " maid majesty majority malice man mankind manner manners map marriage mass master matter"
    " matters meal meaning means measure meat medicine melancholy member members memory men mercy"
    " merit messenger method middle midnight milk mind minute minutes misery misfortune"
    " misfortunes mist mistake mistress mixture moment moments money month months mood moon"
    " moonlight morality morning mornings mother motion mountain mouth movement mud murder music"
    " mutton mystery nation nature necessity neck need neighbor neighbors neighbour neighbours"
    " neither nerves news night nights noise none noon nothing notice number nurse oak object oil"
    " opinion opportunity order orders origin ornament owner ox pain paint pair palace paper papers"
    " parent parents part parties party passage passion passions path patience pause peace peasant"
    " pen people perfection person persons philosophy phrase physician picture pictures piece pity"
    " place places plan plant plants plate play pleasure plenty pocket poet poetry poets point"
    " policy politeness politics poverty power praise prayer prayers presence price pride prince"
    " prison prisoner profit proof property prospect prosperity prudence purity purpose quarter"
    " queen question questions race rage railway rain rank rats reader reading reality reason"
    " reflection refreshment regard regret relation relations relief religion remorse repentance"
    " report reputation resentment resolution respect rest result revenge reverence reward rice"
    " riches ring river road roads rock roof room rooms root rope rose row rule rules ruin rumour"
    " rumor sacrifice sadness safety sail sailor sailors sand satisfaction scene scenes school"
    " science scorn sea season seat secrecy security self selfishness sense sensibility sentence"
    " sentiment servant servants service services shade shadow shadows shame shape ship ships shoe"
    " shoes shop shore shouts sickness side sigh sight sign signs silence silk silver simplicity"
    " sin sister situation size skill skin sky slave slavery slaves sleep smell smile smoke snow"
    " society soldier soldiers solitude son song songs sorrow soul souls sound sounds soup space"
    " speech speed spirit spirits spite spot spring staff stage stairs star stars state station"
    " step steps stick stone stones store storm story stranger strangers straw stream street"
    " streets strength stroke study stuff style subject success suffering sugar suit summer sun"
    " sunlight sunset sunshine superstition supper support surprise suspicion sympathy table tail"
    " tale talent talk taste tea teacher tears temper temptation tenderness terror thief thing"
    " things thought thoughts thread thunder tide time times title toast tobacco ton tone tongue"
    " tongues tooth top torture touch tower town trade tragedy train traveller travellers treason"
    " treasure tree trees trial trick tricks trifle trouble troubles trust truth tune turn twilight"
    " tyranny uncle understanding unhappiness unity universe use value vanity vengeance vice"
    " victory view village violence virtue vision visit visitor visitors voice voices walk wall"
    " walls want war water waves way ways weakness wealth weather wedding week weeks weight"
    " wheels whip whisper whisky whiskey wife will wind window windows wine wings winter wisdom wit"
    " wolf woman women wonder wood woods wool word words work worker workmen world worlds worm"
    " worship worth wound wrath writer writers writing year years yesterday yet youth zeal zero"
    " mamma mama papa nobody anybody everybody somebody something anything everything someone"
    " anyone everyone volume preface introduction contents chapter chapters book illustration"
    " note notes figure appendix letter part section edition epilogue prologue footnote footnotes"
    " scene verse page index etymology biography overview background references appearance"
    " personality abilities trivia aftermath legacy reception sources works career youth"
)
_OTHER: Final = word_set(
    "accordingly according across afterward afterwards again ago ahead albeit aloud already"
    " altogether amid amidst among anyhow anyway anywhere apart around aside away backward"
    " backwards because before beforehand behind below beneath beside besides beyond both by"
    " concerning considering contrary depending despite during earlier either else elsewhere"
    " enough ere every except excepting finally forever formerly forth forward forwards four"
    " furthermore given granted half hardly hence hereafter herein hither hitherto however"
    " howsoever inasmuch including indoors inside instead inward ladies lastly later latter least"
    " less lest let let's like likewise maybe meantime meanwhile methinks midway more moreover much"
    " namely nay neither never nevertheless next nigh nonetheless nor notwithstanding now nowadays"
    " nowhere off often once onward onwards otherwise outside over overhead owing perchance"
    " perhaps provided quite rather regarding respecting round save scarce scarcely seldom shall"
    " should since so somehow sometime sometimes somewhat somewhere soon sooner such suppose than"
    " thence thenceforth there thereafter thereby therefore therein thereof thereupon thither"
    " thou thy thee thine though through throughout thus till to together tomorrow tonight too"
    " touching toward towards twice under unless unlike until unto up upon upstairs downstairs"
    " upward used usually via whence whenever where whereas whereat whereby wherefore wherein"
    " whereupon wherever whether whichever while whilst whither whoever whom whomever whose why"
    " with within without would yet yonder your yours came come comes go going gone went got gets"
    " look looks listen see seeing seen saw take taken took make making made mind put say said says"
    " tell telling told think thinking thought stay stop wait watch try keep hold leave give gave"
    " given get had has having have bring brought do does doing done did let ask asked call called"
    " run ran seated standing sitting left hearing heard stood lay lying born bred cease mark hang"
    " curse fetch shut pardon excuse begin beginning judge depend hurry sit stand turn follow"
    " step speak talk walk move imagine fancy consider observe note remember forget suppose"
    " believe trust hear feel allow permit forgive god's confound alas enter exit exeunt"
    " isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't"
    " mustn't haven't hasn't hadn't ain't shan't needn't twas 'twas tis 'tis i'm i've i'll i'd"
    " there's that's what's it's he's she's who's here's where's they're we're you're"
    " et al etc vol ch pp ibid op cit ed eds trans isbn no nos fig"
)
_ENDINGS: Final = (
    "tion",
    "tions",
    "sion",
    "ness",
    "ment",
    "ments",
    "ity",
    "ities",
    "ous",
    "ful",
    "able",
    "ible",
    "ism",
    "less",
    "ing",
    "ings",
    "ship",
    "hood",
    "ward",
    "wards",
    "ively",
    "ance",
    "ence",
    "ances",
    "ences",
    "ically",
    "ively",
    "fully",
    "lessly",
    "ously",
    "ingly",
    "edly",
    "ately",
    "ably",
    "ibly",
    "tely",
    "ally",
    "ntly",
    "rtly",
    "ckly",
    "stly",
    "some",
    "like",
    "self",
    "selves",
)
_NAMES_LIKE_WORDS: Final = word_set(
    "constance clarence florence lawrence laurence terence prudence clemence hortense provence"
    " emily sally molly polly milly billy edward howard eduard stirling fleming browning kipling"
    " manning harding hastings rawlings jennings cummings golding pickering reading dorking"
    " worthing wapping notting paddington france durance penance trinity unity charity felicity"
    " patience providence redding keating goring sterling ballard clement penelope vance nance"
)


@lru_cache(maxsize=1 << 14)
def is_common(word: str) -> bool:
    """Whether a lower-case word is an ordinary one, whatever else it may be."""
    word = word.replace("’", "'")
    if word in _LISTED:
        return True
    if word in GIVEN_NAMES or word in _NAMES_LIKE_WORDS:
        return False
    if is_base(word) or is_known_third(word):
        return True
    if len(word) > 4 and word.endswith(_ENDINGS):
        return True
    return _is_inflected(word)


def _is_inflected(word: str) -> bool:
    if len(word) > 4 and is_past(word) and not word.endswith("red"):
        return True
    if len(word) > 5 and word.endswith("ly") and word[:-2] in _LISTED:
        return True
    plural = len(word) > 3 and word.endswith("s") and not word.endswith("ss")
    return plural and (word[:-1] in _PLURALS or first_person(word) in _PLURALS)


def is_function(word: str) -> bool:
    """Whether a lower-case word has no meaning of its own: articles, pronouns, conjunctions."""
    return word in _FUNCTION


_FUNCTION: Final = FUNCTION | ENGLISH | _OTHER | INTERJECTIONS
_PLURALS: Final = _NOUNS | OCCUPATIONS
_LISTED: Final = _FUNCTION | _ADJECTIVES | _NOUNS | PERSON_NOUNS | OCCUPATIONS
