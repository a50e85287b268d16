"""Question files of roles in every form."""

import pytest

from offbook.errors import UsageError
from offbook.evaluation.datasets.loading import load_dataset
from tests.evaluation.datasets.files import noted, write, write_json, write_lines

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
