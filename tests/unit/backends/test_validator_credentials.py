"""Credentials: a value counts by its shape and by what stands before it."""

from __future__ import annotations

import base64
import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memorykit_app.backends import validator_vendor_keys as vendor_keys
from memorykit_app.backends.validator import ContentRules

VALIDATOR = ContentRules()
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
FILLER = "The build server stands in Lisbon and runs the tests. "


def rules(text: str) -> set[str]:
    return {finding.rule for finding in VALIDATOR.findings({"content": text})}


def drawn(length: int, *, seed: int = 7, alphabet: str = LETTERS) -> str:
    """Return a made-up key body with digits and letters; never one that opened anything."""
    return "x7Q2" + "".join(random.Random(seed).choices(alphabet, k=length - 4))


MAILCHIMP = "0a1b2c3d4e5f60718293a4b5c6d7e8f9-us12"
KEYS = [
    "AKIA" + "7Q2MZK4TB9XWE3LR",
    "ghp_" + drawn(36),
    "glpat-" + drawn(20),
    "xoxb-" + "123456789012-123456789012-" + drawn(24),
    "SG." + drawn(22) + "." + drawn(43),
    "sq0csp-" + drawn(43),
    "pypi-" + "AgEIcHlwaS5vcmc" + drawn(80),
    "1234567890:" + drawn(35),
    "SK" + drawn(32, alphabet=HEX).lower(),
    "M" + drawn(23) + "." + drawn(6) + "." + drawn(27),
    MAILCHIMP,
    "AKC" + drawn(60),
    "hf_" + drawn(34),
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiI0MiJ9." + drawn(43),
    "//packages.example/:_authToken=" + "npm_" + drawn(36),
]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key[:6])
@pytest.mark.parametrize("before", [0, 300, 349, 352, 500, 512, 700, 5000])
def test_a_vendor_key_is_found_at_any_place(key, before):
    text = (FILLER * 100)[:before] + f" {key} " + FILLER * 20

    assert "credential_vendor" in rules(text)


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=3000), st.integers(min_value=0, max_value=2000))
def test_a_key_that_only_a_window_shows_is_never_cut_in_two(before, after):
    text = "-" * before + f" {MAILCHIMP} " + "-" * after

    assert vendor_keys.holds_vendor_key(text)


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=4000))
def test_windows_cover_the_text_and_read_each_character_at_most_twice(length):
    windows = [*vendor_keys.windows("a" * length)]
    step = vendor_keys.WINDOW - vendor_keys.OVERLAP

    assert all(len(window) <= vendor_keys.WINDOW for window in windows)
    assert sum(map(len, windows)) <= 2 * length
    assert (len(windows) - 1) * step + len(windows[-1]) == length


@pytest.mark.parametrize(
    "text",
    [
        "ghp_" + "x" * 36,
        "hf_" + "models_and_datasets_of_the_public_hub_page",
        "AKIA" + "IOSFODNN7EXAMPLE",
        "AP" + "ACHEFOUNDATION is a name",
        "glpat-" + "your-token-goes-here-please",
    ],
)
def test_a_placeholder_for_a_vendor_key_passes(text):
    assert rules(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        'key = "ghp_' + drawn(20) + '" + "' + drawn(16, seed=3) + '"',
        "ghp_" + drawn(20) + "\n  " + drawn(16, seed=3),
    ],
)
def test_a_key_in_pieces_is_found(text):
    assert "credential_vendor" in rules(text)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Authorization: Basic " + base64.b64encode(b"ana:Kestrel92").decode(), "header"),
        ("curl -u ana:Kestrel92 https://a.example", "header"),
        ("machine a login ana password Kestrel92", "header"),
        ("sshpass -p Kestrel92 ssh a", "header"),
        ("amqp://ana:Kestrel92@mq", "url"),
        ("https://a.example/x?X-Amz-Signature=" + "0a" * 32, "url"),
        ("otpauth://totp/a?secret=JBSWY3DPEHPK3PXP", "url"),
        ("PuTTY-User-Key-File-3: ssh-ed25519", "private_key"),
        ("BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1", "private_key"),
        ("api key: 3f2a9c1e-7b4d-4e8a-9f10-2c6d8e5b7a31", "labelled"),
        ("password: correct-horse-battery-staple", "labelled"),
        ("password: kEsTrElHaRbOuR", "labelled"),
        ("password is harbour!light", "labelled"),
        ("İ password: Kestrel92", "labelled"),
        ("login: ana / Kestrel92", "labelled"),
        ("账号：ana，Kestrel92", "labelled"),
        ("seed phrase: " + "river stone " * 6, "labelled"),
        ("token = /Kq7Zk2mXv9/Tb4NwYr3Lp6", "labelled"),
    ],
)
def test_a_secret_is_found_in_each_way_to_write_it(text, rule):
    assert f"credential_{rule}" in rules(text)


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Basic not/base64/at/all/really1",
        "Authorization: Basic " + base64.b64encode(b"no colon in here").decode(),
        "Bearer authentication-required-for-all",
        "amqp://ana:***@mq and amqp://ana:abc@mq",
        "bypass: Kestrel92",
        "hotkey: ctrl1shift2",
        "the key is Kestrel92",
        "password_file: /run/Kestrel92",
        "password: 12",
        "api key: 2031-05-17",
        "token: 20480",
        "session token: 3f2a9c1e-7b4d-4e8a-9f10-2c6d8e5b7a31",
        "pin: gpio17a",
        "password: swordfish",
        "secret: app/billing/db",
        "password: PASSWORD_OF_2",
        "token: v2-only",
        "api_key: client.settings.key2",
        "password: {{ vault.db2 }}",
        "export TOKEN=${TOKEN:-none1}",
        "mysql -p shop",
    ],
)
def test_what_only_looks_like_a_secret_passes(text):
    assert rules(text) == set()
