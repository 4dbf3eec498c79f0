"""A process serves as many calls at once as it can, keeps a short line, and refuses the rest."""

from __future__ import annotations

import threading
import time

import pytest

from memorykit_app.api.admission import Admission
from memorykit_app.domain.errors import Unavailable


class Call(threading.Thread):
    """Stays inside until it is told to leave."""

    def __init__(self, admission: Admission) -> None:
        super().__init__(daemon=True)
        self.admission, self.inside, self.leave = admission, threading.Event(), threading.Event()
        self.start()

    def run(self) -> None:
        with self.admission.entered():
            self.inside.set()
            self.leave.wait(10)

    def end(self) -> None:
        self.leave.set()
        self.join(10)


def in_line(admission: Admission, number: int) -> list[Call]:
    calls = [Call(admission) for _ in range(number)]
    deadline = time.monotonic() + 10
    while admission._places > 0 and time.monotonic() < deadline:
        time.sleep(0.001)
    return calls


def test_a_call_waits_while_there_is_a_place_in_line_and_goes_in_when_one_leaves():
    admission = Admission(1, 1)
    first = Call(admission)
    assert first.inside.wait(10)
    (second,) = in_line(admission, 1)
    assert not second.inside.is_set()

    first.end()

    assert second.inside.wait(10)
    second.end()


def test_a_call_that_finds_the_line_full_is_refused_at_once():
    admission = Admission(1, 1)
    first = Call(admission)
    assert first.inside.wait(10)
    (second,) = in_line(admission, 1)

    with pytest.raises(Unavailable), admission.entered():
        pass

    first.end()
    second.end()
    with admission.entered():
        pass


def test_without_a_line_what_finds_no_place_is_refused():
    admission = Admission(1, 0)

    with admission.entered(), pytest.raises(Unavailable), admission.entered():
        pass


def test_a_call_that_fails_gives_its_place_back():
    admission = Admission(1, 0)

    with pytest.raises(ZeroDivisionError), admission.entered():
        1 / 0  # noqa: B018

    with admission.entered():
        pass
