"""Recall policy: every number that decides what is recalled, under a version."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from memorykit_app import backends, conf
from memorykit_app.models import Profile

_SETTING = f"{conf.SETTING}[RECALL_POLICY]"
Limit = Annotated[int, Field(ge=0, le=1_000)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]


class RecallPolicy(BaseModel):
    """How recall searches, ranks and packs. There are no defaults: name every field.

    Limits are rows per channel (0 switches it off); `query_chars` bounds the question and
    `embed_chars` the end of it that is embedded; `deadline_ms` covers embedding, search and
    packing. `profile` and `dimension` name the vectors that are compared.

    Weights and shares of 0 switch their part off: `centre` is how much of what all vectors of
    a scope have in common is taken off the question's, seen in a `sample` of rows; `before`,
    `after` and `answer_weight` bring in what stands beside a hit in its source; `date_weight`
    what was valid from a date that is asked for; `importance_weight` what reviewers rated
    high; `fold` leaves out a record whose terms are those of a better one to this share.
    `calibration` turns scores into 0..1 and `floor` is the least of them that is served.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=str.upper, hide_input_in_errors=True
    )

    version: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9][a-z0-9._+-]*$")]
    exact_limit: Limit
    full_text_limit: Limit
    vector_limit: Limit
    full_text_rule: Literal["matched_terms", "bm25"]
    bm25_saturation: Annotated[float, Field(gt=0, le=10, allow_inf_nan=False)]
    bm25_length: Share
    stems: bool
    telling_only: bool
    fusion: Literal["rrf", "scores"]
    rrf_k: Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)]
    exact_weight: Weight
    full_text_weight: Weight
    vector_weight: Weight
    min_similarity: Share
    centre: Share
    sample: Annotated[int, Field(ge=0, le=10_000)]
    before_weight: Share
    after_weight: Share
    answer_weight: Share
    date_weight: Weight
    importance_weight: Weight
    fold: Share
    calibration: Literal["none", "evidence-v1"]
    floor: Share
    items: Annotated[int, Field(gt=0, le=1_000)]
    tokens: Annotated[int, Field(gt=0, le=1_000_000)]
    pinned_items: Limit
    query_chars: Annotated[int, Field(gt=0, le=1_000_000)]
    query_terms: Annotated[int, Field(gt=0, le=10_000)]
    embed_chars: Annotated[int, Field(gt=0, le=100_000)]
    keys: Annotated[int, Field(gt=0, le=1_000)]
    deadline_ms: Annotated[int, Field(gt=0, le=600_000)]
    profile: Annotated[str, Field(min_length=1, max_length=128)]
    dimension: Annotated[int, Field(ge=1, le=16_000)]

    @model_validator(mode="after")
    def _some_channel_is_on(self) -> RecallPolicy:
        if not (self.exact_limit or self.full_text_limit or self.vector_limit):
            raise ValueError("one of EXACT_LIMIT, FULL_TEXT_LIMIT, VECTOR_LIMIT must be above 0")
        return self

    @model_validator(mode="after")
    def _scores_have_what_they_need(self) -> RecallPolicy:
        if self.sample < 2 and self.vector_limit and (self.fusion == "scores" or self.centre):
            raise ValueError("SAMPLE must be at least 2 for FUSION scores and for CENTRE")
        return self


