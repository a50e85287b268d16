"""The published layouts, on small files of our own: what is read, and what is noted."""

from typing import Any

import pytest

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.datasets.loading import load_dataset
from tests.evaluation.datasets.files import item, noted, write, write_json, write_lines

MBTI_FILE = {
    "name": "16Personalities",
    "reverse": [1],
    "questions": {
        "7": {
            "rewritten_en": "Do you tidy?",
            "rewritten_zh": "你收拾吗？",
            "origin_en": "You tidy.",
            "origin_zh": "你收拾。",
            "dimension": "P/J",
            "category": "J",
        },
        "2": {
            "rewritten_en": "Do you roam?",
            "rewritten_zh": "你闲逛吗？",
            "origin_en": "You roam.",
            "origin_zh": "你闲逛。",
            "dimension": "P/J",
            "category": "P",
        },
    },
}
BFI_FILE: dict[str, Any] = {
    "name": "BFI",
    "questions": {
        "1": {
            "rewritten_en": "Do you sing?",
            "rewritten_zh": "你唱歌吗？",
            "origin_en": "Sings.",
            "origin_zh": "唱歌。",
            "dimension": "Openness",
            "category": "negative",
        }
    },
}


# Character-LLM ---------------------------------------------------------------------------------


def character_llm_flat(folder):
    write_lines(
        folder / "characters.jsonl",
        [
            {"character": "Ada", "full_name": "Ada Byrne", "profile": "profiles/Ada.md"},
            {"character": "Tom", "full_name": "Tom Byrne", "profile": "profiles/Tom.md"},
        ],
    )
    write(folder / "profiles" / "Ada.md", "# Ada\n\nShe keeps the light.\n")
    topic = {"topic_id": "topic-1", "topic": "past"}
    out = {"topic_id": "topic-4", "topic": "hard", "scope": "out"}
    return write_lines(
        folder / "questions.jsonl",
        [
            {"id": "1", "character": "Ada", "mode": "single", "question": "Who?", **topic},
            {"id": "2", "character": "Ada", "mode": "single", "question": "Python?", **out},
            {"id": "3", "character": "Tom", "mode": "multi", "question": "Whence?", **topic},
            {
                "id": "4",
                "character": "Tom",
                "mode": "single",
                "question": "Cars?",
                **out,
                "flags": ["plausibly_in_scope_for_this_character"],
                "weight": 3,
            },
        ],
    )


def test_character_llm_flat(tmp_path):
    character_llm_flat(tmp_path / "character_llm")
    write_lines(
        tmp_path / "questionnaires" / "labels_character_llm.jsonl",
        [
            {"character": "Ada", "alias": ["Miss Byrne"], "mbti": "ISXJ", "BFI_sloan": "RCOAN"},
            {"character": "Nobody", "mbti": "ISTJ", "BFI_sloan": "RCOAN"},
        ],
    )
    dataset = load_dataset("character-llm", tmp_path)
    assert [(q.id, q.subject, q.scope, q.kind) for q in dataset.questions] == [
        ("1", "Ada", "in", "past"),
        ("2", "Ada", "out", "hard"),
        ("4", "Tom", "out", "hard"),
    ]
    ada, tom = dataset.subjects
    assert ada.names == ("Ada Byrne", "Miss Byrne")
    assert [document.text for document in ada.documents] == ["# Ada\n\nShe keeps the light.\n"]
    assert "".join(label.type for label in ada.labels) == "ISXJRCOAN"
    assert not tom.labels
    assert not tom.documents
    assert noted(dataset, "persona documents that are not there: 1 (Tom: Tom.md)")
    assert noted(dataset, "though this character may know of it: 1 (questions.jsonl:4)")
    assert noted(dataset, "field 'weight' is not read (in 1 of ")
    file = tmp_path / "character_llm" / "questions.jsonl"
    assert load_dataset("character-llm", file).questions == dataset.questions
    inside = load_dataset("character-llm", file.parent, {"mode": "multi"})
    assert [q.id for q in inside.questions] == ["3"]
    assert inside.subject("Ada").labels == ada.labels


