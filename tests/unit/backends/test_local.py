"""The local embedder, with its real model."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memorykit_app.backends import local
from memorykit_app.backends.local import DIMENSION, LocalEmbedder
from memorykit_app.domain.errors import BackendError

TEA = "The customer drinks green tea and never coffee."
LONG = "The release to production runs on Friday after the review. " * 45
LONG_CHINESE = "发布窗口是每周五晚上，审批通过之后才能上线。" * 40
NEAR = [
    ("What does the customer like to drink?", TEA, "The database is backed up every night."),
    ("客户喜欢喝什么？", "客户只喝绿茶，从不喝咖啡。", "数据库每天晚上备份一次。"),
    ("お客様は何を飲みますか。", "お客様は緑茶しか飲みません。", "サーバーは毎晩再起動されます。"),
    ("客户喜欢喝什么饮料？", TEA, "The database is backed up every night."),
]


@pytest.fixture(scope="module")
def embedder():
    return LocalEmbedder()


def near(one, other):
    return float(np.dot(one, other))


@pytest.mark.parametrize(("question", "answer", "unrelated"), NEAR, ids=("en", "zh", "ja", "zh-en"))
def test_an_answer_is_nearer_than_what_has_nothing_to_do_with_it(
    embedder, question, answer, unrelated
):
    asked = embedder.embed_query(question)

    found = embedder.embed_passages([answer, unrelated])

    assert near(asked, found[0]) > near(asked, found[1])


def test_vectors_have_the_dimension_and_length_one(embedder):
    texts = [TEA, "", " \n", "\0\0", "😀", LONG]

    found = embedder.embed_passages(texts)

    assert [len(vector) for vector in found] == [DIMENSION] * len(texts)
    assert all(math.isclose(math.hypot(*vector), 1, abs_tol=1e-6) for vector in found)
    assert all(type(number) is float for number in found[0])


def test_no_text_has_no_vector(embedder):
    assert embedder.embed_passages([]) == []


def test_a_question_and_a_passage_are_read_differently(embedder):
    assert near(embedder.embed_query(TEA), embedder.embed_passages([TEA])[0]) < 0.999


def test_a_batch_gives_what_each_text_gives_alone(embedder):
    texts = [TEA, LONG, "绿茶", TEA]

    together = embedder.embed_passages(texts)

    alone = [embedder.embed_passages([text])[0] for text in texts]
    assert np.allclose(together, alone, atol=1e-5)


@pytest.mark.parametrize("text", [LONG, LONG_CHINESE])
def test_the_end_of_a_long_text_counts(embedder, text):
    asked = embedder.embed_query("green tea")
    plain, ending = embedder.embed_passages([text, text + TEA * 8])

    assert near(asked, ending) > near(asked, plain)
    assert near(plain, ending) > 0.9


def test_a_text_of_one_window_repeated_keeps_its_direction(embedder):
    once, often = embedder.embed_passages([LONG[:590], LONG])

    assert near(once, often) > 0.97


@example(":2:2:\x1f2", 89, False)
@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.integers(1, 120), st.booleans())
def test_windows_hold_the_whole_text_and_fit_the_model(text, times, is_query):
    readable = local._readable(text * times)
    with local._engine.lock:
        model = local._engine.model()

    windows = local._windows(model, readable, is_query=is_query)

    assert "".join(window.text for window in windows) == readable
    for window in windows:
        assert model.token_count(window.text, is_query) <= local.WINDOW_TOKENS
        assert window.tokens > 0


@given(st.lists(st.integers(1, local.WINDOW_TOKENS), max_size=40))
def test_calls_keep_the_order_and_their_bound(sizes):
    windows = [local._Window(str(number), size) for number, size in enumerate(sizes)]

    calls = list(local._calls(windows))

    assert [window for call in calls for window in call] == windows
    assert all(sum(window.tokens for window in call) <= local.CALL_TOKENS for call in calls)


def test_what_no_c_string_holds_is_read_as_marks(embedder):
    whole, cut, odd = embedder.embed_passages(["green\0tea", "green", "green tea \ud800"])

    assert near(whole, embedder.embed_passages(["green tea"])[0]) > 0.999
    assert near(whole, cut) < 0.999
    assert math.isclose(math.hypot(*odd), 1, abs_tol=1e-6)


def test_threads_share_one_model(embedder):
    texts = [f"{TEA} {number}" for number in range(8)]
    expected = embedder.embed_passages(texts)
    before = local._engine.model()

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: LocalEmbedder().embed_passages([text])[0], texts))

    assert np.allclose(found, expected, atol=1e-5)
    assert local._engine.model() is before


FORKS = """
import os, signal
from memorykit_app.backends import local
embedder = local.LocalEmbedder()
before = embedder.embed_query("asked before")
parent = local._engine.model()
local._engine.lock.acquire()
child = os.fork()
if child == 0:
    signal.alarm(30)
    same = max(abs(a - b) for a, b in zip(before, embedder.embed_query("asked before")))
    os._exit(0 if same < 1e-5 and local._engine.model() is not parent else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("threads", ["1", "4"])
def test_a_forked_child_embeds_with_a_model_of_its_own(threads):
    done = subprocess.run(
        [sys.executable, "-c", FORKS], env=os.environ | {"OMP_NUM_THREADS": threads}, timeout=60
    )

    assert done.returncode == 0


def test_here_nothing_is_missing(embedder):
    assert embedder.problems() == []


@pytest.fixture
def unloaded(monkeypatch):
    monkeypatch.setattr(local, "_engine", local._Engine())


def fails(embedder):
    with pytest.raises(BackendError) as raised:
        embedder.embed_query(TEA)
    assert TEA not in str(raised.value)
    return not raised.value.recoverable


def test_without_its_package_it_says_what_to_install(embedder, unloaded, monkeypatch):
    monkeypatch.setattr(local, "PACKAGE", "no_such_package")

    assert "pip install" in embedder.problems()[0]
    assert fails(embedder)


def test_a_package_without_its_model_is_incomplete(embedder, unloaded, monkeypatch, tmp_path):
    spec = ModuleSpec(local.PACKAGE, None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(local, "find_spec", lambda _: spec)

    assert "incomplete" in embedder.problems()[0]
    (tmp_path / "_engine.so").touch()
    assert "incomplete" in embedder.problems()[0]
    assert fails(embedder)


def test_a_processor_without_avx2_is_told_and_not_crashed(
    embedder, unloaded, monkeypatch, tmp_path
):
    cpu = tmp_path / "cpuinfo"
    cpu.write_text("flags : sse4_2 avx")
    monkeypatch.setattr(local, "_CPU", cpu)
    monkeypatch.setattr(local.platform, "machine", lambda: "x86_64")

    assert "AVX2" in embedder.problems()[0]
    assert fails(embedder)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_machine_that_does_not_list_its_processor_is_trusted(
    embedder, monkeypatch, tmp_path, machine
):
    monkeypatch.setattr(local, "_CPU", tmp_path / "missing")
    monkeypatch.setattr(local.platform, "machine", lambda: machine)

    assert embedder.problems() == []


class Odd:
    """A package whose model cannot be loaded, or is another one."""

    def __init__(self, dim=DIMENSION, error=None, length=1.0):
        self.dim = dim
        self.error = error
        self.length = length

    def E5(self, num_threads):
        if self.error:
            raise self.error
        return self

    def token_count(self, text, is_query=False):
        return 5

    def encode(self, texts, is_query):
        return np.full((len(texts), DIMENSION), self.length, dtype=np.float32)


@pytest.mark.parametrize(
    "package",
    [
        Odd(dim=512),
        Odd(error=RuntimeError("cannot load")),
        Odd(error=OSError("no such library")),
        Odd(length=float("nan")),
        Odd(length=0.0),
    ],
)
def test_a_model_that_does_not_work_is_a_backend_error(embedder, unloaded, monkeypatch, package):
    monkeypatch.setattr(local.importlib, "import_module", lambda _: package)

    assert fails(embedder)
