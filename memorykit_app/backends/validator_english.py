"""English: orders to a model in words parted by spaces, told from talk about such orders."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memorykit_app.backends import validator_folding as folding
from memorykit_app.backends.validator_lexicon import BITS, SCRAMBLED, WORDS, bits, scrambled
from memorykit_app.backends.validator_phrases import Phrase, Row, Sign, matches, phrases

# Addresses, blank lines, line breaks and runs of marks are tokens of their own.
_TOKEN = re.compile(
    r"[^\W_]+|(?<=\w)@(?=\w)|\.(?:com|net|org|io|dev|app|invalid|example|test|xyz|site|info|co|ru"
    r"|cn|top|me|ai|sh|link|online)\b|\n\s*|[^\w\s]+[ \t]?"
)
_APOSTROPHE = re.compile(r"(?<=[a-z])['’](?=[a-z]{1,2}\b)")
_QUOTES = frozenset("\"“”`‘’«»„'")
_STRONG = "instruction_"
_MENTION = "instruction_mention"
_SOFT = "sign_override"
_MARGIN = 40


# A number says within how many words the part comes, one where none is given.
_ALL = (
    *phrases(
        BITS,
        "instruction_override",
        """
        drop 6prior 3firm
        drop 5firm 4prior
        drop 4your 3order
        drop 3all 3firm
        drop 3all 3prior 2order
        drop 3all 3order 3prior
        drop 2above end
        drop 2whole 5prior
        stop 1follow 5order
        """,
        ordered=True,
    ),
    *phrases(
        BITS,
        "instruction_override",
        """
        prior 3order 2drop_last
        not follow 4prior 3order
        not follow 2your 2order
        your new task 2is
        """,
    ),
    *phrases(
        BITS,
        "sign_override",
        "drop 6prior 3order\ndrop 5order 4prior\nfresh firm colon",
        ordered=True,
    ),
    *phrases(BITS, "instruction_override", "obey 2new 2new firm", ordered=True),
    *phrases(
        BITS,
        "instruction_reveal",
        """
        show 6secretive 2prompt
        show 4your 2inner
        show 6secret 2you 3see
        """,
        ordered=True,
    ),
    *phrases(
        BITS,
        "instruction_persona",
        """
        you 2now 5unbound
        you 2now 4being
        you 2now 6without 2limits
        act 5unbound
        act 6without 2limits
        """,
    ),
    *phrases(
        BITS, "instruction_exfiltrate", "send 6loot 12address\nsend 6said 12site", ordered=True
    ),
    *phrases(BITS, "sign_sending", "send 6data 12address|hook", ordered=True),
    *phrases(
        BITS,
        "sign_safety",
        """
        safety 5off
        safety 5no_longer 2needed
        disable 4safety
        off 3safety
        policyword layer 3off
        policyword 2layer 5no_longer 2needed
        without 2safety
        """,
    ),
    *phrases(
        BITS,
        "sign_guard",
        """
        guard 3off
        guard 4no_longer 2needed
        disable 3guard
        off 2guard
        without 2asking
        """,
    ),
    *phrases(BITS, "sign_authority", "treat 7as 3root\nmodekind mode 2on\napproved 3all 4deeds"),
    *phrases(
        BITS, "sign_hiding", "not 2tell 4people\nwithout tell 4people\nkeep 3hid 2from 3people"
    ),
    *phrases(BITS, "sign_renewal", "store 2this 3piece 6again"),
    *phrases(BITS, "instruction_trigger", "when 4people 3says 10invoke 6harm"),
    *phrases(BITS, "sign_action", "when 4people 3says 12harm"),
    *phrases(BITS, "sign_voice", "sysword notice 1colon", ordered=True),
    *phrases(BITS, "sign_imitation", "same 2way 4each\nonce_more 2this|same 4each 2time"),
    *phrases(BITS, "sign_addressed", "model 2must"),
    *phrases(BITS, "sign_letter", "memo to 3model"),
    *phrases(BITS, "sign_letter", "to 3model 6colon", ordered=True),
    *phrases(BITS, "sign_letter", "when 2you 2see 1this"),
    *phrases(BITS, "sign_standing", "from now on_\nall 2future 2talk\neach 2future 2talk"),
)
_BREAK, _PAUSE, _LINE, _NOT = bits("break"), bits("pause"), bits("line"), bits("not")
_FIRST = _BREAK | _PAUSE | _LINE
_STOP, _QUOTE = _BREAK | _LINE, bits("quote")
_JOIN = bits("join")
# Shorter words are not looked at for digits or letters in disguise.
_LEAST = 3
_STARTER, _THIRD = bits("starter"), bits("third")
_EVERY = bits("all") | bits("your")
_MENTIONS, _PLACE, _IN, _DOMAIN = bits("mention"), bits("place"), bits("in"), bits("domain")


def _mark(run: str) -> int:
    """Return the parts that a run of marks or line breaks plays."""
    if run[0] == "\n":
        return _BREAK if run.count("\n") > 1 else _LINE
    mask = 0
    for sign in set(run):
        mask |= WORDS.get(sign, 0) | (_QUOTE if sign in _QUOTES else 0)
    # A dot inside a name, as in readme.md, ends nothing.
    return mask if run[-1].isspace() or not mask & _BREAK else mask & ~_BREAK | _PAUSE


class _Masks(dict[str, int]):
    """The parts of words, each worked out once."""

    def __missing__(self, word: str) -> int:
        mask = self[word] = self._mask(word)
        return mask

    @staticmethod
    def _mask(word: str) -> int:
        mask = WORDS.get(word)
        if mask is not None:
            return mask
        if not word[0].isalnum():
            return _mark(word)
        if len(word) < _LEAST or word.isdigit():
            return 0
        if not word.isalpha():
            word = folding.as_letters(word)
        return WORDS.get(word) or SCRAMBLED.get(scrambled(word), 0)


class Reading:
    """A folded text as words with their parts. Time and space are linear in the text."""

    def __init__(self, text: str) -> None:
        self._text = _APOSTROPHE.sub("", text)
        known = _Masks()
        self.masks = [known[word] for word in _TOKEN.findall(self._text)]

    def signs(self) -> Iterator[Sign]:
        """Yield what the phrases in the text mean: a sign wherever it is, an order once."""
        count = range(len(self.masks) + 1)
        found = [*matches(_ALL, Row(self.masks, count, count[1:], _BREAK))]
        places = [token.start() for token in _TOKEN.finditer(self._text)] if found else []
        met: set[str] = set()
        for phrase, at, end in found:
            rule = "" if phrase.rule in met else self._rule(phrase, at, end)
            if rule:
                yield Sign(rule, places[at])
            if rule.startswith(_STRONG):
                met.add(rule)

    def _rule(self, phrase: Phrase, at: int, end: int) -> str:
        """Return the rule, a milder one when the words are only told of, or blank."""
        strong = phrase.rule.startswith(_STRONG)
        if any(mask & _NOT for mask in self.masks[max(0, at - 2) : at]):
            return ""
        if (strong or phrase.rule == _SOFT) and self._told_of(at, end):
            return _MENTION if strong else ""
        if phrase.ordered and not self._is_order(at):
            return _MENTION if strong else ""
        return phrase.rule

    def _is_order(self, at: int) -> bool:
        """Say whether the word at `at` begins an order: first in its clause, or after `must`."""
        if at == 0 or self.masks[at - 1] & (_FIRST | _QUOTE):
            return True
        if not self.masks[at - 1] & _STARTER:
            return False
        start = self._sentence(at)
        # After `and` the subject of the sentence decides, after `to` whoever came last.
        subject = (start, start + 4) if self.masks[at - 1] & _JOIN else (max(start, at - 7), at)
        return not any(mask & _THIRD for mask in self.masks[slice(*subject)])

    def _sentence(self, at: int) -> int:
        """Return where the sentence around `at` starts, or the margin before it."""
        start = at
        while start > max(0, at - _MARGIN) and not self.masks[start - 1] & _STOP:
            start -= 1
        return start

    def _told_of(self, at: int, end: int) -> bool:
        """Say whether the phrase is quoted as an example, or about instructions somewhere else."""
        inside, behind = self.masks[at + 1 : end], self.masks[end + 1 : end + 6]
        elsewhere = any(mask & _IN for mask in behind[:2]) and any(mask & _PLACE for mask in behind)
        if elsewhere and not any(mask & _EVERY for mask in inside):
            return True
        if any(mask & _DOMAIN for mask in inside):
            return True
        start = self._sentence(at)
        opened = sum(mask & _QUOTE != 0 for mask in self.masks[start:at]) % 2
        around = self.masks[start : end + _MARGIN] if opened else ()
        return any(mask & _MENTIONS for mask in around)
