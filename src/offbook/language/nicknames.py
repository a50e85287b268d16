"""Given names: their short and pet forms, and whether men or women bear them.

Takes: a folded given name.  Gives: the formal names that it may stand for, whether two names may
be one, and the gender that goes with it. Source: ours; common knowledge of English, no corpus.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from offbook.language.grammar import FEMALE_NAMES, MALE_NAMES, Gender, word_set
from offbook.language.russian_names import FEMALE_FORMS as RUSSIAN_WOMEN
from offbook.language.russian_names import MALE_FORMS as RUSSIAN_MEN
from offbook.language.russian_names import pet_forms

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
zachariah: zach zack; zachary: zach zack; huckleberry: huck; constantine: con; jeremy: jem
obadiah: obie; zebedee: zeb; thaddeus: thad tad; erasmus: ras; lemuel: lem
phineas: phin finn; ichabod: ick; silas: si; elias: eli; philander: phil; columbus: lum
giuseppe: beppe peppino pepe peppe; giovanni: gianni nino; francesco: cecco franco checco
antonio: tonio toni tonino; luigi: gigi; filippo: pippo; lorenzo: renzo; domenico: mimmo
johannes: hans johann; johann: hans hannes; heinrich: heinz heini; friedrich: fritz friedel
josef: sepp jupp; anton: toni; franz: franzl; wilhelm: willi; ulrich: uli ulli; joachim: jochen
georg: jorg schorsch; nikolaus: klaus; konrad: kurt; ludwig: lutz wiggerl; dietrich: dieter
matthias: matz; sebastian: wastl basti; michael: michel; jose: pepe pepito; francisco: paco pancho
francisco: curro paquito; juan: juanito juancho; ignacio: nacho; manuel: manolo manolito
pedro: perico; enrique: quique; rafael: rafa; jesus: chucho; luis: lucho luisito; carlos: carlitos
eduardo: lalo; alfonso: poncho; miguel: miguelito; jean: jeannot; pierre: pierrot; charles: charlot
georges: jojo; louis: loulou; philippe: phil; phillip: philip; stephen: steven; jeffrey: geoffrey
frederick: frederic; katharine:; frederik: fritz; laurence: lawrence
adolphus: dolph; alexander: eck sawnie; alonzo: lon; angus: gus
asahel: ase; augustine: gus austin; barnard: barney; bartholomew: tolly; benjamin: benjie
bertrand: bert bertie; calvin: cal; cyrus: cy; dominick: nick; donald: dod; duncan: dunc
ebenezer: eb ben; edgar: eddie; edward: eddy; edwin: eddie teddy; egbert: bert bertie
emanuel: manny; ernest: erny; ethelbert: bert bertie; fergus: fergie; fitzwilliam: fitz
fitzgerald: fitz; george: geordie dod; gideon: gid; gustave: gus; gustavus: gus guss
hamish: jamie; jacob: coby; james: jeames jas; jedediah: jed; john: jacky jacko ian
josephus: joe; josiah: joe si; kenneth: kenny; lawrence: lorry; lionel: leo; llewellyn: lew
malcolm: mal; maximilian: max; murdoch: murdo; nathaniel: nathan; nicholas: colin; obadiah: obe
osbert: bert bertie; oswald: ozzy; peter: pierce peterkin; randall: randy ran
richard: dickon diccon rickie; robert: rab rabbie bertie; roderick: roddy; rodolphus: dolph
rufus: rufe; rupert: rupe; russell: russ; sampson: sam; samson: sam; sylvester: vester
thaddeus: teddy; theobald: theo tib; urian: uri; walter: wattie; wilfrid: fred; william: liam wullie
zebulon: zeb; zedekiah: zed; owen: owney; torquil: quil; cornelius: corny; lysander: sandy
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
catherine: katherine katharine catharine kathryn katharina; anne: ann anna; ann: anna
elizabeth: elisabeth; sara: sarah; sophia: sophie; isabel: isabella isobel; susanna: susannah
helena: helen helene; hanna: hannah; honora: honor norah; nora: norah; eliza: lizer
cecilia: sissy cissie sissie; cecily: sissy; louisa: loo lulie; nancy: nance; caroline: caddy
melanie: mellie melly; hephzibah: eppie; euphemia: effie phemie; mehitabel: hetty hitty
elspeth: elspie; emily: em'ly; emmeline: emmie; florence: florry floy; alexandra: xandra
rosalie: rosie; gwendolyn: gwen; constance: connie con; lilian: lillie; millicent: mill
dolores: lola lolita; concepcion: concha conchita; guadalupe: lupe; mercedes: merche
francisca: paca paquita; josefa: pepa pepita; maria: maruja; teresa: teresita
ana: anita; isabel: chabela; elise: lisette; jeanne: jeannette; marguerite: margot gretchen
antoinette: toinette; anne: nanon ninon; francoise: fanchon; suzanne: suzon suzette
margarete: grete gretchen gretel; margarethe: grete gretchen; charlotte: lotte lottchen
katharina: kathe kathchen; gertrud: trude; elisabeth: liesel lieschen lisbeth ilse else
therese: resi; antonie: toni; auguste: gusti; maria: mizzi mitzi; klara: klarchen
christine: christel stine; amalie: malchen; karoline: line lina; luise: lulu
luisa: gigia; caterina: rina catina; giovanna: gianna; annunziata: nunziata
adelaide: della heidi; agnes: aggy; alexandra: alix; alice: alicia; alicia: ally; alison: ally
amanda: mandy manda; amelia: melia; angela: angie; angelica: angie; annabel: annie
annabella: bella bel; augusta: gusty; barbara: babette; catherine: cathie kathleen
celestina: tina; charlotte: lotta; christabel: bel; christina: kirsty teenie chrissy
clarissa: lissa; claribel: bel; clementine: clemmie; cordelia: dell; cynthia: cindy; delia: dell
dorothea: dodo; dorothy: dodo; edwina: winnie; eleanor: ellie lena; elinor: ellie; ellen: ellie
elizabeth: betsey bettina lillibet tetty issy lilibet; elspeth: elsie eppie; ernestina: tina
evelina: evie lina; georgina: ina; grizel: grizzy grizzie; hannah: annie; helen: ellen
henrietta: etty; hepzibah: eppie; hermione: minnie; honoria: nora norah; isabel: issy isie tibbie
isabella: issy isa tibbie; isobel: isie tibbie; jane: jean janie jinny jen jeanie
jemima: mimi; julia: juley; juliana: juley; lavinia: viney; lilias: lily; lydia: lyddy
madeline: maddie; madeleine: maddie madge; malvina: viney; margaret: mags magsie meta mysie maisie
marianne: minny; marjory: madge mysie maidie; martina: tina; mary: mally maidie
matilda: tilda; mehetabel: hetty; melissa: lissa; mercy: merry; miranda: mandy; miriam: mim
natalie: nattie; nathalie: nattie; olivia: livvy; pamela: mela; parthenia: thenie; permelia: melia
phoebe: pheeb; rosabel: rosie; roxana: roxy; roxanne: roxy; serena: rena
susan: suky; susannah: suky; sybil: sib; theodosia: dosy; thomasin: tamsin; wilhelmina: mena
"""
_MALE_MORE: Final = word_set(
    "abel adolphus adrian alan alasdair alistair allan allen alphonse alphonso ambrose amos angus"
    " aubrey austin basil bruce bruno cecil clive colin conrad cyrus desmond duncan dudley edwin"
    " egbert elias emile enoch erasmus ernst eustace evan ezra felipe gaston gavin gerard gideon"
    " gordon guido guy gustav hamish harvey hector hercules herman hiram ignatius ira israel jabez"
    " jethro job joel josiah julio jude leander lionel lorenzo lucas ludovic malcolm marcus mario"
    " miles morris nahum neil nigel noah norman obadiah octavius orlando otis owen paolo phineas"
    " prosper quentin ramon raoul reynold rhys rufus sampson saul seth sigmund silas spencer"
    " sylvester terence thaddeus urban uriah vernon virgil warren washington wesley wilbur wolf"
    " xavier zadok etienne emil gottfried hermann jean-paul andre armand edmond eugene fernand"
    " gustave jules leon lucien maxime olivier philippe rodolphe theodore thierry victor yves"
    " guillaume gerhard klaus kurt rolf werner ashley marius alexis evelyn beverly shirley leslie"
    " hilary jocelyn vivian lindsay andrea camille mordecai aaron abner absalom adam amasa asa"
    " barnaby benoni eli eliphalet elisha emery enos ephraim esau ethan gamaliel hosea ishmael"
    " jared jason jedediah jeremy jesse jonas jonah jotham laban lemuel matthias micah nehemiah"
    " otto roscoe scipio seneca simeon titus tobit ulysses uzziah zebulon arnold barnard brendan"
    " brian cedric chauncey claud claude clement crispin cuthbert damian damon darius darrell"
    " derek derrick dirk edgar elmer ernest esmond fabian felix fergus gareth giles hubert ian"
    " ivor jasper jerome jolyon justin lloyd lucian magnus marmaduke melvin osbert osric otho"
    " patroclus percival perceval reynard rhett roderick roland rudyard rupert soames stanley"
    " sylvanus tancred terry theobald tristram trevor tyrone wilbert wilfred wilmot winston"
    " woodrow ambroise amedee anatole antonin aristide arsene auguste augustin aurelien barthelemy"
    " baptiste bertrand blaise cesar charlot christophe clovis cyprien eloi emilien felicien"
    " fabrice florent frederic gaspard gilles gregoire hippolyte isidore jacquot joachim julien"
    " laurent leandre leonce leopold mathieu maximilien modeste nicolas octave pascal raymond remi"
    " rodrigue roger romain saturnin silvain sylvain tancrede theophile tristan ulysse urbain"
    " valery achim adalbert adolf albrecht alois arnim axel balthasar bernhard botho burkhard"
    " clemens dietmar eberhard eckart egon erhard erich erwin ewald fridolin gebhard geert gerd"
    " gero gottlieb gregor gunther gunter hagen hanno hartmut hasso helmut henning herbert hinrich"
    " holger horst hugo ingo jens jost julius jurgen kai karsten kaspar knut lothar luther manfred"
    " meinhard norbert oskar otfried ottokar reinhard reinhold rudiger ruprecht siegfried siegmund"
    " sigurd theodor tilman tobias torsten ulf utz veit volker waldemar walther wenzel wolfram"
    " alejandro alfonso alonso alvaro andres arturo aureliano baltasar bartolome bernardo camilo"
    " clemente diego domingo eduardo emilio enrique esteban eusebio evaristo federico fermin"
    " fernando fernan florentino fortunato francisco gabriel gaspar gil gines gonzalo gregorio"
    " gustavo hernan hernando ignacio jaime javier jeronimo joaquin jorge jose julian lazaro"
    " leandro lope luciano manuel mateo mauricio melchor octavio pablo pascual patricio rafael"
    " ramiro rodrigo ruben sancho santiago sebastian silvestre teodoro tomas vicente achille"
    " alberto alessandro alfredo amedeo angelo arrigo baldassare benvenuto carlo cesare cosimo"
    " dante domenico emanuele enrico enzo ercole ettore fabrizio federigo filippo francesco"
    " gaetano gaspare gennaro giacomo gianluca gino giorgio giuliano giulio guglielmo leonardo"
    " lodovico maffeo massimo matteo maurizio michele niccolo nicola ottavio pasquale pietro"
    " raffaele renato renzo riccardo roberto salvatore silvio stefano tancredi tommaso ugo umberto"
    " valerio vincenzo vittorio"
)
_FEMALE_MORE: Final = word_set(
    "ada adela adele agatha alma althea amabel amanda anastasia annie annis antonia arabella"
    " audrey aurora avis beatrice bella bertha bianca blanche bridget camilla carla carmen"
    " caroline cassandra cecilia celia celestine charity chloe claire clarissa claudia clementine"
    " cleopatra constance cora cordelia daisy daphne delia della dinah dora doris dorothea effie"
    " electra eliza ella elsa elsie emmeline enid erica ernestine estella estelle ethel etta"
    " eugenia eunice euphemia evangeline eve faith fanny fannie felicity fleur flora fiona frieda"
    " gabrielle genevieve georgiana georgina geraldine gertrude ginevra giulia gladys griselda"
    " gwen hedwig helga henrietta hephzibah hermia hermione hilda honoria hope horatia hortense"
    " ida imogen ines ingrid iris isabel isadora isobel ivy jacintha janey jemima jenny jessie"
    " joanna juno kate katie kitty lavinia lena leonora letitia lettice lettie lilian lillian"
    " lilias lola lorna lottie louisa lucia lucilla lucille lucinda lucretia luisa lydia mabel"
    " madeleine madeline magda maggie marcia margot maria marian marianna marianne marina marion"
    " marjorie maud maude mavis may melanie mercy mildred millicent minna minnie miranda molly"
    " monica muriel myra myrtle nadia nell nelly nettie octavia olive olympia ophelia ottilie"
    " pansy patience paula pauline pearl penelope perdita phoebe phyllis polly portia priscilla"
    " prudence rhoda rosa rosalie rosalind rosamond rosamund roxana sabina sally selina seraphina"
    " sibyl sidonie stella susanna susannah sylvia tabitha tess thea theodora tilly titania ursula"
    " vera verena veronica viola violet vivian wilhelmina winifred yvonne zelda zoe adeline josie"
    " judy juliet becky betsy bess bessie betty celeste denise francoise germaine henriette jeanne"
    " madelon mathilde solange suzanne elise gretchen greta heidi liesel lotte trude abigail"
    " achsah alethea alicia amaryllis amelie anabel andromache annabella antigone arabel ariadne"
    " athena augusta averil barbary bathsheba belinda benita berenice beryl beulah brenda brigid"
    " candace candida carlotta carol carrie cecile cherry christabel christiana cicely clementina"
    " cleo clorinda columbine consuelo coral corinna cosette cressida cynthia damaris deirdre"
    " delphine demelza desdemona dodo dolores doll dorcas dorinda drusilla dulcie ebba edna effi"
    " eileen eilidh elaine elfrida elspeth elvira emilia ernesta esmeralda eudora eulalie eustacia"
    " felise fenella fidelia flavia florinda fortunata frederica georgette gillian ginny gloriana"
    " goneril gudrun guinevere gwenda gwyneth hepzibah hero hesper hyacinth imelda iphigenia"
    " isolde jacquetta jael jocasta joy joyce julietta katrina keziah kezia keturah laetitia"
    " lalage lavender leda leila lesbia lilith lisbeth lois lorelei lorraine lucasta lucetta"
    " lucilia maisie malvina margareta mariana mariette marietta marigold martina matilda maureen"
    " medea mehitabel melissa melusine meredith minerva modesty morgana mona nadine nanette naomi"
    " nerissa nesta nicolette nina noreen norma octavie odette odile olwen oriana ottoline pandora"
    " parthenia paulette persis petra petronella philomel phyllida pomona primrose prunella psyche"
    " queenie ramona regan rena renata rosabel rosaline rosina rowena roxane sabrina salome"
    " sapphira scarlett seraphine serena shirley sibylla sidonia silvia sophonisba sybil sylvie"
    " tamar tamsin thelma theresa thisbe thomasin thyrza trixie trudy una unity urania valeria"
    " vanessa venetia vida virginie vivien wanda wendy xanthe yseult zenobia zillah zuleika"
    " adelheid agathe aglaia albertine alberte amalie anastasie andree angelique anneliese antonie"
    " apolline aurelie aurore babette beate benedicte bettina bettine bianche brigitte brunhilde"
    " camille catherine celine christel christine claudine clemence clothilde cornelie corinne"
    " diane dorothee edmee edwige eleonore elisa elsbeth emilie emma esther eugenie euphrasie"
    " fanchette fantine felicie fernande flore franziska friederike gabriele gerda gervaise"
    " gilberte gisela gisele grete hannelore hedda heidrun helene hermine hilde hildegard honorine"
    " ilse inge ingeborg irmgard isabelle jacqueline janine johanna josephine jutta karoline"
    " katharina klara kunigunde laure leonie leonore liese lisette lorle louison luise magdalene"
    " mareike margarete margarethe marlene marthe melitta mechthild micheline mimi mireille nicole"
    " noemie oda olympe pascale renate renee reine rosemarie roswitha ruth sabine sieglinde simone"
    " sophie stephanie susanne suzette sylvaine therese thekla ursel ute valerie victorine"
    " waltraud wilhelmine yolande zenaide agueda amparo ana angela angustias asuncion aurelia"
    " beatriz belen benigna bernarda blanca camila carlota casilda catalina cayetana clara concha"
    " consolacion cristina dorotea dulcinea elena encarnacion esperanza eulalia eva gertrudis"
    " gloria graciela guadalupe guiomar irene jacinta josefa juana leocadia leonor leticia"
    " luscinda magdalena manuela marcela margarita maruja mercedes micaela milagros nieves obdulia"
    " paca paloma paulina perfecta pilar purificacion raquel remedios rocio rosario rufina sofia"
    " soledad teresa tristana trinidad visitacion yolanda adriana agnese alba amalia angiolina"
    " anna annunziata assunta benedetta caterina chiara clarice concetta costanza domenica donata"
    " eleonora elisabetta fiammetta filomena francesca gemma giovanna giuditta giuliana giuseppina"
    " grazia ippolita isabella laura lia livia lucrezia maddalena margherita marta matilde nella"
    " nunziata orsola ottavia paola perpetua rosalba rosaura serafina simonetta tosca valentina"
    " vittoria"
)
_STEM: Final = 3
_LONG_NAME: Final = 5
_WOMENS: Final = ("onie", "anie", "enie")
"""Women's names made of men's ("Stephanie"); no pet forms."""
_ENDINGS: Final = (
    "ise",
    "ette",
    "elle",
    "enne",
    "otte",
    "ina",
    "ella",
    "etta",
    "inda",
    "ilde",
    "ine",
    "ia",
)
_OF_THEIR_OWN: Final = word_set(
    "nancy ellen flora clara lily rose rosa daisy emma eva ella nora lena stella mercy may maud"
    " alice marian mary maria judith juliet joan joanna jane anna ann anne lucy robin jenny harriet"
    " annette rosemary lisa elise celia clare sandra linda gail dora thea eve amy ada laura"
    " hugh leo mark lewis ray jean carl gene"
)
"""Short forms that parents give as names: two people of a family may bear both."""


