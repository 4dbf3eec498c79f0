"""English rules: decisions, lessons, preferences, constraints and facts of one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memorykit_app.backends import rules_english_facts, rules_topics
from memorykit_app.backends.rules_statement import Statement
from memorykit_app.domain.states import Kind

_OPENER = re.compile(
    r"(?:(?:ok(?:ay)?|so|right|well|also|and|but|oh|ah|alright|hey(?: \w+)?"
    r"|hi(?: \w+)?|hello|yes|no|yeah|nope"
    r"|sure|great|perfect|fine|good|nice|thanks?(?: you)?|by the way|btw|fyi"
    r"|heads[- ]up|anyway|morning"
    r"|correction|update(?: from [\w ]{1,20})?|one (?:more )?(?:rule|thing|note"
    r"|point)[^:,]{0,60}"
    r"|(?:quick )?note|before i forget|just so (?:you|everyone) knows?"
    r"|quick heads-up|whatever you do|first(?:ly)?|for the record|understood"
    r"|got it|noted|agreed"
    r"|everyone|team|folks|all|then|ok everyone|ok team|honestly|actually"
    r"|in short)\s*[,:.!-]+\s+"
    r"|(?:and|but|so|also|then) (?=we|the|our|my|i|you|let's|never|always)\b)",
    re.I,
)
_EXPLICIT = re.compile(
    r"(?:(?:please )?(?:always )?(?:remember|note|keep in mind|bear in mind"
    r"|don't forget|do not forget)"
    r"(?: that|[:,])\s+|reminder:\s+)",
    re.I,
)
_IDLE = r"(?!(?:it|this|that|them|these|those|him|her|you|going|doing|on|in touch)\b)"
_DECISION = re.compile(
    r"\b(?:we|i|the team|they|management|everyone)(?:'ve| have|'d| had)? (?:\w+ly "
    r"|all |just |both )?"
    rf"(?:decided|agreed|chose|chosen|picked|settled on|opted|voted)\b(?= (?:to|on"
    rf"|that|for|against|in favou?r) {_IDLE}"
    rf"| {_IDLE}[\w@#])"
    rf"|\blet(?:'s| us) (?:just )?(?:go with|use|stick (?:with|to)|stay with|keep"
    rf"|switch to|move to|adopt|drop"
    rf"|standardi[sz]e on) {_IDLE}\w"
    rf"|\bwe(?:'re| are) (?:now )?(?:switching|moving|migrating|going|dropping"
    rf"|sticking|staying|adopting|retiring)"
    rf"(?: away)?(?: \w+){{0,2}} (?:from|to|with|off) {_IDLE}\w"
    rf"|\b(?:we|the [\w-]+ team|the team|i)(?:'ve| have| has|'re| are"
    rf"| is)? (?:now )?(?:(?:standardi[sz]ed|settled) on|went with|dropped"
    rf"|gone with|sticking with|staying with|switched to|adopted|ditched|retired"
    rf"|scrapped|signed off on) {_IDLE}\w"
    rf"|\bsigned off on {_IDLE}\w|\b(?:was|were|is|are) (?:agreed|decided)\b"
    rf"|\bit is(?: then)?$|\bfrom (?:now|here) on\b"
    rf"|\b(?:the plan is|we plan|we want) to (?:move|switch|migrate|use|keep|drop) {_IDLE}"
    rf"|\bwe(?:'ll| will) (?:now )?(?:keep|use|adopt|drop|stick with|stay with"
    rf"|go with|move to|switch to|retire"
    rf"|migrate to) {_IDLE}\w|\bit (?:was|is|has been) (?:decided|agreed)\b",
    re.I,
)
_DECISION_LABEL = re.compile(
    r"(?:the )?(?:final )?(?:decision|call|verdict|resolution)(?: time)?\s*:\s+", re.I
)
_LESSON = re.compile(
    r"\b(?:it )?turn(?:s|ed) out\b|\b(?:root cause|culprit) (?:was|is)\b"
    r"|\bthe (?:real |actual |underlying |main )?(?:problem|issue|bug|cause|reason"
    r"|fix|trick|mistake) (?:was|turned)\b"
    r"|\bwe (?:have )?learn(?:ed|t)\b|\blearn(?:ed|t) the hard way\b"
    r"|\bwhat (?:finally |really )?(?:fixed|solved|"
    r"helped|worked)\b.{0,40}\b(?:was|is)\b|\b(?:was|were) caused by\b"
    r"|\bin hindsight\b|\bgotcha:|\bnote to self:"
    r"|\b(?:root )?(?:cause|culprit)\s*:|\bit was (?:actually "
    r"|really )?the [\w-]+ \w+ing\b|\b(?:so )?the thing is\b"
    r"|\blong story short\b|\b(?:only|never) works? (?:when|if|with|after)\b"
    r"|\bbecause of the\b|\bdue to (?:a|the)\b"
    r"|\bwondering why\b.*:|\bsilently \w+s\b|\bwas to blame\b|\b(?:traced|came"
    r"|boiled) (?:it )?(?:back |down )?to (?:a|an|the)\b"
    r"|\ball along\b|^next time\b|\bnext time (?:we|i)\b|\b(?:that's|that is"
    r"|which is) why\b|\bshould (?:never|not) have\b|\bshouldn't have\b",
    re.I,
)
_LESSON_LABEL = re.compile(
    r"(?:the )?(?:lessons?(?: learn(?:ed|t))?|takeaway|gotcha|note to self)\s*:\s+", re.I
)
_TASTE = re.compile(
    r"\bi(?: \w+ly| do| much| still| always)? (?P<verb>prefer|favou?r)\b (?P<what>.+)"
    r"|\bi(?:'d| would) (?P<rather>rather) (?P<what2>(?!not (?:say|talk)).+)"
    r"|\bi(?: \w+ly| do)? (?P<like>like|love|hate|dislike|enjoy|detest|don't like"
    r"|do not like|can't stand) "
    r"(?P<what3>(?!this|that|it\b|the\b|your|how|where|what|those|these|him|her"
    r"|you|when you).+)"
    r"|\bi (?P<habit>always|usually|only|never) (?P<what4>(?:use|read|write|work"
    r"|want|wear|drink|eat|pay|take|review|check|start|listen)\b.+)"
    r"|\bmy (?:preferred|favou?rite) (?P<what5>.+)"
    r"|^(?:please )?(?:just )?(?P<what7>(?:call|address) me \w.*)|\bi(?:'d"
    r"| would) (?:appreciate|love|like) (?:it if )?"
    r"(?P<what8>(?:you (?:kept|wrote|used|sent|gave|answered|put)|(?:my|shorter"
    r"|longer|fewer|more|plain)\b).+)"
    r"|^(?:please )?keep (?P<what9>(?:your |the |my )?(?:answers?|repl(?:y|ies)"
    r"|responses?|messages?|summar\w+|explanations?)\b.+)"
    r"|\bi(?:'m| am) (?:a )?(?P<what10>(?:vegetarian|vegan|allergic|left-handed"
    r"|colou?r-?blind|a morning person|lactose)\b.*)"
    r"|\b(?:answers?|repl(?:y|ies)|messages?"
    r"|summar\w+)\b.{0,20}\b(?P<what11>too (?:long|short|formal|verbose|vague).*)"
    r"|^(?:please )?always (?P<what6>(?:answer|reply|respond|write|call"
    r"|address) (?:to )?(?:me|in)\b.+)",
    re.I,
)
_ABILITY = (
    r"(?:see|find|open|tell|say|believe|wait|reproduce|remember|figure|get|think"
    r"|help|connect|log in|load|reach"
    r"|hear|come|make it|understand|access|speak|do that|be sure)"
)
_RULE = re.compile(
    r"\bmust (?:not |never |always |all |only )*(?!say|admit|confess|have"
    r"|be (?:the|a|an|some|why)\b)\w"
    r"|\b(?:should|may|can|shall) (?:never|always)\b|\bshall not\b|\b(?:may|should) not\b"
    rf"|\b(?:can't|cannot|can not) (?!{_ABILITY}\b)\w"
    r"|^never (?!mind\b|again\b|ever mind|had\b|been\b|seen\b|saw\b|\w+ed\b)\w"
    r"|\b(?:we|you|they) never (?=\w+\b)(?!had|saw|got|did|were|was|knew|\w+ed\b)"
    r"|^always \w|\b(?:is|are) (?:not allowed|forbidden|prohibited|not permitted"
    r"|mandatory|off limits)\b"
    r"|\b(?:do not|don't) (?!worry|forget|bother|know|think|mind|hesitate|panic"
    r"|have|need|see|want|like|get"
    r"|remember|understand|believe|care|work|rush|laugh|ask|be )\w"
    r"|\b(?:nobody|no one|none of us|no \w+)\b.{0,60}\b(?:is|are) (?:allowed"
    r"|permitted)\b|\b(?:nobody|no one) (?:may|can|should|gets to)\b"
    r"|^(?!(?:i|it|he|she|they|there|that|this|we|you)\b(?! have to (?:be|use|keep"
    r"|have|get)))[\w ,/-]{1,60}?\b(?:has|have) to (?!say|admit|go|see|laugh|run"
    r"|do with)\w"
    r"|\b(?:needs?|requires?) (?:[\w.+-]+ ){1,4}?(?:or (?:newer|later|higher|above"
    r"|more)|at least|approval)"
    r"|\b(?:approvals?|reviewers?|reviews?|signatures?|people) (?:is"
    r"|are) (?:needed|required)\b|\b(?:is|are) (?:required|compulsory)\b"
    r"|\b(?:over|above|beyond|more than|larger than|under) [\d.,]+ ?\w* (?:get"
    r"|gets|are|is|will be) (?:sent back|rejected|refused|blocked|dropped)"
    r"|\bwants? us to \w|\b(?:keep|stay|stays) \w.{0,40}\b(?:under|below|within"
    r"|above) [\d.]+|\bnot (?:later|before|after|more|less) than\b"
    r"|^use (?:\w+ ){1,5}(?:in|for) (?:the|all|every)\b"
    r"|\bneeds? to be (?:at (?:least|most)|under|below|above|no (?:more|less))\b"
    r"|\b(?:at most|no more than|not more than|no fewer than) \d|^(?:at least"
    r"|a (?:maximum|minimum) of) \d"
    r"|^only (?:the )?[\w ]{1,40} (?:may|can|are allowed|is allowed)\b"
    r"|\b(?:strictly|absolutely) (?:no|forbidden)\b|^no [\w ,-]{2,60}\b(?:until"
    r"|before|without|on|after|in|during)\b|\b(?:code|feature|change) freeze\b"
    r"|\b(?:is|are) limited to\b|\brequire[sd]? (?:at least|two|approval|a review)",
    re.I,
)
_NO_RULE_SUBJECT = re.compile(
    r"^(?:it|that|this|there|he|she|i|which|who)\b[^,]{0,30}?\b(?:must|can't"
    r"|cannot|don't|do not)\b",
    re.I,
)
_TAIL = re.compile(
    r",? (?:so (?:please|i|that|we|you)\b|in case\b|thanks\b|by the way"
    r"|as you said|honestly|ok\?*$|for your "
    r"form|for the next time|if you need|believe me).*$| then$|, (?:the old|this"
    r"|but (?!it was)|who knows|right|you know)\b.*$",
    re.I,
)


def statements(sentence: str) -> Iterator[Statement]:
    """Yield what a sentence states, the strongest reading only; facts once per clause."""
    start, explicit, label = _begin(sentence)
    said = sentence[start:]
    end = start + (tail.start() if (tail := _TAIL.search(said)) else len(said))
    body = sentence[start:end].rstrip(" ,")
    if not re.search(r"\w+\W+\w+", body):
        return
    if label is Kind.DECISION or _DECISION.search(body):
        yield Statement(Kind.DECISION, _decision_key(body), body, start, 70, 0.85, explicit)
    elif label is Kind.LESSON or _LESSON.search(said):
        yield Statement(Kind.LESSON, _lesson_key(body), body, start, 60, 0.8, explicit)
    elif (taste := _TASTE.search(body)) and not label:
        what = next(
            value for name, value in taste.groupdict().items() if name[:4] == "what" and value
        )
        yield Statement(
            Kind.FACT,
            rules_topics.preference(what),
            body,
            start,
            55,
            0.85,
            explicit,
            taste=True,
        )
    elif _RULE.search(body) and not _NO_RULE_SUBJECT.search(body):
        head = re.split(r", (?!.*\bmust\b)", body)[0]
        yield Statement(Kind.CONSTRAINT, rules_topics.words(head), body, start, 75, 0.8, explicit)
    else:
        yield from rules_english_facts.facts(body, start, explicit)


def _begin(sentence: str) -> tuple[int, bool, Kind | None]:
    start, explicit, label = 0, False, None
    for _ in range(5):
        if found := _OPENER.match(sentence, start):
            start = found.end()
        elif found := _EXPLICIT.match(sentence, start):
            start, explicit = found.end(), True
        elif found := _DECISION_LABEL.match(sentence, start):
            start, label = found.end(), Kind.DECISION
        elif found := _LESSON_LABEL.match(sentence, start):
            start, label = found.end(), Kind.LESSON
        else:
            break
    return start, explicit, label


def _decision_key(body: str) -> str:
    found = _DECISION.search(body)
    rest = body[found.end() - 1 if found else 0 :]
    purpose = re.search(
        r"\b(?:for|store|keep) (?:the |our |all )?((?:[\w-]+ ?){1,3}?)(?= in\b| on\b"
        r"| with\b|[,.]|$)",
        rest,
    )
    if purpose and not purpose[1].strip().lower().startswith(("now", "this", "that")):
        return rules_topics.key(purpose[1], rest)
    return rules_topics.topic(rest)


def _lesson_key(body: str) -> str:
    found = _LESSON.search(body)
    rest = body[found.end() :] if found else ""
    return rules_topics.words(rest if len(rest) > 12 else body)
