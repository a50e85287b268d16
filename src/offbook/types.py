"""The values that travel between the stages: frozen, without I/O, importing nothing heavy."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from offbook.tables_html import html_line, html_table

ContextKind = Literal[
    "profile", "episode", "scene", "knowledge", "entity", "relation", "attribute", "memory",
    "premise", "unwitnessed", "out_of_scope"]  # fmt: skip
DocumentStatus = Literal["added", "updated", "unchanged", "partial", "failed"]
MessageRole = Literal["system", "user", "assistant"]
ModelRole = Literal["actor", "extractor", "judge"]
Severity = Literal["error", "warning", "note"]
Verdict = Literal["in", "partly", "out"]
Stance = Literal["open", "grounded", "in_character"]
WitnessHow = Literal["present", "told", "read", "overheard", "common", "absent"]
DocumentKind = Literal["story", "persona"]
"""Texts of which a character witnesses a part, or texts about it, all of which are known."""
NameOrPath = TypeVar("NameOrPath", bound=str | Path)


def as_tuple(values: NameOrPath | Iterable[NameOrPath]) -> tuple[NameOrPath, ...]:
    """Take one name or path as a tuple of one: a string is itself a sequence, of letters."""
    return (values,) if isinstance(values, str | Path) else tuple(values)


@dataclass(frozen=True, slots=True)
class Character:
    """A character: one row that everything else belongs to.

    ``revision`` grows with every change to what the character knows, so that caches of vectors
    and terms know when they are stale. ``embedder`` and ``dimension`` name the embedder of the
    stored vectors (None before the first document). ``profile`` is a short summary and ``voice``
    are samples of how the character speaks; both are made from ``profile_documents``.
    """

    id: str
    name: str
    created: str
    revision: int = 0
    embedder: str | None = None
    dimension: int | None = None
    profile: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    voice: tuple[str, ...] = ()
    profile_documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A persona document as it is stored: its text once, whole.

    ``digest`` is the SHA-256 of the UTF-8 text, ``ordinal`` its place in the order of ingestion
    (0-based), ``version`` grows by one with each replacement, ``added`` is an ISO 8601 UTC time.
    ``places`` lead from the text back to the file: ``offbook.documents.places``.
    """

    id: str
    name: str
    text: str
    digest: str
    ordinal: int = 0
    version: int = 1
    status: str = "complete"
    added: str = ""
    places: Sequence[tuple[int, int | str]] = ()

    @property
    def chars(self) -> int:
        """Length in code points."""
        return len(self.text)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document: ``document.text[start:end] == text`` always holds.

    ``headings`` is the heading path, root to leaf. ``id`` is derived from the content (see
    ``documents.chunking``), so that an edit elsewhere in the document leaves it alone.
    """

    id: str
    document: str
    chunking: str
    ordinal: int
    start: int
    end: int
    headings: tuple[str, ...]
    text: str

    @property
    def heading_path(self) -> str:
        """Heading titles root to leaf, joined by a comma and a space: H of paper 003, 4.1."""
        return ", ".join(self.headings)

    @property
    def text_with_headings(self) -> str:
        """What is embedded and shown: the heading path in front of the body."""
        return f"{self.heading_path}\n{self.text}" if self.headings else self.text


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that was found, and the score that ranked it."""

    chunk: Chunk
    score: float
    similarity: float | None
    match: float | None


@dataclass(frozen=True, slots=True)
class RawEntity:
    """An entity as one chunk mentions it, before names are normalized (RoleRAG section 3.2).

    ``start`` and ``end`` are offsets in the text of the chunk, where the name was found in it: an
    edit in front of the chunk moves the chunk and leaves them true. ``aliases`` are other names
    that the chunk says are its; each is a mention as well, described by the words that say so.
    """

    id: str
    chunk: str
    ordinal: int
    name: str
    type: str
    description: str
    start: int | None = None
    end: int | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RawRelation:
    """A directed relation as one chunk states it, by names; ``strength`` is 1 to 10.

    ``keywords`` say what it is about, where the model was asked for them (``graph.keywords``).
    """

    id: str
    chunk: str
    ordinal: int
    source: str
    target: str
    description: str
    strength: float
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where a piece of context comes from; ``start`` and ``end`` are offsets in the document."""

    document: str
    chunk: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entity:
    """A node of the graph: one person (place, thing ...) under its canonical name.

    ``aliases`` are the other names in the order of their first mention, ``mentions`` the ids of
    the raw entities, ``sources`` one place a mention. ``description`` may be empty where nothing
    but a relation's end names it.
    """

    id: str
    name: str
    type: str
    description: str
    aliases: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The canonical name, then the aliases."""
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A point in the story: everything before ``offset`` of that document lies before it.

    ``document_ordinal`` is its place in the order of ingestion (0-based), ``offset`` in characters.
    """

    document_ordinal: int
    offset: int


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether ``a`` and ``b`` are the same, who said so, and on what ground.

    ``by`` is ``person``, or the name of the prompt or rule; ``evidence`` names chunks.
    """

    id: str
    a: str
    b: str
    same: bool
    by: str
    reason: str
    evidence: tuple[str, ...] = ()
    created: str = ""


