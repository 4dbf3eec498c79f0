"""Results: what a model and a person read after a call; fixed texts, records as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from memorykit_app.domain import untrusted
from memorykit_app.domain.states import Kind, State
from memorykit_app.models import Verdict
from memorykit_app.services.explicit_writes import Result, Written

UNREADABLE: Final = "项目记忆暂时无法读取"
NOT_FOUND: Final = "未找到项目记忆"
NOT_SAVED: Final = "项目记忆未保存"
_SAID: Final = {
    Result.ACTIVE: "项目记忆已保存",
    Result.CANDIDATE: "项目记忆待审核",
    Result.DUPLICATE: "项目记忆已存在",
    Result.INACTIVE: "项目记忆已停用",
}
JUDGED: Final = "反馈已记录"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What one call gave. `model_text` goes to the model; `user_text`, a fixed one, to a person.

    `result` tells what became of a write, and is None for reads. `code` says why a call gave
    nothing: a stable code, never content. `write_failed` is this answer's failure flag.
    """

    model_text: str = field(repr=False)
    user_text: str = ""
    is_error: bool = False
    result: Result | None = None
    code: str = ""

    @property
    def write_failed(self) -> bool:
        return self.result in (Result.REFUSED, Result.FAILED)


def found(items: object) -> ToolResult:
    return ToolResult(model_text=untrusted.as_json(items))


def absent() -> ToolResult:
    return ToolResult(model_text=untrusted.as_json({"found": False}), user_text=NOT_FOUND)


def unreadable(code: str) -> ToolResult:
    return ToolResult(model_text=UNREADABLE, user_text=UNREADABLE, is_error=True, code=code)


def written(what: Written) -> ToolResult:
    """Tell what became of a write that was not refused."""
    told = {"result": what.result, "id": str(what.memory_id), "version": what.version}
    return ToolResult(
        model_text=untrusted.as_json(told), user_text=_SAID[what.result], result=what.result
    )


def not_saved(result: Result, code: str) -> ToolResult:
    return ToolResult(
        model_text=NOT_SAVED, user_text=NOT_SAVED, is_error=True, result=result, code=code
    )


def judged(memory_id: UUID, verdict: Verdict) -> ToolResult:
    told = {"id": str(memory_id), "verdict": verdict}
    return ToolResult(model_text=untrusted.as_json(told), user_text=JUDGED)


def state(memory_id: UUID, now_is: State) -> ToolResult:
    return found({"found": True, "id": str(memory_id), "state": now_is})


def known_kind(kind: str) -> bool:
    return kind in Kind.__members__.values()
