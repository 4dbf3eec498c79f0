"""Guards: what is said but not meant, not to be kept, secret, or meant to steer a model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memorykit_app.backends.rules_text import Sentence

_QUESTION = re.compile(
    r"^(?:(?:ok|so|and|but|hey|hi|well|hmm)[, ]+)*(?:what|who|whom|whose|which|why"
    r"|how|when|where"
    r"|is|are|was|were|do|does|did|can|could|should|shall|would|will|may|have|has)\s"
    r"(?:we|you|i|it|they|he|she|there|that|this|the|our|my|if|about|is|are|do"
    r"|does|did|would)\b",
    re.I,
)
_ZH_QUESTION = re.compile(
    r"(?:吗|么|呢|不是吗|对不对|行不行|好不好|可不可以|怎么办|怎么样|怎样|几个|多少)$"
    r"|^(?:怎么|为什么|为啥|谁|哪|是不是|能不能|要不要|有没有|可以)"
    r"|(?:是|用的是|在)(?:哪|谁|什么|多少|几)"
)
_SUPPOSED = re.compile(
    r"\b(?:what if|suppose|supposing|imagine|assume|hypothetically|in theory|let's say"
    r"|if (?:we|i|you|it|they|that|this|only) (?:were|had|was|did|could|used|moved"
    r"|ran|went|would)"
    r"|would have|would be (?:nice|cool|fun)|could (?:also |either |just )?(?:use"
    r"|have|go|try|be)"
    r"|might|maybe|perhaps|wish|one day|some day|pretend|for example|e\.g)\b",
    re.I,
)
_SUGGESTED = re.compile(
    r"\b(?:should (?:we|i)|(?:i|i'd|would) (?:suggest|recommend|propose)|how about"
    r"|thinking (?:about|of)|considering"
    r"|we (?:should|could)(?! (?:always|never)))\b",
    re.I,
)
_ZH_SUPPOSED = re.compile(
    r"^(?:我)?(?:建议|推荐)|(?<!主)要是|假如|假设|假使|倘若|如果当初|如果我们|如果用|如果能|也许|或许|说不定|没准|万一"
    r"|会不会|要不(?!要|是)|想象一下|比如说|打个比方|再说吧|是不是可以|(?:都|也)(?:可以|行)$"
)
_JOKE = re.compile(
    r"\b(?:just )?(?:kidding|joking)\b(?! aside)|\bj/?k\b|\bas a joke\b|(?:^|\s)/s$"
    r"|开(?:个)?(?:玩笑|玩)|逗你|说笑|说着玩|骗你的|闹着玩",
    re.I,
)
_LAUGH = re.compile(
    r"\b(?:lol|lmao|rofl|ha(?:ha)+|hehe)\b|哈哈|呵呵|[😂🤣😜😝😆😹]|[:;]-?[Pp]\b", re.I
)
_DO_NOT_KEEP = re.compile(
    r"\b(?:do not|don't|dont|never|please not|no need to|needn't|shouldn't|rather not)"
    r" (?:please )?(?:remember|store|save|keep|record|note|memori[sz]e|log|write|put)"
    r"(?: (?:any of )?(?:this|that|it|these|those)\b(?! \w+ing)"
    r"(?! (?:in|on|to|as|at) (?!mind|memory|record|file|notes|your))| down\b| a note of)"
    r"|\boff the record\b|\bbetween (?:us|you and me|ourselves)\b|\bkeep (?:this"
    r"|it|that) (?:private|secret|"
    r"quiet|to yourself)|\bforget (?:that )?(?:i|we) (?:ever )?(?:said|told"
    r"|mentioned)|\bscratch that\b"
    r"|\bforget (?:this|that|it)[.,!]|\bnot for the record\b|\b(?:it's"
    r"|this is) (?:private|confidential)\b"
    r"|(?:别|不要|不用|无需|不必|勿|甭)(?:再)?(?:帮我)?(?:记住|记下|记录|记着|记(?![得性])|保存(?:这|它|下来)"
    r"|存(?:这|它|下来|档)|写下来|写进)|当我没说|就当没说|别往外说|只是跟你说|私下(?:说|讲|跟你)|保密",
    re.I,
)
_CREDENTIAL = re.compile(
    r"\bAKIA[0-9A-Z]{12,}|\b(?:ghp|gho|ghs|ghu|ghr|github_pat)_\w{16,}"
    r"|\bsk[-_](?:\w+[-_])*\w{12,}"
    r"|\bxox[abprs]-[\w-]{10,}|\bAIza[\w-]{20,}|\bhf_\w{16,}|\bSG\.[\w-]{10,}"
    r"|\bglpat-[\w-]{10,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}|-----BEGIN|\bBearer [\w.~+/-]{16,}|://[^\s/:@]+:[^\s/@]+@"
    r"|\b(?:\d[ -]?){15,16}\b|(?=[\w/+]*\d)(?=[\w/+]*[a-z])(?=[\w/+]*[A-Z])[\w/+]{32,}"
    r"|\b(?:password|passwd|passphrase|pwd|pin|secret|api[ _-]?key|(?:access"
    r"|secret|private)[ _-]?key|token)s?"
    r"(?: (?:for|of|to) [\w' -]{1,40}?)?\s*(?:is(?: now)?|:|=|are)\s*(?!at "
    r"|in the |stored|kept|rotated|"
    r"required|not |never |only |<|\$)\S+"
    r"|(?:密码|口令|密钥|私钥|令牌|验证码|钥匙)(?:给你)?(?:现在|已经|改)?(?:是|为|：|:|=|成)\s*"
    r"(?!至少|最少|必须|保存在|放在)[^\s，。]*[A-Za-z0-9][^\s，。]*",
    re.I,
)
_STEERING = re.compile(
    r"\b(?:ignore|disregard|forget|override) (?:all |any |the |your "
    r"|these )*(?:previous|prior|above|earlier|"
    r"other|system) |\b(?:system|assistant|developer) ?(?:prompt|message|note)?:\s"
    r"|\b(?:note|message|instructions?) (?:to|for) (?:the |all )?(?:ai|llm|model"
    r"|agent|assistant|bot)s?\b"
    r"|\byou (?:must|should|have to|need to|are now|will now)\b|\bas an ai\b"
    r"|\bdo not (?:tell|mention|inform)"
    r"|\b(?:please )?(?:always )?remember (?:that|this|to)\b|\b(?:ai|llm|agents?"
    r"|assistants?|bots?|models?) (?:\w+ ){0,4}?(?:must|should)\b"
    r"|(?:忽略|无视|忘记|忘掉)(?:之前|以上|前面|上面|所有|一切)[^。]{0,12}(?:指令|提示|规则|要求|内容)"
    r"|(?:请|务必|一定要)?(?:记住|牢记|记得)|(?:智能体|助手|模型|机器人)(?:还|都"
    r"|也)?(?:应|必须|需|要)|你(?:必须|应该|需要|现在是)|(?:致"
    r"|给)[^，。]{0,6}(?:助手|智能体|模型)"
    r"|不要(?:告诉|提及)(?:用户|别人|他|她)|系统(?:提示|消息|指令)[:：]",
    re.I,
)
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|override) (?:all |any |the |your |these )*(?:previous"
    r"|prior|above|earlier|system) "
    r"|(?:忽略|无视)(?:之前|以上|前面|上面|所有|一切)[^。]{0,12}(?:指令|提示|规则)",
    re.I,
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_HEDGE = re.compile(
    r"\b(?:i think|i guess|i believe|probably|presumably|apparently|not sure|iirc"
    r"|afaik|should be)\b"
    r"|好像|大概|可能|应该是|我猜|据说|不确定|似乎",
    re.I,
)


def is_question(sentence: Sentence) -> bool:
    if sentence.mark in ("?", "？"):
        return True
    return bool(_QUESTION.search(sentence.plain) or _ZH_QUESTION.search(sentence.plain))


def is_hypothetical(sentence: Sentence) -> bool:
    """Say whether the sentence only plays with a thought or proposes one."""
    found = _SUPPOSED.search(sentence.plain) or _SUGGESTED.search(sentence.plain)
    return bool(found or _ZH_SUPPOSED.search(sentence.plain))


def is_hedged(text: str) -> bool:
    return _HEDGE.search(text) is not None


def holds_secret(text: str) -> bool:
    """Say whether `text` holds, or looks as if it held, a credential or a card number."""
    return _CREDENTIAL.search(text) is not None


def steers(text: str, *, outside: bool) -> bool:
    """Say whether `text` gives a model orders; outside text needs far less to be suspect."""
    return (_STEERING if outside else _OVERRIDE).search(text) is not None


def asks_not_to_keep(text: str) -> bool:
    return _DO_NOT_KEEP.search(text) is not None


def only_asks_not_to_keep(text: str) -> bool:
    """Say whether `text` is such an ask and nothing else, so that it means what came before."""
    rest = _DO_NOT_KEEP.sub("", text)
    return rest != text and len(rest.split()) < 6 and len(_HAN.findall(rest)) < 7


def is_joke(text: str) -> bool:
    """Say whether `text` takes back what was said before it as not meant."""
    return _JOKE.search(text) is not None


def unmeant(said: Sequence[Sentence]) -> set[int]:
    """Return the positions of sentences that a joke or a laugh takes back.

    A spoken-out joke reaches two sentences back, a laugh one.
    """
    taken: set[int] = set()
    for position, sentence in enumerate(said):
        if is_joke(sentence.text):
            taken.update(range(max(0, position - 2), position + 1))
        elif _LAUGH.search(sentence.text):
            taken.update(range(max(0, position - 1), position + 1))
    return taken