StatementKind = Literal["fact", "wish", "promise", "event", "feeling", "own_word"]
"""What a statement is; ``own_word`` is the character's, the others are of whom it talked with."""


@dataclass(frozen=True, slots=True)
class MemoryFragment:
    """What was said to the character and what it answered (Emotional RAG section II-B.2).

    ``emotion`` holds eight integers 1-10 by name, or None where it could not be scored yet;
    ``session``, ``turn`` and ``principal`` are None for an authored memory. With a ``kind`` it is a
    statement that was distilled from turns: ``said`` holds it, ``answered`` what the character
    committed itself to (``own_word``), and the other is empty. ``superseded_by`` is the later
    statement that says otherwise. ``retired`` is set for a superseded statement, and for a turn
    whose statements stand for it: the revision of the memories at which that came. ``speaker`` said
    it, empty: the person of the conversation; ``answered`` is empty where it was only heard.
    """

    id: str
    said: str
    answered: str
    emotion: Mapping[str, int] | None = None
    at: str | None = None
    session: str | None = None
    turn: str | None = None
    principal: str | None = None
    kind: StatementKind | None = None
    superseded_by: str | None = None
    retired: int | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Witness:
    """How a character of a story comes to know something, and the words that say so."""

    how: WitnessHow
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextItem:
    """A piece of what a reply may rest on; ``emotion`` is felt in ``memory``, a fragment's id.

    Of a story ``witness`` says how its character knows of it, ``subject`` whom pronouns mean.
    """

    kind: ContextKind
    title: str
    text: str
    score: float
    sources: tuple[Source, ...] = ()
    memory: str | None = None
    emotion: Mapping[str, int] | None = None
    witness: Witness | None = None
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A piece that was found and not used, and why."""

    kind: str
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class BoundaryReason:
    """Why an entity lies inside or outside of what the character knows."""

    entity: str
    reason: str


@dataclass(frozen=True, slots=True)
class Boundary:
    """Whether the question lies within the character's knowledge (RoleRAG section 3.4)."""

    verdict: Verdict
    reasons: tuple[BoundaryReason, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskUsage:
    """Calls and tokens of one prompt name."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a command cost; the keys are those of the contract.

    ``calls`` are chat calls that reached an endpoint, ``round_trips`` the longest chain of them
    that waited for one another; ``cost_usd`` is None without a price, ``cached_tokens`` (of those
    asked) and ``reasoning_tokens`` (of those answered) where no endpoint told of them.
    """

    calls: int = 0
    cached_calls: int = 0
    round_trips: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    embed_calls: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0
    by_task: Mapping[str, TaskUsage] = field(default_factory=dict)
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary of the shape that the contract prints."""
        return {k: v for k, v in asdict(self).items() if v is not None or k == "cost_usd"}


@dataclass(frozen=True, slots=True)
class IndexRequirements:
    """What a method needs indexed.

    ``chunkings`` are names of splitters whose chunks are searched, by meaning (``vectors``) or
    by words; ``profile`` is the one-paragraph summary; ``mentions`` are entities and relations as
    chunks of ``graph`` state them, ``graph`` the same with names normalized; ``traits`` is what a
    chunk of ``amadeus.splitter`` reveals, judged once; ``memories`` is that they are scored and
    have vectors, which nobody waits for, ``statements`` that turns are distilled as well;
    ``summaries`` are of clusters of ``raptor.splitter``; ``story`` is what a model says of scenes,
    where the documents are a story.
    """

    chunkings: tuple[str, ...] = ()
    vectors: bool = True
    profile: bool = False
    graph: bool = False
    traits: bool = False
    memories: bool = False
    statements: bool = False
    mentions: bool = False
    summaries: bool = False
    story: bool = False


@dataclass(frozen=True, slots=True)
class Recall:
    """What retrieval returns for one question; no reply is in it.

    ``stance`` is what the reply may rest on; ``as_of`` the point, as it was named (None: the end);
    ``fallback`` whether guided selection found nothing (None: no selection, or not one verdict);
    ``selected`` the ids of chunks that it chose, or that stand in (None: no selection); ``voice``
    are lines up to the point, and are not stored (None: the character's). ``usage`` is what this
    recall cost; that of a reply counts it, too.
    """

    character: str
    character_id: str
    method: str
    preset: str
    question: str
    context: tuple[ContextItem, ...] = ()
    boundary: Boundary | None = None
    emotion: Mapping[str, int] | None = None
    mood: Mapping[str, float] | None = None
    skipped: tuple[Skipped, ...] = ()
    as_of: str | None = None
    fallback: bool | None = None
    selected: tuple[str, ...] | None = None
    stance: Stance = "in_character"
    voice: tuple[str, ...] | None = None
    usage: Usage = field(default=Usage(), compare=False)

    def documents(self) -> frozenset[str]:
        """Names ``character/document`` of the documents that the context is from."""
        ids = {source.document for item in self.context for source in item.sources}
        return frozenset(f"{self.character_id}/{document}" for document in ids)

    def as_json(self) -> dict[str, Any]:
        """The shape of ``recall --json``."""
        shape = {name: value for name, value in asdict(self).items() if name != "voice"}
        return {**shape, "usage": self.usage.as_json()}

    def _repr_html_(self) -> str:
        """What it brought back, as a notebook shows it."""
        verdict = "" if self.boundary is None else f"; {_VERDICTS[self.boundary.verdict]}"
        head = f"{self.character} by {self.method}: {len(self.context)} pieces{verdict}"
        heads = ("kind", "score", "title", "text")
        rows = [(item.kind, item.score, item.title, item.text) for item in self.context]
        return html_line(head) + html_table(heads, rows)


_VERDICTS: Final = {
    "in": "within what the character knows",
    "partly": "partly within what the character knows",
    "out": "beyond what the character knows",
}


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a finished turn: the id of its memory, or why it is none."""

    memory: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply and everything that it rests on; ``remembered`` where the turn was kept."""

    text: str
    recall: Recall
    usage: Usage
    remembered: Remembered | None = None

    def __str__(self) -> str:
        """What the character says."""
        return self.text

    def recall_as_json(self) -> dict[str, Any]:
        """What it rests on, with what all of it cost: as it is kept with a turn."""
        return {**self.recall.as_json(), "usage": self.usage.as_json()}

    def as_json(self) -> dict[str, Any]:
        """The shape of ``ask --json``."""
        shape = self.recall_as_json()
        head = {key: shape.pop(key) for key in ("character", "method", "preset", "question")}
        remembered = None if self.remembered is None else asdict(self.remembered)
        return {**head, "reply": self.text, **shape, "remembered": remembered}

    def _repr_html_(self) -> str:
        """The reply, and folded up below it what it rests on, as a notebook shows it."""
        rests_on = f"<details><summary>rests on</summary>{self.recall._repr_html_()}</details>"
        return html_line(self.text, strong=True) + rests_on


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said, by ``speaker`` (empty: the person), and answered: nothing if only heard."""

    said: str
    answered: str
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message; ``speaker`` is whose words a user's are, empty: the person's."""

    role: MessageRole
    content: str
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about a file.

    ``path`` is where it is (``data.character_book.entries[3].keys``; empty for the file itself),
    ``message`` what is the matter, ``mend`` what a person can do about it.
    """

    code: str
    severity: Severity
    path: str
    message: str
    mend: str = ""

    def as_json(self) -> dict[str, str]:
        """A plain dictionary, as ``--json`` prints it."""
        return asdict(self)


DEFAULT_USER: Final = "User"
"""What a person is called who has said no name, in texts that speak of whoever talks."""


@dataclass(frozen=True, slots=True)
class LoreFile:
    """A lorebook as it is stored: raw JSON, and id, text and number of the document it became."""

    raw: str
    document: str
    text: str
    ordinal: int


@dataclass(frozen=True, slots=True)
class LoreQuery:
    """A question to the lorebooks of a character.

    ``question`` has what it refers back to, ``message`` are its own words, and ``history`` stands
    before them, after ``earlier`` messages that are not shown. What stands after ``until`` is
    unknown. ``greeting`` is which one the talk began with, from 0. All books stay below
    ``budget_tokens``, or their own up to ``most_tokens`` (None: any); keyed entries get
    ``beyond_tokens`` of what constant ones took. Keys are looked for in ``scan_depth`` messages,
    ``similar`` entries found by a likeness of ``least`` or more.
    """

    question: str
    history: Sequence[Message]
    message: str
    until: Position | None = None
    user: str | None = None
    persona: str = ""
    earlier: int = 0
    greeting: int | None = None
    budget_tokens: int = 2_048
    most_tokens: int | None = None
    beyond_tokens: int = 0
    scan_depth: int = 4
    similar: int = 3
    least: float = 0.2


@dataclass(frozen=True, slots=True)
class LoreEntries:
    """The entries of lorebooks that belong to a question, in their order, and what was left out."""

    items: tuple[ContextItem, ...] = ()
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """What sets a chat model or an embedder apart, whatever its name.

    ``free``: its calls cost nothing, so they need no confirmation, limit, cache or price;
    ``local``: nothing leaves the machine; ``measures``: its judgements count as a measurement.
    """

    free: bool = False
    local: bool = False
    measures: bool = True


ENDPOINT: Final = ModelTraits()
"""Of a model behind an endpoint, and of any that says nothing of itself."""
EMBEDDED: Final = ModelTraits(free=True, local=True)
"""Of a model that runs in this process."""


def traits_of(model: object) -> ModelTraits:
    """Read the ``traits`` of a chat model or an embedder; without any it is an endpoint."""
    traits: ModelTraits = getattr(model, "traits", ENDPOINT)
    return traits


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that a model asks for; ``arguments`` are JSON as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Ending:
    """Why an answer ended, and more of what a response holds, as far as an endpoint tells it."""

    finish_reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call of a chat model, as it goes over the narrow wire.

    Args:
        messages: What is sent.
        parameters: Sampling parameters that are passed on (temperature, max_tokens ...).
        limit: Most tokens of the answer, far above any valid one (``prompts.limits``): what a model
            that runs away costs at most. Not a part of the cache key; ``max_tokens`` among the
            parameters takes its place.
        schema: JSON schema of the answer, or None for plain text.
        origin: ``(prompt, inputs)``; never sent. The offline backend answers from it, and the
            cache and the meters read the prompt's name and version from it.
        sample: 0 for what is asked once; replies number their samples, so that they differ.
        cacheable: Whether a validated answer is kept in the call cache.
        documents: Names ``character/document`` of the documents whose text the prompt holds, so
            that forgetting a document also forgets the cached calls that saw it.
        retry_of: The first request of which this one is a repetition after an unusable answer.
        ended: Told how the answer ended, also where it then fails; never sent.
        heard: Told of each text that comes in a stream, thoughts that nobody is shown among them,
            so that they are counted also where nobody waits for the end; never sent.
        further: Awaited before another request goes out for the same answer, in a form that the
            endpoint may take; never sent.
    """

    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    schema: Mapping[str, Any] | None = None
    origin: tuple[Any, Any] | None = None
    sample: int = 0
    cacheable: bool = True
    documents: frozenset[str] = frozenset()
    retry_of: ChatRequest | None = None
    ended: Callable[[Ending], None] | None = field(default=None, compare=False, repr=False)
    heard: Callable[[str], None] | None = field(default=None, compare=False, repr=False)
    further: Callable[[], Awaitable[None]] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ChatResponse:
    """The answer of a chat model: text without ``<think>`` blocks, and what it cost.

    ``cached_tokens`` are those of the prompt that it had read before, ``reasoning_tokens`` those of
    the answer that are thoughts; None where it does not count them apart. ``thought`` says whether
    the model thought aloud before it answered, ``calls`` which tools it calls.
    """

    text: str
    finish_reason: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: bool = False
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    thought: bool = False
    calls: tuple[ToolCall, ...] = ()

    @property
    def ending(self) -> Ending:
        """How the answer ended."""
        return Ending(**{each.name: getattr(self, each.name) for each in fields(Ending)})
