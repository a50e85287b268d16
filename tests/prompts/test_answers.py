"""A text becomes a value or an error, never a guess."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel

from offbook.errors import AnswerError, IncompleteAnswer, InputRefused, InvalidAnswer
from offbook.prompts.answers import Choice, Json, Text, describe_schema, read_answer
from offbook.prompts.profile import PROFILE, ProfileInputs
from offbook.wire import ChatResponse


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

    @given(st.text(min_size=1).filter(lambda text: text == text.strip()))
    def test_reads_what_it_writes(self, text):
        assert Text().parse(Text().write(text)) == text

    @pytest.mark.parametrize("value", ["", " x"])
    def test_writes_nothing_that_it_could_not_read(self, value):
        with pytest.raises(ValueError, match="not a text answer"):
            Text().write(value)


class TestChoice:
    choice = Choice("yes", "no", "not sure")

    @pytest.mark.parametrize(
        ("text", "chosen"),
        [
            ("yes", "yes"),
            ("Yes.", "yes"),
            ("**YES**", "yes"),
            ('"No"', "no"),
            ("Answer: no", "no"),
            ("The final answer is: not sure.", "not sure"),
            ("No, because he never met her.", "no"),
            ("Not sure. It may be.", "not sure"),
            ("Yes\nThey are the same.", "yes"),
            ("yes。", "yes"),
        ],
    )
    def test_decoration_does_no_harm(self, text, chosen):
        assert self.choice.parse(text) == chosen

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "maybe",
            "No one knows, so yes",
            "I would not say yes",
            "yes or no",
            "yesterday",
            "nope",
        ],
    )
    def test_a_sentence_that_holds_the_word_chooses_nothing(self, text):
        with pytest.raises(InvalidAnswer):
            self.choice.parse(text)

    def test_reads_what_it_writes(self):
        assert [self.choice.parse(self.choice.write(o)) for o in self.choice.options] == [
            "yes",
            "no",
            "not sure",
        ]
        with pytest.raises(ValueError, match="maybe"):
            self.choice.write("maybe")

    @pytest.mark.parametrize("options", [("yes",), ("yes", "YES"), ("yes", "no."), ("yes", "")])
    def test_options_are_plain_and_different(self, options):
        with pytest.raises(ValueError, match="choice"):
            Choice(*options)


class TestJson:
    @given(VALUES)
    def test_reads_what_it_writes(self, value):
        assert PARTS.parse(PARTS.write(value)) == value

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

    @given(VALUES, st.data())
    def test_no_beginning_of_an_answer_passes_for_the_whole(self, value, data):
        text = PARTS.write(value)
        cut = data.draw(st.integers(0, len(text) - 1))
        with pytest.raises(AnswerError):
            PARTS.parse(text[:cut])

    @pytest.mark.long
    @settings(max_examples=20_000, deadline=None)
    @given(VALUES, st.data())
    def test_no_beginning_passes_in_any_of_many_tries(self, value, data):
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
            Json(Outer)

    def test_an_answer_is_an_object(self):
        with pytest.raises(TypeError, match="object"):
            Json(RootModel[list[int]])

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

    def test_a_model_may_contain_itself(self):
        class Tree(BaseModel):
            children: list[Tree]

        assert Json(Tree).parse('{"children": [{"children": []}]}').children[0].children == []

    def test_the_schema_can_be_told_in_words(self):
        told = describe_schema(PARTS.schema())
        assert json.loads(told.partition("JSON schema:\n")[2]) == PARTS.schema()


class TestReadAnswer:
    inputs = ProfileInputs("Ada", ("She counts.",))

    def test_an_answer_at_the_length_limit_is_cut_off(self):
        with pytest.raises(IncompleteAnswer, match="length limit"):
            read_answer(PROFILE, self.inputs, ChatResponse("Ada is", "length"))

    def test_a_withheld_answer_is_a_refusal_of_the_input(self):
        with pytest.raises(InputRefused, match="content filter"):
            read_answer(PROFILE, self.inputs, ChatResponse("", "content_filter"))

    def test_any_other_end_is_read(self):
        assert read_answer(PROFILE, self.inputs, ChatResponse("Ada.", "stop")) == "Ada."
