from __future__ import annotations

import tracemalloc

from offbook.evaluation.record import CellKey
from offbook.evaluation.report.watching import Watch
from tests.evaluation import made

WHY = "the answer gives no rating; it begins with "


def test_cells_and_ratings_go_by_unchanged():
    cells = [made.cell("q1"), made.cell("q2", None)]
    ratings = [made.rating("ke", "q1", 3.0), made.rating("ke", "q1", 4.0, judge="other")]
    watch = Watch(made.run(("ke",)), most=1)
    assert list(watch.cells(cells)) == cells
    assert list(watch.ratings(ratings)) == ratings
    assert watch.counts(9).planned == 9
    assert [each.total for each in watch.rated()] == [1]


def test_no_text_is_kept_however_many_cells_go_by():
    text = "word " * 4_000

    def cells():
        for n in range(2_000):
            yield made.cell(f"q{n}", text + str(n), context=(made.passage(text + str(n)),))

    def ratings():
        for n in range(2_000):
            yield made.rating("ke", f"q{n}", n % 9 + 1.0, analysis=text + str(n))

    watch = Watch(made.run(("ke",)), most=3)
    tracemalloc.start()
    for _ in watch.cells(cells()):
        pass
    for _ in watch.ratings(ratings()):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3_000_000
    assert len(watch.examples()) == 6


def test_reasons_are_shortened_and_the_rare_ones_are_counted_together():
    watch = Watch(made.run(("ke",), variants=("naive",)), most=1)
    found = [made.rating("ke", f"q{n}", None) for n in range(400)]
    told = [WHY + ("x" * 500 if n < 300 else str(n)) for n in range(400)]
    changed = [type(r)(r.key, None, missing=why) for r, why in zip(found, told, strict=True)]
    list(watch.ratings(changed))
    (rated,) = watch.rated()
    assert (rated.total, rated.missing) == (400, 400)
    assert sum(count for _, count in rated.reasons) == 400
    assert rated.reasons[0][1] == 300
    assert rated.reasons[-1][0] == "other reasons"
    assert len(rated.reasons) == 9
    assert max(len(why) for why, _ in rated.reasons) <= 160


def test_of_equal_ratings_the_first_by_name_is_shown():
    watch = Watch(made.run(("ke",), variants=("naive",)), most=1)
    values = {"q3": 1.0, "q1": 1.0, "q2": 9.0, "q4": 9.0}
    list(watch.ratings([made.rating("ke", unit, value) for unit, value in values.items()]))
    assert watch.examples() == {
        CellKey("Nora Vey", "q1", "naive"): ("worst KE: 1",),
        CellKey("Nora Vey", "q2", "naive"): ("best KE: 9",),
    }


def test_ratings_of_items_make_no_reply_the_worst():
    watch = Watch(made.run(("mbti_item",), variants=("naive",)), most=2)
    list(watch.ratings([made.rating("mbti_item", f"i{n}", float(n)) for n in range(1, 6)]))
    assert watch.examples() == {}