def test_character_llm_upstream(tmp_path):
    seeds = tmp_path / "data" / "seed_data"
    for mode, text in (("", "Who are you?"), ("for_multiturn_", "And then?")):
        write_json(
            seeds / "questions" / f"generated_agent_interview_{mode}Ada.json",
            [
                {"topic_id": "topic-2", "topic": "people", "question": f"{text} "},
                {"topic_id": "topic-4", "topic": "hard", "question": f"C++? {text}"},
            ],
        )
    write(seeds / "profiles" / "wiki_Ada.txt", "Ada keeps the light.")
    dataset = load_dataset("character-llm", tmp_path)
    assert [(q.subject, q.text, q.scope) for q in dataset.questions] == [
        ("Ada", "Who are you?", "in"),
        ("Ada", "C++? Who are you?", "out"),
    ]
    assert len(dataset.subject("Ada").documents) == 1
    assert noted(dataset, "questions without an id")
    write_json(seeds / "questions" / "generated_agent_interview_Tom.json", [])
    write_json(seeds / "questions" / "generated_agent_interviews.json", [])
    with_tom = load_dataset("character-llm", tmp_path)
    assert noted(with_tom, "persona documents that are not there: 1 (Tom: wiki_Tom.txt)")
    (seeds / "questions" / "generated_agent_interview_Tom.json").unlink()
    everything = load_dataset("character-llm", tmp_path, {"mode": "all"})
    assert len(everything.questions) == 4
    assert load_dataset("character-llm", seeds).questions == dataset.questions


# InCharacter -----------------------------------------------------------------------------------


def in_character(folder):
    write_json(folder / "data" / "questionnaires" / "16Personalities.json", MBTI_FILE)
    write_json(folder / "data" / "questionnaires" / "BFI.json", BFI_FILE)
    said = {"16Personalities": {"P/J": {"score": 50.0}}, "BFI": {"Openness": {"score": 4.0}}}
    write_json(
        folder / "data" / "characters_labels.json",
        {"pdb": {"Ada-en": said, "mei-zh": said}, "annotation": {"Ada-en": said}},
    )
    write_json(
        folder / "data" / "characters.json",
        {"mei-zh": {"alias": ["梅", "Mei"], "experimenter": "兰"}},
    )
    return folder


def test_in_character_asks_each_in_its_language_and_keys_by_the_category(tmp_path):
    dataset = load_dataset(
        "incharacter", in_character(tmp_path), {"questionnaire": "16personalities"}
    )
    items = [(q.id, q.subject, q.text, item(q).number, item(q).sign) for q in dataset.questions]
    assert items == [
        ("Ada-en:16Personalities-7", "Ada-en", "Do you tidy?", "7", -1),
        ("Ada-en:16Personalities-2", "Ada-en", "Do you roam?", "2", 1),
        ("mei-zh:16Personalities-7", "mei-zh", "你收拾吗？", "7", -1),
        ("mei-zh:16Personalities-2", "mei-zh", "你闲逛吗？", "2", 1),
    ]
    mei = dataset.subject("mei-zh")
    assert (mei.names, mei.interviewer) == (("梅", "Mei"), "兰")
    assert [(label.dimension, label.type, label.score) for label in mei.labels] == [
        ("P/J", "X", 50.0)
    ]


def test_in_character_in_one_language_asks_everybody_the_same(tmp_path):
    folder = in_character(tmp_path)
    dataset = load_dataset("incharacter", folder, {"language": "zh"})
    assert [(q.id, q.subject, q.text) for q in dataset.questions] == [("BFI-1", None, "你唱歌吗？")]
    assert item(dataset.questions[0]).sign == -1
    assert [label.type for label in dataset.subject("Ada-en").labels] == ["H"]
    annotated = load_dataset("incharacter", folder / "data", {"labels": "annotation"})
    assert [subject.name for subject in annotated.subjects] == ["Ada-en"]
    assert annotated.questions[0].subject is None


def test_in_character_without_labels_or_names_says_so(tmp_path):
    write_json(tmp_path / "BFI.json", BFI_FILE)
    dataset = load_dataset("incharacter", tmp_path / "BFI.json")
    assert dataset.subjects == ()
    assert noted(dataset, "no labels")
    write_json(tmp_path / "characters_labels.json", {"pdb": {"Ada-en": {}}})
    assert noted(load_dataset("incharacter", tmp_path), "no characters.json")
    with pytest.raises(UsageError, match="no labels of 'annotation'"):
        load_dataset("incharacter", tmp_path, {"labels": "annotation"})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"category": "K"}, "item '1' of .*cannot be keyed"),
        ({"rewritten_en": ""}, "no 'rewritten_en'"),
        ({"dimension": ""}, "no 'dimension'"),
    ],
)
def test_an_item_that_cannot_be_keyed_is_refused(tmp_path, change, said):
    broken = {**BFI_FILE, "questions": {"1": {**BFI_FILE["questions"]["1"], **change}}}
    write_json(tmp_path / "BFI.json", broken)
    with pytest.raises(UsageError, match=said):
        load_dataset("incharacter", tmp_path)
    write_json(tmp_path / "BFI.json", {"questions": []})
    with pytest.raises(UsageError, match="no questionnaire"):
        load_dataset("incharacter", tmp_path)


# IPIP ------------------------------------------------------------------------------------------


