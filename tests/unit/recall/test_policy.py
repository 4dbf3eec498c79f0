"""Policy: complete, validated, and presets that never change."""

from __future__ import annotations

import hashlib
import json
import math

import pytest
from django.core.exceptions import ImproperlyConfigured
from pydantic import ValidationError

from memorykit_app.recall.policy import PRESETS, build, policy
from tests.recalling import policy as using

#: Digest of each preset as it was released. A better one gets a new name, never a new digest.
RELEASED = {
    "matched-terms-v1": "2bbe95cbc1d2cbc8",
    "balanced-v1": "0282cea09bbe83a3",
}


def whole(**changes):
    return {**PRESETS["balanced-v1"], "VERSION": "own-1", **changes}


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_is_a_whole_policy(name):
    found = build({"PRESET": name})

    assert found.version == name
    assert (found.profile, found.dimension) == ("hash-64", 64)


def test_the_contract_rule_stays_available():
    found = build({"PRESET": "matched-terms-v1"})

    assert (found.full_text_rule, found.fusion, found.rrf_k) == ("matched_terms", "rrf", 60)
    assert found.exact_weight == found.full_text_weight == found.vector_weight == 1


@pytest.mark.parametrize("name", sorted(set(PRESETS[next(iter(PRESETS))])))
def test_a_partial_policy_is_refused_by_name(name):
    fields = whole()
    del fields[name]

    with pytest.raises(ImproperlyConfigured, match=rf"MEMORYKIT\[RECALL_POLICY\]\[{name}\]"):
        build(fields)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"UNKNOWN": 1}, "UNKNOWN"),
        ({"EXACT_LIMIT": -1}, "EXACT_LIMIT"),
        ({"EXACT_LIMIT": 0, "FULL_TEXT_LIMIT": 0, "VECTOR_LIMIT": 0}, "must be above 0"),
        ({"RRF_K": 0}, "RRF_K"),
        ({"RRF_K": math.inf}, "RRF_K"),
        ({"RRF_K": math.nan}, "RRF_K"),
        ({"MIN_SIMILARITY": 1.1}, "MIN_SIMILARITY"),
        ({"FLOOR": -0.1}, "FLOOR"),
        ({"ITEMS": 0}, "ITEMS"),
        ({"TOKENS": 0}, "TOKENS"),
        ({"QUERY_CHARS": 0}, "QUERY_CHARS"),
        ({"KEYS": 0}, "KEYS"),
        ({"DEADLINE_MS": 0}, "DEADLINE_MS"),
        ({"VERSION": " "}, "VERSION"),
        ({"FULL_TEXT_RULE": "best"}, "FULL_TEXT_RULE"),
        ({"FUSION": "best"}, "FUSION"),
        ({"VECTOR_WEIGHT": math.nan}, "VECTOR_WEIGHT"),
        ({"DIMENSION": 63}, "DIMENSION"),
        ({"PROFILE": "unknown"}, "EMBEDDERS"),
        ({"PROFILE": 3}, "PROFILE"),
        ({"PRESET": "best-v9"}, "PRESET"),
        ({"PRESET": ["balanced-v1"]}, "PRESET"),
    ],
)
def test_a_wrong_policy_is_refused_by_name(changes, named):
    with pytest.raises(ImproperlyConfigured, match=named):
        build(whole(**changes))


def test_nothing_at_all_is_no_policy():
    with pytest.raises(ImproperlyConfigured, match="VERSION"):
        build({})


def test_a_changed_preset_needs_a_name_of_its_own():
    for fields in ({"ITEMS": 3}, {"ITEMS": 3, "VERSION": "balanced-v1"}):
        with pytest.raises(ImproperlyConfigured, match="VERSION"):
            build({"PRESET": "balanced-v1", **fields})

    found = build({"PRESET": "balanced-v1", "ITEMS": 3, "VERSION": "ours-1"})
    assert (found.version, found.items) == ("ours-1", 3)


def test_the_setting_is_read_again_when_it_changes():
    assert policy().version == "balanced-v1"
    with using("matched-terms-v1", VERSION="ours-1"):
        assert (policy().version, policy().full_text_rule) == ("ours-1", "matched_terms")
    assert policy().version == "balanced-v1"


def test_a_policy_does_not_change():
    with pytest.raises(ValidationError):
        policy().items = 99
    with pytest.raises(TypeError):
        PRESETS["balanced-v1"]["ITEMS"] = 99


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_released_preset_is_as_it_was(name):
    text = json.dumps(dict(PRESETS[name]), sort_keys=True)

    assert hashlib.sha256(text.encode()).hexdigest()[:16] == RELEASED[name]
