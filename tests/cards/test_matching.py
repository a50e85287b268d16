import pytest

from offbook.cards import LoreMessage, MacroValues, ScanSettings, matches
from offbook.cards.lorebook import LoreEntry
from offbook.cards.matching import Scan, scan_entry
from tests.cards.generator import entry

SAID = [
    LoreMessage("The lighthouse went dark.", "Mira", "assistant"),
    LoreMessage("Who lit it?", "Sam", "user"),
    LoreMessage("Nobody. The ferry saw it.", "Mira", "assistant"),
]


def outcome(messages=SAID, settings=None, **fields):
    return matches(LoreEntry(entry(**fields)), messages, settings)


def test_a_key_is_a_whole_word_without_case():
    assert outcome(keys=["FERRY"]).why == "the key 'FERRY' is said"
    assert outcome(keys=["FERRY"]).keys == ("FERRY",)
    assert not outcome(keys=["fer"]).active
    assert outcome(keys=["fer"], extensions={"match_whole_words": False}).active
    assert outcome(keys=["fer"], settings=ScanSettings(whole_words=False)).active
    assert not outcome(keys=["FERRY"], case_sensitive=True).active
    assert not outcome(keys=["FERRY"], extensions={"case_sensitive": True}).active
    assert not outcome(keys=["FERRY"], settings=ScanSettings(case_sensitive=True)).active
    assert not outcome(keys=["", "  "]).active


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("灯塔", "那座灯塔很黑"),
        ("とう", "このとうは"),
        ("등대", "등대가"),
        ("C++", "is C++ good"),
        ("café", "un CAFÉ!"),
        ("café", "un CAFE\u0301!"),
        ("cafe\u0301", "un café!"),
        ("Osk's bell", "It was Osk’s bell."),
        ("Osk’s “bell”", 'It was osk\'s "bell".'),
        ("राम", "वह राम है"),
        ("كتاب", "هذا كتابٌ جيد"),
    ],
)
def test_scripts_without_spaces_and_signs_have_no_word_boundaries(key, text):
    assert outcome([LoreMessage(text)], keys=[key]).active


def test_a_word_that_occurs_inside_of_another_first_is_found_later():
    assert outcome([LoreMessage("catalogue of a cat")], keys=["cat"]).active
    assert not outcome([LoreMessage("catalogue concat")], keys=["cat"]).active
    assert not outcome([LoreMessage("रामायण")], keys=["राम"]).active
    assert not outcome([LoreMessage("un cafe\u0301")], keys=["cafe"]).active


def test_only_the_last_messages_are_searched():
    assert not outcome(keys=["lighthouse"]).active
    assert outcome(keys=["lighthouse"], settings=ScanSettings(scan_depth=3)).active
    assert outcome(keys=["lighthouse"], extensions={"scan_depth": 5}).active
    assert outcome(keys=["lighthouse"], content="@@scan_depth 3\nx").active
    assert not outcome(keys=["ferry"], extensions={"scan_depth": 0}).active
    item = LoreEntry(entry(keys=["lighthouse"]))
    assert matches(item, SAID, book_depth=3).active


def test_switched_off_and_constant_entries():
    assert outcome(enabled=False, constant=True).why == "it is switched off"
    assert outcome(keys=[], constant=True).why == "it is constant"


@pytest.mark.parametrize(
    ("decorators", "active", "why"),
    [
        ("@@activate", True, "@@activate"),
        ("@@dont_activate", False, "@@dont_activate"),
        ("@@activate_only_after 3", False, "there are 2 replies"),
        ("@@activate_only_after 2", True, "ferry"),
        ("@@activate_only_every 2", True, "ferry"),
        ("@@activate_only_every 3", False, "there are 2 replies"),
        ("@@is_greeting 1", False, "not known what the chat began with"),
        ("@@activate\n@@dont_activate\n@@activate_only_after 3", True, "@@activate"),
        ("@@exclude_keys nobody, zzz", False, "'nobody' is said"),
        ("@@dont_activate_after_match", True, "ferry"),
    ],
)
def test_decorators_decide(decorators, active, why):
    made = outcome(keys=["ferry"], content=f"{decorators}\nx")
    assert (made.active, why in made.why) == (active, True)


