"""Guards: what is said but not meant, not to be kept, secret, or meant to steer a model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memorykit_app.backends.rules_cues import chinese, english
from memorykit_app.backends.rules_text import Sentence

_ASKS = re.compile(
    r"^(?:(?:ok|so|and|but|hey|hi|well|hmm)[, ]+)*(?:what|who|whom|whose|which|why|how|when|where"
    r"|is|are|was|were|do|does|did|can|could|should|shall|would|will|may|have|has|any|anyone)\s"
    r"(?:we|you|i|it|they|he|she|there|that|this|the|our|my|if|about|is|are|do|does|did|would"
    r"|idea|chance|news)\b",
    re.I,
)
_ZH_ASKS = chinese(
    """
    (?:吗|么|呢|不是吗|对不对|行不行|好不好|可不可以|怎么办|怎么样|怎样|几个|多少|来着)$
    ^(?:怎么|为什么|为啥|谁(?!都|也|.{1,6}谁)|哪|是不是|能不能|要不要|有没有|可以)
    (?:是|用的是|在)(?:哪|谁|什么|多少|几)|多少钱
    """
)
_SUPPOSES = english(
    r"""
    # thoughts
    what if|suppose|supposing|imagine|assume|hypothetically|in theory|let's say|pretend
    if (?:we|i|you|it|they|that|this|only) (?:were|had|was|did|could|used|moved|ran|went|would)
    would have|would be (?:nice|cool|fun|great|good)|wish|one day|some day|might|maybe|perhaps
    (?:we|i|they|it) may(?! (?:not|only|never))|i wonder|no idea|thinking (?:out loud|about|of)
    for example|e\.g|rumou?r has it
    # proposals
    could (?:also |either |just )?(?:use|have|go|try|be|sort|add)
    should (?:we|i)|(?:i|i'd|would) (?:suggest|recommend|propose)|how about|considering
    we (?:ought to|could)|(?<!next time )we should(?! (?:always|never))
    # not settled
    (?:haven't|hasn't|have not|has not|not) (?:yet |been |been yet )*(?:decided|settled|agreed)
    nothing (?:is|has been) decided|undecided|made up (?:my|our) minds?(?! to)|still (?:open|torn)
    """
)
_ZH_SUPPOSES = chinese(
    """
    ^(?:我)?(?:建议|推荐)|(?<!主)要是|假如|假设|假使|倘若|如果当初|如果我们|如果用|如果能
    也许|或许|说不定|没准|万一|会不会|要不(?!要|是)|想象一下|比如说|打个比方|再说吧|是不是可以
    (?:都|也)(?:可以|行)$|(?:要是|早点?|能|多).*就好了$|在想|不知道|谁知道|可能要
    还没(?:有)?(?:定|决定|想好|确定|商量)|没定下来
    """
)
_JOKES = english(
    r"""
    (?:just )?(?:kidding|joking)(?! aside)|j/?k|as a joke|/s$
    (?:scrap|strike|never mind|ignore|disregard) (?:that|what i (?:just )?said).*
    i was (?:only |just )?thinking (?:out loud|aloud)
    """
)
_ZH_JOKES = chinese(
    """
    开(?:个)?(?:玩笑|玩)|逗你|说笑|说着玩|骗你的|闹着玩|随口(?:一)?说|不算数|说着玩
    """
)
_LAUGHS = re.compile(
    r"\b(?:lol|lmao|rofl|ha(?:ha)+|hehe)\b|哈哈|呵呵|笑死|[😂🤣😜😝😆😹]|[:;]-?[Pp]\b", re.I
)
_NOT_KEPT = english(
    r"""
    {NOT} (?:please )?{KEEP}(?: (?:any of )?{THIS}{NOWHERE}| down| a note of| my)
    off the record|not for the record|between (?:us|you and me|ourselves)
    keep (?:this|it|that) (?:private|secret|quiet|to yourself)
    forget (?:that |what )?(?:i|we) (?:ever )?(?:said|told|mentioned)|forget (?:this|that|it)[.,!]?$
    scratch that|(?:it's|this is|that's) (?:private|confidential|not public)
    """,
    NOT=r"do not|don't|dont|never|please not|no need to|needn't|shouldn't|rather not|please don't",
    KEEP=r"remember|store|save|keep|record|note|memori[sz]e|log|write|put",
    THIS=r"this|that|it|these|those",
    NOWHERE=r"(?! \w+ing)(?! (?:in|on|to|as|at) (?!mind|memory|record|file|notes|your))",
)
_ZH_NOT_KEPT = chinese(
    """
    (?:别|不要|不用|无需|不必|勿|甭)(?:再)?(?:帮我)?(?:记住|记下|记录|记着|记(?![得性在]))
    (?:别|不要|不用|无需|不必|勿|甭)(?:再)?(?:帮我)?(?:保存(?:这|它|下来)|存(?:这|它|下来|档|$|，))
    (?:别|不要)写(?:下来|进)|当我没说|就当没说|别(?:往外|跟别人)说|别外传|别存
    只是跟你说|私下(?:说|讲|跟你)|保密(?!期|协议|级)|就咱(?:俩|们)知道|你知我知
    """
)
# Outside text speaks to no one here: whatever looks like an order to a model makes it suspect.
_STEERS = english(
    r"""
    {FORGET} (?:all |any |the |your |these )*(?:previous|prior|above|earlier|other|system)
    (?:system|assistant|developer) ?(?:prompt|message|note)?:(?=\s)
    (?:note|message|instructions?) (?:to|for) (?:the |all )?{MODEL}s?
    to (?:the|any|all) {MODEL}s?|as an ai
    you (?:must|should|have to|need to|are now|will now)
    do not (?:tell|mention|inform)|(?:please )?(?:always )?remember (?:that|this|to)
    {MODEL}s? (?:\w+ ){0,4}?(?:must|should)
    """,
    FORGET=r"ignore|disregard|forget|override",
    MODEL=r"ai|llm|language model|model|agent|assistant|bot",
)
_ZH_STEERS = chinese(
    """
    (?:忽略|无视|忘记|忘掉)(?:之前|以上|前面|上面|所有|一切)[^。]{0,12}(?:指令|提示|规则|要求|内容)
    (?:请|务必|一定要)?(?:记住|牢记|记得)|你(?:必须|应该|需要|现在是)
    (?:智能体|助手|模型|机器人)(?:还|都|也)?(?:应|必须|需|要|请)
    (?:致|给)[^，。]{0,6}(?:助手|智能体|模型)|不要(?:告诉|提及)(?:用户|别人|他|她)
    系统(?:提示|消息|指令)[:：]
    """
)
_OVERRIDES = re.compile(
    r"\b(?:ignore|disregard|override) (?:all |any |the |your |these )*"
    r"(?:previous|prior|above|earlier|system) "
    r"|(?:忽略|无视)(?:之前|以上|前面|上面|所有|一切)[^。]{0,12}(?:指令|提示|规则)",
    re.I,
)
_HEDGES = re.compile(
    r"\b(?:i think|i guess|i believe|i suppose|i assume|probably|presumably|apparently|not sure"
    r"|iirc|afaik|as far as i (?:know|remember)|should be)\b"
    r"|好像|大概是|可能|应该是|我猜|据说|听说|不确定|似乎|印象中",
    re.I,
)
_HAN = re.compile(r"[\u3400-\u9fff]")


def is_question(sentence: Sentence) -> bool:
    if sentence.mark in ("?", "？"):
        return True
    return _either(_ASKS, _ZH_ASKS, sentence.plain)


def is_hypothetical(sentence: Sentence) -> bool:
    """Say whether the sentence only plays with a thought, proposes one or leaves it open."""
    return _either(_SUPPOSES, _ZH_SUPPOSES, sentence.plain)


def is_hedged(text: str) -> bool:
    return _HEDGES.search(text) is not None


def steers(text: str, *, outside: bool) -> bool:
    """Say whether `text` gives a model orders; outside text needs far less to be suspect."""
    if not outside:
        return _OVERRIDES.search(text) is not None
    return _either(_STEERS, _ZH_STEERS, text)


def asks_not_to_keep(text: str) -> bool:
    return _either(_NOT_KEPT, _ZH_NOT_KEPT, text)


def only_asks_not_to_keep(text: str) -> bool:
    """Say whether `text` is such an ask and nothing else, so that it means what came before."""
    rest = _ZH_NOT_KEPT.sub("", _NOT_KEPT.sub("", text))
    return rest != text and len(rest.split()) < 6 and len(_HAN.findall(rest)) < 7


def is_joke(text: str) -> bool:
    """Say whether `text` takes back what was said before it as not meant."""
    return _either(_JOKES, _ZH_JOKES, text)


def unmeant(said: Sequence[Sentence]) -> set[int]:
    """Return the positions of sentences that a joke or a laugh takes back.

    A spoken-out joke reaches two sentences back, a laugh one.
    """
    taken: set[int] = set()
    for position, sentence in enumerate(said):
        if is_joke(sentence.text):
            taken.update(range(max(0, position - 2), position + 1))
        elif _LAUGHS.search(sentence.text):
            taken.update(range(max(0, position - 1), position + 1))
    return taken


def _either(latin: re.Pattern[str], han: re.Pattern[str], text: str) -> bool:
    return bool(latin.search(text) or (not text.isascii() and han.search(text)))