def test_ipip_items_become_open_questions(tmp_path):
    entry = {"text": "Hum at work", "text_zh": "哼着歌干活", "domain": "E", "keyed": "plus"}
    other = {"text": "Don't hum", "domain": "E", "keyed": "minus", "facet": 2}
    file = write_json(tmp_path / "ipip_neo_120.json", {"items": [entry, other]})
    dataset = load_dataset("ipip-neo-120", file)
    first, second = dataset.questions
    assert '"I hum at work."' in first.text
    assert (item(first).dimension, item(first).sign, item(first).number) == ("Extraversion", 1, "1")
    assert (item(second).statement, item(second).sign, second.kind) == ("I don't hum.", -1, "2")
    assert noted(dataset, "not the full inventory of 24 items a domain: Neuroticism 0")
    chinese = load_dataset("ipip-neo-120", tmp_path, {"language": "zh"})
    assert "“哼着歌干活。”" in chinese.questions[0].text
    write_json(
        tmp_path / "up" / "data" / "zh-cn" / "questions.json",
        [{"text": "哼歌", "domain": "E", "keyed": "plus"}],
    )
    upstream = load_dataset("ipip-neo-120", tmp_path / "up", {"language": "zh"})
    assert item(upstream.questions[0]).statement == "哼歌。"
    with pytest.raises(UnreadableDocument, match="holds no IPIP"):
        load_dataset("ipip-neo-120", tmp_path / "up")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([{"text": "Hum", "domain": "X", "keyed": "plus"}], "item 1 of .*the domain 'X'"),
        ([{"text": "Hum", "domain": "E", "keyed": "?"}], "the key '\\?'"),
        ([{"domain": "E", "keyed": "plus"}], "no 'text'"),
        ({"questions": 3}, "no list of items"),
    ],
)
def test_ipip_files_that_are_none_are_refused(tmp_path, value, said):
    with pytest.raises(UsageError, match=said):
        load_dataset("ipip-neo-120", write_json(tmp_path / "questions.json", value))


# RoleBench -------------------------------------------------------------------------------------


def test_role_bench_upstream_merges_references_and_drops_placeholders(tmp_path):
    rows = [
        {"role": "张飞", "question": " 何人？", "generated": ["俺。"], "type": ["script_based"]},
        {"role": "张飞", "question": "何人？", "generated": ["燕人。"], "type": ["script_based"]},
        {"role": "张飞", "question": "何处？", "generated": [" (No response provided)"]},
        {"question": "无名？", "generated": ["?"]},
    ]
    write_lines(tmp_path / "rolebench-zh" / "role_specific" / "test.jsonl", rows)
    write_lines(
        tmp_path / "rolebench-zh" / "general" / "test.jsonl",
        [{"role": "张飞", "question": "写一个程序", "generated": ["不会"]}],
    )
    dataset = load_dataset("rolebench", tmp_path)
    assert [(q.text, q.answers, q.scope, q.kind) for q in dataset.questions] == [
        ("何人？", ("俺。", "燕人。"), "in", "script_based"),
        ("何处？", (), "in", "role_specific"),
    ]
    assert noted(dataset, "references that only say that there is none, left out: 1 (test.jsonl:3)")
    assert noted(dataset, "rows without a role, left out: 1 (test.jsonl:4)")
    file = tmp_path / "rolebench-zh" / "role_specific" / "test.jsonl"
    assert load_dataset("rolebench", file).questions == dataset.questions
    general = load_dataset("rolebench", tmp_path, {"part": "general"})
    assert [(q.scope, q.kind) for q in general.questions] == [(None, "general")]
    assert len(load_dataset("rolebench", tmp_path, {"part": "all"}).questions) == 3
    with pytest.raises(UnreadableDocument, match="language 'en'"):
        load_dataset("rolebench", tmp_path, {"language": "en"})


def test_role_bench_general_questions_with_scopes_go_to_each_persona(tmp_path):
    write_lines(
        tmp_path / "boundary" / "rolebench_zh_general.jsonl",
        [{"id": "g1", "personas": ["张飞", "李白"], "question": "登月？", "scope": "out"}],
    )
    dataset = load_dataset("rolebench", tmp_path, {"part": "general"})
    assert [(q.id, q.subject, q.scope) for q in dataset.questions] == [
        ("g1:张飞", "张飞", "out"),
        ("g1:李白", "李白", "out"),
    ]


# Harry-Potter-style ----------------------------------------------------------------------------


