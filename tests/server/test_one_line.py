"""JSON that no reader of lines takes apart."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from offbook.server.one_line import on_one_line


@given(st.dictionaries(st.text(), st.text(st.sampled_from('aé\x85\u2028\u2029\r\n\x0b\x1c\\"海'))))
def test_what_is_written_has_one_line_and_says_the_same(told: dict[str, str]):
    written = on_one_line(json.dumps(told, ensure_ascii=False))
    assert len(written.splitlines()) == 1
    assert json.loads(written) == told
