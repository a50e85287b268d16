import json

import pytest

from offbook.cards import read_card, read_lorebook, write_lorebook
from offbook.cards.assets import data_uri_bytes
from offbook.cards.fields import CARD_FIELDS, default_of, fits, mended
from offbook.cards.findings import Findings, shown
from offbook.cards.limits import DEFAULT_LIMITS, CardLimits
from offbook.cards.lorebook_losses import lorebook_losses
from offbook.errors import UnreadableCard
from tests.cards.generator import AGNAI, NOVELAI, RISU, book, entry, v2, v3, world_info


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


def test_optional_fields_that_cannot_be_mended_are_kept_unread():
    raw = v3(assets={"a": 1}, creation_date=[1], source={"a": "b"}, extensions=[1])
    read = read_card(json.dumps(raw).encode())
    assert read.card.source == ("b",)
    kept = read.card.extensions["offbook/unread"]
    assert kept == {
        "assets": {"a": 1},
        "creation_date": [1],
        "source": {"a": "b"},
        "extensions": [1],
    }
    assert "creation_date" not in read.card.data


def test_what_a_message_shows_is_short():
    for value in ("x" * 999, {"a": 1}, [1] * 999, 10**99, None):
        assert len(shown(value)) <= 70


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


def test_world_info_and_book_entries_say_the_same():
    book_ = read_lorebook(json.dumps(world_info()).encode()).book
    item = book_.entries[0]
    assert (item.keys, item.secondary_keys) == (("ferry", "/pe(trel|tral)/i"), ("late",))
    assert (item.id, item.title, item.insertion_order) == (0, "the ferry", 100)
    assert (item.use_regex, item.enabled, item.position) == (True, True, "after_char")
    assert item.extensions["selectiveLogic"] == 1
    assert item.extensions["position"] == 4
    assert (item.extensions["depth"], item.extensions["sticky"]) == (2, 3)


def test_a_book_entry_becomes_a_whole_world_info_entry():
    items = book(
        entry(id=4, position="after_char", case_sensitive=True, enabled=False, name="x"),
        entry(id="own"),
        entry(),
        entry(id=4),
    )
    found = read_lorebook(json.dumps(items).encode()).book
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
    found = read_lorebook(json.dumps(odd).encode())
    assert len(found.book.entries) == 2
    again = json.loads(write_lorebook(found.book, form))
    assert again[where] == [*raw[where], {}, 3, None]


def test_foreign_lorebooks_mean_what_they_meant():
    def only(raw):
        (item,) = read_lorebook(json.dumps(raw).encode()).book.entries
        return item

    agnai, novelai, risu = only(AGNAI), only(NOVELAI), only(RISU)
    assert (agnai.keys, agnai.priority, agnai.insertion_order) == (("ferry", "boat"), 3, 5)
    assert (novelai.enabled, novelai.use_regex, novelai.insertion_order) == (False, True, 400)
    assert (risu.keys, risu.secondary_keys, risu.selective) == (("ferry", "boat"), ("late",), True)
    assert risu.extensions["probability"] == 50


def test_a_nameless_lorebook_says_how_its_file_is_called(tmp_path):
    path = tmp_path / "Coast.json"
    path.write_text(json.dumps({"entries": {}}))
    found = read_lorebook(path)
    assert [(f.code, f.severity) for f in found.warnings] == [("book-name", "note")]
    assert "'Coast'" in found.warnings[0].message
    odd = read_lorebook(json.dumps({"entries": {"0": {"uid": 0, "key": []}, "x": 5}}).encode())
    assert json.loads(write_lorebook(odd.book, "sillytavern"))["entries"]["x"] == 5


def test_limits_of_lorebooks_hold():
    with pytest.raises(UnreadableCard, match="entries"):
        read_lorebook(json.dumps(world_info()).encode(), CardLimits(entries=1))
    with pytest.raises(UnreadableCard, match="is a card"):
        read_lorebook(json.dumps(v2()).encode())
