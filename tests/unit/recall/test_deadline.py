"""Deadline: counts down, never below nothing, and never to a limit without an end."""

from __future__ import annotations

from memorykit_app.recall import deadline
from memorykit_app.recall.deadline import Deadline


def test_time_runs_out_once(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(deadline.time, "monotonic", lambda: now[0])
    timer = Deadline(2.0)

    assert (timer.left, timer.statement_ms(), timer.statement_ms(0.6)) == (2.0, 2_000, 1_200)

    now[0] = 101.5
    assert (timer.left, timer.elapsed_ms) == (0.5, 1_500)

    now[0] = 109.0
    assert (timer.left, timer.statement_ms()) == (0.0, 1)
