from __future__ import annotations

import string

from offbook.documents.chunk_ids import make_chunks
from offbook.types import Chunk, Document
from tests.documents.texts import document


def made(text: str, chunking: str = "acts", name: str = "d1", headings: tuple[str, ...] = ("H",)):
    whole = Document(id=name, name="n", text=text, digest="")
    (chunk,) = make_chunks(whole, chunking, [(headings, [(0, len(text))])])
    return chunk


def test_an_id_is_16_hexadecimal_digits():
    chunk = made("body")
    assert len(chunk.id) == 16
    assert set(chunk.id) <= set(string.hexdigits.lower())
    assert chunk == Chunk(chunk.id, "d1", "acts", 0, 0, 4, ("H",), "body")


def test_an_id_depends_on_document_chunking_headings_and_body():
    ids = {
        made("body").id,
        made("other").id,
        made("body", chunking="graph").id,
        made("body", name="d2").id,
        made("body", headings=("H", "I")).id,
        made("body", headings=("H, I",)).id,
        made("body", headings=()).id,
    }
    assert len(ids) == 7
    assert made("body").id == made("body").id


def test_an_id_does_not_depend_on_the_place():
    chunks = make_chunks(document("one two"), "acts", [((), [(0, 3)]), (("H",), [(4, 7)])])
    assert chunks[1].id == made("two").id
    assert [chunk.ordinal for chunk in chunks] == [0, 1]


def test_equal_chunks_are_numbered_from_2():
    chunks = make_chunks(document("ab ab ab"), "acts", [((), [(0, 2), (3, 5), (6, 8)])])
    first, second, third = (chunk.id for chunk in chunks)
    assert (second, third) == (f"{first}-2", f"{first}-3")


def test_text_that_utf8_cannot_hold_has_an_id():
    assert made("lone \ud800 surrogate").id != made("lone \udc00 surrogate").id
