"""Every setting, typed, with its default and its meaning.

Takes: values from the layers of ``loading``.  Gives: one frozen model, of which each part of the
program receives only its own section.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal

from platformdirs import user_data_dir
from pydantic import (
    BeforeValidator,
    Field,
    SecretStr,
    field_validator,
)
from pydantic_core import PydanticCustomError

from offbook.settings.methods import (
    AdaptiveSettings,
    AmadeusSettings,
    CragSettings,
    EmotionalSettings,
    EnsembleSettings,
    LightragSettings,
    NaiveSettings,
    RaptorSettings,
    RoleragSettings,
)
from offbook.settings.section import Section
from offbook.text.emotion_names import read_levels
from offbook.types import Stance

RetrievalMode = Literal["dense", "lexical", "hybrid"]
UNKNOWN_WINDOW_TOKENS: Final = 2_048
"""A quarter of 8,192 tokens, which nearly every model has that is served today."""


class LoreSettings(Section):
    """How entries of lorebooks are chosen, where the book does not say otherwise."""

    budget_tokens: int | None = Field(
        None,
        ge=0,
        description="what entries stay below, beside what was recalled; default: a quarter of "
        f"`chat.context_tokens`, as in SillyTavern, or {UNKNOWN_WINDOW_TOKENS} where that is not "
        "set; 0: lorebooks are not used",
    )
    scan_depth: int = Field(
        4, ge=0, le=1000, description="messages in which keys are looked for, the question's too"
    )
    similar: int = Field(3, ge=0, le=100, description="entries found by meaning alone, at most")
    least: float = Field(
        0.2, ge=-1, le=1, description="how like the question such an entry is at least"
    )

    def budget(self, context_tokens: int | None) -> int:
        """Return the tokens that all lorebooks of a character share."""
        if self.budget_tokens is not None:
            return self.budget_tokens
        if context_tokens is None:
            return UNKNOWN_WINDOW_TOKENS
        return context_tokens // 4

    def most_for_a_book(self, context_tokens: int | None) -> int | None:
        """Return the tokens that a book may ask for itself; None: as many as it likes."""
        if self.budget_tokens is not None:
            return self.budget_tokens
        return None if context_tokens is None else context_tokens // 4

    def beyond(self, context_tokens: int | None) -> int:
        """Return what keyed entries may take beyond it, where constant ones left them no room.

        An eighth of a window that is known: half as much again as SillyTavern tells at most.
        """
        if self.budget_tokens is not None or context_tokens is None:
            return 0
        return context_tokens // 8


class UserSettings(Section):
    """Who talks, where whoever asks does not say so; never the holder of a key."""

    name: str = Field(
        "", max_length=200, description="what `{{user}}` in cards stands for without `--user`"
    )
    description: str = Field(
        "", max_length=4_000, description="told to characters; what `{{persona}}` stands for"
    )


LOOPBACK: Final = "127.0.0.1"


def _listed(value: Any) -> Any:
    """Names of a list, also as the environment and ``--set`` give them: with commas between."""
    if not isinstance(value, str):
        return value
    return tuple(name for part in value.split(",") if (name := part.strip()))


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]

Policies = Annotated[
    tuple[Annotated[str, Field(pattern=r"^[^=]+=(user_context|merge|ignore)$")], ...],
    BeforeValidator(_listed),
]


class ServerSettings(Section):
    """The HTTP server."""

    host: str = Field(
        LOOPBACK, min_length=1, description="address to listen on; any but a loopback needs keys"
    )
    port: int = Field(8321, ge=0, le=65_535, description="port to listen on; 0: any free one")
    hosts: Names = Field(
        (),
        description="names beside the loopback ones that `Host` may have; naming any needs keys",
    )
    origins: Names = Field(
        (), description="web origins whose pages may call, such as `https://app.example.org`"
    )
    keys: bool = Field(
        False, description="ask for a key on a loopback address, too; else once there is one"
    )
    rpm: int | None = Field(
        None, ge=1, description="requests a minute of a key that names no limit of its own"
    )
    max_body_bytes: int = Field(
        32_000_000, ge=1_000, description="the largest body of a request, uploads included"
    )
    body_seconds: float = Field(
        60.0, gt=0, le=3_600, description="the longest that the body of a request may take"
    )
    head_seconds: float = Field(
        10.0, gt=0, le=600, description="the longest that the head of a request may take"
    )
    connections: int = Field(
        2_000, ge=1, le=100_000, description="connections at once; above that 503 is answered"
    )
    client_system: Literal["user_context", "merge", "ignore"] = Field(
        "user_context",
        description="system messages of chat clients: told as context, as directions, or left out",
    )
    client_system_of: Policies = Field(
        (), description="the same for single characters, by their ids, such as `ada-byrne=merge`"
    )
    tools: bool = Field(
        False, description="pass tools that clients send on to the model, and its calls back"
    )
    tools_of: Names = Field(
        (), description="the same for single characters, by their ids; a key may allow it, too"
    )
    replies: int = Field(8, ge=1, le=128, description="the most replies to one question (`n`)")
    ping_seconds: float = Field(
        10.0, gt=0, le=60, description="pause between signs of life while a reply is prepared"
    )


class EndpointSettings(Section):
    """A chat model: its name, and where it answers."""

    model: str = Field(
        "offline", min_length=1, description="the model's name; `offline` is embedded"
    )
    base_url: str | None = Field(None, description="address of an OpenAI-compatible endpoint")
    api_key: SecretStr | None = Field(None, description="the key that the endpoint asks for")
    thinks: bool = Field(
        False, description="it thinks aloud, so that no answer is limited; otherwise found out"
    )
    context_tokens: int | None = Field(
        None, ge=512, description="the model's window; default: what `offbook doctor` found"
    )


class RoleSettings(Section):
    """The extractor or the judge; what is not set is chat's."""

    model: str | None = Field(None, description="the model's name; default: chat's")
    base_url: str | None = Field(None, description="default: chat's")
    api_key: SecretStr | None = Field(None, description="default: chat's, for chat's base_url only")
    thinks: bool | None = Field(None, description="default: chat's")


