"""Markers: text in the dress of a chat turn, a fence or a tool call."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Each form begins with a sign that is rare in prose, or is tried only where a word of it stands.
_TURN = re.compile(
    r"\n[ \t>*#]{0,6}(human|user|assistant|system|ai|developer|tool|用户|助手|系统)"
    r"[*_]{0,2}[ \t]{0,2}:"
)
_ROLES = (
    re.compile(r"<(?:\|[a-z_ ]{2,24}\||(?:start|end)_of_turn|</?sys>|｜[^｜\n]{2,24}｜)>?"),
    re.compile(r"\[/?inst\]"),
    re.compile(
        r"\n[ \t]{0,3}#{1,6} {0,2}(?:system|assistant|developer|instructions?|new instructions?"
        r"|系统|系统提示|新指令)[ \t]{0,2}:?[ \t]{0,2}\n"
    ),
    re.compile(r"[\"']role[\"']\s{0,3}:\s{0,3}[\"'](?:system|assistant|user|developer|tool)[\"']"),
)
_FENCES = (
    re.compile(
        r"</?(?:system|assistant|developer|instructions?|memory_records|memories|memorykit"
        r"|untrusted\w{0,20}|tool_result|tool_response|function_results?|system-reminder"
        r"|conversation|transcript|source_text_json)(?:\s[^<>\n]{0,80})?>"
        r"|</(?:user|context|prompt|memory|data|document|documents|message)>"
    ),
    re.compile(
        r"(?<![-=*#<\[])[-=*#<\[]{2,80}\s{0,2}(?:end|begin|start)\s(?:of\s)?(?:the\s)?"
        r"(?:untrusted|memory|memories|context|system|instructions?|records?|prompt|conversation"
        r"|user)\b"
    ),
    re.compile(
        r"end of (?:the )?(?:memory|context|untrusted|system|retrieved)"
        r" (?:block|section|records?|data|prompt)\b"
    ),
    re.compile(r"(?:记忆|上下文|系统提示|不可信内容)(?:区块|部分|内容|数据)?(?:到此)?结束"),
)
_TOOLS = (
    re.compile(r"</?(?:tool_calls?|function_calls?|invoke|tool_use|antml:\w{1,20})\b"),
    re.compile(
        r"[\"'](?:tool_calls|function_call|tool_use|tool_call_id)[\"']\s{0,3}:"
        r"|[\"']name[\"']\s{0,3}:\s{0,3}[\"'][\w.:-]{1,64}[\"']\s{0,3},\s{0,3}"
        r"[\"'](?:arguments|parameters|input)[\"']\s{0,3}:\s{0,3}[{\"']"
    ),
    re.compile(
        r"\n[ \t]{0,3}(?:action|tool|function)[ \t]{0,2}:[^\n]{1,80}"
        r"\n[ \t]{0,3}(?:action input|arguments|args|input)[ \t]{0,2}:"
    ),
)
_BEACON = re.compile(
    r"!\[[^\]\n]{0,120}\]\(\s{0,2}https?://[^\s)]{1,200}[?&/=][^\s)]{0,80}"
    r"(?:\{|\[|<|%7b|\$|data=|secret|token|notes?=|memory|conversation|chat|history)"
)


def codes(text: str) -> Iterator[str]:
    """Yield the markers that the folded text holds. Takes linear time."""
    lines = f"\n{text}\n"
    turns = {found[1] for found in _TURN.finditer(lines)}
    if len(turns) > 1 or _any(_ROLES, lines):
        yield "role_marker"
    if _any(_FENCES, lines):
        yield "fence_marker"
    if _any(_TOOLS, lines):
        yield "tool_call"
    if _BEACON.search(text):
        yield "beacon"


def _any(forms: tuple[re.Pattern[str], ...], text: str) -> bool:
    return any(form.search(text) for form in forms)
