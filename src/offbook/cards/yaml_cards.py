"""YAML cards (``name, context, greeting``), read with PyYAML where it is installed.

Takes: text.  Gives: dictionaries, lists and strings only: no tags, no anchors, no numbers, so that
"name: Yes" is a name, and no bomb of references can be built.
"""

from __future__ import annotations

import importlib
from typing import Any

from offbook.cards.limits import CardLimits
from offbook.errors import UnreadableCard


def read_yaml(text: str, limits: CardLimits) -> Any:
    """The value that the YAML ``text`` stands for.

    Raises:
        UnreadableCard: PyYAML is missing, the text is no YAML, or beyond the limits.
    """
    try:
        yaml = importlib.import_module("yaml")
    except ImportError as error:
        raise UnreadableCard(
            "the card is YAML, and PyYAML is not installed", "pip install pyyaml"
        ) from error
    if len(text) > limits.yaml_bytes:
        raise UnreadableCard(
            f"the YAML is {len(text)} characters long, and yaml_bytes is {limits.yaml_bytes}",
            "convert it to JSON, or raise CardLimits.yaml_bytes in Python",
        )
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        return _Building(yaml, limits).build(yaml.parse(text, Loader=loader))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        line = str(error).replace("\n", " ")[:200]
        raise UnreadableCard(f"the text is no YAML: {line}", "check it in an editor") from error


class _Building:
    """Builds the value from the parser's events, so that what YAML could do beyond it is seen."""

    def __init__(self, yaml: Any, limits: CardLimits) -> None:
        self._yaml = yaml
        self._limits = limits

    def build(self, events: Any) -> Any:
        root: list[Any] = []
        stack: list[tuple[Any, list[str]]] = [(root, [])]
        for event in events:
            if isinstance(event, self._yaml.AliasEvent):
                raise UnreadableCard("the YAML uses references (*name)", "write the text out")
            if isinstance(event, self._yaml.ScalarEvent):
                self._put(stack, event.value)
            elif isinstance(event, self._yaml.MappingStartEvent | self._yaml.SequenceStartEvent):
                value: Any = {} if isinstance(event, self._yaml.MappingStartEvent) else []
                self._put(stack, value)
                stack.append((value, []))
                self._check(stack)
            elif isinstance(event, self._yaml.MappingEndEvent | self._yaml.SequenceEndEvent):
                stack.pop()
        return root[0] if root else None

    def _check(self, stack: list[tuple[Any, list[str]]]) -> None:
        if len(stack) > self._limits.depth:
            raise UnreadableCard(f"the YAML is nested deeper than {self._limits.depth} levels", "")

    def _put(self, stack: list[tuple[Any, list[str]]], value: Any) -> None:
        """Put a value where it belongs; in a mapping every second one is a key."""
        holder, waiting = stack[-1]
        if isinstance(holder, list):
            holder.append(value)
        elif waiting:
            holder[waiting.pop()] = value
        elif isinstance(value, str):
            waiting.append(value)
        else:
            raise UnreadableCard("a key in the YAML is no text", "a card has plain names as keys")