class EmbedSettings(Section):
    """The embedder."""

    model: str = Field("builtin", min_length=1, description="`builtin` is the embedded default")
    base_url: str | None = Field(None, description="default: chat's")
    api_key: SecretStr | None = Field(None, description="default: chat's, for chat's base_url only")
    batch: int = Field(64, ge=1, le=2048, description="texts in one call")


class RerankSettings(Section):
    """A model that reorders the passages that a search found; without one they stay as found."""

    model: str | None = Field(None, description="asked at `/rerank`; default: none")
    base_url: str | None = Field(None, description="default: chat's")
    api_key: SecretStr | None = Field(None, description="default: chat's, for chat's base_url only")
    candidates: int = Field(30, ge=2, le=1000, description="passages that it is given to reorder")


class DatabaseSettings(Section):
    """Where everything is kept."""

    url: SecretStr | None = Field(None, description="default: SQLite in home; or postgresql://...")


_ONE: Final = "one command (of a server: one request, one job, or one action on its page)"


class LimitSettings(Section):
    """How fast, and how much at most."""

    concurrency: int = Field(
        16,
        ge=1,
        le=10_000,
        description="calls in flight; where it is not set 2 to a server of one's own, or as many "
        "as `offbook doctor` found that it takes",
    )
    rpm: int | None = Field(None, ge=1, description="requests a minute")
    tpm: int | None = Field(None, ge=1, description="tokens a minute")
    budget_calls: int | None = Field(None, ge=0, description=f"the most calls of {_ONE}")
    budget_usd: float | None = Field(None, ge=0, description=f"the most USD for {_ONE}")
    timeout_seconds: float = Field(120.0, gt=0, description="how long one call may take")
    retries: int = Field(4, ge=0, le=20, description="after 429, 408, 5xx and time-outs")


class PriceSettings(Section):
    """What a model costs, in USD per million tokens."""

    prompt: float = Field(ge=0, description="USD per million prompt tokens")
    completion: float = Field(ge=0, description="USD per million completion tokens")


class AnswerSettings(Section):
    """What happens to answers that cannot be used."""

    retries: int = Field(2, ge=0, le=10, description="times an unusable answer is asked for again")


class EvaluationSettings(Section):
    """How ratings are read."""

    tie: Literal["first", "second"] = Field(
        "second",
        description="the pole that a score exactly between two stands for: E/I at 50 % is E "
        "(`first`) or I (`second`); of the Big Five `first` is the high one",
    )


class StorySettings(Section):
    """Stories: texts of which a character has witnessed a part."""

    kind: Literal["auto", "story", "persona"] = Field("auto", description="what documents are")
    model: bool = Field(True, description="a model reads who was where when; else rules do")


