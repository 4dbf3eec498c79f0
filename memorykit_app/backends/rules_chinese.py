"""Chinese rules: decisions, lessons, preferences, constraints and facts of one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memorykit_app.backends import rules_chinese_facts, rules_topics
from memorykit_app.backends.rules_statement import Statement
from memorykit_app.domain.states import Kind

_OPENER = re.compile(
    r"(?:好的?|嗯+|对了?|哦|哦对|那么?|行|明白|收到|了解|太好了|另外|还有|顺便说一句|顺便|先说一下|说一下|补充一点"
    r"|更正(?:一下)?|纠正(?:一下)?|更新(?:一下)?|总之|其实|运维通知|通知"
    r"|还有一条[^，：:]{0,8}|我是[^，。]{1,6}|跟(?:你|大家)说一下|提醒一下"
    r"|查了半天"
    r"|同意|(?:大家|各位)(?:好|注意)?|早上好|你好)[，,：:、 ]+"
)
_EXPLICIT = re.compile(
    r"(?:请|麻烦|务必|一定要?)?(?:记住|记一下|记下来?|注意|牢记|备忘)(?:一下)?[，,：: ]+"
)
_DECISION = re.compile(
    r"(?:我们|团队|大家|会上|咱们|最后|最终|已经|一致)?(?:决定|商定|敲定|拍板|选定|确定)(?:了|要|用|把|将|采用|改|不|在|使用|从)"
    r"|(?:我们|咱们)?选了|改用|改成用|换成(?!本)|切换到|迁移到|迁到|(?:^"
    r"|[，,])(?:那|那么)?(?:就|还是)(?:先)?用|[^，,]{2,8}(?<!早)就用(?!了)"
    r"|不再(?:用|使用|支持)"
    r"|(?:会上|就这么)?定了(?:[，,]|$)|就这么定|以后(?:统一|都|只)(?:用|做|走)|以后所有|统一(?:用|使用|采用|到|成)"
    r"|继续用|(?:最后|最终)?(?:我们)?选的是|[^要]不要了|(?:领导|老板|公司"
    r"|上面)(?:已经)?批了|拍板了|说好的|说好了|商量好了|约定(?:好)?|(?:从现在起"
    r"|从今往后)"
    r"|(?:已经|都)?(?:切到|换到|转到|转向|弃用|停用|砍掉|放弃)(?:了)?"
)
_DECISION_LABEL = re.compile(r"(?:最终|最后的?)?(?:决定|方案|结论|决议|拍板了?|定了)[：:]\s*")
_LESSON = re.compile(
    r"原来是|根本原因(?:是|在于)|根因(?:是|在于)|问题(?:出|就出)在|(?:后来|最后|结果|终于)(?:才)?发现|踩(?:过|了)(?:个)?坑|经验是|事实证明"
    r"|罪魁祸首|查下来|查出来|查清楚了|(?:根因|原因|罪魁祸首)[：:]|其实是"
    r"|才(?:跑得起来|跑通|能用|好使|生效|行$)|(?:找|查|折腾|排查"
    r"|调)了[^，]{1,8}[，,](?:才|是|发现|原来)"
    r"|怪不得|吃亏|都是因为|(?:是因为|是由于)[^，]+(?:导致|引起|造成)|导致的$"
    r"|引起的$|(?:主要)?原因(?:是|在于)|学到的是|吃过亏|^下次|下次(?:一定|要|记得)"
    r"|当初(?:就)?(?:不该|应该|没)|[^，]{3,}，所以.{2,}(?:不够|失败|不动|挂了?"
    r"|崩了?|超时|报错|丢了?|慢了?)$"
)
_LESSON_LABEL = re.compile(r"(?:这次的?|血的)?(?:教训|经验|踩坑|踩过坑|心得)(?:是)?[：:，]\s*")
_TASTE = re.compile(
    r"我(?:个人)?(?:还是|一直|一向|平时|通常|比较|更|最|特别|很|都)*(?:喜欢|偏好"
    r"|偏爱|习惯(?!了)|不喜欢|讨厌|倾向于?|爱用|爱看)(?!你|这个|那个|这"
    r"|那)(?P<what>.+)"
    r"|我(?:最|很|特别|比较)?(?:烦|反感|受不了|爱|看重)(?!你|这|那)(?P<what4>.+)"
    r"|^(?:请|麻烦|以后)*(?:就)?(?P<what5>叫我.+)|我(?:不想|不愿意|宁愿|宁可"
    r"|更愿意)(?P<what8>.+)|(?P<what9>(?:回答|回复|答复|总结|消息).{0,6}太(?:长|短"
    r"|啰嗦|正式).*)|我(?P<what6>(?:吃素|不吃|对.{1,8}过敏|色弱|左撇子).*)"
    r"|^(?P<what7>(?:回复|回答|答复|总结|注释|代码注释|邮件|文案)(?:请|麻烦|最好|尽量|都|统一)*(?:用|写成|写|短|简短|控制).+)"
    r"|我(?:一般|通常|总是|平时|只|都是?)(?:都)?(?P<what2>(?:用|看|喝|吃|写|在).+)"
    r"|^(?:请)?(?:以后)?(?:一直|总是|都)用(?P<what3>(?:中文|英文|英语).+)"
)
_RULE = re.compile(
    r"必须|务必|一定要|一律|严禁|禁止|不准|不许|不得(?!不|已|了)|绝不|绝对不"
    r"|千万(?:别|不)|不允许|(?<!能)不能(?!用了|确定|理解)|不可以?(?!思议|能)|只能"
    r"|只有.{1,20}才(?:能|可以)"
    r"|(?:都要|要求|需要|得)(?!我).{0,20}(?:审批|评审|签字|确认|批准|保存|以上"
    r"|同意)|一概|才(?:能|可以|允许)(?!用了)|控制在.{1,12}(?:以内|之内|以下)"
    r"|(?:要|得|须)在.{1,12}(?:内|之内|以内|之前)|(?:要|需)赶在|谁(?:也|都)不(?:许"
    r"|能|准)|不许|(?:都|只)用.{1,10}(?:缩进|格式)|用.{1,6}缩进|打回|(?:需要|要求"
    r"|得用) ?[A-Za-z][\w .]* ?以上|不受理|不接受|不予"
    r"|至少|最多|不超过|不得超过|上限为|(?:^|[，,前时后])(?:请)?(?:不要|别)(?!急"
    r"|担心|客气|管|忘|怕|介意|再纠结|慌|着急|说了)|(?:环境|里|中|接口|代码|日志"
    r"|时间|前|间)(?:都)?不要(?!紧)"
)
_NOT_RULE = re.compile(
    r"不得不|不能不说|我(?:今天|明天|现在)?(?:不能|必须|一定要)|一定要注意身体|是不是必须|不一定"
)


def statements(sentence: str) -> Iterator[Statement]:
    """Yield what a sentence states, the strongest reading only; facts once per clause."""
    start, explicit, label = _begin(sentence)
    body = sentence[start:].rstrip("，, 吧啊哦呢啦")
    if len(body) < 4:
        return
    if label is Kind.LESSON or _LESSON.search(body):
        yield Statement(Kind.LESSON, _lesson_key(body), body, start, 60, 0.8, explicit)
    elif label is Kind.DECISION or _DECISION.search(body):
        yield Statement(Kind.DECISION, _decision_key(body), body, start, 70, 0.85, explicit)
    elif taste := _TASTE.search(body):
        what = next(value for value in taste.groups() if value)
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
    elif _RULE.search(body) and not _NOT_RULE.search(body):
        yield Statement(Kind.CONSTRAINT, _rule_key(body), body, start, 75, 0.8, explicit)
    else:
        yield from rules_chinese_facts.facts(body, start, explicit)


def _begin(sentence: str) -> tuple[int, bool, Kind | None]:
    start, explicit, label = 0, False, None
    for _ in range(5):
        if found := _EXPLICIT.match(sentence, start):
            start, explicit = found.end(), True
        elif found := _DECISION_LABEL.match(sentence, start):
            start, label = found.end(), Kind.DECISION
        elif found := _LESSON_LABEL.match(sentence, start):
            start, label = found.end(), Kind.LESSON
        elif found := _OPENER.match(sentence, start):
            start = found.end()
        else:
            break
    return start, explicit, label


def _decision_key(body: str) -> str:
    purpose = re.search(
        r"(?:做|来做|作为)([^，。]{2,12})$|把([^，。]{2,12}?)(?:放|换|改|迁|存|搬)", body
    )
    if purpose:
        return rules_topics.key(purpose[1] or purpose[2], body)
    found = _DECISION.search(body)
    before = body[: found.start()] if found else ""
    before = re.sub(r"从[^，]*$|^(?:我们|咱们|会上|那)$", "", before)
    if len(before.strip("，, ")) > 1:
        return rules_topics.key(before.strip("，, "), body)
    return rules_topics.topic(body[found.end() :].lstrip("，, 了") if found else body)


def _lesson_key(body: str) -> str:
    found = _LESSON.search(body)
    rest = body[found.end() :].strip("，：: ") if found else ""
    return rules_topics.words(rest if len(rest) > 4 else body)


def _rule_key(body: str) -> str:
    lead = found.end() if (found := rules_chinese_facts.DATE_LEAD.match(body)) else 0
    first = body[lead:].lstrip("，, ").split("，")[0]
    return rules_topics.words(first if len(first) > 4 else body[lead:])
