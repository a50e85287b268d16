import copy

import pytest

from offbook.cards import RULES, lint, lint_lorebook
from tests.cards.generator import book, entry, read_raw, read_raw_book, v1, v2, v3


def codes(card):
    return [finding.code for finding in lint(card)]


def without(raw, name):
    made = copy.deepcopy(raw)
    del made.get("data", made)[name]
    return made


def in_book(version=3, **fields):
    item = entry(use_regex=False, **fields) if version == 3 else entry(**fields)
    return (v3 if version == 3 else v2)(character_book=book(item))


def assets(*items):
    return v3(
        assets=[
            {"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png", **item}
            for item in items
        ]
    )


@pytest.mark.parametrize("raw", [v1(), v2(), v3()])
def test_a_card_that_keeps_the_rules_has_no_findings(raw):
    assert lint(raw) == ()
    assert lint(read_raw(raw).card) == ()


ENTRY = "data.character_book.entries[0]"
BROKEN = [
    ("spec", {**v2(), "spec": "mine"}, "spec"),
    ("spec-newer", {**v3(), "spec": "chara_card_v4"}, "spec"),
    ("spec-newer", {**v3(), "spec_version": "3.1"}, "spec_version"),
    ("spec-version", {**v3(), "spec_version": 3.0}, "spec_version"),
    ("spec-version", {**v3(), "spec_version": "2.0"}, "spec_version"),
    ("data-missing", {**v1(), "spec": "chara_card_v2"}, "data"),
    ("field-missing", without(v1(), "scenario"), "scenario"),
    ("field-missing", without(v2(), "tags"), "data.tags"),
    ("field-left-out", without(v3(), "group_only_greetings"), "data.group_only_greetings"),
    ("field-missing", v3(character_book=book(entry())), f"{ENTRY}.use_regex"),
    ("field-missing", v3(character_book={"extensions": {}}), "data.character_book.entries"),
    ("field-null", v1(scenario=None), "scenario"),
    ("field-null-optional", v2(character_book=None), "data.character_book"),
    ("field-type", v2(tags="a, b"), "data.tags"),
    ("field-type", v2(character_book=3), "data.character_book"),
    (
        "field-type",
        v3(character_book={"extensions": {}, "entries": {}}),
        "data.character_book.entries",
    ),
    ("field-type", v3(creator_notes_multilingual={"de": 3}), "data.creator_notes_multilingual.de"),
    ("field-unknown", v2(own=1), "data.own"),
    ("field-unknown", v2(nickname="x"), "data.nickname"),
    ("field-twice", {**v2(), "scenario": "another"}, "scenario"),
    ("name-empty", v2(name=" "), "data.name"),
    ("greeting-empty", v1(first_mes=""), "first_mes"),
    ("tag-twice", v2(tags=["Sea", "sea"]), "data.tags"),
    ("extension-name", v2(extensions={"colour": "blue"}), "data.extensions.colour"),
    ("example-start", v1(mes_example="{{user}}: Hi"), "mes_example"),
    ("example-speaker", v1(mes_example="<START>\nHi"), "mes_example"),
    (
        "macro-unknown",
        v2(alternate_greetings=["a", "{{getvar::x}}"]),
        "data.alternate_greetings[1]",
    ),
    ("macro-unknown", in_book(content="{{getvar::x}} {{user}}"), f"{ENTRY}.content"),
    ("macro-original", v2(scenario="{{original}}"), "data.scenario"),
    ("macro-open", v1(scenario="{{char}"), "scenario"),
    ("html-active", v1(description="<script>x</script>"), "description"),
    ("html", v1(description="<b>x</b>"), "description"),
    (
        "language",
        v3(creator_notes_multilingual={"german": "x"}),
        "data.creator_notes_multilingual.german",
    ),
    ("date", v3(creation_date=1_700_000_000_000), "data.creation_date"),
    ("date", v3(creation_date=5, modification_date=4), "data.modification_date"),
    ("asset-type", assets({"type": "mine"}), "data.assets[0].type"),
    ("asset-field", assets({"name": 3}), "data.assets[0].name"),
    ("asset-uri", assets({"uri": "file:///etc/passwd"}), "data.assets[0].uri"),
    ("asset-spelling", assets({"uri": "embedded://a"}), "data.assets[0].uri"),
    ("asset-path", assets({"uri": "embeded://../a"}), "data.assets[0].uri"),
    ("asset-remote", assets({"uri": "https://example.org/a"}), "data.assets[0].uri"),
    ("asset-ext", assets({"ext": ".PNG"}), "data.assets[0].ext"),
    ("asset-main", assets({"name": "a"}, {"name": "b"}), "data.assets"),
    ("asset-main", assets({"type": "background"}, {"type": "background"}), "data.assets"),
    (
        "book-number",
        v3(character_book=book(entry(use_regex=False), scan_depth=-1)),
        "data.character_book.scan_depth",
    ),
    (
        "entry-id-twice",
        v3(character_book=book(*[entry(use_regex=False, id=1)] * 2)),
        "data.character_book.entries[1].id",
    ),
    ("entry-id-type", in_book(2, id="x"), f"{ENTRY}.id"),
    ("entry-position", in_book(position="top"), f"{ENTRY}.position"),
    ("entry-wish", in_book(content="@@depth 3\nx"), ENTRY),
    (
        "patterns-many",
        v3(
            character_book=book(
                *[
                    entry(use_regex=True, keys=[f"/(?:{n}a|b{n}c|[d-x]{{1,3}}y?)+(?:foo|bar{n})/"])
                    for n in range(6_000)
                ]
            )
        ),
        "data.character_book.entries",
    ),
    ("entry-never", in_book(keys=[]), f"{ENTRY}.keys"),
    ("entries-large", in_book(content="word " * 9_000), "data.character_book.entries"),
    ("entry-empty", in_book(content="@@depth 3"), f"{ENTRY}.content"),
    ("entry-selective", in_book(selective=True), f"{ENTRY}.secondary_keys"),
    ("key-empty", in_book(keys=["a", " "]), f"{ENTRY}.keys[1]"),
    (
        "key-pattern",
        v3(character_book=book(entry(use_regex=True, keys=["/(/"]))),
        f"{ENTRY}.keys[0]",
    ),
    ("macro-in-key", in_book(keys=["{{char}}"]), f"{ENTRY}.keys[0]"),
    ("decorator-unknown", in_book(content="@@own\nx"), f"{ENTRY}.content"),
    ("decorator-value", in_book(content="@@depth x\nx"), f"{ENTRY}.content"),
    ("decorator-unused", in_book(content="@@depth 1\n@@depth 2\nx"), f"{ENTRY}.content"),
    ("decorator-fallback", in_book(content="@@@depth 1\nx"), f"{ENTRY}.content"),
    ("decorator-deep", in_book(content="@@a\n@@@@@@@@depth 1\nx"), f"{ENTRY}.content"),
    ("decorator-v2", in_book(2, content="@@depth 1\nx"), f"{ENTRY}.content"),
]