class TokenSettings(Section):
    """How tokens are counted."""

    encoding: str | None = Field(
        None, description="a tiktoken encoding on this disk; default: the built-in estimate"
    )


class RetrievalSettings(Section):
    """How passages are found."""

    mode: RetrievalMode = Field("hybrid", description="dense, lexical, or both combined")
    follow_up: bool = Field(
        True, description="search for a question that refers back together with the one before"
    )


class ActsSettings(Section):
    """The adaptive context-aware splitter (paper 003, section 4.1)."""

    alpha: float = Field(2.0, gt=1, description="overlap = l_max / alpha")
    limit: int | None = Field(
        None, ge=100, description="the longest text the embedder takes; at most 4000 characters"
    )
    unit: Literal["characters", "tokens"] = Field("characters", description="unit of length")
    paragraph: Literal["line", "block"] = Field(
        "line", description="what counts as a paragraph: a line, or what blank lines part"
    )


class FixedSettings(Section):
    """The fixed and the recursive splitter."""

    size: int = Field(1000, ge=50, description="length of a chunk")
    overlap: int = Field(200, ge=0, description="what neighbours share")
    unit: Literal["characters", "tokens"] = Field("characters", description="unit of length")


class GraphSettings(Section):
    """The graph of the character: extraction and entity normalization (paper 001, section 3)."""

    boundaries: Literal["content", "window"] = Field(
        "content", description="content-defined, or the paper's windows of equal length"
    )
    size: int = Field(600, ge=50, description="tokens of a window, where boundaries are windows")
    overlap: int = Field(100, ge=0, description="tokens that neighbouring windows share")
    entity_types: Names = Field(
        ("character", "location", "time", "event", "organization", "object"),
        min_length=1,
        description="what an entity may be, with commas between; a change concerns what is"
        " extracted from then on",
    )
    window: int = Field(
        1200,
        ge=0,
        description="tokens of chunks in a row that one call extracts; 0: one chunk a call",
    )
    gleaning: bool = Field(
        False, description="a second pass a window for what the first missed; doubles the cost"
    )
    keywords: bool = Field(False, description="extraction gives relations keywords (LightRAG)")
    dates: bool = Field(False, description="whether a date alone is an entity")
    k: int = Field(3, ge=0, le=50, description="nearest earlier entities that are compared")
    threshold: float = Field(0.7, ge=-1, le=1, description="least cosine similarity of those")
    same_type: bool = Field(True, description="compare only entities of one type")
    by_name: bool = Field(True, description="compare names that resemble one another as well")
    homonyms: bool = Field(
        True, description="judge equal names where type, gender, kinship or chapter speak against"
    )
    once: bool = Field(
        True, description="judge two names once, and once more where a text mentions both"
    )
    who_is_who: bool = Field(
        True, description="look at all names of the text at once; only then at pairs that are left"
    )
    verify: bool = Field(True, description="look at groups of three or more names as a whole")
    join_words: int = Field(
        80,
        ge=0,
        description="descriptions of one name that have no more words in all, or of a relation with"
        " at most twice as many, are joined without a call",
    )


class MemorySettings(Section):
    """What a conversation leaves behind."""

    learn: bool = Field(True, description="finished turns of kept conversations become memories")
    gate: bool = Field(True, description="keep small talk out; see docs/memory.md")
    distil: bool = Field(
        True, description="a model distils turns into statements: one call for four turns"
    )
    batch: int = Field(20, ge=1, le=200, description="memories scored in one call")
    grace_seconds: float = Field(
        1.0, ge=0, le=600, description="how long the end of a command waits for unfinished scoring"
    )


class MoodSettings(Section):
    """A mood that moves with the conversation and comes back to the temperament."""

    weight: float = Field(
        0.3, ge=0, le=1, description="how far one answer moves it towards its own emotion"
    )
    half_life_minutes: float = Field(
        30.0, gt=0, description="time in which half of its distance from the temperament is gone"
    )
    temperament: str | None = Field(
        None,
        description="`joy=4,fear=2`, from 1 to 10, others 1; default: mean of authored memories",
    )

    @field_validator("temperament")
    @classmethod
    def _is_readable(cls, value: str | None) -> str | None:
        try:
            if value is not None:
                read_levels(value)
        except ValueError as error:
            raise PydanticCustomError("temperament", "{why}", {"why": str(error)}) from error
        return value


