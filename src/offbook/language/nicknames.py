"""Given names: their short and pet forms, and whether men or women bear them.

Takes: a folded given name.  Gives: the formal names that it may stand for, whether two names may
be one, and the gender that goes with it. Source: ours; common knowledge of English, no corpus.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from offbook.language.grammar import FEMALE_NAMES, MALE_NAMES, Gender, word_set

_MALE_FORMS: Final = """
abraham: abe abie bram; albert: al bert bertie; alexander: alec alex alick sandy sawney sasha lex
alfred: alf alfie fred freddie; algernon: algy algie; ambrose: brose; andrew: andy drew
anthony: tony; antony: tony; archibald: archie archy baldy; arthur: art artie; august: gus
augustus: gus gussie; barnabas: barney; bartholomew: bart barty bat; benedict: ben
benjamin: ben benny benjy bennie; bernard: bernie barney; bertram: bert bertie; caleb: cal
charles: charlie charley chas chuck carl; christian: chris kit; christopher: chris kit kester
clarence: clare; clement: clem; clifford: cliff; cornelius: con neil corney; cuthbert: bert cuddy
cyril: cy; daniel: dan danny; david: dave davy davie; dennis: den denny; dominic: dom nick
donald: don donny; ebenezer: eben; edgar: ed ned; edmund: ed ned eddie ted teddy
edward: ed eddie ned neddy ted teddy; edwin: ed ned ted; elijah: lige; emmanuel: manny
ernest: ern ernie; eugene: gene; ezekiel: zeke; ferdinand: ferdy; francis: frank frankie fran
franklin: frank; frederick: fred freddie freddy fritz; frederic: fred freddie freddy
gabriel: gabe; geoffrey: geoff jeff; george: georgie georgy dod; gerald: gerry jerry
gilbert: gil bert gillie; godfrey: goff; gregory: greg; harold: hal harry; henry: hal hank harry
herbert: herb bert bertie; hezekiah: hez; horace: horry; horatio: horry; hubert: hugh bert
hugh: hughie; humphrey: humph numps; isaac: ike zac; jacob: jake jakey
james: jim jimmy jem jemmy jamie jimmie jims; jasper:; jeffrey: jeff; jeremiah: jerry
jeremy: jerry jem; jerome: jerry; john: jack johnny jock johnnie jackie
jonathan: jon jonny jonty; joseph: joe joey jos; joshua: josh; julian: jule; kenneth: ken
lancelot: lance; laurence: larry laurie lawrie loll; lawrence: larry laurie lawrie loll
leonard: len lenny leo; leopold: leo poldy; lewis: lew lewie; louis: lou louie; luke: lu
marmaduke: duke; martin: mart; matthew: mat matt matty; maurice: morry morrie mo
michael: mick micky mike mikey mickey; montague: monty; mortimer: mort morty; moses: mose moe
nathan: nat nate; nathaniel: nat nate natty; nicholas: nick nicky nicol; nicodemus: nick
oliver: nol noll ollie; oswald: oz ozzie; patrick: pat paddy patsy; percival: percy perce
percy: perce; peregrine: perry; peter: pete; philip: phil pip; phillip: phil pip
ralph: rafe ralphie; randolph: randy dolph; raphael: rafe; raymond: ray
reginald: reg reggie rex; reuben: rube ben; richard: dick dickie dicky rich richie rick
robert: bob bobby rob robbie robin bobbie bert dob; roderick: rod rory; rodney: rod; roger: hodge
roland: rollo rowley; ronald: ron ronnie; rudolph: rudy rolf dolph; rupert: rube
samuel: sam sammy; sebastian: seb bastian; sidney: sid; sigismund: sig ziggy
silvester: sil vester; simeon: sim; simon: si sim; solomon: sol solly; stanley: stan
stephen: steve stevie steenie; steven: steve stevie; sydney: syd
theodore: ted teddy theo dore
theophilus: theo; thomas: tom tommy tam thom tommie; timothy: tim timmy; tobias: toby
valentine: val; victor: vic; vincent: vin vince vinny; walter: wat walt wally
wilfred: wilf fred; wilfrid: wilf; wilhelm: will willy; william: will willie willy bill billy wills
zachariah: zach zack; zachary: zach zack; dmitri: mitya dima; ivan: vanya; nikolai: kolya
mikhail: misha; alexei: alyosha; rodion: rodya; pyotr: petya; pavel: pasha; sergei: seryozha
giuseppe: beppe peppino; giovanni: gianni nino; francesco: cecco franco; antonio: tonio toni
johannes: hans johann; johann: hans; heinrich: heinz; friedrich: fritz; josef: sepp
"""
_FEMALE_FORMS: Final = """
abigail: abby nabby gail; adelaide: addie addy ada; adeline: addie addy ada lina
agatha: aggie; agnes: aggie nessie nessa; alexandra: alex sandra sasha; alice: ally allie elsie
amelia: amy milly emmy millie; anastasia: ana stacy stasia; angelina: angie lina; ann: nan nancy
annie: nan; anna: annie nan nancy; anne: annie nan nancy nanny nan annette
antoinette: toni nettie netty; antonia: toni; annabel: bel bella; arabella: bella bel bell
araminta: minta minty; augusta: gussie gusta; barbara: babs barbie bab; beatrice: bea trix bee
beatrix: trix trixie bea; belinda: bel linda; bertha: bertie; bridget: biddy bride bridie
caroline: carrie caro carry lina line; carolina: carrie lina; cassandra: cass cassie
catherine: cathy kate kitty katie kit kittie cassy
katherine: kate kitty katie kathy kit kay; katharine: kate kitty katie kathy kit kay
kathleen: kate kathy katie kitty; cecilia: cissy cis cecily celia sis; cecily: cis cissy
charlotte: lottie lotty charley chatty; christina: chris tina chrissie; christiana: chris chrissie
clarissa: clara clary; clementina: clem clemmie tina; constance: connie; cordelia: delia cordy
cornelia: nelly corrie; deborah: deb debby; diana: di die; dinah: di; dorothea: dolly dora thea dot
dorothy: dolly dora dot dottie doll dolly; edith: edie ede; eleanor: nell nelly ellen nora nellie
eleanora: nora nell; elinor: nell nelly ellen nora nellie; ellen: nell nelly nellie nel
elizabeth: eliza liz lizzy lizzie betty beth betsy bess bessie bessy bet libby lisa elsie lisbeth
eliza: lizzy lizzie liz betsy; elisabeth: eliza elise lisa bess; emily: em emmy milly emmie
emma: em emmy; emmeline: emmy em; ernestine: tina; esther: essie hester hetty; hester: hetty essie
eugenia: genie; eulalia: lalla eula; evangeline: eva evie; eveline: eva evie eve; evelyn: evie eve
eva: evie; eve: evie; felicia: fee; flora: flo florrie; florence: flo florrie flossie floss flora
frances: fanny fannie fan fran frankie francie; francesca: fran; frederica: freddie frieda rica
georgiana: georgy georgie; georgina: georgie gina; geraldine: gerry; gertrude: gertie gert trudy
grace: gracie; griselda: zelda grissel; gwendolen: gwen; gwendoline: gwen; hannah: nan
harriet: hattie hatty harry; henrietta: hetty etta hattie nettie henny harriet
helen: nell nelly nellie
helena: lena nell nelly; hepzibah: hepsy; honora: nora honor; isabel: bell bella belle izzy tibby
isabella: bell bella belle izzy ella; jacqueline: jackie; jane: janey jenny jennie janet
janet: jenny jessie; jean: jeannie jenny; jeanette: nettie; jemima: mima jem; jennifer: jenny jen
jessica: jess jessie; joanna: jo joan; johanna: jo hanna; josephine: jo josie posy josey; joyce: joy
judith: judy; julia: jule julie; juliana: jule; juliet: julie; julia:; laura: laurie lolly
lavinia: vinnie; leonora: nora leo; letitia: letty lettice tish; lilian: lily lil lilly
lillian: lily lil lilly; louisa: lou louie lulu; louise: lou louie lulu; lucinda: lucy cindy
lucretia: crissy; lucy: lou luce; lydia: liddy; mabel: mab may; madeleine: maddy lena
magdalen: lena maud maudlin; magdalena: lena; marcella: marcie; margaret: maggie meg madge peggy
margaret: margie marge greta daisy peg meggie mag maisie margery rita; margaretta: greta
margery: madge; marguerite: daisy margot; maria: mia; marian: mary molly; marianne: mary
martha: patty mattie matty; mary: molly polly moll may mamie mollie minnie; marjorie: madge
matilda: tilly matty maud tillie mattie; maud: maudie; mercedes: mercy; mildred: milly millie
millicent: milly millie; minerva: minnie; miranda: mira randy; miriam: mimi
myrtle: myrt; natalia: natasha nata; olivia: livy ollie; ophelia: phelia; pamela: pam
patience: pat; patricia: pat patty tricia; paulina: polly; penelope: pen penny nell
philippa: pip pippa; philomena: mena; phoebe: fee; priscilla: prissy cilla priss
prudence: prue pru; rachel: rae ray; rebecca: becky beck becca; regina: gina reggie
rosalind: rosa rose ros; rosamond: rosa rose rosy; rosamund: rosa rose rosy; rosanna: rose rosie
rose: rosie rosy; rosemary: rose rosie; rosina: rosa rosy; ruth: ruthie; sabina: bina
sarah: sally sal sadie sallie; selina: lina; sibylla: sib; sophia: sophy sophie sonya
sophronia: sophy; stella: stell; susan: sue susie susy sukey; susanna: sue sukey susie susan
susannah: sue sukey susie susan; sylvia: syl; tabitha: tabby; teresa: tess tessa terry
theodora: dora theo; theodosia: dosia; theresa: tess tessa terry; ursula: ursie
victoria: vicky vic; violet: vi; virginia: ginny ginger; wilhelmina: mina minna willa minnie billie
winifred: winnie freda win; tatiana: tanya; anastasiya: nastya; avdotya: dunya
sofya: sonya; mariya: masha; yekaterina: katya; katerina: katya; lyudmila: mila
"""
_MALE_MORE: Final = word_set(
    "abel adolphus adrian alan alasdair alistair allan allen alphonse alphonso ambrose amos angus"
    " aubrey austin basil bruce bruno cecil clive colin conrad cyrus"
    " desmond duncan dudley edwin egbert elias emile enoch erasmus ernst eustace evan ezra"
    " felipe gaston gavin gerard gideon gordon guido guy gustav hamish harvey hector hercules"
    " herman hiram ignatius ira israel jabez jethro job joel josiah julio jude leander"
    " lionel lorenzo lucas ludovic malcolm marcus mario miles morris nahum neil nigel noah norman"
    " obadiah"
    " octavius orlando otis owen paolo phineas prosper quentin ramon raoul reynold rhys rufus"
    " sampson saul seth sigmund silas spencer sylvester terence thaddeus urban uriah vernon"
    " virgil warren washington wesley wilbur wolf xavier zadok etienne emil gottfried hermann"
    " jean-paul andre armand edmond emile eugene fernand gustave jules leon lucien maxime olivier"
    " philippe rodolphe theodore thierry victor yves guillaume gerhard klaus kurt rolf werner"
)
_FEMALE_MORE: Final = word_set(
    "ada adela adele agatha alma althea amabel amanda anastasia annie annis antonia arabella"
    " audrey aurora avis beatrice bella bertha bianca blanche bridget camilla carla carmen"
    " caroline cassandra cecilia celia celestine charity chloe claire clarissa claudia clementine"
    " cleopatra constance cora cordelia daisy daphne delia della dinah dora doris dorothea effie"
    " electra eliza ella elsa elsie emmeline enid erica ernestine estella estelle ethel etta"
    " eugenia eunice euphemia evangeline eve faith fanny fannie felicity fleur flora fiona frieda"
    " gabrielle"
    " genevieve georgiana georgina geraldine gertrude ginevra giulia gladys griselda gwen hedwig"
    " helga henrietta hephzibah hermia hermione hilda honoria hope horatia hortense ida imogen ines"
    " ingrid iris isabel isadora isobel ivy jacintha janey jemima jenny jessie joanna"
    " juno kate katie kitty lavinia lena leonora letitia lettice lettie lilian lillian"
    " lilias lola lorna lottie louisa lucia lucilla lucille lucinda lucretia luisa lydia"
    " mabel madeleine madeline magda maggie marcia margot maria marian marianna marianne"
    " marina marion marjorie maud maude mavis may melanie mercy mildred millicent"
    " minna minnie miranda molly monica muriel myra myrtle nadia nell nelly nettie"
    " octavia olive olympia ophelia ottilie pansy patience paula pauline pearl penelope perdita"
    " phoebe phyllis polly portia priscilla prudence rhoda rosa rosalie rosalind rosamond rosamund"
    " roxana sabina sally selina seraphina sibyl sidonie stella susanna susannah sylvia tabitha"
    " tess thea theodora tilly titania ursula vera verena veronica viola violet vivian wilhelmina"
    " winifred yvonne zelda zoe adeline josie judy juliet becky betsy bess bessie betty"
    " celeste denise francoise germaine henriette jeanne madelon margot mathilde"
    " solange suzanne elise gretchen greta heidi liesel lotte trude"
)
_STEM: Final = 3
_LONG_NAME: Final = 5
_WOMENS: Final = ("onie", "anie", "enie")
"""Women's names made of men's ("Stephanie"); no pet forms."""
_ENDINGS: Final = ("ise", "ette", "elle", "enne", "otte", "ina", "ella", "etta", "inda", "ilde")
_OF_THEIR_OWN: Final = word_set(
    "nancy ellen flora clara lily rose rosa daisy emma eva ella nora lena stella mercy may maud"
    " alice marian mary maria judith juliet joan joanna jane anna ann anne lucy robin jenny harriet"
    " annette rosemary lisa elise celia clare sandra linda gail dora thea eve amy ada laura"
    " hugh leo mark lewis ray jean carl gene"
)
"""Short forms that parents give as names: two people of a family may bear both."""


def _read(text: str) -> dict[str, frozenset[str]]:
    """Short form to formal names, from ``formal: short short; formal: ...``."""
    table: dict[str, set[str]] = {}
    for entry in text.replace("\n", ";").split(";"):
        formal, _, shorts = entry.partition(":")
        for short in shorts.split():
            table.setdefault(short, set()).add(formal.strip())
    return {short: frozenset(formals) for short, formals in table.items()}


_MALE_SHORT: Final = _read(_MALE_FORMS)
_FEMALE_SHORT: Final = _read(_FEMALE_FORMS)
_MALE: Final = (
    MALE_NAMES | _MALE_MORE | set(_MALE_SHORT) | {n for f in _MALE_SHORT.values() for n in f}
)
_FEMALE: Final = (
    FEMALE_NAMES
    | _FEMALE_MORE
    | set(_FEMALE_SHORT)
    | {n for f in _FEMALE_SHORT.values() for n in f}
)


@lru_cache(maxsize=1 << 14)
def formal_names(name: str) -> frozenset[str]:
    """The names that ``name`` may be short for, itself included."""
    found = _MALE_SHORT.get(name, frozenset()) | _FEMALE_SHORT.get(name, frozenset())
    return found | {name}


@lru_cache(maxsize=1 << 16)
def may_be_one(a: str, b: str) -> bool:
    """Whether two folded given names may be forms of one: Lizzy and Elizabeth, Will and Bill.

    Spelling variants of the ending (Fanny, Fannie) and pet forms made of the name's head
    (Bobby, Bobkins) count.
    """
    if a == b or not formal_names(a).isdisjoint(formal_names(b)):
        return True
    return name_stem(a) == name_stem(b)


def is_own_name(name: str) -> bool:
    """Whether a short form is as often a name of its own ("Nancy", "Ellen")."""
    return name in _OF_THEIR_OWN


@lru_cache(maxsize=1 << 14)
def name_stem(name: str) -> str:
    """The name without a pet ending: ``fannie``, ``fanny`` and ``fan`` give ``fan``."""
    for ending in ("ikins", "kins", "ie", "ey", "y"):
        stem = name.removesuffix(ending)
        if stem != name and len(stem) >= _STEM and not name.endswith(_WOMENS):
            name = stem
            break
    return name[:-1] if len(name) > _STEM and name[-1] == name[-2] else name


def gender_by_ending(name: str) -> Gender:
    """The gender of a folded given name that no list has, by an ending that women's names have."""
    return "f" if len(name) >= _LONG_NAME and name.endswith((*_WOMENS, *_ENDINGS)) else ""


def gender_of_given(name: str) -> Gender:
    """The gender of who bears a folded given name; empty where both do or it is unknown."""
    male, female = name in _MALE, name in _FEMALE
    if male == female:
        return ""
    return "m" if male else "f"


def is_given(name: str) -> bool:
    """Whether a folded word is known as a given name."""
    return name in _MALE or name in _FEMALE
