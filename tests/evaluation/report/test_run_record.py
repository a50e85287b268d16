from __future__ import annotations

from dataclasses import replace

from offbook.evaluation.record import Variant
from offbook.evaluation.report.material import Counts
from offbook.evaluation.report.run_record import record_rows
from offbook.types import Usage
from tests.evaluation.report import made_reports


def test_all_that_decides_a_number_is_in_the_record():
    run = replace(
        made_reports.run(("naive",)),
        variants=(Variant("amadeus[gs=off]", "amadeus", "faithful", {"amadeus.gs": "off"}),),
        options={"language": "zh"},
        limit=20,
        seed=7,
        repeats=3,
    )
    report = made_reports.report(
        ("naive",), run=run, counts=Counts(60, 60, 0, 4), usage=Usage(cost_usd=1.25)
    )
    rows = dict(record_rows(report))
    assert rows["mark"] == "offline rules, not a measurement"
    assert rows["methods"] == "amadeus[gs=off] (amadeus, preset faithful; amadeus.gs=off)"
    assert rows["options of the dataset"] == "language=zh"
    assert (rows["limit"], rows["seed"], rows["repeats"]) == ("20 questions a subject", "7", "3")
    assert rows["cost"] == "1.2500 USD"
    assert rows["cells"] == "60 of 60"
    assert rows["forgotten"].startswith("4 pieces")
    assert rows["prompts"] == "knowledge_exposure v1, reply v1"
    judged = dict(record_rows(made_reports.report(("naive",), judge="gpt-judge")))
    assert "mark" not in judged
    assert judged["judge model"] == "gpt-judge at http://localhost:8000/v1"