def test_decorators_that_look_back():
    assert outcome(keys=["lighthouse"], content="@@keep_activate_after_match\nx").active
    assert not outcome(keys=["zzz"], content="@@keep_activate_after_match\nx").active
    said_before = outcome(keys=["lighthouse"], content="@@dont_activate_after_match\nx")
    assert "was said before" in said_before.why


@pytest.mark.parametrize(("begun", "active"), [(1, True), (0, False), (None, False)])
def test_an_entry_of_one_greeting_counts_where_the_greeting_is_known(begun, active):
    made = outcome(
        keys=["ferry"], content="@@is_greeting 1\nx", settings=ScanSettings(greeting=begun)
    )
    assert made.active is active
    assert made.barred is not active


@pytest.mark.parametrize(
    ("keys", "lines", "fields", "found"),
    [
        (["ferry"], ["nobody, zzz"], {}, ("ferry",)),
        (["ferry"], ["zzz"], {}, ()),
        (["zzz"], ["ferry"], {}, ()),
        (["ferry"], ["nobody", "it"], {}, ("ferry",)),
        (["ferry"], ["nobody", "zzz"], {}, ()),
        ([], ["boat, ferry"], {}, ("ferry",)),
        (["zzz"], ["f.rry"], {"use_regex": True}, ("f.rry",)),
    ],
)
def test_additional_keys_must_be_said_as_well(keys, lines, fields, found):
    content = "".join(f"@@additional_keys {line}\n" for line in lines) + "x"
    assert outcome(keys=keys, content=content, **fields).keys == found


@pytest.mark.parametrize(
    ("fields", "barred"),
    [
        ({"enabled": False}, True),
        ({"content": "@@dont_activate\nx"}, True),
        ({"content": "@@activate_only_after 9\nx"}, True),
        ({"content": "@@exclude_keys nobody\nx"}, True),
        ({"selective": True, "secondary_keys": ["zzz"]}, False),
        ({"selective": True, "secondary_keys": ["saw"], "extensions": {"selectiveLogic": 2}}, True),
        ({"keys": ["zzz"]}, False),
        ({"extensions": {"triggers": ["continue", "swipe"]}}, True),
    ],
)
def test_what_an_entry_rules_out_itself_is_barred(fields, barred):
    made = outcome(**{"keys": ["ferry"], **fields})
    assert (made.active, made.barred) == (False, barred)


def test_macros_in_keys_are_replaced():
    values = MacroValues("Mr. Vale", "S(a)m")
    said = [LoreMessage("Mr. Vale and S(a)m and MrX Vale")]

    def active(key, **fields):
        return matches(LoreEntry(entry(keys=[key], **fields)), said, values=values).active

    assert active("{{char}}")
    assert active("<user>")
    assert active("/{{char}} and/", use_regex=True)
    assert active("/{{user}}/", use_regex=True)
    assert not active("/^MrX.*{{user}}/", use_regex=True)
    assert not active("{{unknown}}")
    assert not outcome(said, keys=["{{char}}"]).active


def test_replies_that_came_before_the_messages_count():
    entries = LoreEntry(entry(keys=["ferry"], content="@@activate_only_after 6\nx"))
    assert not scan_entry(entries, Scan(SAID)).active
    assert scan_entry(entries, Scan(SAID, earlier=8)).active


def test_keys_between_slashes_are_words_where_patterns_are_off():
    assert not outcome(keys=["/ferry/"]).active
    assert outcome([LoreMessage("a /ferry/ b")], keys=["/ferry/"]).active


def test_world_info_keys_are_patterns_only_between_slashes():
    world_info = {"selectiveLogic": 0}
    assert outcome(keys=["/f.rry/"], use_regex=True, extensions=world_info).active
    assert not outcome(keys=["f.rry"], use_regex=True, extensions=world_info).active
    assert outcome(keys=["f.rry"], use_regex=True).active
    assert not outcome(keys=["F.RRY"], use_regex=True, case_sensitive=True).active
