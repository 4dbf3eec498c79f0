"""Chinese facts: what is, runs, costs, lives where, belongs to whom."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memorykit_app.backends import rules_topics
from memorykit_app.backends.rules_cues import chinese
from memorykit_app.backends.rules_statement import UNSURE, Statement
from memorykit_app.domain.states import Kind

_NOW = r"(?:现在|目前|已经|仍然|依然|暂时|一直|内部|改|都)*"
# Says what something is for good, even without a number or a name.
_FIRM = re.compile(
    rf"^(?P<s>[^，。：:；是]{{2,24}}?|我){_NOW}(?P<v>改成|改为|来自|走的是|主要(?:是|做)|住在|人在|部署[在到]"
    r"|运行在|跑在|托管在|放在|存放在|保存在|位于|依赖|属于|开在|是用|用的是|采用|使用|姓|叫做?|名叫"
    r"|归(?!档|还|类|零|到|一)|负责|由(?=.{1,12}(?:负责|维护|管理|对接|跟进|提供|做|接替.*|接手)$)|监听|支持|允许"
    r"|用(?=.{1,12}(?:结算|开票|付款|计费|支付)$)|含|包含|包括|提供|按照?(?=.{1,12}(?:算|计|收费|结算|开票|付|存|排|报)))"
    r" ?(?P<o>[^，。；]{1,80})$"
)
_IS = re.compile(
    rf"^(?P<s>[^，。：:；是]{{1,24}}?){_NOW}(?P<v>是|为|：|:|=) ?(?P<o>[^，。；]{{1,80}})$"
)
# `端口 8080`: a label and its value, and no verb.
_LABEL = re.compile(
    r"^(?P<s>[^，。：:；是A-Za-z0-9]{2,12}) ?(?P<v>)"
    r"(?P<o>[A-Za-z0-9+][^，。；\u3400-\u9fff]{3,60})$"
)
# Anything that stays so, told of a named thing with a number, a name or a time. The name ends
# where a verb, a number or a Latin word begins.
_BREAK = "[每从在有要会收到比也都按用给做发跑卖开关付《A-Za-z0-9一二三四五六七八九十百千两几]"
_ANCHORED = re.compile(
    rf"^(?P<s>[A-Za-z][\w.-]*|[^，。：:；]{{2,10}}?(?={_BREAK})|[^，。：:；]{{2,6}})"
    r"(?P<v>)(?P<o>[^，。；]{2,60})$"
)
_STRONG = re.compile(
    r"[A-Za-z0-9《]|[一二三四五六七八九十百千万两几半]+(?:区|号|点|月|天|年|个|楼|层|分|小时|周|家|块|元|成|折|级"
    r"|档|人|名|次|倍|套|种|国|箱|公斤|米|台|位|字|季|只|条|页|遍|千|百)|半小时|每[天周月年晚个次班季]|周[一二三四五六日末]"
    r"|星期|季度|工作日|凌晨|中午"
)
# No subject of a fact: an order, a pointer at what was just said, a report of the speaker's doing.
_VAGUE = re.compile(
    r"^(?:把|将|帮|请|麻烦|给|再|先|看(?!板)|试(?!用|点)|加(?!班|盟)|删|写|跑|继续|重新|打开|关(?!于|节|税)|查|换|去(?!年)"
    r"|来(?!源|电)|让|那|它|他|她|其(?!他)|此|该|这(?!台|家|款|位|批|个[^，]{2})|这个(?:问题|事|话)|什么|谁|哪|今天|昨天|刚"
    r"|问题|原因|结果|意思|感觉|前提|说(?!明)|我(?!们|的|上班|在|住|人|家)|你|您(?!的)|不|没|也|都|还(?!款)|就|但|可(?!用)"
    r"|只|总(?!部|价|数|监)|共(?!享|用|同)|一共|耗时|用时|嗯|好(?!友)|行(?!政|情|业)|对(?!接|外|公)|如果|因为|所以|应该|已经|正(?!式)|是"
    r"|有(?!.{0,3}[个家台名])|一样|错误|其他|不过|虽然|需要的话|第|最后|挂|会(?!议|员|计|场|客)|在)"
)
_FLEETING = re.compile(
    r"^(?:也?够|很|太|有点|挺|非常|比较|更|真|好的?$|对的|错的|正常|空的?$|这样|那样|不是|没有?|坏的|因为|为了|谁|什么|哪|怎么"
    r"|够用|新的$|旧的$|绿的|红的|我$|你$|他)|(?:的时候|而已|罢了)$"
)
# Of the moment, or a report of what was done.
_AT_HAND = chinese(
    r"""
    正在|刚才|刚刚|刚(?=[打收发做改提])|今天|昨天|今早|现在在|马上|待会|等下|一会儿?|这会儿|好多了|上面|下面
    ^我(?:们)?(?:先|来|去|再|看|已经|会|这就|试)|第.{1,2}(?:段|页|行)|多谢|谢谢|我(?:重|刚|已)
    (?<![到改搬成换续停])了 ?[一二两三几\d]|写着|(?:有人|邮件|报错|提示|上面)说|又
    (?:分钟|小时)后(?:开始|到|见|回|走)|(?<!每)周[一二三四五六日]要
    (?<!搬|改|换|升|涨|降|成|停|关|到)了$|过$|怎么|什么|吧$|的话|会$|错字
    """
)
_COUNTED = re.compile(r"[一二两三四五六七八九十百千万\d]+ ?[^，]{0,2}(?:以上|以下|以内|之内|内)")
# Named in passing while working: no subject of a lasting fact unless a firm word carries it.
_PIECE = chinese(
    r"""
    页|行|列(?!车)|函数|方法|常量|变量|提交|请求|用例|CSV|文件|截图|按钮|报错|日志|查询|补丁|脚本|标签|群里|演示
    高铁|火车|飞机|电脑|屏幕|网速|孩子|讲座|消息|版
    """
)
_CHANGED = re.compile(r"(?:搬|改|换|升级?|涨|降|续|延|提前|推迟)[到成为至]")
_TOPIC = re.compile(
    r"(?:端口|数据库|主库|从库|区域|地域|域名|版本号?|[^，]人|[^，]商|截止(?:日期|时间)?|时间|日期|仓库|分支|超时|限额|限流"
    r"|预算|地址|号码?|代号|名称|套餐|保留期|周期|频率|财年|密级|语言|框架|网址|邮箱|电话|型号|上限|下限|间隔|席位|单价"
    r"|规格|固件|时区|客户|房东|[^，]公司|SLA)$"
)
DATE_LEAD = re.compile(
    r"^(?:从|自|到|截至)?[^，]{0,14}?(?:起|开始|之前|以前|(?<=[\d日号天周月年五六末底])前|为止)[，,]?(?=.)"
    r"|^(?:从|自)[^，]{1,12}[起，][，]?"
)
_OWNER = re.compile(
    r"(?:从[^，]{1,12}起)?((?!我的|我们的|他的|她的)[^，的是]{2,16}的)[^，的是]{1,10}(?:是|为)"
)
_BARE = re.compile(
    r"(?:负责人|联系人|端口|版本号?|地址|域名|区域|预算|截止日期|上线时间|价格|数量|仓库)(?:现在)?(?:是|为|叫)"
)
# What may be told of the speaker alone.
_OF_ME = frozenset({"住在", "人在", "用的是"})
_CLAUSE = re.compile(r"[，,]")
# A clause that only goes on about the one before.
_GOES_ON = re.compile(
    r"^(?:一[个家台款]|另|其中|分别|多数|少数|也|还|并|且|再|收件|差不多|剩下|周|每)"
)


def facts(body: str, start: int, explicit: bool) -> Iterator[Statement]:
    """Yield one fact per clause of `body`, which stands at `start` of its sentence."""
    begin, owner, found_any = 0, "", False
    ends = [*(found.start() for found in _CLAUSE.finditer(body)), len(body)]
    for number, end in enumerate(ends):
        clause = body[begin:end]
        # `X的上线时间是…，负责人是…`: the second clause is about X as well.
        about = owner if _BARE.match(clause) else ""
        read = _fact(about + clause) if begin < end else None
        # Without a firm word, only the head of a sentence has its subject with it.
        if read is not None and (begin == 0 or read[1] > UNSURE):
            owner = about or (found[1] if (found := _OWNER.match(clause)) else owner)
            for later in ends[number + 1 :]:
                more = body[end + 1 : later]
                if not (_GOES_ON.match(more) or (_fact(more) or ("", 1))[1] == UNSURE):
                    break
                end = later
            found_any = True
            yield Statement(
                Kind.FACT,
                read[0],
                body[begin:end],
                start + begin,
                50,
                read[1],
                explicit,
                about=about,
            )
            begin = end + 1
        elif not DATE_LEAD.fullmatch(clause + "，"):
            begin = max(begin, end + 1)
    if explicit and not found_any:
        yield Statement(Kind.FACT, rules_topics.topic(body), body, start, 50, 0.7, explicit)


def _fact(clause: str) -> tuple[str, float] | None:
    """Return key and confidence of the fact in `clause`, if it states one."""
    lead = found.end() if (found := DATE_LEAD.match(clause)) else 0
    rest = clause[lead:].strip("，, ")
    moved = _CHANGED.search(rest) is not None
    if _AT_HAND.search(rest) and not moved:
        return None
    strong, topical = _STRONG.search(rest) is not None, rules_topics.has_topic(rest)
    sure = 0.75 if strong else 0.65
    for pattern in (_FIRM, _IS, _LABEL, _ANCHORED):
        if not (found := pattern.match(rest)):
            continue
        subject, value = found["s"].strip(), found["o"]
        if _FLEETING.search(value) or (_VAGUE.match(subject) and found["v"] not in _OF_ME):
            continue
        key = rules_topics.key(subject, rest)
        if pattern is _FIRM:
            return key, sure
        if pattern is _IS and (_TOPIC.search(subject) or "的" in subject or (strong and topical)):
            return key, sure
        if pattern is _LABEL and _TOPIC.search(subject):
            return key, sure
        if pattern is _ANCHORED and len(rest) > 5 and (topical or not _PIECE.search(rest)):
            if moved or _STRONG.search(value) or _COUNTED.match(rest):
                return key, UNSURE
    return None
