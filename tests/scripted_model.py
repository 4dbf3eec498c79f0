"""A model that does what the user's words say, for the agent runs of the example host."""

from __future__ import annotations

import json
from typing import Any

from example_host.agent import Reply

CLAIM = "I saved it."
GOOD = {"kind": "fact", "key": "office.city", "content": "The office is in Lisbon."}
#: For each word of a user: the calls of the model, one a turn.
SCRIPTS = {
    "remember": [("remember_project_memory", GOOD | {"reason": "asked"})],
    "fail": [("remember_project_memory", GOOD | {"content": "L\u202eisbon", "reason": "asked"})],
    "garble": [("remember_project_memory", GOOD)],
    "retry": [
        ("remember_project_memory", GOOD | {"content": "L\u202eisbon", "reason": "asked"}),
        ("remember_project_memory", GOOD | {"reason": "asked"}),
    ],
    "widen": [("search_memory", {"query": "office", "tenant_id": "rival"})],
    "search": [("search_memory", {"query": "office"})],
    "prompt": [],
}


def answer(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Reply:
    """Follow the script; then repeat what was read, or claim that all went well."""
    word = [entry for entry in messages if entry["role"] == "user"][-1]["content"]
    done = [entry for entry in messages if entry["role"] == "tool"]
    if word == "forever":
        return Reply(calls=[("c", "search_memory", '{"query": "x"}')])
    if len(done) < len(SCRIPTS[word]):
        name, arguments = SCRIPTS[word][len(done)]
        return Reply(calls=[(f"call-{len(done)}", name, json.dumps(arguments))])
    if word == "prompt":
        offered = [tool["function"]["name"] for tool in tools]
        return Reply(text=json.dumps({"messages": messages, "tools": offered}))
    if word in {"search", "widen"}:
        return Reply(text=done[-1]["content"])
    return Reply(text=CLAIM)
