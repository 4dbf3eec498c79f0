"""Chinese facts: what is, runs, costs, lives where, belongs to whom."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memorykit_app.backends import rules_topics
from memorykit_app.backends.rules_statement import Statement
from memorykit_app.domain.states import Kind

_VERB = (
    r"使用的是|使用|采用的是|采用|用的是|部署在|部署到|运行在|跑在|放在|存放在|存在|保存在|托管在|位于|依赖|属于|监听|搬到|改到|升级到"
    r"|来自|走的是|主要是|支持|允许|由|按照?|住在|人在|搬到了?|搬到|续到|保留"
    r"|一共(?:有)?|总共(?:有)?|提供|收|卖|有(?= ?(?:\d"
    r"|[一二三四五六七八九十百千两]))|(?:大概|大约|差不多"
    r"|一般)?需?要(?=.{1,8}(?:分钟|小时|天|周)$)|开了|在(?= ?(?:[A-Za-z0-9]|每|周"
    r"|星期|上午|下午|晚上|凌晨|早上))|用(?=.{1,10}(?:结算|开票|付款|计费)$)"
    r"|到(?=.{0,12}[年月日号底])"
    r"|叫做|名叫|叫|是用|归|从(?=.{1,12}(?:开始|起)$)|开在|每隔?(?=.{1,12}(?:次"
    r"|刷新|更新|备份|跑|重置|轮换|执行|开会|结算)$)(?!.*(?:允许|支持|最多))"
)
_NOW = r"(?:现在|目前|已经|仍然|依然|暂时|一直|改|都)*"
_FACT = re.compile(
    rf"^(?P<s>[^，。：:；是]{{2,24}}?|我){_NOW}(?P<v>{_VERB}) ?(?P<o>[^，。；]{{1,80}})$"
)
_ENDING = re.compile(
    rf"^(?P<s>[^，。：:；是]{{2,24}}?){_NOW}(?P<o>[^，。；是]{{2,14}}?)(?P<v>(?:自动)?(?:失效"
    rf"|过期|入职|到期|不?营业|休息|删除|重置|开始|结束|生效|开会|发版))$"
)
_IS = re.compile(
    rf"^(?P<s>[^，。：:；是]{{1,24}}?){_NOW}(?P<v>是|为|改为|改成|：|:"
    rf"|=) ?(?P<o>[^，。；]{{1,80}})$"
)
_VERB_END = {
    "由": r"(?:负责|维护|管理|对接|跟进|提供)$",
    "按": r"(?:算|计|收费|结算|开票|付|存|排)",
    "归": r"(?:负责|管|维护)$",
    "是用": r"(?:写|做|搭|开发)的?$",
}
_VAGUE = re.compile(
    r"^(?:把|将|这|那|它|他|她|其|此|该|这个|那个|这里|那里|这件事|这样|什么|谁|哪"
    r"|今天|昨天|刚才|问题|原因|结果|意思|感觉|看起来|说的?|我(?!们|的)|你|不|也"
    r"|都|还|就|但|可|可能|只|总)"
)
_WISH = re.compile(r"(?:可以|应该|想|(?<!的)会|能|要|建议|错误)$")
_FIRM_WORDS = """
改成 改为 来自 走的是 主要是 住在 人在 部署在 运行在 跑在 依赖 属于 位于 是用 用
"""
_FIRM = frozenset(_FIRM_WORDS.split())
_FLEETING = re.compile(
    r"^(?:很|太|有点|挺|非常|比较|更|真|好的?$|对的|错的|正常|空的?$|这样|那样"
    r"|不是|没有?|坏的|因为|为了|谁|什么|哪|怎么|新的$|旧的$|绿的|红的|我$|你$|他)"
    r"|(?:的时候|而已|罢了)$"
)
_TOPIC = re.compile(
    r"(?:端口|数据库|主库|从库|区域|地域|域名|版本号?|负责人|联系人|对接人|截止(?:日期|时间)?|时间|日期|仓库|分支|超时|限额|限流|预算|地址|号码?|"
    r"代号|名称|套餐|保留期|周期|频率|财年|密级|语言|框架|网址|邮箱|电话|型号|上限|下限|间隔|席位|单价|规格|固件|时区|接口人|客户|供应商)$"
)
_STRONG = re.compile(
    r"[A-Za-z0-9]|[一二三四五六七八九十百千万两]+(?:区|号|点|月|天|年|个|楼|层"
    r"|分钟|小时|周)|每[天周月年晚]|周[一二三四五六日]"
)
DATE_LEAD = re.compile(
    r"^(?:从|自|到|截至)?[^，]{0,14}?(?:起|开始|之前|以前"
    r"|(?<=[\d日号天周月年五六末底])前|为止)[，,]?(?=.)|^(?:从"
    r"|自)[^，]{1,12}[起，][，]?"
)
_OWNER = re.compile(
    r"(?:从[^，]{1,12}起)?((?!我的|我们的|他的|她的)[^，的是]{2,16}的)[^，的是]{1,10}(?:是|为)"
)
_BARE = re.compile(
    r"(?:负责人|联系人|端口|版本号?|地址|域名|区域|预算|截止日期|上线时间|价格|数量|仓库)(?:现在)?(?:是|为|叫)"
)
_CLAUSE = re.compile(r"[，,]")


def facts(body: str, start: int, explicit: bool) -> Iterator[Statement]:
    """Yield one fact per clause of `body`, which stands at `start` of its sentence."""
    begin, owner, found_any = 0, "", False
    for end in [*(found.start() for found in _CLAUSE.finditer(body)), len(body)]:
        clause = body[begin:end]
        if (key := _fact_key(clause)) is not None:
            # `X的上线时间是…，负责人是…`: the second clause is about X as well.
            about = owner if _BARE.match(clause.strip()) else ""
            owner = about or (found[1] if (found := _OWNER.match(clause.strip())) else owner)
            found_any = True
            strong = 0.75 if _STRONG.search(clause) else 0.65
            key = _fact_key(about + clause.strip()) or key
            yield Statement(
                Kind.FACT, key, clause, start + begin, 50, strong, explicit, about=about
            )
            begin = end + 1
        elif not DATE_LEAD.fullmatch(clause + "，"):
            begin = end + 1
    if explicit and not found_any:
        yield Statement(Kind.FACT, rules_topics.topic(body), body, start, 50, 0.7, explicit)


def _fact_key(clause: str) -> str | None:
    lead = found.end() if (found := DATE_LEAD.match(clause)) else 0
    rest = clause[lead:].strip("，, ")
    for pattern in (_FACT, _IS, _ENDING):
        if not (found := pattern.match(rest)):
            continue
        subject, verb, value = found["s"].strip(), found["v"], found["o"]
        at_home = re.sub("现在|目前", "", subject) == "我" and verb in (
            "住在",
            "人在",
            "用的是",
        )
        if (
            (_VAGUE.match(subject) and not at_home)
            or _WISH.search(subject)
            or _FLEETING.search(value)
        ):
            continue
        if verb in _VERB_END and not re.search(_VERB_END[verb], value):
            continue
        strong, topical = _STRONG.search(value) is not None, rules_topics.has_topic(rest)
        if pattern is _IS and not (
            _TOPIC.search(subject) or verb in _FIRM or (verb not in ":：" and strong and topical)
        ):
            continue
        if pattern is _ENDING and not strong:
            continue
        if pattern is _FACT and not (verb in _FIRM or strong or topical):
            continue
        return rules_topics.key(subject, rest)
    return None
