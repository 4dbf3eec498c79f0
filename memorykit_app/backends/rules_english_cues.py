"""English cues: how people put decisions, lessons, preferences and constraints."""

from __future__ import annotations

from memorykit_app.backends.rules_cues import english

DECISION = english(
    r"""
    # somebody chose
    {GROUP}{HAVE} {CHOSE}{THING}
    # somebody stopped or took up
    {GROUP}{HAVE} {TURNED}{THING}
    {GROUP} (?:\w+ly )?(?:stick|stay|go|are going|are sticking|are staying) with{THING}
    {GROUP} (?:\w+ly )?(?:stick|switch|stay) (?:to|on){THING}
    (?:we're|we are|i'm|i am|the [\w-]+ is)(?: now| just)? {TURNING}{THING}
    (?:we're|we are) not (?:going to|doing|taking|renewing|hiring|supporting){THING}
    we(?:'ll| will) (?:now )?(?:{TAKE}|not|no longer){THING}
    (?:we|i) (?:won't|will not|no longer)(?= (?!{HAPPENS}\b)\w+(?! (?:it|this|that|them|you)\b))
    {LETS} (?:just )?(?:{TAKE}|leave|skip|postpone|cancel|not (?!forget|worry|rush)\w+){THING}
    # it is settled
    (?:was|were|is|are|been|was all) (?:agreed|decided|settled|signed off)
    signed off on{THING}
    it is(?: then)?$
    that's (?:settled|decided|final|it then|a deal)
    (?:the plan is|we plan|we want) to (?:{TAKE}|migrate){THING}
    # from a day on
    from (?:now|here|today) on
    going forward
    in the end,? (?:we|it)
    put .{2,30} on hold|(?:is|are) on hold until|the winner is|(?:voted|said) (?:yes|no)
    """,
    GROUP=r"we|i|they|everyone|management|the (?:[\w-]+ )?(?:team|board|group)",
    HAVE=r"(?:'ve| have| has|'d| had|'re| are| is)?(?: \w+ly| all| just| both| now)?",
    CHOSE=r"(?:decided|agreed|chosen?|picked|opted|voted|settled|committed|standardi[sz]ed"
    r"|went|gone|signed off)(?: with the \w+)?(?: to| on| for| with| against| that| not)?",
    TURNED=r"(?:dropped|ditched|retired|scrapped|abandoned|adopted|given up|gave up|cancelled"
    r"|stopped(?= \w+ing)|switched|moved(?= (?:to|from|off))|discontinued|turned down)"
    r"(?: to| from| on| off)?",
    TURNING=r"(?:switching|moving|migrating|going|dropping|sticking|staying|adopting|retiring"
    r"|keeping|cancelling|replacing|skipping|buying|selling|hiring|renting)"
    r"(?: away)?(?: \w+){0,2}?(?: from| to| with| off| for)",
    TAKE=r"keep|use|adopt|drop|stick (?:with|to)|stay (?:with|on)|go (?:with|for)|move to"
    r"|switch to|retire|migrate to|standardi[sz]e on|take(?! (?:a|another) )",
    LETS=r"let(?:'s| us)",
    HAPPENS=r"(?:be|know|have|see|get|make|need|work|find)",
    THING=r"(?= (?!(?:it|this|that|them|these|those|him|her|you|to|on|for|with|from|going|doing"
    r"|in touch|so far)\b)[\w@#\"])",
)
_TROUBLE = (
    r"fail\w*|crash\w*|br(?:oke|eaks?|oken)|errors?|bugs?|outages?|lost|los(?:e|es|ing)|slow\w*"
    r"|h[au]ngs?|stuck|corrupt\w*|leak\w*|bounced?|reject\w*|refused?|held|flat|wrong|missed|grew"
    r"|missing|timed? ?outs?|block\w*|jam(?:s|med)?|trip(?:s|ped)|drift\w*|incidents?|down|spoil\w*"
    r"|didn't|did not|doesn't|does not|couldn't|overflow\w*|freez\w+|froze|stalls?|duplicate\w*"
    r"|twice|delayed|wasted|swallows?|drops|skips|overheat\w*|out of memory|useless|unreadable"
)
# Said as a finding: it counts before any rule in the same words.
FINDING = english(
    r"""
    (?:it )?turn(?:s|ed) out
    root cause|culprit|was to blame|all along|long story short|in hindsight|looking back
    the (?:real |actual |underlying |main )?{FAULT} (?:was|turned out|here was)
    my (?:mistake|error) was
    we(?: have|'ve)? learn(?:ed|t)|i(?: have|'ve)? learn(?:ed|t)|the hard way
    what (?:finally |really )?(?:fixed|solved|helped|worked|broke)
    (?:was|were) caused by
    (?:it was|was) (?:actually |really )?the [\w-]+ \w+ing
    wondering why .*:|the thing is
    (?:only|never) works? (?:when|if|with|after|once)
    silently \w+s|only (?:notice|see|show|appear|happen)s? .{2,60} (?:after|when|once|if)
    (?:traced|came|boil(?:s|ed)) (?:it )?(?:back |down )?(?:to|from) an?
    next time (?:we|i)|^next time
    (?:that's|that is|which is) why
    should(?: never|n't| not) have|should have \w+(?:ed|en|t)
    """,
    FAULT=r"problem|issue|bug|cause|reason|fix|trick|mistake|trouble",
)
# A mechanism: trouble and its reason, its moment, its cure or the advice that follows.
MECHANISM = english(
    r"""
    {TROUBLE}[^.]{0,80}?(?:,? because|,? due to|,? since(?! \d| last| then| yesterday| mon))
    (?:because|due to|since) [^.]{3,80}, .{0,60}{TROUBLE}
    {TROUBLE}[^.:]{0,40}:(?= \w+ \w+ \w+)
    ^(?!(?:it|this|that) )[^.]{0,80}{DAMAGES}[^.]{0,60}? {WHEN}
    {WHEN} [^.,]{3,60}, [^.,]{3,40} {DAMAGES}
    (?:went away|works again|is gone|was gone|fixed itself|stopped) (?:once|after|when|as soon as)
    {TROUBLE}[^.]{3,80}, (?:so )?(?:always|never|stay|use|keep|avoid|make sure)
    """,
    TROUBLE=_TROUBLE,
    WHEN=r"whenever|when|if|unless|as soon as|each time|every time",
    DAMAGES=r"jams?|trips?|breaks?|corrupts?|crash(?:es)?|fails?|hangs?|leaks?|drops|loses"
    r"|freezes|overheats?|stalls?|skips|swallows|overflows|times out|deadlocks?|goes down",
)
TASTE = english(
    r"""
    i{VERY} (?:prefer|favou?r)(?P<a> .+)
    i(?:'d| would) (?:rather|prefer)(?P<b> (?!not (?:say|talk)).+)
    i{VERY} {LIKE}(?P<c> {GENERAL}.+)
    i {HABIT} (?P<d>(?!\w+ed\b|forget|mix|lose|struggle|been|had|got|saw|thought|knew|said)\w+ .+)
    i(?:'d| would) (?:appreciate|love|like) (?:it if )?(?P<e>{MANNER}.+)
    i(?:'d| would) like (?P<f>(?!to\b|you\b)\w.*{LASTING}.*)
    i want (?P<g>(?!to\b|you\b)\w.*{LASTING}.*)
    i don't (?:want|need) (?P<h>(?:any )?[\w-]+s\b(?! to\b).*)
    i find (?P<i>.{3,60}{BURDEN}.*)
    ^(?P<j>.{3,80} (?:kills?|annoys?|bothers?|distracts?|confuses?|suits?) me\b.*)
    ^(?P<k>.{3,80} (?:works?|reads?|is|are) (?:best|better|easier) for me\b.*)
    i (?:work|learn|think|read) best (?P<t>.+)
    for me,? (?P<u>.+ (?:beats?|works?|is best|is better).*)
    ^(?:please )?send me (?P<v>.+(?: not|, never|every|each|instead|rather).*)
    my (?:preferred|favou?rite) (?P<l>.+)|my preference is (?P<m>.+)
    ^(?:please )?(?:just )?(?P<n>(?:call|address) me \w.*)
    ^(?:please )?keep (?P<o>(?:your |the |my )?{ANSWERS}.+)
    {ANSWERS}.{0,20} (?P<p>too (?:long|short|formal|verbose|vague).*)
    ^(?:please )?always (?P<q>(?:answer|reply|respond|write|call|address) (?:to )?(?:me|in) .+)
    ^(?:please )?use (?P<r>.{0,40}(?:address|tone|wording|spelling|language|english) .*)
    i(?:'m| am) (?:a )?(?P<s>{BODY}.*)
    """,
    VERY=r"(?: \w+ly| do| much| still| always| also| just| absolutely| would)?",
    LIKE=r"like|love|hate|dislike|enjoy|detest|don't like|do not like|can't stand|can't bear",
    GENERAL=r"(?!this|that|it\b|the\b|your|how|where|what|those|these|him|her|you\b|when you)",
    HABIT=r"always|usually|normally|generally|mostly|only|never|rarely|hardly ever",
    MANNER=r"(?:you (?:kept|wrote|used|sent|gave|answered|put)|my|shorter|longer|fewer|more|plain)",
    LASTING=r"(?: each| every| always|throughout|usually|in general| style|rather than|instead of"
    r"|daily|weekly|monthly| first|summar| report| without)",
    BURDEN=r" (?:\w+ly |too )?(?:\w*ing|hard|harder|easier|clearer|useful|helpful|difficult)\b",
    ANSWERS=r"(?:answers?|repl(?:y|ies)|responses?|messages?|summar\w+|explanations?)\b",
    BODY=r"(?:vegetarian|vegan|allergic|left-handed|colou?r-?blind|dyslexic|a morning person"
    r"|lactose|used to)",
)
RULE = english(
    r"""
    # must, may not
    must(?= (?!(?:say|admit|confess|have|be (?:the|a|an|some|why))\b)\w)
    (?:should|may|can|shall|must) (?:never|always|only)|(?:may|should|shall) not
    (?:can't|cannot|can not)(?= (?!{ABILITY}\b)\w)
    {OTHERS}\b[\w ,/-]{1,60}? (?:has|have) to(?= (?!(?:say|admit|go|see|laugh|run|do with)\b)\w)
    (?:it|he|she|they|there|that|this|we|you) have to (?:be|use|keep|have|get)
    # orders that last
    ^(?:please )?(?:never|always)(?= (?!(?:mind|again|ever mind|had|been|seen|saw|\w+ed)\b)\w)
    (?:we|you|they) never(?= (?!(?:had|saw|got|did|were|was|knew|\w+ed)\b)\w)
    (?:^|(?<=, )|(?<=: )|(?:please|you|we|they|and|so|but|just) )(?:do not|don't)(?= (?!{IDLE}\b)\w)
    ^(?:please )?(?:keep|leave|stay|store) .{3,60} (?:under|below|within|above|closed|locked|off)
    ^(?:please )?(?:ask|tell|check with|inform|consult) (?:me|us|[a-z]+) (?:first|before).*
    ^use (?:\w+ ){1,5}(?:in|for) (?:the|all|every)
    # allowed and forbidden
    (?:is|are) (?:not allowed|forbidden|prohibited|not permitted|mandatory|off limits|banned)
    (?:is|are) (?:required|compulsory|obligatory|needed|limited to|only allowed|allowed only)
    (?:nobody|no one|none of us|no \w+)\b.{0,60} (?:is|are) (?:allowed|permitted)
    (?:nobody|no one) (?:may|can|should|gets to)
    ^(?:nobody|no one|nothing) (?!(?:knows|works|happens|helps|changes|has|is|was)\b)\w+s
    ^no [\w ,-]{2,60} (?:until|before|without|on|after|in|during|over|under)
    ^(?:absolutely |strictly )?no \w+(?: \w+){0,4}, (?:except|unless|please|ever).*
    ^only (?:the )?[\w ]{1,40} (?:may|can|are allowed|is allowed)
    strictly (?:no|forbidden)|absolutely no|(?:code|feature|change) freeze
    (?:goes?|go|belongs?) (?:in|into|to|on) .{3,40}, (?:not|never)
    (?:is|are) (?:not )?to be \w+ed|, always$|without exception$
    ^(?:our|the|a) (?:[\w-]+ )?(?:rule|policy)(?: of \w+)?(?: is|:).*
    # limits
    (?:at most|no more than|not more than|no fewer than|no later than) \S+
    ^(?:at least|a (?:maximum|minimum) of) \d+
    not (?:later|before|after|more|less) than
    needs? (?:to be )?(?:at (?:least|most)|under|below|above|no (?:more|less))
    (?:keep|stay|stays) \w.{0,40} (?:under|below|within|above) [\d.]+
    (?:needs?|requires?) (?:[\w.+-]+ ){1,4}?(?:or (?:newer|later|higher|above|more)|at least)
    {OVER} [\d.,]+ ?\w* {REFUSED}
    (?:has|have) to be (?:in|done|ready|paid|back|over|finished)
    # who has to agree
    (?:needs?|requires?d?) .{0,24}(?:approval|consent|permission|sign-?off|signature|reviews?)
    require[sd]? (?:at least|two)
    (?:approvals?|reviewers?|reviews?|signatures?|people) (?:is|are) (?:needed|required)
    (?:wants|expects|asks) us to|insists? (?:on|that)
    ^(?:every|each|any|all) .{2,60}(?<!year)(?<!day) before (?:it|they|the|we|anything) .*
    ^(?:whoever|anyone who|everyone who|those who) .{8,}
    """,
    ABILITY=r"see|find|open|tell|say|believe|wait|reproduce|remember|figure|get|think|help"
    r"|connect|log in|load|reach|hear|come|make it|understand|access|speak|do that|be sure",
    IDLE=r"worry|rush|forget|bother|know|think|mind|hesitate|panic|have|need|see|want|like|get"
    r"|remember|understand|believe|care|work|laugh|ask|be|look|find|agree|feel|really|even",
    OTHERS=r"^(?!(?:i|it|he|she|they|there|that|this|we|you)\b)",
    OVER=r"over|above|beyond|more than|larger than|under",
    REFUSED=r"(?:get|gets|are|is|will be) (?:sent back|rejected|refused|blocked|dropped)",
)
# `It must be late`, `that can't be`: said of what is at hand.
NO_RULE = english(
    r"""
    ^(?:it|that|this|there|he|she|i|which|who)\b[^,]{0,30}? (?:must|can't|cannot|don't|do not)
    ^i\b.{0,20} (?:don't|do not|can't|cannot|have to)
    (?:don't|do not) .{2,60}(?: yet|, just .*| for now| for the moment)$
    """
)
