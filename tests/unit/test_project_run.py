"""The parts of `make run`: processes that die and are ended, ports, requests to stop."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

from project.run import child as children
from project.run import listener, notice
from project.run.child import Child
from project.run.interrupt import Interrupt, RunStoppedError
from project.run.step import manage
from project.services.errors import ServiceError

SLEEP = "import time; time.sleep(60)"
STUBBORN = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True);"
PARENT = (
    "import subprocess, sys, time;"
    f"print(subprocess.Popen([sys.executable, '-c', {SLEEP!r}], process_group=0).pid,"
    " flush=True);"
)


@pytest.fixture
def interrupt():
    before = {number: signal.getsignal(number) for number in (2, 15, 1)}
    made = Interrupt()
    made.listen()
    yield made
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def make(tmp_path, interrupt):
    made: list[Child] = []

    def child(code: str, patience: float = 5.0) -> Child:
        one = Child("test", [sys.executable, "-c", code], tmp_path / "test.log", patience)
        made.append(one)
        one.start(os.environ)
        return one

    yield child
    for one in made:
        one.stop(interrupt)


def wait_for(condition) -> None:
    deadline = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_dead_process_is_started_again_after_growing_pauses(make, monkeypatch):
    monkeypatch.setattr(children, "FIRST_PAUSE", 0.05)
    said = []
    child = make("import sys; sys.exit(3)")

    def three_deaths() -> bool:
        child.look_after(os.environ, said.append)
        return bool(child.deaths == 3)

    wait_for(three_deaths)

    assert "ended (status 3)" in said[0]
    assert str(child.log) in said[0]
    assert len(said) == 3


def test_a_living_process_is_left_alone(make):
    said = []
    child = make(SLEEP)
    before = child.process

    child.look_after(os.environ, said.append)

    assert child.process is before
    assert said == []


def test_a_process_that_listens_ends_politely(make, interrupt):
    child = make(SLEEP)
    process = child.process

    child.stop(interrupt)

    assert process.returncode == -signal.SIGTERM
    assert child.process is None


def test_a_stubborn_process_is_killed_when_patience_ends(make, interrupt, monkeypatch):
    child = make(STUBBORN + SLEEP, patience=0.1)
    wait_for(lambda: "up" in child.log.read_text())
    process = child.process
    monkeypatch.setattr(children, "_wait", lambda process, *_: time.sleep(0.1))

    child.stop(interrupt)

    assert process.returncode == -signal.SIGKILL


def test_a_second_request_ends_the_waiting(make, interrupt):
    child = make(STUBBORN + SLEEP, patience=60)
    wait_for(lambda: "up" in child.log.read_text())
    process = child.process
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)

    began = time.monotonic()
    child.stop(interrupt)

    assert process.returncode == -signal.SIGKILL
    assert time.monotonic() - began < 5


def test_what_a_process_started_ends_with_it(make, interrupt):
    child = make(PARENT + SLEEP)
    wait_for(lambda: child.log.read_text().strip())
    grandchild = int(child.log.read_text())
    assert alive(grandchild)

    child.stop(interrupt)

    wait_for(lambda: not alive(grandchild))


def test_a_large_log_is_put_aside(make, tmp_path, monkeypatch):
    monkeypatch.setattr(children, "_LARGEST_LOG", 3)
    (tmp_path / "test.log").write_text("long")

    make("pass")

    assert (tmp_path / "test.log.1").read_text() == "long"


def test_requests_are_counted_and_nothing_is_raised_in_between(interrupt):
    interrupt.check()
    assert not interrupt.requested

    os.kill(os.getpid(), signal.SIGTERM)
    interrupt.sleep(0)
    began = time.monotonic()
    interrupt.sleep(30)

    assert time.monotonic() - began < 5
    assert interrupt.requested
    assert not interrupt.hurried
    with pytest.raises(RunStoppedError):
        interrupt.check()


def test_a_taken_default_port_is_stepped_over(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(listener, "DEFAULT_PORT", taken.getsockname()[1])

        with listener.listen({}) as found:
            assert found.getsockname()[1] != taken.getsockname()[1]
            assert listener.url_of(found).startswith("http://127.0.0.1:")


def test_a_taken_wanted_port_is_said():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        with pytest.raises(ServiceError, match=f"port {port} .*in use"):
            listener.listen({"MEMORYKIT_PORT": port})


@pytest.mark.parametrize("port", ["x", "0", "70000"])
def test_an_impossible_port_is_said(port):
    with pytest.raises(ServiceError, match="MEMORYKIT_PORT must be"):
        listener.listen({"MEMORYKIT_PORT": port})


def test_a_step_gives_its_output(interrupt):
    said = []

    last = manage("help", environment=os.environ, interrupt=interrupt, say=said.append)

    assert "[project]" in [*said, last]
    assert last not in said


def test_a_failed_step_is_one_sentence(interrupt):
    with pytest.raises(ServiceError, match=r"^Preparing failed: .*") as caught:
        manage("no_such", environment=os.environ, interrupt=interrupt, say=print)

    assert "\n" not in str(caught.value)


def test_a_step_ends_when_somebody_asks(interrupt):
    os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(RunStoppedError):
        manage("shell", environment=os.environ, interrupt=interrupt, say=print)


def test_the_notice_holds_what_is_needed():
    text = notice.text("http://127.0.0.1:8000", "a-password", "mk_key", time.monotonic())

    assert "http://127.0.0.1:8000/admin/" in text
    assert "reviewer / a-password" in text
    assert "Bearer mk_key" in text
    assert "/v1/projects/orchard/recall" in text
