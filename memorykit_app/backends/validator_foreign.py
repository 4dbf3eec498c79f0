"""Foreign: the override of instructions in languages that the lexicons do not reach."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memorykit_app.backends.validator_phrases import Sign

# Each script with what an override in it looks like, the verb last where the language has it so.
_FORMS = tuple(
    (re.compile(script), re.compile(form))
    for script, form in (
        (
            "[\u3040-\u30ff]",
            r"(?:以前|これまで|今まで|前|上記|すべて|全て)の[^。\n]{0,10}?(?:指示|命令|ルール|プロンプト)"
            r"[^。\n]{0,8}?(?:無視|无视|忘れ)",
        ),
        (
            "[\uac00-\ud7a3]",
            r"(?:이전|앞선|위의|지금까지|모든)[^.\n]{0,12}?(?:지시|명령|지침|프롬프트)[^.\n]{0,10}?"
            r"(?:무시|잊)",
        ),
        (
            "[\u0600-\u06ff]",
            r"(?:تجاهل|انس)[^.\n]{0,24}?(?:التعليمات|الاوامر|الأوامر|تعليمات)",
        ),
        (
            "[\u0900-\u097f]",
            r"(?:पिछले|पहले|सभी)[^।\n]{0,16}?(?:निर्देश|आदेश)[^।\n]{0,12}?(?:अनदेखा|नजरअंदाज|नज़रअंदाज|भूल)",
        ),
    )
)


def signs(text: str) -> Iterator[Sign]:
    """Yield where the folded text tells a model to drop its instructions. Takes linear time."""
    if text.isascii():
        return
    for script, form in _FORMS:
        if script.search(text):
            for found in form.finditer(text):
                yield Sign("instruction_override", found.start())
