"""How each route, page and command is called: one row each."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from memorykit_app import conf
from memorykit_app.testing.pair import TOPIC, Ids, Pair

_SEEN: Final = {"reason": "test", "expected_version": 1}
_CHAT: Final = [{"role": "user", "content": f"Remember the {TOPIC}."}]


@dataclass(frozen=True, slots=True)
class Row:
    """How a route or a page is called: by which method and with what."""

    method: str = "GET"
    body: Callable[[Ids], Any] = lambda ids: None


def _tool(arguments: Callable[[Ids], dict[str, Any]]) -> Row:
    return Row(
        "POST",
        lambda ids: {"arguments": arguments(ids), "run_id": "run-1", "user_id": "user-1"},
    )


_VERB: Final = Row("POST", lambda ids: _SEEN)
#: Routes of the HTTP API by the name of their operation.
ROUTES: Final[Mapping[str, Row]] = {
    "recall": Row("POST", lambda ids: {"query": TOPIC, "keys": [ids.key], "explain": True}),
    "list_memories": Row(),
    "create_memory": Row(
        "POST",
        lambda ids: {
            "kind": "fact",
            "key": ids.key,
            "content": ids.erased_content,
            "reason": "test",
            "importance": 1,
            "confidence": 1.0,
            "idempotency_key": ids.key,
        },
    ),
    "read_memory": Row(),
    "read_sources": Row(),
    "list_revisions": Row(),
    "activate": _VERB,
    "dismiss": _VERB,
    "forget": _VERB,
    "restore": _VERB,
    "revert": _VERB,
    "correct": Row(
        "POST",
        lambda ids: {**_SEEN, "content": ids.erased_content, "importance": 1, "confidence": 1.0},
    ),
    "erase": _VERB,
    "submit_transcript": Row("POST", lambda ids: _CHAT),
    "read_extraction": Row(),
    "project_context": Row(
        "POST",
        lambda ids: {
            "messages": [{"role": "user", "content": TOPIC}],
            "metadata": {"memory.query_keys": [ids.key]},
        },
    ),
    "give_feedback": Row("POST", lambda ids: {"verdict": "useful"}),
    "count_feedback": Row(),
    "list_tools": Row(),
    "call_search_memory": _tool(lambda ids: {"query": TOPIC, "key": ids.key}),
    "call_read_memory": _tool(lambda ids: {"memory_id": str(ids.memory_id)}),
    "call_remember_project_memory": _tool(
        lambda ids: {
            "kind": "fact",
            "key": ids.key,
            "content": ids.erased_content,
            "reason": "asked to",
        }
    ),
    "call_correct_memory": _tool(
        lambda ids: {
            "memory_id": str(ids.memory_id),
            "version": 1,
            "content": ids.erased_content,
            "reason": "asked to",
        }
    ),
    "call_forget_memory": _tool(
        lambda ids: {"memory_id": str(ids.memory_id), "version": 1, "reason": "asked to"}
    ),
    "call_memory_feedback": _tool(
        lambda ids: {"memory_id": str(ids.memory_id), "verdict": "useful"}
    ),
    "call_review_status": _tool(lambda ids: {"memory_id": str(ids.memory_id)}),
}
_DECISION: Final = Row("POST", lambda ids: {"version": 1})
#: Pages of the admin by name; stock pages of models with integer ids are told by `_stock`.
PAGES: Final[Mapping[str, tuple[Row, ...]]] = {
    "memorykit_memory_changelist": (Row(), Row("POST", lambda ids: {"q": ids.key})),
    "memorykit_queue": (Row(), Row("POST", lambda ids: {"q": ids.key})),
    "memorykit_bulk": (
        Row(
            "POST",
            lambda ids: {
                "verb": "dismiss",
                "reason": "not_durable",
                "chosen": [f"{ids.candidate_id}:1"],
            },
        ),
    ),
    "memorykit_item": (Row(),),
    "memorykit_correct": (
        Row(),
        Row("POST", lambda ids: {"version": 1, "content": ids.erased_content, "importance": 1}),
    ),
    "memorykit_erase": (Row(), Row("POST", lambda ids: {"version": 1, "typed": "erase"})),
    "memorykit_decide": (_DECISION,),
    "memorykit_erasurereceipt_changelist": (Row(),),
    "memorykit_receipt": (Row(),),
    "memorykit_lab": (Row(), Row("POST", lambda ids: {"query": TOPIC, "keys": ids.key})),
    "memorykit_statistics": (Row(),),
    "memorykit_statistics_csv": (Row(),),
}
API: Final = "v1/projects/"
DESK: Final = "admin/memorykit/"
STOCK: Final = ("reviewergrant", "job", "hostkey")


def _scope(pair: Pair) -> list[str]:
    return ["--tenant", pair.mine.tenant_id, "--project", pair.mine.subject_id]


def _file(text: str) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.write(text)
    return file.name


#: Commands by name: the arguments of each way to call it.
COMMANDS: Final[Mapping[str, tuple[Callable[[Pair, Ids], list[str]], ...]]] = {
    "memorykit_recall": (
        lambda pair, ids: [TOPIC, *_scope(pair), "--keys", ids.key, "--explain", "--json"],
    ),
    "memorykit_export": (lambda pair, ids: _scope(pair),),
    "memorykit_queue": (lambda pair, ids: _scope(pair),),
    "memorykit_jobs": (lambda pair, ids: ["list", *_scope(pair)],),
    "memorykit_extract": (
        lambda pair, ids: [_file(json.dumps(_CHAT)), *_scope(pair), "--dry-run"],
    ),
    "memorykit_receipts": (
        lambda pair, ids: [*_scope(pair), "--memory", str(ids.memory_id)],
        lambda pair, ids: [*_scope(pair), "--replay", str(ids.receipt_id), "--query", TOPIC],
    ),
    "memorykit_erase": (
        lambda pair, ids: [*_scope(pair), "--id", str(ids.memory_id), "--yes"],
        lambda pair, ids: [*_scope(pair), "--source-ref", ids.source_ref, "--lineage", "--yes"],
        lambda pair, ids: [*_scope(pair), "--all", "--yes"],
        lambda pair, ids: [*_scope(pair), "--id", str(ids.memory_id), "--dry-run"],
    ),
}
#: Servers, which end only when stopped; what they answer is told by routes and tools.
SERVERS: Final = frozenset({"memorykit_mcp"})
#: Commands for the whole installation: they may count, but tell no content.
EVERYWHERE: Final[Mapping[str, Callable[[Pair, Ids], list[str]]]] = {
    "memorykit_doctor": lambda pair, ids: [],
    "memorykit_sweep": lambda pair, ids: [],
    "memorykit_setup_roles": lambda pair, ids: [],
    "memorykit_embeddings": lambda pair, ids: [
        "plan", "--profile", conf.settings().serving_profile, "--no-measure"
    ],
    "memorykit_hostkey": lambda pair, ids: ["list"],
    "memorykit_jobs": lambda pair, ids: ["list"],
    "memorykit_queue": lambda pair, ids: [],
    "memorykit_verify_erasure": lambda pair, ids: [
        str(ids.receipt_id), "--probe-file", _file("no such words")
    ],
}  # fmt: skip