_MATCHED_TERMS: Final[dict[str, Any]] = {
    "VERSION": "matched-terms-v1",
    "EXACT_LIMIT": 10,
    "FULL_TEXT_LIMIT": 50,
    "VECTOR_LIMIT": 50,
    "FULL_TEXT_RULE": "matched_terms",
    "BM25_SATURATION": 1.2,
    "BM25_LENGTH": 0.4,
    "STEMS": True,
    "TELLING_ONLY": True,
    "FUSION": "rrf",
    "RRF_K": 60.0,
    "EXACT_WEIGHT": 1.0,
    "FULL_TEXT_WEIGHT": 1.0,
    "VECTOR_WEIGHT": 1.0,
    "MIN_SIMILARITY": 0.0,
    "CENTRE": 0.0,
    "SAMPLE": 0,
    "BEFORE_WEIGHT": 0.0,
    "AFTER_WEIGHT": 0.0,
    "ANSWER_WEIGHT": 0.0,
    "DATE_WEIGHT": 0.0,
    "IMPORTANCE_WEIGHT": 0.0,
    "FOLD": 0.0,
    "CALIBRATION": "none",
    "FLOOR": 0.0,
    "ITEMS": 10,
    "TOKENS": 2_000,
    "PINNED_ITEMS": 5,
    "QUERY_CHARS": 100_000,
    "QUERY_TERMS": 1_000,
    "EMBED_CHARS": 2_000,
    "KEYS": 20,
    "DEADLINE_MS": 2_000,
}
_BALANCED: Final[dict[str, Any]] = _MATCHED_TERMS | {
    "VERSION": "balanced-v1",
    "FULL_TEXT_RULE": "bm25",
    "FUSION": "scores",
    # Above what words, vectors and context come to together: an asked key is first.
    "EXACT_WEIGHT": 3.0,
    "FULL_TEXT_WEIGHT": 0.5,
    "VECTOR_WEIGHT": 0.5,
    "CENTRE": 0.3,
    "SAMPLE": 128,
    "BEFORE_WEIGHT": 0.5,
    "AFTER_WEIGHT": 0.5,
    "ANSWER_WEIGHT": 0.2,
    "DATE_WEIGHT": 0.2,
    "FOLD": 0.95,
    "CALIBRATION": "evidence-v1",
}
#: Named starts. One that was released never changes: a better one gets a new name.
PRESETS: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {str(preset["VERSION"]): MappingProxyType(preset) for preset in (_MATCHED_TERMS, _BALANCED)}
)


@lru_cache(maxsize=1)
def policy() -> RecallPolicy:
    """Return the policy of MEMORYKIT[RECALL_POLICY].

    Raises ImproperlyConfigured naming each wrong, unknown or missing field.
    """
    return build(conf.settings().recall_policy)


def on_serving_profile(rules: RecallPolicy) -> RecallPolicy:
    """Return a policy over the profile that the database serves, so that a switch is seen at once.

    A setting that names a PROFILE of its own stays with it.
    """
    found = None if "PROFILE" in conf.settings().recall_policy else Profile.serving()
    if found is None or found == (rules.profile, rules.dimension):
        return rules
    return rules.model_copy(update={"profile": found[0], "dimension": found[1]})


def build(given: Mapping[str, Any]) -> RecallPolicy:
    """Return the policy that a setting describes: {"PRESET": name, ...} or every field.

    PROFILE and DIMENSION default to the serving profile. A preset with changes needs a VERSION
    of its own. Raises ImproperlyConfigured.
    """
    fields = _with_vectors(_with_preset(dict(given)))
    try:
        return RecallPolicy.model_validate(fields)
    except ValidationError as error:
        lines = (
            f"{_SETTING}[{'.'.join(str(part) for part in item['loc']) or '*'}]: {item['msg']}"
            for item in error.errors(include_input=False, include_url=False)
        )
        raise ImproperlyConfigured("; ".join(lines)) from None


def _with_preset(given: dict[str, Any]) -> dict[str, Any]:
    name = given.pop("PRESET", None)
    if name is None:
        return given
    preset = PRESETS.get(name) if isinstance(name, str) else None
    if preset is None:
        raise ImproperlyConfigured(f"{_SETTING}[PRESET] must be one of {', '.join(PRESETS)}")
    changed = given.keys() - {"PROFILE", "DIMENSION"}
    if changed and given.get("VERSION", name) in PRESETS:
        raise ImproperlyConfigured(
            f"{_SETTING} changes the preset {name}: give it a VERSION of its own"
        )
    return {**preset, **given}


def _with_vectors(given: dict[str, Any]) -> dict[str, Any]:
    profile = given.setdefault("PROFILE", conf.settings().serving_profile)
    if not isinstance(profile, str):
        return given
    dimension = backends.embedder(profile).dimension
    if given.setdefault("DIMENSION", dimension) != dimension:
        raise ImproperlyConfigured(
            f"{_SETTING}[DIMENSION] is not that of the embedder of profile {profile}"
        )
    return given


def _forget(*, setting: str, **_: object) -> None:
    if setting == conf.SETTING:
        policy.cache_clear()


setting_changed.connect(_forget, dispatch_uid="memorykit.recall.policy")
