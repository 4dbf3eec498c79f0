"""Settings from the environment; a development checkout needs to set nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import django
import environ
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.retry import Retry

from project.logs import logging_settings
from project.memory import memory_settings
from project.services import keys, stack

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

_stack = stack.this_stack()
_keys = (
    {}
    if env.str("SECRET_KEY", "") and env.str("MEMORYKIT_FINGERPRINT_KEY", "")
    else keys.development_keys(_stack.folder, _stack.account)
)

DEBUG = env.bool("DEBUG", False)
SECRET_KEY = env.str("SECRET_KEY", "") or _keys["secret_key"]
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

ROOT_URLCONF = "project.urls"
WSGI_APPLICATION = "project.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Django 6 brings the policy's middleware along; before that django-csp sends the header.
_own_csp = django.VERSION >= (6, 0)
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_rq",
    "ninja",
    *([] if _own_csp else ["csp"]),
    "axes",
    "django_structlog",
    "memorykit_app",
    "project",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware"
    if _own_csp
    else "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "project.request_id.stamped",
    "django_structlog.middlewares.RequestMiddleware",
    "axes.middleware.AxesMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Servers -------------------------------------------------------------------------------------

#: For the web process only: after a fork parent and child would share one connection.
DATABASE_POOL = env.bool("DATABASE_POOL", False)
_database_url = env.str("DATABASE_URL", "") or _stack.postgres.url()
_database: dict[str, Any] = (
    env.db_url_config(_database_url)
    if _database_url
    else {"ENGINE": "project.stopped_database", "NAME": "memorykit"}
)
_options: dict[str, Any] = {"connect_timeout": 5, **_database.pop("OPTIONS", {})}
if DATABASE_POOL:
    # A full pool answers within two seconds that it is full.
    _options["pool"] = {
        "min_size": 1,
        "max_size": env.int("DATABASE_POOL_SIZE", 8),
        "timeout": 2,
    }
DATABASES = {
    "default": {
        **_database,
        "OPTIONS": _options,
        "ATOMIC_REQUESTS": False,
        "CONN_MAX_AGE": 0 if DATABASE_POOL else env.int("CONN_MAX_AGE", 60),
        "CONN_HEALTH_CHECKS": not DATABASE_POOL,
        # PgBouncer in transaction mode knows no cursors that outlive a transaction.
        "DISABLE_SERVER_SIDE_CURSORS": env.bool("DISABLE_SERVER_SIDE_CURSORS", False),
    }
}

# Port 1 refuses at once; a default of 6379 might be somebody else's server.
REDIS_URL = env.str("REDIS_URL", "") or _stack.valkey.url() or "redis://127.0.0.1:1/0"


def _queue(url: str) -> dict[str, Any]:
    """Return a queue's settings with a client that is quick to say that Redis is down."""
    parts: dict[str, Any] = dict(parse_url(url))  # type: ignore[no-untyped-call]
    limits: dict[str, Any] = {"socket_connect_timeout": 2, "retry": Retry(NoBackoff(), 0)}
    if DATABASE_POOL:
        # Workers wait for work much longer than a web request may wait for an answer.
        limits["socket_timeout"] = 2
    if url.startswith("unix:") or "host" not in parts:
        return {"URL": url, "DB": parts.get("db")}
    return {
        "HOST": parts["host"],
        "PORT": parts.get("port", 6379),
        "DB": parts.get("db", 0),
        "USERNAME": parts.get("username"),
        "PASSWORD": parts.get("password"),
        "SSL": url.startswith("rediss:"),
        "REDIS_CLIENT_KWARGS": limits,
    }


RQ_QUEUES = {
    "memorykit": {
        **_queue(REDIS_URL),
        # The default pickles, which runs code on reading.
        "SERIALIZER": "rq.serializers.JSONSerializer",
        "DEFAULT_TIMEOUT": 900,
        # Nothing that a task returns or raises stays in Redis.
        "DEFAULT_RESULT_TTL": 0,
    }
}
RQ = {"COMMIT_MODE": "on_db_commit"}
# Its pages show arguments and need inline scripts.
RQ_SHOW_ADMIN_LINK = False

# People --------------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "admin:login"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
# Number of proxies in front that are trusted to name the client; the usual mistake is to
# leave this at 0 behind one, which locks out everybody at once.
AXES_IPWARE_PROXY_COUNT = env.int("PROXY_COUNT", 0)

SESSION_ENGINE = "django.contrib.sessions.backends.db"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

CSP: dict[str, list[str]] = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'"],
    "font-src": ["'self'"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "base-uri": ["'none'"],
}
SECURE_CSP = CSP
CONTENT_SECURITY_POLICY = {"DIRECTIVES": CSP}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
# A body is at most 256 KiB for a record and 5 MiB for a transcript, plus its envelope.
DATA_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024

# Language, time, files -----------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
# Found in the apps themselves, so that a checkout runs without collecting first.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

LOGGING_CONFIG = "logging.config.dictConfig"
LOGGING = logging_settings(env.str("LOG_LEVEL", "INFO"))
DJANGO_STRUCTLOG_CELERY_ENABLED = False
# project.request_id has made it safe.
DJANGO_STRUCTLOG_TRUST_UPSTREAM_REQUEST_ID = True

# The app -------------------------------------------------------------------------------------

MEMORYKIT = memory_settings(env, _keys)