class ProfileSettings(Section):
    """The one-paragraph summary."""

    budget_tokens: int = Field(
        12_000, ge=200, description="tokens of the documents' beginnings that the summary reads"
    )


class ContextSettings(Section):
    """How much the model is told, in tokens."""

    budget_tokens: int | None = Field(
        None,
        ge=100,
        description="for what was recalled; default: 2000, or where replies cost nothing 3000",
    )
    life_tokens: int = Field(2_600, ge=0, description="of a story: for the life so far, last scene")
    history_tokens: int = Field(4_000, ge=0, description="for the conversation so far")
    voice_samples: int = Field(
        6, ge=0, le=50, description="lines of the character that a question shows to the actor"
    )
    min_score: float | None = Field(
        None, ge=-1, le=1, description="what scores lower is skipped, and listed as skipped"
    )

    def budget(self, *, free: bool = False) -> int:
        """The most tokens of what was recalled; ``free`` where a reply costs nothing."""
        return self.budget_tokens or (3_000 if free else 2_000)


class ReplySettings(Section):
    """What replies may rest on, how they sound and how they are sampled."""

    stance: Stance = Field(
        "in_character",
        description="`in_character`: facts from the texts, tastes and feelings inferred;"
        " `grounded`: nothing but the texts; `open`: the model's own knowledge as well",
    )
    style: bool = Field(
        True,
        description="tell the actor how the character speaks, how it feels, who is asking and what"
        " it said twice of late; ask again, once, where it begins like an assistant",
    )
    temperature: float | None = Field(
        None, ge=0, le=2, description="sampling temperature; default: 0.7"
    )
    max_tokens: int | None = Field(
        None, ge=1, description="the longest reply; default: the endpoint's"
    )


class SettingsModel(Section):
    """All settings. ``loading.Settings`` wraps it with the origin of every value."""

    home: Path = Field(
        default_factory=lambda: Path(user_data_dir("offbook", appauthor=False)),
        description="where the embedded database lives",
    )
    method: str = Field("ensemble", description="how a reply is grounded; see docs/methods.md")
    preset: Literal["default", "faithful"] = Field(
        "default", description="`faithful` repeats the papers' settings"
    )
    database: DatabaseSettings = DatabaseSettings()
    chat: EndpointSettings = EndpointSettings()
    extract: RoleSettings = RoleSettings()
    judge: RoleSettings = RoleSettings()
    embed: EmbedSettings = EmbedSettings()
    rerank: RerankSettings = RerankSettings()
    limits: LimitSettings = LimitSettings()
    prices: dict[str, PriceSettings] = Field({}, description="USD per million tokens, a model each")
    answers: AnswerSettings = AnswerSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    story: StorySettings = StorySettings()
    tokens: TokenSettings = TokenSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    acts: ActsSettings = ActsSettings()
    fixed: FixedSettings = FixedSettings()
    graph: GraphSettings = GraphSettings()
    naive: NaiveSettings = NaiveSettings()
    crag: CragSettings = CragSettings()
    adaptive: AdaptiveSettings = AdaptiveSettings()
    raptor: RaptorSettings = RaptorSettings()
    lightrag: LightragSettings = LightragSettings()
    rolerag: RoleragSettings = RoleragSettings()
    amadeus: AmadeusSettings = AmadeusSettings()
    emotional: EmotionalSettings = EmotionalSettings()
    ensemble: EnsembleSettings = EnsembleSettings()
    memory: MemorySettings = MemorySettings()
    mood: MoodSettings = MoodSettings()
    profile: ProfileSettings = ProfileSettings()
    context: ContextSettings = ContextSettings()
    lore: LoreSettings = LoreSettings()
    reply: ReplySettings = ReplySettings()
    server: ServerSettings = ServerSettings()
    user: UserSettings = UserSettings()


def setting_names() -> dict[str, str]:
    """Every dotted setting name (without ``prices.*``) and its meaning."""
    names: dict[str, str] = {}
    for key, info in SettingsModel.model_fields.items():
        section = info.annotation
        if isinstance(section, type) and issubclass(section, Section):
            for inner, inner_info in section.model_fields.items():
                names[f"{key}.{inner}"] = inner_info.description or ""
        elif key != "prices":
            names[key] = info.description or ""
    return names
