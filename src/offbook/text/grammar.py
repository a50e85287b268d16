"""The closed word classes of English that the rules of the offline model lean on.

Takes: nothing.  Gives: frozen sets of lower-case words. Source: ours; school grammar, no corpus.
"""

from __future__ import annotations

from typing import Final, Literal

Gender = Literal["m", "f", ""]


def word_set(text: str) -> frozenset[str]:
    """The words of ``text``."""
    return frozenset(text.split())


DETERMINERS: Final = word_set(
    "a an the this that these those my your his her its our their some any no every each either"
    " neither both all many much few several another such what which whose one two three four five"
    " six seven eight nine ten"
)
PREPOSITIONS: Final = word_set(
    "of in on at by for with from to into onto upon about against among amid around behind below"
    " beneath beside besides between beyond despite during inside near off opposite outside over"
    " past through throughout toward towards under underneath unlike up via within without across"
    " above along alongside concerning regarding except per"
)
AMBIGUOUS_PREPOSITIONS: Final = word_set("after before since until till than like as but for")
"""Words that lead either a noun or a clause."""
SUBORDINATORS: Final = word_set(
    "because although though while whilst when whenever where wherever whereas if unless whether"
    " that which who whom whose lest how why what so once"
)
COORDINATORS: Final = word_set("and or but nor yet then")
SUBJECT_PRONOUNS: Final = word_set("i he she it we they you there who")
OBJECT_PRONOUNS: Final = word_set("me him her it us them you himself herself itself themselves")
PRONOUNS: Final = SUBJECT_PRONOUNS | OBJECT_PRONOUNS | word_set("mine yours his hers ours theirs")
FIRST_PERSON: Final = word_set("i me my mine myself we us our ours ourselves")
AUXILIARIES: Final = word_set(
    "am is are was were be been being has have had do does did can could will would shall should"
    " may might must isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't"
    " cannot couldn't won't wouldn't shan't shouldn't mightn't mustn't"
)
ADVERBS: Final = word_set(
    "not never always often then soon now still ever also just only even thus twice again already"
    " sometimes usually seldom rarely almost quite rather too very well far much more most less"
    " later earlier first once here there perhaps indeed however therefore hence nevertheless"
    " nonetheless instead meanwhile moreover furthermore together alone away back down out forth"
    " afterwards afterward thereafter therein maybe both apparently himself herself myself itself"
)
DEGREE_AND_TIME: Final = word_set(
    "early late long hard fast straight yesterday today tomorrow tonight next last when"
)
FUNCTION: Final = (
    DETERMINERS
    | PREPOSITIONS
    | AMBIGUOUS_PREPOSITIONS
    | SUBORDINATORS
    | COORDINATORS
    | PRONOUNS
    | AUXILIARIES
    | ADVERBS
    | DEGREE_AND_TIME
)
"""Words without a subject of their own; they may be capitalised only by their place."""
AGE_AND_FAME: Final = word_set(
    "young younger old elderly ageing aging famous great little late dear"
)
"""What stands between an article and a name without making it another one ("the young Bach")."""
MONTHS_AND_DAYS: Final = word_set(
    "january february march april may june july august september october november december monday"
    " tuesday wednesday thursday friday saturday sunday christmas easter"
)
LANGUAGES: Final = word_set(
    "latin greek french english german italian russian spanish portuguese dutch polish hebrew"
    " arabic persian turkish chinese japanese korean hindi sanskrit egyptian gaelic welsh"
)
NUMERALS: Final = word_set(
    "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx"
)
NAME_PARTICLES: Final = word_set(
    "van von de der den du da di del della la le bin ibn al el of the y"
)

