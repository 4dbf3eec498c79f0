"""English facts: what is, runs, costs, lives where, belongs to whom."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memorykit_app.backends import rules_topics
from memorykit_app.backends.rules_statement import Statement
from memorykit_app.domain.states import Kind

_SUBJECT = r"(?P<s>(?:[\w@#'’./+-]+ ){0,6}?[\w@#'’./+-]+)"
_AUX = r"(?: (?:now|currently|still|only|also|will|has been|have been))*"
_VERB = re.compile(
    rf"^{_SUBJECT}{_AUX} (?:(?P<firm>depends? on|(?:is|are|was"
    rf"|were) (?:now )?(?:hosted|deployed|located|stored|written|built|based|owned"
    rf"|called|named"
    r"|backed up|due|managed|maintained) ?(?:on|in|at|by|with|to|under)?"
    r"|belongs? to|owns?|maintains?|leads?|reports? to|talks? to|connects? to"
    r"|(?:is|are) responsible for|comes? from|go(?:es)? through|bills? in|pays? in"
    r"|works? (?:from|for)|lives? (?:at|in|on|under)|listens? on"
    r"|(?:is|are) served (?:from|by))"
    r"|(?P<v>uses?|runs? (?:on|in|at)|sits? (?:in|on|behind)|expires? (?:on|in|at"
    r"|after)|refreshe?s? (?:every|at|on)|starts? (?:at|on|in)"
    r"|ends? (?:at|on|in)|opens? (?:at|on)|closes? (?:at|on)|moved (?:to|from|in)"
    r"|(?:is|are) on|stays? (?:in|on)|sends? [\w ]{1,20} to"
    r"|go(?:es)? (?:to|out)|pass(?:es)? through|allows?|accepts?|supports?|covers?"
    r"|costs?|charges?|pays? (?:by|with)|has|have|contains?|includes?"
    r"|handles?|serves?|ships?|delivers?|rotates?|resets?|renews?|syncs?|peaks?"
    r"|lasts?|speaks?|works? (?:at|in|with|on)|consists? of"
    r"|defaults? to|points? to|maps? to|takes?|keeps?|sells?|switched (?:from|to)"
    r"|migrated (?:from|to)|joins?|runs?|starts?|ends?|lives?)) (?P<o>.+)$",
    re.I,
)
_IS = re.compile(
    rf"^{_SUBJECT}{_AUX} (?:is|are|will be|was set to|=|stays|becomes)(?: now"
    rf"| currently| still| set to)? (?P<o>.+)$",
    re.I,
)
_OF_DATE = re.compile(
    r"^(?:from|as of|since|starting|effective|until) [^,]{2,24}?,? (?=(?:the|our"
    r"|my|we)\b)",
    re.I,
)
_PRONOUN = re.compile(
    r"^(?:it|this|that|these|those|he|she|they|there|here|i|you|who|which|what"
    r"|someone|something|nothing|everything|all|one"
    r"|nobody|everyone|yes|no)\b|\b(?:that|which|who|because|when|if|while|what"
    r"|not|and then)\b",
    re.I,
)
_FLEETING = re.compile(
    r"^(?:a bit |a little |really |very |so |too |all |still |not |now |again "
    r"|just |pretty |quite |completely )*(?:broken|slow|green|red|"
    r"failing|down|up|flaky|done|ready|fine|ok|okay|great|weird|good|bad|nice"
    r"|open(?! (?:on|from|at))|closed(?! (?:on|from|at))|stuck|running|working"
    r"|going|being|"
    r"missing|empty|gone|back|here|there|right|wrong|true|false|clear|it|that|this"
    r"|what|why|how|because|sorry|sure|old|new|"
    r"awesome|ugly|easy|hard|hot|cold|late|early|in progress|on (?:it|that|the way"
    r"|my way|fire|hold|me|you))\b",
    re.I,
)
_STRONG = re.compile(
    r"\d|\b(?i:two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty"
    r"|thirty|forty|sixty|ninety|hundred|every)\b|(?<!^)\b[A-Z][\w-]+|^[A-Z][\w-]+"
    r"|`|@|\w\.\w"
)
_OWNED = re.compile(r"^(?:the|our|my|[A-Z][\w-]*(?:'s|’s)?)\b")
_ROLE = re.compile(
    r"^(?:our|the|my) (?:[\w-]+ ){0,3}?(?:contact|owner|lead|maintainer|manager"
    r"|reviewer|point of contact)\b",
    re.I,
)
_CLAUSES = re.compile(
    r",? (?:and|but|while|so) (?=(?:the|our|my|its)\b|[A-Z]|I\b)|, (?=(?:the|our"
    r"|my) |[\w-]+ (?:go|goes|is|are|runs?|starts?|costs?|expires?|lasts?) )"
)


def facts(body: str, start: int, explicit: bool) -> Iterator[Statement]:
    """Yield one fact per clause of `body`, which stands at `start` of its sentence."""
    cuts = [0, *(found.end() for found in _CLAUSES.finditer(body))]
    ends = [*(found.start() for found in _CLAUSES.finditer(body)), len(body)]
    found_any = False
    for begin, end in zip(cuts, ends, strict=True):
        clause = body[begin:end]
        if (key := _fact_key(clause)) is not None:
            found_any = True
            strong = 0.75 if _STRONG.search(clause[1:]) else 0.65
            yield Statement(Kind.FACT, key, clause, start + begin, 50, strong, explicit)
    if explicit and not found_any:
        yield Statement(Kind.FACT, rules_topics.topic(body), body, start, 50, 0.7, explicit)


def _fact_key(clause: str) -> str | None:
    lead = found.end() if (found := _OF_DATE.match(clause)) else 0
    rest = clause[lead:]
    if (found := _VERB.match(rest)) and not _is_vague(found["s"], found["firm"] or ""):
        weak = not (found["firm"] or _STRONG.search(found["o"]) or rules_topics.has_topic(rest))
        if weak or _FLEETING.match(found["o"]):
            return None
        verb = (found["firm"] or found["v"]).lower()
        if re.match(r"owns?|maintains?|leads?|(?:is|are) responsible", verb):
            return rules_topics.key(found["o"], verb)
        return rules_topics.key(found["s"], rest)
    if (
        (found := _IS.match(rest))
        and not _PRONOUN.search(found["s"])
        and not _FLEETING.match(found["o"])
    ):
        if _ROLE.match(found["o"]):
            role = _ROLE.match(found["o"])
            return rules_topics.key(role.group() if role else "", rest)
        if rules_topics.has_topic(found["s"]) or (
            _OWNED.match(found["s"]) and _STRONG.search(found["o"])
        ):
            return rules_topics.key(found["s"], rest)
    return None


def _is_vague(subject: str, verb: str) -> bool:
    if subject.lower() == "i":
        return not re.match(r"lives?|works?|(?:is|are) based", verb, re.I)
    return _PRONOUN.search(subject) is not None
