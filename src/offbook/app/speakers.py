"""Who says what in a book of the home, by the configured model: what it costs, and the asking.

Takes: a book.  Gives: its cast with a model's word on quotations whose speaker no tag names, which
is stored with it and goes with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.app.books import find_book
from offbook.app.documents import told_on_stderr
from offbook.app.estimate import CountingModel, estimate_of, meter_of
from offbook.errors import UsageError
from offbook.ingestion.cast import basis_of, keep_cast, kept_cast
from offbook.ingestion.documents import stored_documents
from offbook.ingestion.lease import ingestion_lease
from offbook.ingestion.reports import counted, unheard
from offbook.ingestion.speakers import ask_speakers, windows_of, with_speakers
from offbook.prompts.speakers import UNSAID
from offbook.stores import casts
from offbook.types import traits_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.app.books import GivenBook
    from offbook.app.home import Home
    from offbook.ingestion.reports import Estimate, ProgressListener
    from offbook.ingestion.speakers import Answers, Window
    from offbook.models.batching import PutAside
    from offbook.names.cast import Cast
    from offbook.protocols import ChatModel
    from offbook.types import Usage


@dataclass(frozen=True, slots=True)
class SpeakersReport:
    """What came of it.

    ``quotations`` counts those that no tag settles, ``attributed`` those of them that have a
    speaker by a model. ``messages`` say for which the rules' word stands, and why.
    """

    quotations: int
    attributed: int
    messages: tuple[str, ...]
    usage: Usage


async def settle_speakers(
    home: Home, book: GivenBook, progress: ProgressListener
) -> SpeakersReport:
    """Ask about the windows that were not answered before, and keep what is said with the cast."""
    on = await _in_home(home, book)
    async with ingestion_lease(home.store, on, told_on_stderr(on)):
        built_from, cast, said, aside = await _ask(home, on, home.runtime().extractor, progress)
        await home.store.write(keep_cast, on, built_from, cast, said)
    return SpeakersReport(
        quotations=sum(quotation.basis != "explicit" for quotation in cast.quotations),
        attributed=sum(quotation.basis == "model" for quotation in cast.quotations),
        messages=_messages(said, aside),
        usage=home.meter.usage(),
    )


def _messages(said: Answers, aside: Sequence[PutAside[Window]]) -> tuple[str, ...]:
    passed_over = sum(speakers.count(UNSAID) for speakers in said.values())
    reasons = [(len(each.item.quotations), each.reason) for each in aside]
    if passed_over:
        reasons.append((passed_over, "the answers say nothing usable of them"))
    return tuple(
        f"the rules' word stands for {counted(count, 'quotation')}: {why}" for count, why in reasons
    )


async def estimate_speakers(home: Home, book: GivenBook) -> Estimate:
    """What :func:`settle_speakers` would cost; no call is made."""
    on = await _in_home(home, book)
    runtime = home.runtime()
    meter = meter_of(runtime.settings)
    await _ask(home, on, CountingModel(runtime.extractor, home.store, meter), unheard)
    return estimate_of(meter)


async def _ask(
    home: Home, on: str, model: ChatModel, progress: ProgressListener
) -> tuple[str, Cast, Answers, list[PutAside[Window]]]:
    """What the cast is of, the cast as it is then, all answers, and windows without one."""
    cast = await kept_cast(home.store, on)
    basis = await home.store.read(basis_of, on)
    stored = await home.store.read(stored_documents, on)
    texts, names = [each.text for each in stored], [f"{on}/{each.id}" for each in stored]
    known = await home.store.read(casts.speakers, on)
    retries = home.settings.values.answers.retries
    windows = windows_of(cast, texts)
    said, aside = await ask_speakers(windows, known, model, names, retries, progress)
    return basis.built_from, with_speakers(cast, texts, said), said, aside


async def _in_home(home: Home, book: GivenBook) -> str:
    """A character on the source of a book.

    Raises:
        UsageError: no model is configured, or the book is not in the home.
    """
    if traits_of(home.runtime().extractor).free:
        raise UsageError(
            "no model is configured that could say who speaks: what the rules say stands",
            "name one: chat.model and chat.base_url (offbook --model NAME --base-url URL ...)",
        )
    source = await find_book(home, book)
    if source.on is None:
        raise UsageError(
            f"{source.called!r} is not in the home, where the answers would be kept",
            f"make a character of it first: offbook create --from {source.typed} NAME",
        )
    return source.on
