"""Bodies of requests: what their description says is what they take.

Takes: a JSON object.  Gives: its fields.  Left to itself the validator takes ``true`` for 1,
``"5"`` for 5 and ``"yes"`` for true, which the description of the API forbids; and it tells of
every mistake there is, which takes seconds where a hundred thousand are sent.
"""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

T = TypeVar("T")

Listed = Annotated[list[T], Field(fail_fast=True)]
"""A list of a body, which is read no further than to its first mistake."""


class Body(BaseModel):
    """A body that names nothing but what it may, each in its own type."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_one_unknown_name(cls, value: Any) -> Any:
        """Leave one of the names that there are not: it is refused."""
        if not isinstance(value, dict):
            return value
        left_out = [name for name in value if name not in cls.model_fields][1:]
        return {name: value[name] for name in value.keys() - left_out} if left_out else value

    @field_validator("*", mode="before")
    @classmethod
    def _is_of_its_type(cls, value: Any, field: ValidationInfo) -> Any:
        kinds = _kinds(cls.model_fields[field.field_name or ""].annotation)
        if isinstance(value, bool):
            if bool not in kinds and kinds & {int, float}:
                raise ValueError("a number is wanted, not true or false")
        elif bool in kinds and value is not None:
            raise ValueError("true or false is wanted")
        elif isinstance(value, str) and kinds & {int, float} and str not in kinds:
            raise ValueError("a number is wanted, without quotation marks")
        return value


def _kinds(annotation: Any) -> set[Any]:
    """The types that an annotation names, of its alternatives each."""
    if get_origin(annotation) in (Union, UnionType, Annotated):
        return set().union(*map(_kinds, get_args(annotation)))
    return {annotation} if isinstance(annotation, type) else set()
