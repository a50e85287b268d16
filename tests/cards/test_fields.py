import json

import pytest

from offbook.cards import read_lorebook, write_lorebook
from offbook.cards.assets import data_uri_bytes
from offbook.cards.fields import CARD_FIELDS, default_of, fits, mended
from offbook.cards.findings import Findings
from offbook.cards.lorebook_files import lorebook_losses
from offbook.cards.sources import DEFAULT_LIMITS, CardLimits
from offbook.errors import UnreadableCard
from tests.cards.generator import AGNAI, NOVELAI, RISU, book, entry, read_raw_book


@pytest.mark.parametrize(
    ("kind", "name", "value", "expected"),
    [
        ("text", "", 3, "3"),
        ("text", "", True, "true"),
        ("text", "", ["a", "b"], "a\nb"),
        ("text", "", [1], None),
        ("text", "", {}, None),
        ("texts", "", "a, b", ["a, b"]),
        ("texts", "", "", []),
        ("texts", "keys", "a, b,", ["a", "b"]),
        ("texts", "", ["a", None, 3], ["a", "3"]),
        ("texts", "", {"0": "a"}, ["a"]),
        ("texts", "", ["a", {}], None),
        ("texts", "", 3, None),
        ("flag", "", 1, True),
        ("flag", "", 0.0, False),
        ("flag", "", "Yes", True),
        ("flag", "", "no", False),
        ("flag", "", [], None),
        ("number", "", "2.5", 2.5),
        ("number", "", "7", 7),
        ("number", "", True, 1),
        ("number", "", "x", None),
        ("number", "", "1" * 50, None),
        ("number", "", "inf", None),
        ("number", "", [], None),
        ("whole", "", 2.5, 2),
        ("object", "", [], None),
        ("assets", "", {}, None),
    ],
)
def test_values_are_mended_where_nothing_is_lost(kind, name, value, expected):
    made = mended(value, kind, name)
    assert (made, type(made)) == (expected, type(expected))
    if made is not None:
        assert fits(made, kind)


def test_the_default_of_each_field_fits_it():
    for name, field in CARD_FIELDS.items():
        if field.kind != "book":
            assert fits(default_of(field.kind, name), field.kind)
    assert default_of("flag", "enabled") is True


def test_findings_do_not_grow_without_end():
    findings = Findings(2)
    for number in range(5):
        findings.warn("code", "", str(number))
    assert [finding.message for finding in findings] == ["0", "1", "3 more findings like these"]
    other = Findings(2)
    other.extend(findings.all())
    assert other.left_out == 1


@pytest.mark.parametrize(
    "uri", ["data:", "data:x;base64,!!!!", "data:;base64,A", "data:," + "x" * 99]
)
def test_an_address_that_holds_nothing_is_refused(uri):
    with pytest.raises(UnreadableCard):
        data_uri_bytes(uri, CardLimits(asset_bytes=10))
    assert data_uri_bytes("data:;base64,QQ==", DEFAULT_LIMITS) == b"A"


def test_a_book_entry_becomes_a_whole_world_info_entry():
    items = book(
        entry(id=4, position="after_char", case_sensitive=True, enabled=False, name="x"),
        entry(id="own"),
        entry(),
        entry(id=4),
    )
    found = read_raw_book(items).book
    made = json.loads(write_lorebook(found, "sillytavern"))["entries"]
    assert [item["uid"] for item in made.values()] == [4, "own", 0, 4] or len(made) == 4
    first = made["4"]
    assert (first["position"], first["caseSensitive"], first["disable"]) == (1, True, True)
    assert (first["order"], first["probability"], first["depth"]) == (10, 100, 4)
    again = read_lorebook(write_lorebook(found, "sillytavern")).book
    assert [item.case_sensitive for item in again.entries][:2] == [True, None]
    assert "entries[].case_sensitive" not in [
        loss.path for loss in lorebook_losses(found, "sillytavern")
    ]


@pytest.mark.parametrize(
    ("raw", "form", "where"),
    [(AGNAI, "agnai", "entries"), (NOVELAI, "novelai", "entries"), (RISU, "risu", "data")],
)
def test_foreign_lorebooks_keep_what_is_no_entry(raw, form, where):
    odd = {**raw, where: [*raw[where], 3, None, {}]}
    found = read_raw_book(odd)
    assert len(found.book.entries) == 2
    again = json.loads(write_lorebook(found.book, form))
    assert again[where] == [*raw[where], {}, 3, None]


def test_a_nameless_lorebook_says_how_its_file_is_called(tmp_path):
    path = tmp_path / "Coast.json"
    path.write_text(json.dumps({"entries": {}}))
    found = read_lorebook(path)
    assert [(f.code, f.severity) for f in found.warnings] == [("book-name", "note")]
    assert "'Coast'" in found.warnings[0].message
    odd = read_raw_book({"entries": {"0": {"uid": 0, "key": []}, "x": 5}})
    assert json.loads(write_lorebook(odd.book, "sillytavern"))["entries"]["x"] == 5
