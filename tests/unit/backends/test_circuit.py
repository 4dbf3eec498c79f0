"""The circuit: closed, open, half open, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorykit_app.backends.circuit import Circuit, CircuitState

MOST = 3
REST = 10.0


class Seconds:
    """A clock that a test moves."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def circuit(clock):
    return Circuit(failures=MOST, rest_seconds=REST, clock=clock)


def opened(clock):
    made = circuit(clock)
    for _ in range(MOST):
        made.enter()
        made.failed()
    return made


def test_failures_in_a_row_open_it():
    made = circuit(Seconds())

    for _ in range(MOST - 1):
        made.failed()
    assert (made.state, made.enter()) == (CircuitState.CLOSED, True)

    made.failed()
    assert (made.state, made.enter()) == (CircuitState.OPEN, False)


def test_a_success_between_failures_starts_the_count_again():
    made = circuit(Seconds())

    for _ in range(MOST * 2):
        made.failed()
        made.succeeded()

    assert made.state is CircuitState.CLOSED


def test_after_the_rest_one_probe_passes_and_its_success_closes_it():
    clock = Seconds()
    made = opened(clock)

    clock.now += REST
    passed = [made.enter(), made.enter()]
    made.succeeded()

    assert passed == [True, False]
    assert (made.state, made.enter()) == (CircuitState.CLOSED, True)


def test_a_failed_probe_opens_it_for_another_rest():
    clock = Seconds()
    made = opened(clock)

    clock.now += REST
    made.enter()
    made.failed()
    clock.now += REST / 2

    assert (made.state, made.enter()) == (CircuitState.OPEN, False)
    clock.now += REST / 2
    assert made.enter()


def test_a_closed_circuit_starts_its_count_from_nothing():
    clock = Seconds()
    made = opened(clock)
    clock.now += REST
    made.enter()
    made.succeeded()

    made.failed()

    assert made.state is CircuitState.CLOSED


def test_a_probe_that_nobody_reports_is_followed_by_another():
    clock = Seconds()
    made = opened(clock)

    clock.now += REST
    made.enter()
    clock.now += REST

    assert (made.state, made.enter()) == (CircuitState.HALF_OPEN, True)


@pytest.mark.parametrize("report", ["succeeded", "failed"])
def test_calls_that_began_before_it_opened_neither_close_it_nor_lengthen_the_rest(report):
    clock = Seconds()
    made = opened(clock)

    clock.now += REST / 2
    getattr(made, report)()

    assert made.state is CircuitState.OPEN
    clock.now += REST / 2
    assert made.enter()


@pytest.mark.parametrize("bounds", [{"failures": 0}, {"rest_seconds": 0}])
def test_bounds_must_be_above_nothing(bounds):
    with pytest.raises(ValueError, match="above 0"):
        Circuit(**bounds)


@given(st.lists(st.tuples(st.booleans(), st.floats(0, REST * 2)), max_size=60))
def test_it_never_stays_shut_for_longer_than_a_rest(calls):
    clock = Seconds()
    made = circuit(clock)

    for good, pause in calls:
        if made.enter():
            made.succeeded() if good else made.failed()
        clock.now += pause

    clock.now += REST
    assert made.enter()
