"""Names with an article: a person's, or an inn's."""

import pytest

from offbook.prompts.extraction import ExtractionInputs
from offbook.rules.extraction import extract


@pytest.mark.parametrize(
    ("passage", "kind"),
    [
        ("Nobody knew his face, and they called him the Grey Fox.", "character"),
        (
            "So they called him the Grey Fox. Three times they hunted the Grey Fox, and"
            " three times the Grey Fox had gone before them; it was the Grey Fox who laughed.",
            "character",
        ),
        ("He died with a letter of the Grey Fox in his hand.", "character"),
        ("It was said that Edmund Wren was the Grey Fox.", "character"),
        ("She whispered that he was the Grey Fox.", "character"),
        ("They met at an inn, and the inn was the Grey Fox.", "location"),
        ("They drank in the Grey Fox.", "location"),
        ("He saw the roof of the Grey Fox.", "location"),
    ],
)
def test_a_name_with_an_article_is_a_persons_where_somebody_is_or_is_called_so(passage, kind):
    found = extract(ExtractionInputs("", "", passage)).entities
    assert [entity.type for entity in found if "Grey Fox" in entity.name] == [kind]