def _read(western: str, russian: str) -> dict[str, frozenset[str]]:
    """Short form to formal names, from ``formal: short short; formal: ...``."""
    table: dict[str, set[str]] = {}
    for text, russia in ((western, False), (russian, True)):
        for entry in text.replace("\n", ";").split(";"):
            formal, _, shorts = entry.partition(":")
            for short in shorts.split():
                for form in (short, *(pet_forms(short) if russia else ())):
                    table.setdefault(form, set()).add(formal.strip())
            if russia and formal.strip():
                table.setdefault(formal.strip(), set()).add(formal.strip())
    return {short: frozenset(formals) for short, formals in table.items()}


_MALE_SHORT: Final = _read(_MALE_FORMS, RUSSIAN_MEN)
_FEMALE_SHORT: Final = _read(_FEMALE_FORMS, RUSSIAN_WOMEN)
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
    if not found and name not in _MALE | _FEMALE and (first := _first_of_two(name)):
        found = formal_names(first)
    return found | {name}


def _first_of_two(name: str) -> str:
    """The first of two names that a hyphen joins, where it is known: "Anne" of "Anne-Ruth"."""
    first, hyphen, second = name.partition("-")
    return first if hyphen and second and is_given(first) else ""


@lru_cache(maxsize=1 << 16)
def may_be_one(a: str, b: str) -> bool:
    """Whether two folded given names may be forms of one: Lizzy and Elizabeth, Will and Bill.

    Spelling variants of the ending (Fanny, Fannie) and pet forms made of the name's head
    (Bobby, Bobkins) count.
    """
    if a == b:
        return True
    if "-" in a and "-" in b:
        return False  # "Anne-Ruth" and "Anne-Rose" are two; either is called "Anne"
    if not formal_names(a).isdisjoint(formal_names(b)):
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
    if not (male or female) and (first := _first_of_two(name)):
        return gender_of_given(first)
    if male == female:
        return ""
    return "m" if male else "f"


def is_given(name: str) -> bool:
    """Whether a folded word is known as a given name."""
    return name in _MALE or name in _FEMALE or bool(_first_of_two(name))
