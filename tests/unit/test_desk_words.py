"""What people read for codes: every refusal and flag has words, known or not."""

from __future__ import annotations

import gettext
import re
from dataclasses import astuple
from pathlib import Path

import pytest
from django.utils import translation

from memorykit_app.admin import flags, refusals, words
from memorykit_app.backends.base import Severity
from memorykit_app.backends.validator_catalogue import RULES
from memorykit_app.conf import settings
from memorykit_app.domain.errors import (
    AccessDenied,
    BackendError,
    Conflict,
    FingerprintBlocked,
    InvalidMemory,
    MemorykitError,
    ScopeClosed,
    TransitionRefused,
    Unavailable,
)
from memorykit_app.domain.states import INTERNAL, Kind, Provenance, State, Verb

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("error", "part"),
    [
        (FingerprintBlocked(), "was erased in this project"),
        (ScopeClosed(), "erased as a whole"),
        (Conflict("anything"), "changed meanwhile"),
        (TransitionRefused(verb="dismiss", state="active"), "Dismiss is not possible any more"),
        (AccessDenied("read"), "memorykit.view_memory"),
        (AccessDenied("erase"), "memorykit.erase_memory"),
        (InvalidMemory("valid_until", "must be later"), "valid until: must be later"),
        (Unavailable(), "try again"),
        (BackendError("embed", recoverable=False), "Nothing was changed."),
        (MemorykitError(), "Nothing was changed."),
    ],
)
def test_a_refusal_says_why(error, part):
    assert part in refusals.said(error)


def test_each_code_of_the_domain_has_a_word():
    assert set(words.KINDS) >= set(Kind)
    assert set(words.STATES) == set(State)
    assert set(words.PROVENANCE) == set(Provenance)
    assert set(words.DONE) == set(Verb)
    assert set(words.VERBS) == set(Verb) - INTERNAL - {Verb.CREATE, Verb.EXPIRE}
    assert set(words.REASONS) >= set(settings().reason_presets)


def test_each_flag_of_the_content_check_is_described():
    flagged = {code for code, rule in RULES.items() if rule.severity is Severity.FLAG}

    assert flagged <= set(flags.FLAGS)
    assert flags.said("hedged").mild
    assert not flags.said("quote_not_found").mild


def test_codes_without_a_word_are_told_plainly():
    assert flags.said("bidi_control").meaning == RULES["bidi_control"].says
    assert flags.said("rule_of.another_validator").word == "rule of another validator"
    assert words.of(words.REASONS, "policy_x") == "policy x"


def test_every_word_is_told_in_chinese_too():
    tables = (words.KINDS, words.STATES, words.VERBS, words.DONE, words.REASONS, words.STORES)
    tables += (words.CHANNELS, words.OUTCOMES)
    with translation.override("zh-hans"):
        told = [str(word) for table in tables for word in table.values()]
        told += [part for code in flags.FLAGS for part in astuple(flags.said(code))[:2]]
        told += [refusals.said(error) for error in (ScopeClosed(), Unavailable())]

    assert [word for word in told if word.isascii()] == []


def test_the_compiled_translations_are_those_of_the_source():
    folder = ROOT / "memorykit_app" / "locale" / "zh_Hans" / "LC_MESSAGES"
    source = (folder / "django.po").read_text(encoding="utf-8")
    with (folder / "django.mo").open("rb") as compiled:
        catalog = gettext.GNUTranslations(compiled)
    pairs = re.findall(r'^msgid "(.+)"\nmsgstr "(.+)"$', source, re.MULTILINE)

    assert len(pairs) > 200
    assert 'msgstr ""\n\n' not in source
    for english, chinese in pairs:
        assert catalog.gettext(english) == chinese


def test_every_text_of_the_templates_is_in_the_catalog():
    catalog = (ROOT / "memorykit_app/locale/zh_Hans/LC_MESSAGES/django.po").read_text("utf-8")
    asked = {
        text
        for page in (ROOT / "templates" / "admin").rglob("*.html")
        for text in re.findall(r'{% translate "([^"]+)"', page.read_text(encoding="utf-8"))
    }

    assert sorted(text for text in asked if f'msgid "{text}"' not in catalog) == []
