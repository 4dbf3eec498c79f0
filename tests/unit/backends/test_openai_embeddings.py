"""The remote embedder, against a real server that answers well and badly."""

from __future__ import annotations

import math

import pytest

from memorykit_app.backends import openai_embeddings
from memorykit_app.backends.openai_embeddings import RemoteEmbedder
from memorykit_app.domain.errors import BackendError
from tests.unit.backends.speaking import KEY, Reply, serving

MODEL = "small-embedder"
TEXTS = ["one", "two", "three"]


def vector_of(text):
    return [float(len(text)), 1.0, 0.0]


def well(body):
    data = [
        {"object": "embedding", "index": index, "embedding": vector_of(text)}
        for index, text in enumerate(body["input"])
    ]
    return Reply(body={"object": "list", "data": data[::-1], "model": body["model"]})


def embedder(service, **options):
    return RemoteEmbedder(service.url, MODEL, 3, KEY, **options)


def unit(vector):
    return [pytest.approx(number / math.hypot(*vector)) for number in vector]


def test_vectors_come_in_the_order_of_the_texts_with_length_one():
    with serving(well) as service:
        found = embedder(service).embed_passages(TEXTS)

    assert found == [unit(vector_of(text)) for text in TEXTS]
    assert service.heard[0].body == {
        "model": MODEL,
        "input": TEXTS,
        "encoding_format": "float",
    }
    assert service.heard[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_question_is_one_text():
    with serving(well) as service:
        assert embedder(service).embed_query("one") == unit(vector_of("one"))


def test_no_text_makes_no_request():
    with serving(well) as service:
        assert embedder(service).embed_passages([]) == []

    assert service.heard == []


def test_prefixes_and_dimension_are_sent_where_they_are_asked_for():
    options = {"query_prefix": "query: ", "passage_prefix": "passage: ", "send_dimension": True}
    with serving(well) as service:
        one = embedder(service, **options)
        one.embed_query("one")
        one.embed_passages(["two"])

    assert [heard.body["input"] for heard in service.heard] == [["query: one"], ["passage: two"]]
    assert {heard.body["dimensions"] for heard in service.heard} == {3}


def test_half_a_surrogate_pair_is_sent_as_a_mark():
    with serving(well) as service:
        embedder(service).embed_query("a\ud800b")

    assert service.heard[0].body["input"] == ["a?b"]


def test_requests_are_bounded_in_texts_and_characters(monkeypatch):
    monkeypatch.setattr(openai_embeddings, "REQUEST_CHARS", 10)
    texts = ["x" * 4, "y" * 4, "z" * 4, "w" * 40, *["v"] * 33]

    with serving(well) as service:
        found = embedder(service).embed_passages(texts)

    sizes = [len(heard.body["input"]) for heard in service.heard]
    assert sizes[:3] == [2, 1, 1]
    assert max(sizes) <= RemoteEmbedder.batch_size
    assert found == [unit(vector_of(text)) for text in texts]


def test_a_request_is_bounded_in_number_of_texts():
    with serving(well) as service:
        embedder(service).embed_passages(["x"] * 40)

    assert [len(heard.body["input"]) for heard in service.heard] == [32, 8]


def data(*items):
    return {"data": list(items)}


def item(index, embedding=(1.0, 0.0, 0.0)):
    return {"index": index, "embedding": list(embedding)}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"data": None},
        {"data": ["text"]},
        data(),
        data(item(0)),
        data(item(0), item(1), item(2)),
        data(item(0), item(0)),
        data(item(0), item(1), item(1)),
        data(item(0), item(2)),
        data(item(0), item("1")),
        data(item(0), item(True)),
        data(item(0), {"embedding": [1.0, 0.0, 0.0]}),
        data(item(0), {"index": 1}),
        data(item(0), {"index": 1, "embedding": "AAAA"}),
        data(item(0), item(1, [1.0, 0.0])),
        data(item(0), item(1, [1.0, 0.0, 0.0, 0.0])),
        data(item(0), item(1, [1.0, None, 0.0])),
        data(item(0), item(1, [1.0, True, 0.0])),
        data(item(0), item(1, [0.0, 0.0, 0.0])),
        data(item(0), item(1, [1.7e308, 1.7e308, 1.7e308])),
        b'{"data": [{"index": 0, "embedding": [NaN, 1.0, 0.0]}]}',
    ],
)
def test_an_answer_that_is_not_two_vectors_is_refused(body):
    with serving(lambda _: Reply(body=body)) as service, pytest.raises(BackendError) as raised:
        embedder(service).embed_passages(["one", "two"])

    assert not raised.value.recoverable


@pytest.mark.parametrize(
    ("reply", "recoverable"),
    [
        (Reply(status=401), False),
        (Reply(status=429, headers={"Retry-After": "3"}), True),
        (Reply(status=500), True),
        (Reply(reset=True), True),
        (Reply(body=b'{"data": [{"index": 0, "embe'), True),
        (Reply(body=b" " * 70_000), False),
    ],
)
def test_a_service_in_trouble(reply, recoverable):
    with serving(lambda _: reply) as service, pytest.raises(BackendError) as raised:
        embedder(service).embed_passages(["one"])

    assert raised.value.recoverable is recoverable


def test_a_question_has_less_time_than_a_batch():
    with serving(lambda _: Reply(hang=5)) as service, pytest.raises(BackendError) as raised:
        embedder(service, query_timeout_seconds=0.2).embed_query("one")

    assert raised.value.recoverable


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "  "}, "model"),
        ({"dimension": 0}, "dimension"),
        ({"dimension": "3"}, "dimension"),
        ({"query_timeout_seconds": 0}, "query_timeout_seconds"),
        ({"base_url": "nowhere"}, "base_url"),
    ],
)
def test_options_that_cannot_be_used_are_refused(options, said):
    good = {"base_url": "http://localhost/v1", "model": MODEL, "dimension": 3}

    with pytest.raises(ValueError, match=said):
        RemoteEmbedder(**good | options)


def test_its_problems_are_those_of_its_endpoint():
    assert RemoteEmbedder("http://models.example", MODEL, 3, KEY).problems()
    assert not RemoteEmbedder("https://models.example", MODEL, 3, KEY).problems()
