"""Character-LLM in both layouts, on small files of our own."""

from offbook.evaluation.datasets.loading import load_dataset
from tests.evaluation.datasets.files import noted, write, write_json, write_lines


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


def test_a_questionnaire_is_put_to_its_characters(tmp_path):
    write_lines(
        tmp_path / "questions.jsonl",
        [{"id": "1", "character": "Ada", "mode": "single", "question": "Who?", "scope": "in"}],
    )
    write_lines(tmp_path / "characters.jsonl", [{"character": "Ada", "full_name": "Ada Byrne"}])
    found = load_dataset("character-llm", tmp_path, {"questions": "mbti-60"})
    assert len(found.questions) == 60
    assert [subject.name for subject in found.subjects] == ["Ada"]
    assert load_dataset("character-llm", tmp_path).questions[0].text == "Who?"
