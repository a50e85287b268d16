"""Bodies of requests: what their description says is what they take.

Takes: a JSON object.  Gives: its fields.  Left to itself the validator takes ``true`` for 1,
``"5"`` for 5 and ``"yes"`` for true, which the description of the API forbids.
"""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator


class Body(BaseModel):
    """A body that names nothing but what it may, each in its own type."""

    model_config = ConfigDict(extra="forbid")

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
