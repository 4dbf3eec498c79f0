"""Settings behind HTTPS: nothing that is secret has a default."""

from __future__ import annotations

import environ
from django.core.exceptions import ImproperlyConfigured

_env = environ.Env()
_missing = [
    name
    for name in (
        "SECRET_KEY",
        "MEMORYKIT_FINGERPRINT_KEY",
        "DATABASE_URL",
        "REDIS_URL",
        "ALLOWED_HOSTS",
    )
    if not _env.str(name, "")
]
if _missing:
    raise ImproperlyConfigured(f"Set {', '.join(_missing)} in the environment.")
if _env.bool("DEBUG", False):
    raise ImproperlyConfigured("DEBUG shows memory text in error pages: unset it.")

from project.settings import *  # noqa: E402, F403

SECURE_SSL_REDIRECT = True
# The probes come from inside, without HTTPS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SECURE_PROXY_SSL_HEADER = (
    ("HTTP_X_FORWARDED_PROTO", "https") if _env.int("PROXY_COUNT", 0) else None
)
SESSION_COOKIE_SECURE = True
SESSION_COOKIE_NAME = "__Host-sessionid"
CSRF_COOKIE_SECURE = True
CSRF_COOKIE_NAME = "__Host-csrftoken"
CSRF_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = True

STATIC_ROOT = BASE_DIR / "static-collected"  # noqa: F405
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = False
