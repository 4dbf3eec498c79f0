"""The client against a server that answers as it is told: tries, refusals, the run's flag."""

from __future__ import annotations

import asyncio
import json

import httpx2
import pytest

from memorykit_client import (
    AsyncClient,
    Client,
    ClientError,
    Conflict,
    Forbidden,
    InvalidArguments,
    InvalidRequest,
    NoAnswer,
    NotFound,
    Problem,
    Retries,
    ToolNotFound,
    TooManyCalls,
    Unauthorized,
    Unavailable,
    UnexpectedAnswer,
    WriteFailed,
)

KEY = "mk_secret"
WORDS = "quokka-7719"
FOUND = {
    "items": [],
    "degraded": [],
    "dropped": [],
    "policy": "balanced-v1",
    "elapsed_ms": 1,
    "receipt_id": None,
}
SAVED = {
    "model_text": "{}",
    "user_text": "",
    "is_error": False,
    "result": "active",
    "code": "",
    "write_failed": False,
}
FAILED = SAVED | {"is_error": True, "result": "refused", "write_failed": True}
REMEMBER = "remember_project_memory"


class Server:
    """Answers from a list, the last for good; keeps what was asked."""

    def __init__(self, *answers) -> None:
        self._answers = list(answers)
        self.asked: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def ok(body) -> httpx2.Response:
    return httpx2.Response(200, json=body)


def refused(status: int, **headers: str) -> httpx2.Response:
    body = {"code": "some_code", "detail": "some detail", "request_id": "r-1", "field": "key"}
    return httpx2.Response(status, json=body, headers=headers)


def client(server: Server, **changes) -> Client:
    transport = httpx2.MockTransport(server)
    return Client("https://memory.example/", KEY, "a b", transport=transport, **changes)


@pytest.fixture(autouse=True)
def waited(monkeypatch):
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("memorykit_client.client.time.sleep", waits.append)
    monkeypatch.setattr("memorykit_client.async_client.asyncio.sleep", sleep)
    return waits


def test_a_request_names_key_and_project_and_the_key_stands_nowhere_else():
    server = Server(ok(FOUND))
    memory = client(server)

    memory.recall("x")

    (request,) = server.asked
    assert str(request.url) == "https://memory.example/v1/projects/a%20b/recall"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(memory)


@pytest.mark.parametrize("memory_id", ["../tools", "..", "a/b?c=d#e"])
def test_an_id_never_leads_to_another_route(memory_id):
    server = Server(refused(400))

    with pytest.raises(InvalidRequest):
        client(server).read_memory(memory_id)

    path = server.asked[0].url.raw_path.decode()
    assert path.startswith("/v1/projects/a%20b/memories/")
    assert path.count("/") == 5
    assert "?" not in path


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InvalidRequest),
        (401, Unauthorized),
        (403, Forbidden),
        (404, NotFound),
        (409, Conflict),
        (413, InvalidRequest),
        (415, InvalidRequest),
        (429, TooManyCalls),
        (500, Problem),
        (503, Unavailable),
    ],
)
def test_a_problem_is_an_exception_of_its_kind(status, kind):
    with pytest.raises(Problem) as caught:
        client(Server(refused(status)), retries=Retries(attempts=1)).recall(WORDS)

    assert type(caught.value) is kind
    assert (caught.value.status, caught.value.code) == (status, "some_code")
    assert (caught.value.request_id, caught.value.field) == ("r-1", "key")
    assert WORDS not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(502, text=f"<html>{WORDS}"),
        httpx2.Response(200, text=f"<html>{WORDS}"),
        httpx2.Response(200, json=[WORDS]),
        httpx2.Response(200, json=FOUND | {"items": [{"id": WORDS}]}),
        httpx2.Response(200, json={name: FOUND[name] for name in FOUND if name != "items"}),
        httpx2.Response(302, headers={"Location": "https://elsewhere.example/"}),
        httpx2.Response(500, json={"code": 7}),
    ],
)
def test_an_answer_that_is_none_of_the_apis_is_told_without_its_words(answer):
    server = Server(answer)

    with pytest.raises(UnexpectedAnswer) as caught:
        client(server).recall("x")

    assert caught.value.status == answer.status_code
    assert WORDS not in str(caught.value)
    assert len(server.asked) == 1


def test_fields_that_came_later_are_left_alone():
    assert client(Server(ok(FOUND | {"new": 1}))).recall("x").policy == "balanced-v1"


@pytest.mark.parametrize("status", [429, 503])
def test_it_waits_as_long_as_the_server_says_and_asks_again(status, waited):
    server = Server(refused(status, **{"Retry-After": "2"}), ok(FOUND))

    assert client(server).recall("x").items == []

    assert waited == [2.0]
    assert len(server.asked) == 2


def test_tries_and_waits_are_bounded(waited):
    patient = Server(refused(429, **{"Retry-After": "2"}))
    with pytest.raises(TooManyCalls):
        client(patient, retries=Retries(attempts=4)).recall("x")
    assert (len(patient.asked), waited) == (4, [2.0, 2.0, 2.0])

    waited.clear()
    long = Server(refused(429, **{"Retry-After": "3600"}))
    with pytest.raises(TooManyCalls) as caught:
        client(long).recall("x")
    assert (len(long.asked), waited, caught.value.retry_after) == (1, [], 3600.0)


