"""Settings: the MEMORYKIT dict, validated whole; an unknown key is an error."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from memorykit_app.domain.limits import Limits

SETTING = "MEMORYKIT"


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=str.upper,
        arbitrary_types_allowed=True,
        hide_input_in_errors=True,
    )


class BackendSetting(_Part):
    """A dotted path and the keyword arguments for its constructor."""

    backend: str
    options: dict[str, Any] = Field(default_factory=dict)


def _builtin(name: str) -> BackendSetting:
    return BackendSetting.model_validate({"BACKEND": f"memorykit_app.backends.{name}"})


class Retry(_Part):
    """Waits between attempts, in seconds: full jitter below min(cap, base * 2 ** attempt)."""

    base: Annotated[float, Field(gt=0, le=600)] = 2.0
    cap: Annotated[float, Field(gt=0, le=86_400)] = 600.0


class Jobs(_Part):
    """How background work is leased. Seconds unless a name says otherwise."""

    queue: str = "memorykit"
    lease_seconds: Annotated[float, Field(ge=1, le=3_600)] = 60.0
    drain_seconds: Annotated[float, Field(ge=1, le=3_600)] = 60.0
    max_attempts: Annotated[int, Field(ge=1, le=100)] = 5
    claim_batch: Annotated[int, Field(ge=1, le=500)] = 32
    sweep_seconds: Annotated[float, Field(ge=1, le=600)] = 10.0
    bell_after_seconds: Annotated[float, Field(ge=1, le=600)] = 3.0
    retry: Retry = Field(default_factory=Retry)


class Api(_Part):
    """How agent hosts are answered: each host key has a bucket of calls that refills evenly.

    `without_redis` says what goes on while nobody can count the calls. A process serves
    `at_once` calls, keeps `waiting` more in line, and answers 503 to the rest.
    """

    calls_per_minute: Annotated[int, Field(ge=1, le=1_000_000)] = 6_000
    burst: Annotated[int, Field(ge=1, le=100_000)] = 200
    without_redis: Literal["reads", "all", "nothing"] = "reads"
    at_once: Annotated[int, Field(ge=1, le=1_000)] = 8
    waiting: Annotated[int, Field(ge=0, le=10_000)] = 8


class Receipts(_Part):
    """Whether recall leaves content-free receipts, and for how many days each is kept."""

    store: bool = True
    days: Annotated[int, Field(ge=1, le=3_650)] = 30


class Settings(_Part):
    """Everything memorykit reads from the project's settings."""

    authorizer: BackendSetting
    authorizer_seconds: Annotated[float, Field(gt=0, le=60)] = 2.0
    embedders: Annotated[dict[str, BackendSetting], Field(min_length=1)]
    serving_profile: str
    extractor: BackendSetting
    recall_policy: dict[str, Any]
    fingerprint_key: SecretStr
    content_validator: BackendSetting = _builtin("validator.ContentRules")
    token_counter: BackendSetting = _builtin("tokens.EstimatingTokenCounter")
    observer: BackendSetting = _builtin("builtin.LoggingObserver")
    clock: BackendSetting = _builtin("builtin.SystemClock")
    limits: Limits = Field(default_factory=Limits)
    jobs: Jobs = Field(default_factory=Jobs)
    api: Api = Field(default_factory=Api)
    receipts: Receipts = Field(default_factory=Receipts)
    explicit_writes: Literal["explicit-write-v1", "review"] = "explicit-write-v1"
    undo_seconds: Annotated[int, Field(ge=0, le=86_400)] = 600
    transcript_days: Annotated[int, Field(ge=1, le=3_650)] = 30
    candidate_days: Annotated[int, Field(ge=1, le=3_650)] = 90
    reason_presets: tuple[str, ...] = (
        "not_in_source",
        "one_off",
        "outdated",
        "duplicate",
        "wrong_scope",
        "sensitive",
        "instruction",
        "unclear",
        "other",
    )

    @model_validator(mode="before")
    @classmethod
    def _build_limits(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and isinstance(data.get("LIMITS"), Mapping):
            bounds = {str(k).lower(): v for k, v in data["LIMITS"].items()}
            try:
                return {**data, "LIMITS": Limits(**bounds)}
            except TypeError:
                known = ", ".join(name.upper() for name in Limits.__dataclass_fields__)
                raise ValueError(f"LIMITS has an unknown key; known are {known}") from None
            except ValueError as error:
                raise ValueError(f"LIMITS: {error}") from None
        return data

    @model_validator(mode="after")
    def _serving_profile_is_configured(self) -> Settings:
        if self.serving_profile not in self.embedders:
            raise ValueError("SERVING_PROFILE must name one of the EMBEDDERS")
        if len(self.fingerprint_key.get_secret_value()) < 32:
            raise ValueError("FINGERPRINT_KEY must have at least 32 characters")
        return self


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the validated settings. Raises ImproperlyConfigured naming each wrong key."""
    raw = getattr(django_settings, SETTING, None)
    if not isinstance(raw, Mapping):
        raise ImproperlyConfigured(f"{SETTING} must be a dict; see docs/settings.md")
    try:
        return Settings.model_validate(dict(raw))
    except ValidationError as error:
        lines = (f"{SETTING}[{path}]: {rule}" for path, rule in _wrong(error))
        raise ImproperlyConfigured("; ".join(lines)) from None


def problems() -> list[tuple[str, str]]:
    """Return each wrong key of the settings (blank: the dict itself) with the rule it breaks."""
    raw = getattr(django_settings, SETTING, None)
    if not isinstance(raw, Mapping):
        return [("", "must be a dict")]
    try:
        Settings.model_validate(dict(raw))
    except ValidationError as error:
        return _wrong(error)
    return []


def _wrong(error: ValidationError) -> list[tuple[str, str]]:
    return [
        (".".join(str(part) for part in item["loc"]) or "*", item["msg"])
        for item in error.errors(include_input=False, include_url=False)
    ]


def _reload(*, setting: str, **_: object) -> None:
    if setting == SETTING:
        settings.cache_clear()


setting_changed.connect(_reload, dispatch_uid="memorykit.conf")
