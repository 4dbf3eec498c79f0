"""All that a host has to set; addresses and secrets come from the environment."""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

from redis.connection import parse_url

_database = urlsplit(os.environ["DATABASE_URL"])
_redis = parse_url(os.environ["REDIS_URL"])  # type: ignore[no-untyped-call]

SECRET_KEY = os.environ["SECRET_KEY"]
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "example_host.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django_rq",
    "ninja",
    "memorykit_app",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
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
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": _database.hostname,
        "PORT": _database.port or 5432,
        "USER": unquote(_database.username or ""),
        "PASSWORD": unquote(_database.password or ""),
        "NAME": _database.path.lstrip("/"),
    }
}
RQ_QUEUES = {
    "memorykit": {
        "HOST": _redis["host"],
        "PORT": _redis.get("port", 6379),
        "DB": _redis.get("db", 0),
        "USERNAME": _redis.get("username"),
        "PASSWORD": _redis.get("password"),
        "SERIALIZER": "rq.serializers.JSONSerializer",
        "DEFAULT_RESULT_TTL": 0,
    }
}

MEMORYKIT = {
    "AUTHORIZER": {"BACKEND": "memorykit_app.models.access.GrantAuthorizer"},
    "EMBEDDERS": {
        "hash-64": {
            "BACKEND": "memorykit_app.backends.doubles.HashingEmbedder",
            "OPTIONS": {"dimension": 64},
        }
    },
    "SERVING_PROFILE": "hash-64",
    "EXTRACTOR": {"BACKEND": "memorykit_app.backends.rules.RuleExtractor"},
    "RECALL_POLICY": {"PRESET": "balanced-v1"},
    "FINGERPRINT_KEY": os.environ["MEMORYKIT_FINGERPRINT_KEY"],
}