@pytest.mark.parametrize("header", ["soon", "-1", "nan", "inf", ""])
def test_a_wait_that_is_no_number_is_one_of_its_own(header, waited):
    server = Server(refused(503, **{"Retry-After": header}), ok(FOUND))

    client(server).recall("x")

    assert waited == [0.2]


def verb(memory: Client):
    return memory.activate("x", expected_version=1, reason="r")


@pytest.mark.parametrize(
    ("trouble", "error", "tries"),
    [
        (refused(503), Unavailable, 1),
        (httpx2.ReadTimeout(WORDS), NoAnswer, 1),
        (refused(429), TooManyCalls, 3),
        (refused(500), Problem, 1),
    ],
)
def test_a_step_that_may_have_been_taken_is_not_taken_again(trouble, error, tries):
    server = Server(trouble)

    with pytest.raises(error) as caught:
        verb(client(server))

    assert len(server.asked) == tries
    assert WORDS not in str(caught.value)


def test_a_create_that_is_made_again_has_the_same_key():
    server = Server(httpx2.ReadTimeout("gone"), refused(503), refused(409))
    memory = client(server)
    new = {"kind": "fact", "key": "k", "content": "c", "reason": "r"}

    with pytest.raises(Conflict):
        memory.create_memory(**new, importance=1, confidence=1.0)
    with pytest.raises(Conflict):
        memory.create_memory(**new, importance=1, confidence=1.0, idempotency_key="mine")

    keys = [request.headers["Idempotency-Key"] for request in server.asked]
    assert len(set(keys[:3])) == 1
    assert keys[3] == "mine"


def test_the_flag_of_a_run_goes_up_and_stays():
    run = client(Server(ok(SAVED), ok(FAILED), ok(SAVED))).run("r", user_id="u")

    run.call(REMEMBER, {})
    assert not run.write_failed
    run.validate_output()
    run.call(REMEMBER, "{}")
    run.call(REMEMBER, b"{}")

    assert run.write_failed
    with pytest.raises(WriteFailed, match="项目记忆未保存"):
        run.validate_output()


@pytest.mark.parametrize(
    "trouble",
    [refused(400), refused(403), refused(429), refused(503), httpx2.ConnectError("x"),
     httpx2.ReadTimeout("x"), httpx2.Response(502, text="no"), httpx2.Response(200, json={})],
)  # fmt: skip
@pytest.mark.parametrize("name", ["remember_project_memory", "correct_memory", "forget_memory"])
def test_a_writing_tool_without_a_good_answer_sets_the_flag(trouble, name):
    run = client(Server(trouble)).run("r", user_id="u")

    with pytest.raises(ClientError):
        run.call(name, {})

    assert run.write_failed


@pytest.mark.parametrize(
    "name", ["search_memory", "read_memory", "memory_feedback", "review_status"]
)
def test_a_reading_tool_without_an_answer_does_not(name):
    run = client(Server(refused(400))).run("r", user_id="u")

    with pytest.raises(InvalidRequest):
        run.call(name, {})

    assert not run.write_failed


@pytest.mark.parametrize(
    "arguments",
    ["", "no", "[]", "7", '{"key": 1, "key": 2}', '{"x": NaN}', '{"a": 1} x', b"\xff", "[" * 99999,
     '{}, "user_id": "somebody"'],
)  # fmt: skip
def test_arguments_that_are_no_object_are_not_sent_and_set_the_flag(arguments):
    server = Server(ok(SAVED))
    run = client(server).run("r", user_id="u")

    with pytest.raises(InvalidArguments):
        run.call(REMEMBER, arguments)

    assert server.asked == []
    assert run.write_failed


def test_arguments_cannot_change_the_run():
    server = Server(ok(SAVED))

    client(server).run("r", user_id="u").call(REMEMBER, '{"run_id": "x", "user_id": "y"}')

    body = json.loads(server.asked[0].content)
    assert (body["run_id"], body["user_id"]) == ("r", "u")


def test_a_tool_that_is_none_is_not_called():
    server = Server(ok(SAVED))

    with pytest.raises(ToolNotFound):
        client(server).run("r", user_id="u").call("../recall", {})

    assert server.asked == []


def test_an_interrupted_write_sets_the_flag():
    def stop(request):
        raise KeyboardInterrupt

    run = client(stop).run("r", user_id="u")

    with pytest.raises(KeyboardInterrupt):
        run.call(REMEMBER, {})

    assert run.write_failed


def test_the_async_client_does_the_same(waited):
    server = Server(refused(429, **{"Retry-After": "1"}), ok(FOUND), ok(FAILED), refused(400))

    async def talk():
        transport = httpx2.MockTransport(server)
        async with AsyncClient("https://memory.example", KEY, "p", transport=transport) as memory:
            found = await memory.recall("x")
            run = memory.run("r", user_id="u")
            await run.call(REMEMBER, "{}")
            with pytest.raises(InvalidRequest):
                await run.call(REMEMBER, {})
            with pytest.raises(WriteFailed):
                run.validate_output()
            return found

    assert asyncio.run(talk()).items == []
    assert waited == [1.0]


def test_the_async_client_says_that_nobody_answered():
    server = Server(httpx2.ConnectError(WORDS))

    async def talk():
        transport = httpx2.MockTransport(server)
        async with AsyncClient("https://memory.example", KEY, "p", transport=transport) as memory:
            await memory.activate("x", expected_version=1, reason="r")

    with pytest.raises(NoAnswer) as caught:
        asyncio.run(talk())

    assert WORDS not in str(caught.value)
    assert len(server.asked) == 1
