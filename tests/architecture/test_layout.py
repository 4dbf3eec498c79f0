"""The shape of the code: what a linter cannot see."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
from django.apps import apps

from memorykit_app.domain.states import INTERNAL, Verb
from memorykit_app.models import Memory

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "memorykit_app"
SOURCES = [path for path in APP.rglob("*.py") if "migrations" not in path.parts]
WRITES = {"save", "create", "bulk_create", "bulk_update", "update", "delete", "get_or_create"}
MODELS = {model.__name__ for model in apps.get_app_config("memorykit").get_models()}
LINES = 300


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_file_has_one_noun_and_stays_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES
    assert path.stem not in {"utils", "helpers", "common", "misc", "signals"}


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_sql_is_never_put_together_from_text(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in {"execute", "executemany", "raw"} and node.args:
                assert not isinstance(node.args[0], (ast.JoinedStr, ast.BinOp))


@pytest.mark.parametrize("path", [p for p in SOURCES if "services" not in p.parts], ids=name_of)
def test_only_services_change_memories(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            root = node.func
            while isinstance(root, (ast.Attribute, ast.Call)):
                root = root.value if isinstance(root, ast.Attribute) else root.func
            if isinstance(root, ast.Name) and root.id in MODELS:
                assert node.func.attr not in WRITES, f"{path}:{node.lineno}"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_template_or_view_marks_text_as_safe(path):
    text = path.read_text(encoding="utf-8")
    assert "mark_safe" not in text
    assert "SafeString" not in text


def test_no_template_switches_escaping_off():
    for path in (ROOT / "templates").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "|safe" not in text
        assert "autoescape off" not in text
        assert "<script>" not in text
        assert "style=" not in text


def test_there_is_a_permission_for_each_verb_a_person_may_ask_for():
    permissions = {codename for codename, _ in Memory._meta.permissions}

    assert {f"{verb}_memory" for verb in Verb if verb not in INTERNAL} <= permissions


@pytest.mark.parametrize(
    "model",
    list(apps.get_app_config("memorykit").get_models()),
    ids=lambda model: model.__name__,
)
def test_str_is_content_free(model):
    """`__str__` ends up in admin logs and messages: kind and id only."""
    source = ast.unparse(
        next(
            node
            for node in ast.walk(ast.parse(Path(model_file(model)).read_text(encoding="utf-8")))
            if isinstance(node, ast.ClassDef) and node.name == model.__name__
        )
    )
    body = source[source.index("def __str__") :].split("\n\n")[0]
    for field in (
        "content",
        ".key",
        "quote",
        "note",
        "snapshot",
        "messages",
        "tenant",
        "subject",
    ):
        assert field not in body


def model_file(model) -> str:
    return inspect.getfile(model)