MALE_NOUNS: Final = word_set(
    "man boy father brother son uncle nephew grandfather grandson husband king emperor prince duke"
    " count baron lord gentleman monk abbot archduke archbishop widower stepfather stepbrother"
    " godfather knight bishop pope sultan pharaoh wizard waiter actor fellow lad schoolboy"
    " bridegroom half-brother father-in-law brother-in-law son-in-law great-uncle papa dad"
)
FEMALE_NOUNS: Final = word_set(
    "woman girl mother sister daughter aunt niece grandmother granddaughter wife queen empress"
    " princess duchess countess baroness lady nun abbess widow stepmother stepsister godmother"
    " witch waitress actress lass maid maiden bride mistress heroine priestess prophetess"
    " half-sister mother-in-law sister-in-law daughter-in-law great-aunt mama mum mom"
)
PERSON_NOUNS: Final = (
    MALE_NOUNS
    | FEMALE_NOUNS
    | word_set(
        "friend enemy rival teacher pupil student master servant slave doctor physician nurse judge"
        " lawyer captain general soldier officer sailor guard gaoler jailer prisoner priest"
        " composer conductor pianist singer poet writer author painter artist philosopher scientist"
        " cousin parent child baby sibling patron publisher secretary assistant apprentice"
        " colleague companion lover neighbour neighbor stranger visitor merchant banker farmer cook"
        " minister senator consul governor president prefect commander professor headmaster owner"
        " employer boss partner ally traitor thief murderer witness person someone somebody"
        " everyone ruler spouse suitor guardian tutor mentor innkeeper shipowner inspector"
        " detective magistrate"
    )
)
MALE_TITLES: Final = word_set(
    "mr mister sir lord king prince emperor duke count baron archduke father brother uncle monsieur"
    " herr signor señor don abbé abbe pope tsar sultan marquis viscount master"
)
FEMALE_TITLES: Final = word_set(
    "mrs miss ms madam madame mademoiselle lady queen princess empress duchess countess baroness"
    " sister mother aunt frau fräulein signora señora doña dame marquise"
)
TITLES: Final = (
    MALE_TITLES
    | FEMALE_TITLES
    | word_set(
        "dr doctor professor prof captain capt general colonel major sergeant lieutenant commander"
        " inspector detective officer judge saint st bishop archbishop cardinal consul senator"
        " president governor chief comrade agent reverend rev headmaster elector"
    )
)
GROUP_NOUNS: Final = word_set(
    "society house museum symphony symphonies concerto concertos sonata sonatas quartet quartets"
    " trio street road avenue square river lake mountain university college school academy"
    " institute institution foundation prize award festival orchestra hall theatre theater church"
    " cathedral abbey castle palace tower bridge station hotel inn company army legion party"
    " parliament senate republic empire kingdom war wars battle siege treaty act law laws age era"
    " period revolution rebellion testament variations mass opera ballet overture fantasy suite"
    " island islands sea ocean bay gulf coast north south east west library club league union"
    " council court family children brothers sisters dynasty crater day edition press"
)
"""Words that make a capitalised name the name of a thing, not of a person."""
MALE_NAMES: Final = word_set(
    "john james robert michael william david richard joseph thomas charles christopher daniel"
    " matthew anthony mark donald steven paul andrew joshua kenneth kevin brian george edward"
    " ronald timothy jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin"
    " scott brandon benjamin samuel gregory frank alexander raymond patrick jack dennis jerry tyler"
    " aaron jose adam henry nathan peter kyle walter harold jeremy ethan carl keith roger arthur"
    " lawrence albert johann ludwig karl franz friedrich heinrich wilhelm hans otto georg josef"
    " jean pierre louis jacques françois henri antoine marcel rene claude giovanni marco antonio"
    " luigi carlo pedro juan carlos luis miguel ivan boris vladimir dmitri nikolai sergei marcus"
    " gaius lucius publius quintus titus gnaeus harry ron fred tom tim jim joe bob bill ben sam max"
    " leo oscar hugo felix simon philip martin hugh ralph edmund edgar ernest isaac abraham moses"
    " omar ali ahmed mohammed hassan wolfgang ferdinand rudolf stefan anton augustus julius"
    " claudius"
)
FEMALE_NAMES: Final = word_set(
    "mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty"
    " margaret sandra ashley kimberly emily donna michelle carol amanda dorothy melissa deborah"
    " stephanie rebecca sharon laura cynthia kathleen amy angela shirley anna brenda pamela emma"
    " nicole helen samantha katherine christine catherine janet ruth maria heather diane virginia"
    " julie joyce victoria olivia kelly christina lauren joan evelyn judith megan andrea cheryl"
    " hannah jacqueline martha gloria teresa ann anne sara madison frances kathryn janice jean"
    " alice julia grace judy sophia sophie rose denise amber marilyn danielle beverly isabella"
    " theresa diana natalie brittany charlotte marie kayla alexis lori clara louise jane lucy ellen"
    " eleanor agnes ada ida irene eva elena olga nina natasha sonya tatiana josephine therese"
    " eugenie valentine mercedes molly lily edith florence harriet esther miriam leah rachel fatima"
    " leila yasmin nora"
)