NESTED = {
    "Ada": {"general": ["What do you like?"], "specific": [{"question": "Who drowned?", "id": "x"}]}
}


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("q.json", lambda path: write_json(path, NESTED)),
        (
            "q.jsonl",
            lambda path: write_lines(
                path,
                [
                    {"role": "Ada", "question": "What do you like?", "type": "General questions"},
                    {"role": "Ada", "question": "Who drowned?", "type": "Specific", "id": "x"},
                ],
            ),
        ),
        (
            "q.csv",
            lambda path: write(
                path,
                "Character,Question,Category,ID\nAda,What do you like?,general,\n"
                "Ada,Who drowned?,role-specific,x\n",
            ),
        ),
        (
            "folder/Ada.json",
            lambda path: write_json(path, NESTED["Ada"]),
        ),
    ],
)
def test_question_files_of_roles_in_every_form(tmp_path, name, make):
    path = make(tmp_path / name)
    path = path.parent if name.startswith("folder") else path
    dataset = load_dataset("harry-potter", path)
    found = [(q.subject, q.text, q.kind, q.scope) for q in dataset.questions]
    assert found == [
        ("Ada", "What do you like?", "general", "in"),
        ("Ada", "Who drowned?", "specific", "in"),
    ]
    assert dataset.questions[1].id == "x"


def test_a_folder_of_text_files_is_a_role_a_file(tmp_path):
    write(tmp_path / "Ada_Byrne.txt", "Who are you?\n\nWhence?\n")
    write(tmp_path / "Tom.jsonl", '{"question": "Where?", "kind": "odd"}\n')
    dataset = load_dataset("harry-potter", tmp_path)
    assert [(q.subject, q.kind) for q in dataset.questions] == [
        ("Ada Byrne", ""),
        ("Ada Byrne", ""),
        ("Tom", "odd"),
    ]
    assert noted(dataset, "kinds other than general and specific")


def test_question_files_without_roles_or_lists_are_refused(tmp_path):
    with pytest.raises(UsageError, match="has no role"):
        load_dataset("harry-potter", write_lines(tmp_path / "q.jsonl", [{"question": "Who?"}]))
    with pytest.raises(UsageError, match=r"'Ada' in .* is no list of questions"):
        load_dataset("harry-potter", write_json(tmp_path / "q.json", {"Ada": "Who?"}))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no question file"):
        load_dataset("harry-potter", tmp_path / "empty")
    plain = write_json(tmp_path / "r.json", {"Ada": ["Who?"]})
    assert load_dataset("harry-potter", plain).questions[0].subject == "Ada"


# The user's own --------------------------------------------------------------------------------


def test_a_file_of_the_users_own(tmp_path):
    file = write_lines(
        tmp_path / "mine.jsonl",
        [
            {"question": "Who?", "answers": ["Tom", "Thomas"], "scope": "in", "id": "a"},
            {"Question": "Trains?", "answer": "", "Scope": "out-of-scope", "character": "Ada"},
            {"question": "Sing?", "dimension": "Openness", "key": "-", "number": 4, "colour": 1},
        ],
    )
    labels = write(tmp_path / "labels.csv", "character,mbti\nAda,ISTJ\n")
    dataset = load_dataset("file", file, {"labels": str(labels), "licence": "secret"})
    who, trains, sing = dataset.questions
    assert (who.id, who.answers, who.scope, who.subject) == ("a", ("Tom", "Thomas"), "in", None)
    assert (trains.scope, trains.answers, trains.subject) == ("out", (), "Ada")
    assert (item(sing).questionnaire, item(sing).number, item(sing).sign) == ("mine", "4", -1)
    assert (dataset.name, dataset.licence) == ("mine", "secret")
    assert len(dataset.subject("Ada").labels) == 4
    assert noted(dataset, "field 'colour' is not read (in 1 of 3 rows)")
    assert noted(dataset, "questions without an id, which is made from the content: 2")


def test_bad_files_of_the_users_own(tmp_path):
    with pytest.raises(UsageError, match="is a folder"):
        load_dataset("file", tmp_path)
    with pytest.raises(UsageError, match="none was named"):
        load_dataset("file")
    with pytest.raises(UnreadableDocument, match="there is nothing at"):
        load_dataset("file", tmp_path / "gone.jsonl")
    keyless = write_lines(tmp_path / "k.jsonl", [{"question": "Sing?", "dimension": "Openness"}])
    with pytest.raises(UsageError, match=r"row 1 of .* has the key ''"):
        load_dataset("file", keyless)
    nested = write_lines(tmp_path / "n.jsonl", [{"question": {"a": 1}}])
    with pytest.raises(UsageError, match=r"'question' in row 1 of .* is no text"):
        load_dataset("file", nested)
    lists = write_lines(tmp_path / "l.jsonl", [{"question": "Who?", "answers": [["Tom"]]}])
    with pytest.raises(UsageError, match="no list of texts"):
        load_dataset("file", lists)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("file", {"colour": "red"}, "no option 'colour'"),
        ("mbti-60", {"language": "fr"}, "language is 'fr'"),
        ("demo", {"questions": "none"}, "questions is 'none'"),
    ],
)
def test_an_option_that_there_is_not_names_those_there_are(name, options, said):
    with pytest.raises(UsageError, match=said) as caught:
        load_dataset(name, options=options)
    assert "known: " in caught.value.hint
