"""English facts: what is, runs, costs, lives where, belongs to whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memorykit_app.backends import rules_topics
from memorykit_app.backends.rules_cues import english
from memorykit_app.backends.rules_statement import UNSURE, Statement
from memorykit_app.domain.states import Kind

_SUBJECT = (
    r"(?P<s>(?:[\w@#'./+-]+ ){0,6}?"
    r"(?!(?:the|our|my|your|their|an?|every|each|all|of|in|for|to|at|on|with|and)\b)[\w@#'./+-]+)"
)
_ADVERB = (
    r"(?: (?:now|currently|still|only|also|will|has been|have been|mostly|usually|always|both"
    r"|don't|doesn't|do not|does not|no longer))*"
)
# Says what something is for good, even without a number or a name.
_FIRM = re.compile(
    rf"^{_SUBJECT}{_ADVERB} (?P<v>depends? on|belongs? to|owns?|maintains?|leads?|reports? to"
    r"|talks? to|connects? to|listens? on|comes? from|goes? through|go through|bills? in|pays? in"
    r"|works? (?:from|for)|lives? (?:at|in|on|under)|handles?|looks? after|takes? care of"
    r"|replace[sd]|took over|takes over"
    r"|(?:is|are) (?:responsible for|in charge of|served (?:from|by))"
    r"|(?:is|are|was|were) (?:now )?(?:hosted|deployed|located|stored|written|built|based|owned"
    r"|called|named|backed up|due|managed|maintained)(?: (?:on|in|at|by|with|to|under))?)"
    r" (?P<o>.+)$",
    re.I,
)
_VERBS = """
accept allow apply arrive begin bill bring build buy carry charge close come contain cook cost
cover default deal deliver do earn employ end expire finish get go grow hold host include join
keep last leave list live make manage map meet offer open organi[sz]e pay peak point produce
provide publish read receive refresh renew report require reset return rotate run say sell send
serve ship show sign sit speak stand start store study support switch sync take teach train travel
use wait walk work write
"""
_PLAIN = re.compile(
    rf"^{_SUBJECT}{_ADVERB} (?P<v>has|have(?! to)|(?:{'|'.join(_VERBS.split())})(?:s|es)?"
    r"|moved|switched|migrated|changed|renewed|became|grew|merged|went|pass(?:es)?)"
    r" (?P<o>.+)$",
    re.I,
)
_IS = re.compile(
    rf"^{_SUBJECT}{_ADVERB} (?:is|are|will be|was set to|has been moved to|becomes|stays|=)"
    r"(?: now| currently| still| set to)? (?P<o>.+)$",
    re.I,
)
_THERE_IS = re.compile(r"^there (?:is|are) (?P<o>(?P<s>.+))$", re.I)
_WE_ARE = re.compile(
    r"^(?P<s>we|i)(?:'re|'m| are| am) (?P<o>(?:a|an|on|in|at|from|based)\b.+)$", re.I
)
# `From May`, `If the parcel is late`: what comes before the statement itself.
_LEAD = re.compile(
    r"^(?:(?:from|as of|since|starting|effective|until) [^,]{2,24}?,? (?=(?:the|our|my|we)\b)"
    r"|(?:if|when|whenever|once) [^,]{3,60}?,? (?=(?:we|you|they|customers|clients) \w+ ))",
    re.I,
)
_APPOSITION = re.compile(r"^((?i:our|my|the) [\w -]{2,30}), [A-Z][\w. -]{2,40}, ")
_VAGUE = re.compile(
    r"^(?:it|this|that|these|those|he|she|they|there|here|i|you|who|which|what|someone|somebody"
    r"|something|nothing|everything|all|one|nobody|yes|no|the|our|my|a|an|let's)$"
    r"|^(?:it|this|that|these|those|he|she|they|here|what|i|you|let's)\b"
    r"|\b(?:that|which|who|because|when|if|while|what|not|and then"
    r"|can|could|would|should|be)\b|(?<!^)\b(?:you|we|i)\b",
    re.I,
)
_MINE = re.compile(r"^(?:lives?|works?|(?:is|are) based)", re.I)
# Of the moment: true while the talk goes on, not next month.
_FLEETING = re.compile(
    r"^(?:a bit |a little |really |very |so |too |all |still |not |now |again |just |pretty |quite "
    r"|completely )*(?:broken|slow|green|red|failing|down|up|flaky|done|ready|fine|ok|okay|great"
    r"|weird|good|bad|nice|better|worse|open(?! (?:on|from|at))|closed(?! (?:on|from|at))|stuck"
    r"|running|working|going|being|missing|empty|gone|back|here|there|right|wrong|true|false|clear"
    r"|it|that|this|you|we|they|what|why|how|because|sorry|sure|old|new|awesome"
    r"|ugly|easy|hard|hot|cold|late|early|in progress|a typo|typos|an error"
    r"|on (?:it|that|the phone|the way|my way|fire|hold|me|you))\b",
    re.I,
)
_AT_HAND = english(
    r"""
    right now|at the moment|just|again|today|tonight|yesterday|this (?:morning|afternoon|evening)
    in (?:\w+|\d+) (?:minutes?|hours?)$|so far|for now|ago
    looks? like|seems?|the same|as you|line \d+|attached
    """
)
# Named in passing while working: no subject of a lasting fact unless a firm word carries it.
_PIECE = english(
    r"""
    pages?|rows?|columns?|lines?|cells?|functions?|methods?|class|loops?|constants?|variables?
    commits?|prs?|pull requests?|diffs?|patch|tests?|csv|files?|screenshots?|quer(?:y|ies)
    up-?loads?|downloads?|errors?|laptop|screen|call|train|bus|plane|rain|weather|kids?|version
    """
)
_STRONG = re.compile(
    r"\d|(?<!^)\b[A-Z][\w-]+|^[A-Z][\w-]+|`|@|\w\.\w|\b(?i:two|three|four|five|six|seven|eight"
    r"|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand|half"
    r"|every|each|twice|percent|noon|midnight|hourly|daily|nightly|weekly|monthly|quarterly|yearly"
    r"|mostly|first|mornings?|evenings?|weekends?|an? (?:hour|day|week|month|year))\b"
)
_OWNED = re.compile(r"^(?:the|our|my|their|his|her|its|an?|every|each|all|[A-Z][\w-]*(?:'s)?)\b")
_ROLE = re.compile(
    r"^(?:our|the|my) (?:[\w-]+ ){0,3}?"
    r"(?:contact|owner|lead|maintainer|manager|reviewer|point of contact)\b",
    re.I,
)
_OWNS = re.compile(r"owns?|maintains?|leads?|handles?|looks? after|(?:is|are) (?:resp|in ch)", re.I)
_ITS = re.compile(r"(?:its|their|his|her) ", re.I)
_NAME = re.compile(r"(?!The |Our |My |I )[A-Z][\w-]*(?: [A-Z][\w-]*)?")
_DIGIT = re.compile(r"\d")
_CLAUSES = re.compile(
    r",? (?:and|but|while|so) (?=(?:the|our|my|its|their)\b|[A-Z]|I\b)"
    r"|, (?=(?:the|our|my|their|his|her) |[\w-]+ (?:go|goes|is|are|runs?|starts?|costs?|lasts?) )"
)


@dataclass(frozen=True, slots=True)
class _Fact:
    key: str
    confidence: float
    subject: str


def facts(body: str, start: int, explicit: bool) -> Iterator[Statement]:
    """Yield one fact per clause of `body`, which stands at `start` of its sentence."""
    cuts = [0, *(found.end() for found in _CLAUSES.finditer(body))]
    ends = [*(found.start() for found in _CLAUSES.finditer(body)), len(body)]
    owner, found_any = "", False
    for begin, end in zip(cuts, ends, strict=True):
        about = ""
        if found := _ITS.match(body[begin:end]):
            # `..., and its owner is Dana`: the clause is about what the one before named.
            about, begin = owner and f"{owner}'s ", begin + found.end()
            if not about:
                continue
        elif name := _NAME.match(body[begin:end]):
            owner = name.group()
        if (read := _fact(about + body[begin:end])) is not None:
            owner, found_any = owner if about else read.subject, True
            yield Statement(
                Kind.FACT,
                read.key,
                body[begin:end],
                start + begin,
                50,
                read.confidence,
                explicit,
                about=about,
            )
    if explicit and not found_any:
        yield Statement(Kind.FACT, rules_topics.topic(body), body, start, 50, 0.7, explicit)


def _fact(clause: str) -> _Fact | None:
    lead = found.end() if (found := _LEAD.match(clause)) else 0
    rest = _APPOSITION.sub(r"\1 ", clause[lead:])
    sure = 0.75 if _STRONG.search(clause[1:]) else 0.65
    if _AT_HAND.search(rest):
        return None
    if (found := _FIRM.match(rest)) and not _is_vague(found["s"], found["v"]):
        if not _FLEETING.match(found["o"]):
            about = found["o"] if _OWNS.match(found["v"]) else found["s"]
            return _Fact(rules_topics.key(about, f"{found['v']} {rest}"), sure, found["s"])
    for pattern in (_PLAIN, _IS, _THERE_IS, _WE_ARE):
        if (found := pattern.match(rest)) and not _FLEETING.match(found["o"]):
            if (key := _loose(pattern, found, rest)) is not None:
                firm = rules_topics.has_topic(rest)
                if not firm and _PIECE.search(
                    f"{found['s']} {rest if pattern is _THERE_IS else ''}"
                ):
                    return None
                return _Fact(key, sure if firm else UNSURE, found["s"])
    return None


def _loose(pattern: re.Pattern[str], found: re.Match[str], rest: str) -> str | None:
    """Return the key of what a common verb says, when something firm stands beside it."""
    subject, value = found["s"], found["o"]
    named = pattern not in (_WE_ARE, _THERE_IS)
    if named and _is_vague(subject, ""):
        return None
    if pattern is _IS and (role := _ROLE.match(value)):
        return rules_topics.key(role.group(), rest)
    topical = rules_topics.has_topic(subject if pattern is _IS else rest)
    if not (topical or _STRONG.search(value) or _DIGIT.search(subject)):
        return None
    if pattern is _IS and not (topical or _OWNED.match(subject) or _DIGIT.search(value)):
        return None
    return rules_topics.key(subject if named else "", rest)


def _is_vague(subject: str, verb: str) -> bool:
    if subject.lower() == "i":
        return not _MINE.match(verb)
    return _VAGUE.search(subject) is not None
