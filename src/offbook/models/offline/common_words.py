"""Common English words, so that a capital at the head of a sentence does not make a name.

Takes: a lower-case word.  Gives: whether it is an ordinary word of the language rather than a name.
Source: ours, on top of ``offbook.language.english_words``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from offbook.language.english_words import is_english
from offbook.language.grammar import FUNCTION, PERSON_NOUNS, word_set
from offbook.language.stopwords import ENGLISH
from offbook.language.words import fold
from offbook.models.offline.name_words import COUNTRIES_AND_CITIES, is_given_name

INTERJECTIONS: Final = word_set(
    "ah oh o eh ha hah ho hey hi hello halloo hullo hush hurrah hurray huzza bah pooh pshaw ugh"
    " alas ay aye nay yea yes yeah no nope ok okay well why bravo amen damn hang goodness"
    " gracious heavens heaven indeed lo hark farewell goodbye good-bye welcome please pray"
    " thanks thank sorry sir madam madame ma'am gentlemen ladies fie tut um hm hmm mm dear"
    " god lord providence fool rubbish nonsense bless begone behold"
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
