"""System checks: each wrong setting is found under its id, with a hint that helps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings as project
from django.core import checks
from django.core.checks import Tags
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection
from django.test import override_settings
from django.urls import include, path
from pydantic import BaseModel
from rq.serializers import JSONSerializer

from memorykit_app import conf
from memorykit_app.backends.base import Authorizer, Embedder
from memorykit_app.backends.doubles import HashingEmbedder
from memorykit_app.checks import server as server_checks
from memorykit_app.checks.message import TAG
from memorykit_app.domain.limits import Limits
from memorykit_app.models import Profile
from memorykit_app.services import server
from memorykit_app.services.server import Server
from tests.records import NOW

DOUBLES = "memorykit_app.backends.doubles"
HERE = __name__
SETTINGS_PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
SOUND = {
    "version": 160004,
    "vector": "0.8.2",
    "vector_available": "0.8.2",
    "superuser": False,
    "exempt": False,
}

rq_routes = [path("rq/", include("django_rq.urls"))]


class Unready(Embedder):
    """An embedder that lacks something."""

    dimension = 0

    def problems(self):
        return ["the model is not there"]

    def embed_passages(self, texts):
        return []

    def embed_query(self, text):
        return []


class Careless(Authorizer):
    """Allows everything, without saying so."""

    def allows(self, principal, verb, scope, target):
        return True


class Broken(Authorizer):
    def allows(self, principal, verb, scope, target):
        raise RuntimeError


def found(**changes) -> list[str]:
    """Return the ids that the checks find with these changes; `deploy` asks for all."""
    return sorted(number(message) for message in messages(**changes))


def number(message) -> str:
    return str(message.id).removeprefix(f"{TAG}.")


def test_what_is_wrong_with_a_limit_is_said():
    (message,) = messages(LIMITS={"KEY_CHARS": 0})

    assert "LIMITS: key_chars must be a positive whole number" in message.msg


def messages(*, deploy: bool = False, drop: str = "", **changes):
    whole = {**project.MEMORYKIT, **changes}
    whole.pop(drop, None)
    with override_settings(MEMORYKIT=whole):
        return [
            message
            for message in checks.run_checks(tags=[TAG], include_deployment_checks=deploy)
            if str(message.id).startswith(TAG)
        ]


def test_sound_settings_pass():
    assert found() == []


@pytest.mark.parametrize(
    ("changes", "ids"),
    [
        ({"UNDO_SECONDS": -1}, ["E001"]),
        ({"NO_SUCH_KEY": 1}, ["E001"]),
        ({"drop": "EMBEDDERS"}, ["E001"]),
        ({"SERVING_PROFILE": "other"}, ["E001"]),
        ({"FINGERPRINT_KEY": "short"}, ["E001"]),
        ({"drop": "AUTHORIZER"}, ["E004"]),
        ({"drop": "RECALL_POLICY"}, ["E005"]),
        ({"LIMITS": {"KEY_CHARS": 0}}, ["E011"]),
        ({"LIMITS": {"KEY_CHAR": 1}}, ["E011"]),
        ({"LIMITS": 7}, ["E011"]),
        ({"CLOCK": {"BACKEND": "no.such.Clock"}}, ["E002"]),
        ({"CLOCK": {"BACKEND": f"{DOUBLES}.AllowAll"}}, ["E002"]),
        ({"CLOCK": {"BACKEND": f"{DOUBLES}.FixedClock", "OPTIONS": {"at": "noon"}}}, ["E002"]),
        ({"AUTHORIZER": {"BACKEND": "memorykit_app.backends.builtin.DenyAll"}}, ["E003"]),
        ({"RECALL_POLICY": {"PRESET": "unknown"}}, ["E005"]),
        ({"RECALL_POLICY": {"VERSION": "mine-1"}}, ["E005"]),
        ({"JOBS": {"QUEUE": "elsewhere"}}, ["E009"]),
    ],
)
def test_a_wrong_setting_is_found(changes, ids):
    assert found(**changes) == ids


def test_several_wrong_keys_are_several_findings():
    assert found(UNDO_SECONDS=-1, LIMITS=7, drop="AUTHORIZER") == [
        "E001",
        "E004",
        "E011",
    ]


@pytest.mark.parametrize("value", [None, [], "text"])
def test_settings_that_are_no_dict_are_found(value):
    with override_settings(MEMORYKIT=value):
        (message,) = checks.run_checks(tags=[TAG])
        with pytest.raises(ImproperlyConfigured, match="must be a dict"):
            conf.settings()

    assert (message.id, message.msg) == ("memorykit.E001", "MEMORYKIT: must be a dict")


def test_an_embedder_that_is_not_ready_is_found():
    unready = {"BACKEND": f"{HERE}.Unready"}

    ids = found(EMBEDDERS={"p": unready}, SERVING_PROFILE="p")

    assert ids == ["E003", "E005", "E006"]


def test_an_embedder_that_cannot_be_built_is_found_once():
    assert found(EMBEDDERS={"p": {"BACKEND": "no.such.Embedder"}}, SERVING_PROFILE="p") == ["E002"]


def test_every_finding_has_a_hint_and_no_value():
    told = messages(FINGERPRINT_KEY="short-secret", LIMITS="secret-policy")

    assert all(message.hint for message in told)
    assert "secret" not in " ".join(message.msg for message in told)


@pytest.mark.parametrize(
    ("queue", "ids"),
    [
        ({}, ["E010"]),
        ({"SERIALIZER": "rq.serializers.DefaultSerializer"}, ["E010"]),
        ({"SERIALIZER": "no.such.Serializer"}, ["E010"]),
        ({"SERIALIZER": "rq.serializers.JSONSerializer"}, []),
    ],
)
def test_a_queue_that_pickles_is_found(settings, queue, ids):
    settings.RQ_QUEUES = {"memorykit": queue}

    assert found() == ids


def test_a_serializer_may_be_the_class_itself(settings):
    settings.RQ_QUEUES = {"memorykit": {"SERIALIZER": JSONSerializer}}

    assert found() == []


def test_another_database_is_found(monkeypatch):
    monkeypatch.setattr(connection, "vendor", "sqlite")

    assert found() == ["E008"]


def test_doubles_are_found_before_deployment():
    assert found(deploy=True) == ["E007"]
    assert found(deploy=True, AUTHORIZER={"BACKEND": f"{DOUBLES}.AllowAll"}) == [
        "E004",
        "E007",
        "E007",
    ]


def test_an_authorizer_that_allows_everything_is_found_before_deployment():
    assert "E004" in found(deploy=True, AUTHORIZER={"BACKEND": f"{HERE}.Careless"})
    assert "E004" not in found(deploy=True, AUTHORIZER={"BACKEND": f"{HERE}.Broken"})
    assert found(deploy=True, drop="AUTHORIZER") == ["E004"]
    assert found(deploy=True, AUTHORIZER={"BACKEND": "no.such.Authorizer"}) == ["E002", "E007"]


def test_pages_that_show_too_much_are_found_before_deployment(settings):
    settings.DEBUG = True
    settings.MIDDLEWARE = []
    settings.RQ_SHOW_ADMIN_LINK = True

    assert found(deploy=True)[-3:] == ["W002", "W003", "W004"]


def test_routes_to_the_pages_of_rq_are_found(settings):
    settings.ROOT_URLCONF = HERE
    with override_settings(ROOT_URLCONF=type("Routes", (), {"urlpatterns": rq_routes})):
        assert "W004" in found(deploy=True)
    settings.INSTALLED_APPS = [app for app in settings.INSTALLED_APPS if app != "django_rq"]
    assert "W004" not in found(deploy=True)


def asked() -> list[str]:
    told = checks.run_checks(tags=[Tags.database], databases=["default"])
    return [number(message) for message in told if str(message.id).startswith(TAG)]


@pytest.mark.django_db
def test_a_fit_server_passes():
    assert asked() == []
    assert server_checks.the_server_is_fit(databases=None) == []


@pytest.mark.parametrize(
    ("changes", "ids"),
    [
        ({"version": 150009}, ["E020"]),
        ({"vector": "", "vector_available": ""}, ["E021"]),
        ({"vector": "0.8.1"}, ["E021"]),
        ({"vector": "", "vector_available": "0.9"}, []),
        ({"superuser": True}, ["W001"]),
        ({"exempt": True}, ["W001"]),
    ],
)
@pytest.mark.django_db
def test_an_unfit_server_is_found(monkeypatch, changes, ids):
    monkeypatch.setattr(server, "look", lambda: Server(**(SOUND | changes)))

    assert asked() == ids


@pytest.mark.django_db
def test_a_profile_with_another_dimension_is_found():
    profile = conf.settings().serving_profile
    Profile(name=profile, dimension=HashingEmbedder().dimension + 1, created_at=NOW).save()

    assert asked() == ["E022"]


@pytest.mark.django_db
def test_a_server_that_is_away_or_empty_is_left_to_migrate(monkeypatch):
    def away(*_):
        raise OperationalError

    monkeypatch.setattr(server_checks.profiles, "stored_dimension", away)
    assert asked() == []
    monkeypatch.setattr(server, "look", away)
    assert asked() == []


def test_no_check_but_those_of_the_server_asks_the_server(monkeypatch):
    def refused(*_, **__):
        raise AssertionError

    monkeypatch.setattr(connection, "cursor", refused)

    assert found(deploy=True) == ["E007"]


def documented(heading: str) -> set[str]:
    """Return the keys of the table under a heading of the settings page."""
    text = SETTINGS_PAGE.read_text(encoding="utf-8")
    section = re.split(rf"^## {heading}$", text, flags=re.M)[1].split("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)`", section, flags=re.M))


def keys(model: type[BaseModel]) -> set[str]:
    return {name.upper() for name in model.model_fields}


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("MEMORYKIT", keys(conf.Settings)),
        ("JOBS", keys(conf.Jobs)),
        ("RETRY", keys(conf.Retry)),
        ("API", keys(conf.Api)),
        ("LIMITS", {name.upper() for name in Limits.__dataclass_fields__}),
    ],
)
def test_the_settings_page_lists_every_setting(heading, wanted):
    assert documented(heading) == wanted


@pytest.mark.parametrize(
    ("heading", "defaults"),
    [("JOBS", conf.Jobs()), ("RETRY", conf.Retry()), ("API", conf.Api()), ("LIMITS", Limits())],
)
def test_the_settings_page_tells_the_defaults(heading, defaults):
    text = SETTINGS_PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| `?([^|`]+)`? \|", text, flags=re.M))

    for name in documented(heading) - {"RETRY"}:
        default = getattr(defaults, name.lower())
        assert rows[name].strip() == (
            f"{default:g}" if isinstance(default, float) else str(default)
        )


def test_the_settings_page_lists_every_check():
    folder = Path(server_checks.__file__).parent
    used = set()
    for source in folder.glob("*.py"):
        used |= set(re.findall(r'"([EW]0\d\d)"', source.read_text(encoding="utf-8")))

    assert {name.removeprefix(f"{TAG}.") for name in documented("Checks")} == used