@pytest.mark.parametrize(("code", "raw", "path"), BROKEN)
def test_each_rule_is_noticed_where_it_is_broken(code, raw, path):
    before = copy.deepcopy(raw)
    found = [finding for finding in lint(raw) if finding.code == code]
    assert raw == before
    assert path in [finding.path for finding in found]
    assert all(finding.severity == RULES[code].severity for finding in found)
    assert all(finding.message for finding in found)


def test_every_rule_has_a_card_that_breaks_it():
    assert {code for code, _, _ in BROKEN} == set(RULES)


def test_constant_entries_need_no_keys():
    assert "entry-never" not in codes(in_book(keys=[], constant=True))
    assert "entry-never" not in codes(in_book(keys=[], content="@@activate\nx"))
    assert "entry-never" not in codes(in_book(keys=[], enabled=False))


def test_a_lorebook_is_checked_by_itself():
    raw = {"entries": {"0": {"uid": 0, "key": ["/(/"], "content": "x"}}}
    found = lint_lorebook(read_raw_book(raw).book)
    assert [(f.code, f.path) for f in found] == [("key-pattern", "entries[0].keys[0]")]


def test_a_card_with_no_end_of_findings_is_cut():
    raw = v2(character_book=book(*[entry(keys=[""] * 5)] * 1_000))
    found = lint(raw)
    assert len(found) == 2_001
    assert found[-1].code == "more-findings"
    assert found[0].as_json()["code"] == found[0].code
