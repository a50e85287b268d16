"""A text becomes a value or an error, never a guess."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel

from offbook.errors import AnswerError, InvalidAnswer
from offbook.prompts.prompt import Json, Text
from tests.sizes import examples


class Part(BaseModel):
    name: str
    strength: int = Field(ge=1, le=10)
    kind: Literal["person", "place"]
    note: str | None


class Parts(BaseModel):
    items: list[Part]
    sure: bool


PARTS = Json(Parts)
STORABLE = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
PART = st.builds(
    Part,
    name=st.text(STORABLE, max_size=20),
    strength=st.integers(1, 10),
    kind=st.sampled_from(["person", "place"]),
    note=st.none() | st.text(STORABLE, max_size=20),
)
VALUES = st.builds(Parts, items=st.lists(PART, max_size=5), sure=st.booleans())
ONE = Parts(items=[Part(name="Ada", strength=3, kind="person", note=None)], sure=True)


class TestText:
    def test_blanks_around_are_left_out(self):
        assert Text().parse("\n Yes, I remember. \n") == "Yes, I remember."

    @pytest.mark.parametrize("text", ["", "  \n\t"])
    def test_nothing_is_no_answer(self, text):
        with pytest.raises(InvalidAnswer, match="empty"):
            Text().parse(text)

    @pytest.mark.parametrize("value", ["", " x"])
    def test_writes_nothing_that_it_could_not_read(self, value):
        with pytest.raises(ValueError, match="not a text answer"):
            Text().write(value)


class TestJson:
    @pytest.mark.parametrize(
        ("told", "read"),
        [
            (r"Ada\ud83d", "Ada"),
            (r"\uDE00Ada\u0000", "Ada"),
            (r"Ada \ud83d\ude00", "Ada \U0001f600"),
            (r"Ada \\ud83d", r"Ada \ud83d"),
        ],
    )
    def test_what_no_database_takes_is_left_out(self, told, read):
        whole = PARTS.write(ONE)
        assert PARTS.parse(whole.replace("Ada", told)).items[0].name == read
        assert PARTS.parse(f"Here: {whole.replace('Ada', told)}").items[0].name == read

    def test_a_complaint_about_half_a_character_can_be_sent(self):
        with pytest.raises(InvalidAnswer) as complaint:
            PARTS.parse(r'{"items": "\ud83d", "sure": true, "\ud83d": 1}')
        assert complaint.value.message.encode("utf-8")

    def test_depth_is_refused_whatever_is_in_it(self):
        with pytest.raises(AnswerError):
            PARTS.parse('{"items": ' + "[" * 800 + r'"\ud83d"' + "]" * 800 + "}")

    @settings(max_examples=examples(20_000))
    @given(VALUES, st.data())
    def test_no_beginning_of_an_answer_passes_for_the_whole(self, value, data):
        text = PARTS.write(value)
        cut = data.draw(st.integers(0, len(text) - 1))
        with pytest.raises(AnswerError):
            PARTS.parse(text[:cut])

    @given(VALUES, st.data())
    def test_no_beginning_of_a_fenced_answer_gives_another_value(self, value, data):
        text = (
            f"Here it is:\n```json\n{json.dumps(value.model_dump(), indent=1)}\n```\nAnything else?"
        )
        cut = data.draw(st.integers(0, len(text)))
        try:
            assert PARTS.parse(text[:cut]) == value
        except AnswerError:
            assert cut < text.rindex("}") + 1

    @pytest.mark.parametrize(
        "around", ["{}", "```json\n{}\n```", "Sure!\n\n{}\n\nBye {{name}}!", "\ufeff{}"]
    )
    def test_fences_and_prose_do_no_harm(self, around):
        assert PARTS.parse(around.replace("{}", PARTS.write(ONE))) == ONE

    def test_python_notation_is_mended(self):
        assert PARTS.parse(str(ONE.model_dump())) == ONE

    def test_the_same_object_twice_is_one_answer(self):
        assert PARTS.parse(f"{PARTS.write(ONE)}\nIn full: {PARTS.write(ONE)}") == ONE

    def test_two_different_objects_are_no_answer(self):
        other = ONE.model_copy(update={"sure": False})
        with pytest.raises(InvalidAnswer, match="2 different"):
            PARTS.parse(PARTS.write(ONE) + PARTS.write(other))

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("", "empty"),
            ("I cannot.", "no JSON object"),
            ('{"items": []}', "sure: Field required"),
            (PARTS.write(ONE).replace(":3,", ":11,"), "items.0.strength"),
            ("[1, 2]", "."),
            ('{"items": [], "sure": "perhaps"}', "sure"),
        ],
    )
    def test_the_error_says_what_does_not_fit(self, text, told):
        with pytest.raises(InvalidAnswer, match=told):
            PARTS.parse(text)

    def test_a_model_with_a_default_is_refused_wherever_it_stands(self):
        class Inner(BaseModel):
            name: str = "nobody"

        class Outer(BaseModel):
            inner: list[Inner] | None

        with pytest.raises(TypeError, match=r"Inner\.name has a default"):
            Json(Outer).schema()

    def test_an_answer_is_an_object(self):
        with pytest.raises(TypeError, match="object"):
            Json(RootModel[list[int]]).schema()

    def test_the_schema_is_strict_all_the_way_down(self):
        schema = PARTS.schema()
        part = schema["$defs"]["Part"]
        assert schema["title"] == "Parts"
        for shape in (schema, part):
            assert shape["additionalProperties"] is False
            assert shape["required"] == list(shape["properties"])
        assert part["properties"]["strength"] == {"type": "integer", "minimum": 1, "maximum": 10}
        assert "title" not in part

    def test_what_strict_schemas_cannot_say_is_refused(self):
        class Open(BaseModel):
            parts: dict[str, int]

        with pytest.raises(TypeError, match="Open"):
            Json(Open).schema()
