"""Our own questionnaires as datasets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from offbook.errors import UnreadableDocument, UsageError
from offbook.evaluation.benchmark import benchmark
from offbook.evaluation.datasets.loading import load_benchmark, load_dataset
from tests.evaluation.datasets.files import item, noted, write, write_json, write_lines
from tests.evaluation.datasets.questionnaire_fixtures import BFI_FILE, MBTI_FILE


def test_the_demo_has_everything_that_is_measured(tmp_path):
    dataset = load_dataset("demo")
    (subject,) = dataset.subjects
    scopes = [question.scope for question in dataset.questions]
    assert (scopes.count("in"), scopes.count("out")) == (50, 10)
    assert all(bool(q.answers) == (q.scope == "in") for q in dataset.questions)
    assert len(subject.memories) == 104
    assert subject.documents[0].text.startswith("# Edmond Dantès")
    assert {label.source for label in subject.labels} == {
        "offbook: our own reading of the demo document"
    }
    assert noted(dataset, "our own reading")
    for name in subject.names:
        assert name.removeprefix("the ").removeprefix("The ") in subject.documents[0].text
    with pytest.raises(UsageError, match="is shipped"):
        load_dataset("demo", tmp_path)


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


def test_questions_that_lie_in_no_file_are_read_as_those_of_one(tmp_path):
    rows = [{"question": "Who lit the lamp?", "id": "q1", "answers": ["Nora"], "scope": "in"}]
    lines = "\n".join(json.dumps(row) for row in rows)
    file = write_lines(tmp_path / "questions.jsonl", rows)
    sent = load_dataset("file", None, {"rows": lines})
    assert sent.questions == load_dataset("file", file).questions
    assert load_benchmark(benchmark("file"), None, {"rows": lines}).checksum == sent.checksum
    with pytest.raises(UsageError, match="line 2 of 'questions'"):
        load_dataset("file", None, {"rows": lines + "\n{"})


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


def test_a_list_below_a_role_holds_its_questions(tmp_path):
    plain = write_json(tmp_path / "r.json", {"Ada": ["Who?"]})
    assert load_dataset("harry-potter", plain).questions[0].subject == "Ada"


def test_character_rag_documents_and_rows(tmp_path):
    write(tmp_path / "README.md", "# CharacterRAG")
    write(tmp_path / ".cache" / "x.md", "hidden")
    write(tmp_path / "persona" / "Ada_Byrne.md", "# Ada Byrne\n\nShe keeps the light.\n")
    write_lines(
        tmp_path / "qa" / "Ada_Byrne_qa.jsonl",
        [
            {"question": "누구?", "answer": "에이다", "attribute": "Demographic Information"},
            {"question": "왜?", "answer": "등대", "attribute": "Belief & Values"},
            {"question": "무엇?", "answer": "빛", "attribute": "colour"},
            {"attribute": "activity"},
        ],
    )
    dataset = load_dataset("characterrag", tmp_path)
    (subject,) = dataset.subjects
    assert subject.name == "Ada Byrne"
    assert len(subject.documents) == 1
    assert [(q.kind, q.answers, q.language, q.scope) for q in dataset.questions] == [
        ("demographic_information", ("에이다",), "ko", "in"),
        ("belief_and_value", ("등대",), "ko", "in"),
        ("colour", ("빛",), "ko", "in"),
    ]
    assert noted(dataset, "attributes other than the six")
    assert noted(dataset, "neither a question nor a document")


def test_character_rag_questions_as_text(tmp_path):
    write(tmp_path / "Ada" / "persona.txt", "Ada keeps the light. Q: is a letter.")
    write(
        tmp_path / "Ada" / "questions.txt",
        "# Activity\n\nQ1: What does she keep?\nA1: The light,\nevery night.\n\n"
        "**Social Relationships**\nQ2: Who drowned?\nA2: Tom.\nQ3: Who else?\n",
    )
    dataset = load_dataset("characterrag", tmp_path)
    assert [(q.subject, q.text, q.answers, q.kind) for q in dataset.questions] == [
        ("Ada", "What does she keep?", ("The light, every night.",), "activity"),
        ("Ada", "Who drowned?", ("Tom.",), "social_relationships"),
        ("Ada", "Who else?", (), "social_relationships"),
    ]
    assert [d.name for d in dataset.subject("Ada").documents] == ["persona.txt"]
    assert noted(dataset, "questions.txt is taken for the questions of 'Ada'")


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


TURNS = [(f"第{n}问？", f"第{n}答。") for n in range(40)]


def test_character_eval_upstream(tmp_path):
    data = tmp_path / "charactereval" / "data"
    context = "旁人：你好\n阿达：你好\n旁人：灯呢？\n阿达：亮着：放心\n旁人：再见"
    write_json(
        data / "test_data.jsonl",
        [{"id": 1, "role": "阿达", "novel_name": "灯塔", "context": context}],
    )
    write_json(data / "character_profiles.json", {"阿达": {"姓名": "阿达", "年龄": ""}, "别": {}})
    labels = {"pdb": {"阿达": {"16Personalities": {"P/J": {"score": 12.0, "type": "L"}}}, "别": {}}}
    write_json(
        tmp_path / "charactereval-labels" / "data" / "charactereval" / "characters_labels.json",
        labels,
    )
    write_json(tmp_path / "incharacter/data/questionnaires/16Personalities.json", MBTI_FILE)
    dataset = load_dataset(
        "charactereval", tmp_path / "charactereval", {"questions": "16Personalities"}
    )
    ada = dataset.subject("阿达")
    assert [(m.said, m.answered) for m in ada.memories] == [
        ("你好", "你好"),
        ("灯呢？", "亮着：放心"),
    ]
    assert [d.text for d in ada.documents] == ["# 阿达\n\n## 姓名\n\n阿达\n"]
    assert [(label.type, label.source) for label in ada.labels] == [("L", "pdb")]
    assert [(q.subject, q.text, item(q).sign) for q in dataset.questions] == [
        (None, "你收拾吗？", -1),
        (None, "你闲逛吗？", 1),
    ]
    assert len(dataset.subjects) == 1


def test_character_eval_flat_asks_turns_that_are_no_memories(tmp_path):
    rows = [
        {"id": f"t{n}", "character": "阿达", "question": said, "answer": answered, "lang": "zh"}
        for n, (said, answered) in enumerate(TURNS)
    ]
    write_lines(
        tmp_path / "charactereval_qa.jsonl", [*rows, {"character": "阿达", "question": "?"}]
    )
    dataset = load_dataset("charactereval", tmp_path)
    asked = {q.text for q in dataset.questions}
    remembered = {m.said for m in dataset.subject("阿达").memories}
    assert asked | remembered == {said for said, _ in TURNS}
    assert asked.isdisjoint(remembered)
    assert 2 <= len(asked) <= 16
    assert all(q.answers == (q.text.replace("问？", "答。"),) for q in dataset.questions)
    assert noted(dataset, "one turn in five is asked")
    assert noted(dataset, "rows without question and answer, left out: 1")
    assert noted(dataset, "no profiles")
    assert noted(dataset, "no labels")
    mbti = load_dataset("charactereval", tmp_path, {"questions": "mbti-60", "language": "en"})
    assert len(mbti.questions) == 60
    assert len(mbti.subject("阿达").memories) == len(TURNS)


def test_chat_haruhi_upstream_finds_who_speaks(tmp_path):
    ada = tmp_path / "characters" / "ada"
    write(ada / "system_prompt.txt", "You are Ada.")
    write(ada / "texts" / "1.txt", "旁白：夜里。\n汤姆：「灯亮吗？」\n阿达：「亮。」\n它一直亮着。")
    write(ada / "texts" / "2.txt", "阿达:我来了。\n汤姆：「等等。」\n阿达：“不等。”\n阿达：走。")
    write(ada / "texts" / "3.txt", "")
    write(tmp_path / "characters" / "mute" / "texts" / "1.txt", "没有人说话。")
    write_lines(
        tmp_path / "research" / "personality" / "raw_data" / "mbti_labels.jsonl",
        [{"character": "阿达", "label": "IXTJ"}, {"character": "旁人", "label": "ESTJ"}],
    )
    dataset = load_dataset("chatharuhi", tmp_path, {"questions": "bigfive-60"})
    (subject,) = dataset.subjects
    assert (subject.name, subject.names, subject.description) == ("阿达", ("ada",), "You are Ada.")
    assert [(m.said, m.answered) for m in subject.memories] == [
        ("灯亮吗？", "亮。\n它一直亮着。"),
        ("等等。", "不等。"),
    ]
    assert "".join(label.type for label in subject.labels) == "IXTJ"
    assert len(dataset.questions) == 60
    assert noted(dataset, "folder 'ada' is taken to be '阿达', who speaks in 2 of 3")
    assert noted(dataset, "nobody speaks, left out: 1 (mute)")
    assert noted(dataset, "texts that cannot be read")


def test_chat_haruhi_flat(tmp_path):
    rows = [
        {"id": f"c{n}", "character": "阿达", "folder": "ada", "question": said, "answer": answered}
        for n, (said, answered) in enumerate(TURNS)
    ]
    write_lines(tmp_path / "chatharuhi_qa.jsonl", [*rows, {"character": "阿达", "question": "?"}])
    prompts = [
        {"character": "阿达", "system_prompt": "P"},
        {"character": "别", "system_prompt": ""},
    ]
    write_lines(tmp_path / "chatharuhi_system_prompts.jsonl", prompts)
    write_lines(tmp_path / "mbti_labels.jsonl", [{"character": "Ada", "label": "INTJ"}])
    dataset = load_dataset("chatharuhi", tmp_path)
    subject = dataset.subject("阿达")
    assert (subject.description, len(subject.labels)) == ("P", 4)
    assert len(dataset.questions) + len(subject.memories) == len(TURNS)
    assert noted(dataset, "rows without question and answer, left out: 1")


BFI_ITEM = BFI_FILE["questions"]["1"]
NAMELESS = [{"question": "?", "answer": "!"}]
REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    # dataset; files in the folder; what is named, "" for the folder; what is said
    ("ipip-neo-120", {"questions.json": [{"text": "Hum", "domain": "X", "keyed": "plus"}]},
     "questions.json", "item 1 of .*the domain 'X'"),
    ("ipip-neo-120", {"questions.json": [{"text": "Hum", "domain": "E", "keyed": "?"}]},
     "questions.json", "the key '\\?'"),
    ("ipip-neo-120", {"questions.json": [{"domain": "E", "keyed": "plus"}]},
     "questions.json", "no 'text'"),
    ("ipip-neo-120", {"questions.json": {"questions": 3}}, "questions.json", "no list of items"),
    *(("incharacter", {"BFI.json": {**BFI_FILE, "questions": {"1": {**BFI_ITEM, **change}}}},
       "", said)
      for change, said in (
          ({"category": "K"}, "item '1' of .*cannot be keyed"),
          ({"rewritten_en": ""}, "no 'rewritten_en'"),
          ({"dimension": ""}, "no 'dimension'"),
      )),
    ("incharacter", {"BFI.json": {"questions": []}}, "", "no questionnaire"),
    ("file", {"k.jsonl": [{"question": "Sing?", "dimension": "Openness"}]}, "k.jsonl",
     "row 1 of .* has the key ''"),
    ("file", {"n.jsonl": [{"question": {"a": 1}}]}, "n.jsonl",
     "'question' in row 1 of .* is no text"),
    ("file", {"l.jsonl": [{"question": "Who?", "answers": [["Tom"]]}]}, "l.jsonl",
     "no list of texts"),
    ("harry-potter", {"q.jsonl": [{"question": "Who?"}]}, "q.jsonl", "has no role"),
    ("harry-potter", {"q.json": {"Ada": "Who?"}}, "q.json", "'Ada' in .* is no list of questions"),
    ("harry-potter", {}, "", "holds no question file"),
    ("characterrag", {}, "", "neither questions nor"),
    ("characterrag", {"persona.txt": "Somebody."}, "", "names no character"),
    ("characterrag", {"qa.jsonl": [{"question": "Who?"}]}, "", "names no character"),
    ("charactereval", {}, "", "no dialogues"),
    ("charactereval", {"charactereval_qa.jsonl": NAMELESS}, "charactereval_qa.jsonl",
     "has no 'character'"),
    ("chatharuhi", {}, "", "no dialogues of ChatHaruhi"),
    ("chatharuhi", {"chatharuhi_qa.jsonl": NAMELESS}, "chatharuhi_qa.jsonl",
     "has no 'character'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "files", "named", "said"), REFUSED)
def test_files_that_are_none_of_a_dataset_are_refused(tmp_path, name, files, named, said):
    for file, content in files.items():
        make = {".json": write_json, ".jsonl": write_lines}.get(Path(file).suffix, write)
        make(tmp_path / file, content)
    with pytest.raises((UsageError, UnreadableDocument), match=said):
        load_dataset(name, tmp_path / named)


def test_parts_of_charactereval_that_are_missing_or_none_are_refused(tmp_path):
    rows = [{"role": "阿达", **NAMELESS[0]}]
    write_lines(tmp_path / "charactereval_qa.jsonl", rows)
    write_json(tmp_path / "character_profiles.json", ["阿达"])
    with pytest.raises(UsageError, match="no object of profiles"):
        load_dataset("charactereval", tmp_path, {"questions": "mbti-60"})
    with pytest.raises(UnreadableDocument, match=r"no BFI\.json"):
        load_dataset("charactereval", tmp_path, {"questions": "BFI"})
