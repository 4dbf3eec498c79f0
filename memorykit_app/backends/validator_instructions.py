"""Instructions: text that tells a model what to do, plain, disguised or encoded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from memorykit_app.backends import validator_chinese as chinese
from memorykit_app.backends import validator_folding as folding
from memorykit_app.backends import validator_foreign as foreign
from memorykit_app.backends.validator_english import Reading
from memorykit_app.backends.validator_phrases import Sign

# Pairs of signs that nobody needs in a note. Each alone is common in honest text, and so are the
# pairs that are left out: "from now on the assistant must ask for review" is a fair rule.
_PAIRS: dict[str, str] = {
    "sign_letter": "sending guard action hiding safety authority override renewal voice",
    "sign_safety": "authority hiding sending action voice addressed standing imitation override",
    "sign_authority": "guard hiding sending action voice addressed override",
    "sign_hiding": "sending guard action voice imitation override",
    "sign_renewal": (
        "standing addressed hiding guard authority safety sending voice imitation action"
    ),
    "sign_imitation": "guard sending",
    "sign_override": "voice guard sending action addressed standing",
    "sign_voice": "action",
}
_TOGETHER = frozenset(
    frozenset((one, f"sign_{other}")) for one, others in _PAIRS.items() for other in others.split()
)
# Signs farther apart than this many characters are of different matters.
_NEAR = 320
_STRONG = "instruction_"


def signs(folded: str) -> list[Sign]:
    """Return what the folded text tells a model. Takes linear time."""
    plain = folding.joined(folded)
    english = Reading(folding.unleeted(plain))
    return [*english.signs(), *chinese.signs(plain), *foreign.signs(plain)]


def codes(found: Sequence[Sign]) -> Iterator[str]:
    """Yield the rules that the signs of a text break, alone and together."""
    yield from {sign.rule for sign in found}
    if _combined(found):
        yield "instruction_combined"


def count(found: Sequence[Sign]) -> int:
    """Return how many kinds of instruction are among the signs, mentions of some included."""
    return len({sign.rule for sign in found if sign.rule.startswith(_STRONG)})


def _combined(signs: Sequence[Sign]) -> bool:
    """Say whether two signs that go together stand near each other."""
    last: dict[str, int] = defaultdict(lambda: -_NEAR - 1)
    for sign in sorted(signs, key=lambda sign: sign.at):
        for other, at in last.items():
            if sign.at - at <= _NEAR and frozenset((sign.rule, other)) in _TOGETHER:
                return True
        last[sign.rule] = sign.at
    return False
