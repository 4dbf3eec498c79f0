"""The whole tour through the Python client, each step asserted.

Needs a running server with a worker and two keys of one project: the agent's with read, propose
and write_explicit, the desk's with all capabilities.
"""

from __future__ import annotations

import os
import time

from memorykit_client import Client, NotFound
from memorykit_client.records import JobState, Kind, State

BEFORE = "We decided to use PostgreSQL 16 for the billing service."
AFTER = "We decided to use PostgreSQL 18 for the billing service."
QUESTION = "Which database does the billing service use?"
TRANSCRIPT = [
    {"role": "user", "content": BEFORE},
    {"role": "assistant", "content": "Understood."},
]


def main() -> None:
    url, project = os.environ["MEMORYKIT_URL"], os.environ["MEMORYKIT_PROJECT"]
    with (
        Client(url, os.environ["MEMORYKIT_AGENT_KEY"], project) as agent,
        Client(url, os.environ["MEMORYKIT_DESK_KEY"], project) as desk,
    ):
        walk(agent, desk)


def walk(agent: Client, desk: Client) -> None:
    say("Hand in a finished transcript")
    (memory_id,) = extracted(agent, desk, "tour")

    say("The candidate is not recalled")
    assert recalled(agent) == []

    say("Activate it")
    record = desk.read_memory(memory_id)
    record = desk.activate(memory_id, expected_version=record.version, reason="tour")
    assert recalled(agent) == [record.content]

    say("Put it into a prompt, and let a model search")
    run = agent.run("tour-run", user_id="tour-user")
    context = run.context([{"role": "user", "content": QUESTION}])
    assert context.ids == [record.id]
    assert str(record.id) in run.call("search_memory", {"query": "billing"}).model_text

    say("A model remembers something new; over a person's words it only proposes")
    saved = run.call("remember_project_memory", words("billing.owner", "Ada owns billing."))
    assert saved.result == "active"
    proposed = run.call(
        "remember_project_memory", words(record.key, "Billing uses files.", record.kind)
    )
    assert proposed.result == "candidate"
    assert {found.key for found in desk.memories(limit=1)} == {record.key, "billing.owner"}
    run.validate_output()

    say("Correct it: the old words are gone")
    record = desk.correct(
        memory_id,
        expected_version=record.version,
        reason="tour",
        content=AFTER,
        importance=60,
        confidence=0.9,
    )
    assert recalled(agent) == [AFTER]

    say("Say that it was useful")
    agent.give_feedback(memory_id, "useful")
    assert desk.count_feedback(memory_id).useful == 1

    say("Forget it, and restore it")
    record = desk.forget(memory_id, expected_version=record.version, reason="tour")
    assert recalled(agent) == []
    record = desk.restore(memory_id, expected_version=record.version, reason="tour")
    assert recalled(agent) == [AFTER]

    say("Erase it: history stays, words do not")
    desk.erase(memory_id, expected_version=record.version, reason="tour")
    assert recalled(agent) == []
    assert desk.read_memory(memory_id).status is State.ERASED
    assert {revision.content for revision in desk.revisions(memory_id, limit=2)} <= {None, ""}
    try:
        agent.read_memory(memory_id)
    except NotFound:
        pass
    else:
        raise AssertionError("an erased record was read")

    say("Extracting the same transcript again brings nothing back")
    assert extracted(agent, desk, "again") == []

    say("Done: extracted, reviewed, recalled, corrected, forgotten, restored, erased")


def extracted(agent: Client, desk: Client, run_id: str) -> list[str]:
    """Hand the transcript in, wait for the job, and return the ids of its candidates."""
    job_id = agent.submit_transcript(TRANSCRIPT, idempotency_key=run_id).job_id
    until = time.monotonic() + 60
    while (job := desk.read_extraction(job_id)).state is not JobState.COMPLETED:
        assert time.monotonic() < until, f"the job is still {job.state}"
        time.sleep(0.2)
    assert job.candidates is not None
    return [str(candidate.id) for candidate in job.candidates]


def recalled(agent: Client) -> list[str]:
    items = agent.recall(QUESTION).items
    return [item.content for item in items if "PostgreSQL" in item.content]


def words(key: str, content: str, kind: Kind = Kind.FACT) -> dict[str, str]:
    return {"kind": kind, "key": key, "content": content, "reason": "the user asked"}


def say(step: str) -> None:
    print(f"== {step}", flush=True)


if __name__ == "__main__":
    main()
