"""The settings as keywords of a call; written by ``src/generate.py``.

Takes: nothing.  Gives: the names and types that an editor completes.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypedDict


class SettingKeywords(TypedDict, total=False):
    """Settings by name, with ``__`` for the dot; None: as it is configured."""

    home: str | Path | None
    method: str | None
    preset: Literal["default", "faithful"] | None
    database__url: str | None
    chat__model: str | None
    chat__base_url: str | None
    chat__api_key: str | None
    chat__thinks: bool | None
    chat__context_tokens: int | None
    extract__model: str | None
    extract__base_url: str | None
    extract__api_key: str | None
    extract__thinks: bool | None
    judge__model: str | None
    judge__base_url: str | None
    judge__api_key: str | None
    judge__thinks: bool | None
    embed__model: str | None
    embed__base_url: str | None
    embed__api_key: str | None
    embed__batch: int | None
    rerank__model: str | None
    rerank__base_url: str | None
    rerank__api_key: str | None
    rerank__candidates: int | None
    limits__concurrency: int | None
    limits__rpm: int | None
    limits__tpm: int | None
    limits__budget_calls: int | None
    limits__budget_usd: float | None
    limits__timeout_seconds: float | None
    limits__retries: int | None
    answers__retries: int | None
    evaluation__tie: Literal["first", "second"] | None
    story__kind: Literal["auto", "story", "persona"] | None
    story__model: bool | None
    tokens__encoding: str | None
    retrieval__mode: Literal["dense", "lexical", "hybrid"] | None
    retrieval__follow_up: bool | None
    acts__alpha: float | None
    acts__limit: int | None
    acts__unit: Literal["characters", "tokens"] | None
    acts__paragraph: Literal["line", "block"] | None
    fixed__size: int | None
    fixed__overlap: int | None
    fixed__unit: Literal["characters", "tokens"] | None
    graph__boundaries: Literal["content", "window"] | None
    graph__size: int | None
    graph__overlap: int | None
    graph__entity_types: str | Sequence[str] | None
    graph__window: int | None
    graph__gleaning: bool | None
    graph__keywords: bool | None
    graph__dates: bool | None
    graph__k: int | None
    graph__threshold: float | None
    graph__same_type: bool | None
    graph__by_name: bool | None
    graph__homonyms: bool | None
    graph__once: bool | None
    graph__who_is_who: bool | None
    graph__verify: bool | None
    graph__join_words: int | None
    naive__k: int | None
    naive__splitter: str | None
    crag__splitter: str | None
    crag__k: int | None
    crag__strip: int | None
    crag__searcher: str | None
    crag__second: int | None
    crag__strips: int | None
    crag__rewrite: bool | None
    crag__knowledge_share: float | None
    crag__second_share: float | None
    adaptive__splitter: str | None
    adaptive__k: int | None
    adaptive__steps: int | None
    adaptive__most: int | None
    adaptive__search_by: Literal["missing", "thought"] | None
    adaptive__own_knowledge: bool | None
    raptor__splitter: str | None
    raptor__k: int | None
    raptor__size: int | None
    raptor__cluster_tokens: int | None
    raptor__levels: int | None
    lightrag__k: int | None
    lightrag__neighbours: int | None
    lightrag__description_tokens: int | None
    lightrag__source_chunks: int | None
    lightrag__entity_share: float | None
    lightrag__relation_share: float | None
    lightrag__chunk_share: float | None
    rolerag__hyde: Literal["joint", "separate"] | None
    rolerag__k: int | None
    rolerag__threshold: float | None
    rolerag__parts_of_names: bool | None
    rolerag__unmentioned: Literal["in", "out"] | None
    rolerag__neighbours: int | None
    rolerag__source_chunks: int | None
    rolerag__profile_share: float | None
    rolerag__entity_share: float | None
    rolerag__relation_share: float | None
    rolerag__chunk_share: float | None
    rolerag__outside_share: float | None
    amadeus__splitter: str | None
    amadeus__k: int | None
    amadeus__gs: Literal["live", "indexed", "off"] | None
    amadeus__ae: bool | None
    amadeus__n: int | None
    amadeus__m: int | None
    amadeus__window: int | None
    amadeus__profile: bool | None
    amadeus__profile_share: float | None
    amadeus__knowledge_share: float | None
    amadeus__selected_share: float | None
    amadeus__attribute_share: float | None
    emotional__strategy: Literal["ordinary", "C-A", "C-M", "S-S", "S-E"] | None
    emotional__k: int | None
    emotional__pool: int | None
    emotional__distance: Literal["euclidean", "cosine"] | None
    emotional__centred: bool | None
    emotional__mood: float | None
    emotional__profile_share: float | None
    emotional__memory_share: float | None
    ensemble__k: int | None
    ensemble__gs: Literal["live", "indexed", "off"] | None
    ensemble__ae: bool | None
    ensemble__entities: int | None
    ensemble__relations: int | None
    ensemble__memories: int | None
    ensemble__memory_score: float | None
    ensemble__passage_score: float | None
    ensemble__likeness: float | None
    ensemble__wait_seconds: float | None
    ensemble__profile_share: float | None
    ensemble__entity_share: float | None
    ensemble__relation_share: float | None
    ensemble__knowledge_share: float | None
    ensemble__attribute_share: float | None
    ensemble__memory_share: float | None
    ensemble__outside_share: float | None
    memory__learn: bool | None
    memory__gate: bool | None
    memory__distil: bool | None
    memory__batch: int | None
    memory__grace_seconds: float | None
    mood__weight: float | None
    mood__half_life_minutes: float | None
    mood__temperament: str | None
    profile__budget_tokens: int | None
    context__budget_tokens: int | None
    context__life_tokens: int | None
    context__history_tokens: int | None
    context__voice_samples: int | None
    context__min_score: float | None
    lore__budget_tokens: int | None
    lore__scan_depth: int | None
    lore__similar: int | None
    lore__least: float | None
    reply__stance: Literal["open", "grounded", "in_character"] | None
    reply__style: bool | None
    reply__temperature: float | None
    reply__max_tokens: int | None
    server__host: str | None
    server__port: int | None
    server__hosts: str | Sequence[str] | None
    server__origins: str | Sequence[str] | None
    server__keys: bool | None
    server__rpm: int | None
    server__max_body_bytes: int | None
    server__body_seconds: float | None
    server__head_seconds: float | None
    server__connections: int | None
    server__client_system: Literal["user_context", "merge", "ignore"] | None
    server__client_system_of: str | Sequence[str] | None
    server__replies: int | None
    server__ping_seconds: float | None
    user__name: str | None
    user__description: str | None
