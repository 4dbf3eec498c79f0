"""Vendor keys: tokens that tell by their form whose they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from detect_secrets.plugins.artifactory import ArtifactoryDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.jwt import JwtTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.npm import NpmDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

from memorykit_app.backends.validator_placeholders import is_key_body, is_sample

# The detectors take quadratic time, so they see short windows; each key fits into the overlap.
WINDOW = 512
OVERLAP = 160
_HEX = "0123456789abcdefABCDEF-"
# Each detector with what its keys cannot do without. Detectors that want a name before the key
# (AWS, Cloudant, IBM, SoftLayer), addresses and private keys are left to rules of our own.
_DETECTORS: tuple[tuple[tuple[str, ...], RegexBasedDetector], ...] = (
    (("AKC", "AP"), ArtifactoryDetector()),
    (("AccountKey=",), AzureStorageKeyDetector()),
    (("M", "N", "O"), DiscordBotTokenDetector()),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), GitHubTokenDetector()),
    (("gl", "GR1348941"), GitLabTokenDetector()),
    (("eyJ",), JwtTokenDetector()),
    (("-us",), MailchimpDetector()),
    ((":_authToken=npm_", ":_authToken= ", *(f":_authToken={c}" for c in _HEX)), NpmDetector()),
    (("pypi-",), PypiTokenDetector()),
    (("SG.",), SendGridDetector()),
    (("xox", "XOX", "hooks.slack.com"), SlackDetector()),
    (("sq0csp-",), SquareOAuthDetector()),
    (("k_live_",), StripeDetector()),
    ((":",), TelegramBotTokenDetector()),
    (("AC", "SK"), TwilioKeyDetector()),
)
# Starts of keys that the detectors do not know, with the least length of what follows.
_STARTS: tuple[tuple[str, int], ...] = (
      ("sk-", 20), ("ghp_", 30), ("gho_", 30), ("ghu_", 30), ("ghs_", 30), ("ghr_", 30),
    ("sk_live_", 16), ("sk_test_", 16), ("rk_live_", 16), ("rk_test_", 16),
    ("whsec_", 24), ("hf_", 30), ("AIza", 35), ("GOCSPX-", 20), ("ya29.", 20), ("1//0", 30),
    ("github_pat_", 22), ("npm_", 30), ("dckr_pat_", 20), ("dop_v1_", 40), ("shpat_", 30),
    ("shpss_", 30), ("xapp-", 20), ("xoxe", 20), ("xoxb-", 20), ("LTAI", 16), ("AKID", 28),
    ("AGE-SECRET-KEY-1", 40), ("tskey-", 20), ("lin_api_", 30), ("ntn_", 30), ("secret_", 40),
    ("figd_", 30), ("glsa_", 30), ("hvs.", 20), ("hvb.", 20), ("r8_", 30), ("gsk_", 40),
    ("xai-", 40), ("pplx-", 40), ("nvapi-", 40), ("tvly-", 20), ("PMAK-", 40), ("EAAC", 60),
    ("sq0atp-", 20), ("rubygems_", 40), ("sntrys_", 40), ("ATATT3", 40),
    ("ATBB", 28), ("NRAK-", 24), ("dp.pt.", 30), ("pscale_tkn_", 30), ("sbp_", 36), ("vercel_", 20),
    ("cfpat-", 30), ("CFPAT-", 30), ("dapi", 32),
)  # fmt: skip
_FORMS = tuple(
    (start, re.compile(rf"(?<![A-Za-z0-9_]){re.escape(start)}([A-Za-z0-9_-]{{{least},240}})"))
    for start, least in _STARTS
)
# Where a key goes on after a line break or in the next piece of a string.
_BROKEN = re.compile(r"[\"']\s{0,3}\+\s{0,3}[\"']|\\?\r?\n[ \t]{0,8}")
_CLOUD_KEY = re.compile(
    r"(?<![A-Z0-9])(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"
)
_SHORTEST = 20
# Longer web tokens than a window holds.
_WEB_TOKEN = re.compile(r"(?<![\w-])eyJ[\w-]{8,3000}\.eyJ[\w-]{8,6000}")


def windows(text: str) -> Iterator[str]:
    """Yield the whole text in windows that overlap."""
    for start in range(0, max(1, len(text) - OVERLAP), WINDOW - OVERLAP):
        yield text[start : start + WINDOW]


def holds_vendor_key(text: str) -> bool:
    """Say whether the visible text holds a key of a known form. Takes linear time."""
    runs = long_runs(text)
    if _has_known_start(runs) or any(map(_detected, windows(runs))):
        return True
    return bool(_BROKEN.search(text)) and _has_known_start(long_runs(_BROKEN.sub("", text)))


def long_runs(text: str) -> str:
    """Return the words that are as long as a key, which plain text has few of."""
    return " ".join(word for word in text.split() if len(word) >= _SHORTEST)


def _has_known_start(text: str) -> bool:
    if _WEB_TOKEN.search(text) or any(
        not is_sample(found[0]) for found in _CLOUD_KEY.finditer(text)
    ):
        return True
    return any(
        is_key_body(found[1])
        for start, form in _FORMS
        if start in text
        for found in form.finditer(text)
    )


def _detected(window: str) -> bool:
    return any(
        _yields(detector, window)
        for needles, detector in _DETECTORS
        if any(needle in window for needle in needles)
    )


def _yields(detector: RegexBasedDetector, window: str) -> bool:
    """Say whether a detector finds a key; what it yields may be a group, so look at the whole."""
    if next(detector.analyze_string(window), None) is None:
        return False
    return any(
        any(map(str.isdigit, found[0])) and not is_sample(found[0].strip())
        for form in detector.denylist
        for found in form.finditer(window)
    )
