"""Who says the names of a linked group: few speak of themselves by name.

Takes: names, and who says each.  Gives: what somebody is heard to say, and which women are wives.
Source: ours; how people of a family spoke of one another in English.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from offbook.language.name_likeness import likeness
from offbook.language.person_names import PersonName, parse_name

_MR: Final = frozenset(("mr",))
_SURE: Final = 0.9
"""How well two names fit for them to be the speaker's."""
_NOBODY: Final[Mapping[int, int]] = {}


class Speech:
    """What is said in a group, by the numbers of its members.

    Args:
        names: The members' names.
        said: Who says each, as often as it is told.
    """

    def __init__(self, names: Sequence[PersonName], said: Sequence[Sequence[str]]) -> None:
        self._speakers = [[parse_name(speaker) for speaker in each] for each in said]
        self._heard: dict[PersonName, Counter[int]] = {}
        for number, speakers in enumerate(self._speakers):
            for speaker in speakers:
                self._heard.setdefault(speaker, Counter())[number] += 1
        self._wives = {
            speaker
            for speaker, heard in self._heard.items()
            if any(names[m].titles == _MR and names[m].words == (speaker.surname,) for m in heard)
        }

    def heard_from(self, name: PersonName) -> Mapping[int, int]:
        """The members that who is called so says, and how often."""
        return self._heard.get(name, _NOBODY)

    def is_wife(self, woman: PersonName) -> bool:
        """Whether a woman is known for married: she says "Mr. Lane" of one of her own surname.

        A daughter says "my father", and a sister "Tom".
        """
        return woman.is_married_woman or woman in self._wives

    def own_part(self, number: int, names: Iterable[PersonName]) -> float:
        """Which part of those who say a member are whoever bears one of the names."""
        speakers = self._speakers[number]
        borne = list(names)
        own = sum(any(likeness(s, name).strength >= _SURE for name in borne) for s in speakers)
        return own / len(speakers) if speakers else 0.0
