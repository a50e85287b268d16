"""EPUB, DOCX and subtitles: what they say, in order, and what they refuse."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Mapping

import pytest

from offbook.documents.places import place_of, span_of
from offbook.documents.readers import ReadDocument, read_content
from offbook.errors import UnreadableDocument

CONTAINER = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
NAV = (
    '<html xmlns:epub="x"><body><nav epub:type="toc"><ol><li><a href="one.xhtml">The Bar</a></li>'
    '<li><a href="two.xhtml#a">The Light</a></li></ol></nav></body></html>'
)
NCX = (
    "<ncx><navMap><navPoint><navLabel><text>The Bar</text></navLabel><content src='one.xhtml'/>"
    "</navPoint></navMap></ncx>"
)
PAGES = {
    "cover.xhtml": '<html xmlns:epub="x"><body epub:type="cover"><p>A book of the sea</p></body>'
    "</html>",
    "one.xhtml": "<html><body><p>Nora came\n  down to the harbour.</p><p>Nobody spoke.</p></body>"
    "</html>",
    "two.xhtml": "<html><body><h2>The Light</h2><p>A lamp<a href='#n'>1</a>.</p>"
    "<aside id='n'><p>1 Of oil.</p></aside></body></html>",
}  # fmt: skip


def packed(members: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def epub(contents: str = "nav", more: Mapping[str, str | bytes] | None = None) -> bytes:
    tables = {
        "nav": '<item id="n" href="nav.xhtml" properties="nav" media-type="text/html"/>',
        "ncx": '<item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
    }
    items = "".join(
        f'<item id="{name[0]}{name[1]}" href="{name}" media-type="application/xhtml+xml"/>'
        for name in PAGES
    )
    order = "".join(f'<itemref idref="{each}"/>' for each in ("co", "on", "tw"))
    package = (
        f"<package><manifest>{tables[contents]}{items}</manifest><spine>{order}</spine></package>"
    )
    return packed(
        {
            "META-INF/container.xml": CONTAINER,
            "OPS/book.opf": package,
            "OPS/nav.xhtml": NAV,
            "OPS/toc.ncx": NCX,
            **{f"OPS/{name}": page for name, page in sorted(PAGES.items(), reverse=True)},
            **(more or {}),
        }
    )


@pytest.mark.parametrize("contents", ["nav", "ncx"])
def test_an_epub_is_read_in_the_order_of_its_spine(contents: str):
    document = read_content("a.epub", epub(contents))
    assert document.text == (
        "# The Bar\n\nNora came down to the harbour.\n\nNobody spoke.\n\n"
        "## The Light\n\nA lamp1.\n\n1 Of oil.\n"
    )
    assert place_of(document.places, document.text.index("Nobody")) == "OPS/one.xhtml"
    assert place_of(document.places, document.text.index("A lamp")) == "OPS/two.xhtml"
    assert document.messages == ("set aside: OPS/cover.xhtml (A book of the sea)",)


def test_the_pages_of_an_epub_are_in_the_encoding_that_they_declare():
    page = '<?xml version="1.0" encoding="{}"?><p>Zoë came.</p>'
    for encoding in ("iso-8859-1", "utf-16"):
        more = {"OPS/one.xhtml": page.format(encoding).encode(encoding)}
        with warnings.catch_warnings(action="error"):
            assert "Zoë came." in read_content("a.epub", epub(more=more)).text
    more = {"OPS/one.xhtml": page.format("utf-8").encode("iso-8859-1")}
    with pytest.raises(UnreadableDocument, match=r"a\.epub/OPS/one\.xhtml' is in an encoding"):
        read_content("a.epub", epub(more=more))


def test_a_title_page_takes_no_chapter_along_and_what_is_no_page_is_named():
    both = (
        "<body><section epub:type='titlepage'>Title</section>"
        "<section epub:type='chapter'>Nora came.</section></body>"
    )
    package = (
        "<package><manifest><item id='a' href='a.html' media-type='text/html'/>"
        "<item id='b' href='b.svg' media-type='image/svg+xml'/></manifest>"
        "<spine><itemref idref='a'/><itemref idref='b'/></spine></package>"
    )
    document = read_content("a.epub", epub(more={"OPS/book.opf": package, "OPS/a.html": both}))
    assert "Nora came." in document.text
    assert document.messages == ("left out: OPS/b.svg (of type 'image/svg+xml')",)


LOCK = '<encryption><EncryptedData><CipherData><CipherReference URI="OPS/{}"/></CipherData></EncryptedData></encryption>'  # fmt: skip # noqa: E501


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"no zip", "cannot be read as EPUB"),
        (epub()[:300], "cannot be read as EPUB"),
        (packed({"a.txt": "x"}), "has no 'META-INF/container.xml'"),
        (packed({"META-INF/container.xml": "<container/>"}), "names no package"),
        (packed({"META-INF/container.xml": "no xml"}), "is no XML"),
        (epub(more={"META-INF/encryption.xml": LOCK.format("one.xhtml")}), "is locked"),
        (epub(more={"META-INF/rights.xml": "<rights/>"}), "is locked"),
        (epub(more={"OPS/one.xhtml": b"<p>" + b" " * 3_000_000}), "unpacks to more than"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_is_no_open_epub_is_refused(data: bytes, why: str):
    with pytest.raises(UnreadableDocument, match=why) as error:
        read_content("a.epub", data)
    assert error.value.hint


def test_obfuscated_fonts_are_no_lock_and_entities_are_not_followed():
    entity = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    data = epub(more={
        "META-INF/encryption.xml": LOCK.format("font.otf"),
        "OPS/other.opf": entity,
    })  # fmt: skip
    assert "Nobody spoke." in read_content("a.epub", data).text


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx(body: str, **more: str) -> bytes:
    styles = (
        '<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style>'
        '<w:style w:styleId="O"><w:name w:val="Mine"/><w:outlineLvl w:val="2"/></w:style>'
    )
    return packed(
        {
            "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
            "word/styles.xml": f"<w:styles {W}>{styles}</w:styles>",
            **{name: f"<w:x {W}>{content}</w:x>" for name, content in more.items()},
        }
    )


def para(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_a_docx_keeps_headings_lists_tables_and_notes():
    cell = "<w:tc>{}</w:tc>"
    rows = "".join(
        f"<w:tr>{cell.format(para(a))}{cell.format(para(b))}</w:tr>"
        for a, b in (("Name", "Born"), ("Nora", "1801"))
    )
    item = '<w:numPr><w:numId w:val="1"/></w:numPr>'
    body = (
        para("The Bar", '<w:pStyle w:val="H2"/>')
        + para("Who", '<w:pStyle w:val="O"/>')
        + "<w:p><w:r><w:t>Nora </w:t></w:r><w:del><w:r><w:delText>never </w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>came</w:t></w:r></w:ins><w:r><w:footnoteReference w:id='2'/></w:r></w:p>"
        + para("rope", item)
        + para("lamp", item)
        + f"<w:tbl>{rows}</w:tbl>"
    )
    notes = f'<w:footnote w:id="2">{para("By night.")}</w:footnote>'
    read = read_content("a.docx", docx(body, **{"word/footnotes.xml": notes}))
    for part, place in [
        ("The Bar", "paragraph 1"), ("Nora came", "paragraph 3"), ("lamp", "paragraph 5"),
        ("1801", "table 1"), ("By night", "note 1"),
    ]:  # fmt: skip
        assert place_of(read.places, read.text.index(part)) == place
    assert read.text == (
        "## The Bar\n\n### Who\n\nNora came[2]\n\n- rope\n- lamp\n\n"
        "| Name | Born |\n| --- | --- |\n| Nora | 1801 |\n\n[2] By night.\n"
    )


def test_a_docx_loses_nothing_that_others_stand_around():
    def box(*lines: str) -> str:
        inner = "".join(map(para, lines))
        return f"<w:p><w:r><w:t>box</w:t><w:txbxContent>{inner}</w:txbxContent></w:r></w:p>"

    row = f"<w:tr><w:tc>{box('rope', 'lamp')}</w:tc></w:tr>"
    body = (
        f"<w:moveFrom>{para('gone')}</w:moveFrom><w:moveTo>{para('here')}</w:moveTo>"
        f"<w:smartTag>{para('wise')}</w:smartTag>{box('oil', 'salt')}"
        f"<w:tbl><w:sdt><w:sdtContent>{row}</w:sdtContent></w:sdt></w:tbl>"
        "<w:p><w:r><w:t>End</w:t><w:endnoteReference w:id='2'/></w:r></w:p>"
    )
    notes = f'<w:endnote w:id="2">{para("By night.")}</w:endnote>'
    text = read_content("a.docx", docx(body, **{"word/endnotes.xml": notes})).text
    assert text == (
        "here\n\nwise\n\nbox\noil\n\nsalt\n\n| box rope lamp |\n| --- |\n\n"
        "End[endnote 2]\n\n[endnote 2] By night.\n"
    )


def test_a_broken_docx_is_refused():
    for data in (b"x", packed({"a": "b"})):
        with pytest.raises(UnreadableDocument, match="cannot be read as DOCX"):
            read_content("a.docx", data)
    with pytest.raises(UnreadableDocument, match="holds no text"):
        read_content("a.docx", docx(""))


VTT = """WEBVTT

NOTE not this

1
00:00:01.000 --> 00:00:02.000 align:start
<v Nora>You will want
the long boat.

00:03.000 --> 00:04.000
- And <i>four</i> men &amp; a lamp

00:05.000 --> 00:06.000
who can swim.
JONAS: Yes.
"""
SRT = """1
00:00:01,000 --> 00:00:02,000
You will want

2
00:00:03,000 --> 00:00:04,000
the boat.
"""


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "a.vtt",
            VTT,
            "Nora: You will want the long boat.\n- And four men & a lamp who can swim.\n"
            "JONAS: Yes.\n",
        ),
        ("a.srt", SRT, "You will want the boat.\n"),
    ],
)
def test_cues_become_lines_of_what_is_said(name: str, text: str, said: str):
    document: ReadDocument = read_content(name, text.encode())
    assert document.text == said
    assert document.messages == ("set aside: the times of the subtitles",)
    at = document.text.index("boat.")
    span = span_of(document.places, at, at + 5)
    assert span is not None
    assert text[slice(*span)] == "boat."
