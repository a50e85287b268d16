"""Which text shows that two names are one person's."""

from __future__ import annotations

import pytest

from offbook.graph.point_in_time import ToldTogether
from offbook.names.identity import name_key
from offbook.types import Chunk


def first_that_shows(a, b, *texts, by_person=False, forms=((), ())):
    """The number of texts, from the first on, after which two names are one; None: never."""
    chunks = {
        str(at): Chunk(str(at), "story", "graph", at, 0, len(text), (), text)
        for at, text in enumerate(texts)
    }
    for known in range(len(texts) + 1):
        told = ToldTogether(chunks, list(chunks)[:known])
        one, other = ([name_key(n) for n in names] for names in ((a, *forms[0]), (b, *forms[1])))
        if told.holds(one, other, (), by_person=by_person):
            return known
    return None


TABLE = """
Tom Wren | Grey Fox | Tom Wren fled from the Grey Fox. | Tom Wren is the Grey Fox.
Tom Wren | Grey Fox | Tom Wren is not the Grey Fox. | The Grey Fox was Tom Wren!
Tom Wren | Grey Fox | Tom Wren was afraid of the Grey Fox. | Tom Wren, alias Grey Fox.
Tom Wren | Grey Fox | Tell me, Tom Wren, was the Grey Fox there? | Tom Wren, who was the Grey Fox.
Anna Vogt | Elster | Anna Vogt jagte die Elster. | Die Elster war niemand anderes als Anna Vogt.
Anna Vogt | Elster | Sie fragte Anna Vogt, was die Elster wolle. | Anna Vogt war die Elster.
Marco Neri | Volpe | Marco Neri e la Volpe fuggirono. | Marco Neri è la Volpe.
李明 | 灰狐 | 李明害怕灰狐。 | 原来李明就是灰狐。
李明 | 灰狐 | 老师问李明，是灰狐来了吗。 | 李明就是灰狐。
"""
"""Two names, a sentence that names both, and one that says that they are one."""


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
@pytest.mark.parametrize("by_person", [True, False])
def test_the_sentence_that_says_it_counts_where_there_is_one(row, by_person):
    a, b, met, told = row.split(" | ")
    assert first_that_shows(a, b, met, told, by_person=by_person) == 2


def test_a_persons_word_waits_for_a_sentence_with_both_and_a_models_for_a_chunk():
    texts = ("Tom Wren slept. The Grey Fox came.", "Tom Wren thought of the Grey Fox.")
    assert first_that_shows("Tom Wren", "Grey Fox", *texts, by_person=True) == 2
    assert first_that_shows("Tom Wren", "Grey Fox", *texts) == 1


def test_where_no_chunk_speaks_of_both_only_a_persons_word_holds():
    texts = ("Tom Wren slept.", "The Grey Fox came.")
    assert first_that_shows("Tom Wren", "Grey Fox", *texts, by_person=True) == 0
    assert first_that_shows("Tom Wren", "Grey Fox", *texts) is None


def test_names_of_scripts_without_blanks_are_found_within_a_sentence():
    assert first_that_shows("李明", "灰狐", "李明来了。", "村民都说李明像灰狐。") == 2


@pytest.mark.parametrize("by_person", [True, False])
def test_a_sentence_that_says_it_with_other_forms_of_the_names_counts_too(by_person):
    texts = ("Mr. Tom Wren slept. The Grey Fox came.", "Wren smiled.", "Wren was the Fox.")
    forms = (["Tom Wren", "Wren"], ["Fox"])
    found = first_that_shows("Mr. Tom Wren", "Grey Fox", *texts, by_person=by_person, forms=forms)
    assert found == 3
