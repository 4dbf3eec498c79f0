"""Topics: what a statement is about, as a stable key such as `staging.region`."""

from __future__ import annotations

import re

_MAX_KEY = 80
# aspect, key when nothing else is named, words that show it; the first that matches wins.
_ASPECTS: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (aspect, alone, re.compile(words, re.I))
    for aspect, alone, words in (
        ("port", "network.port", r"\bports?\b|端口"),
        (
            "region",
            "deploy.region",
            r"\bregions?\b|\b(?:eu|us|ap|sa|ca|af|me)-(?:[a-z]+-)\d\b|区域|地域|可用区",
        ),
        ("retention", "data.retention", r"\bretention\b|保留期|保留时间"),
        ("backup", "data.backup", r"\bback(?:ed)?[ -]?ups?\b|备份"),
        ("timeout", "network.timeout", r"\btime-?outs?\b|超时"),
        ("email", "contact.email", r"\be-?mail address(?:es)?\b|邮箱"),
        ("phone", "contact.phone", r"\bphone number\b|电话|手机号码"),
        ("contact", "contact", r"\bcontacts?\b|联系人|对接人"),
        (
            "owner",
            "team.owner",
            r"负责人|\b(?:owns?|owned|owner|maintain(?:s|ed|er)|lead(?:s|er)?|responsible"
            r"|in charge|product manager|project manager)\b|负责|维护",
        ),
        ("deadline", "project.deadline", r"\bdeadline\b|\bdue\b|截止|交付日"),
        (
            "date",
            "release.date",
            r"\b(?:release|launch|go-live|start|end|due|renewal) date\b|上线时间|发布时间"
            r"|上线日期|发布日期",
        ),
        ("freeze", "release.freeze", r"\bfreeze\b|封版|冻结"),
        ("schema", "database.schema", r"\bschema changes?\b|\bmigrations?\b|表结构|数据库迁移"),
        ("plan", "account.plan", r"\b(?:plan|tier|subscription)\b|套餐|版套"),
        ("budget", "project.budget", r"\bbudget\b|预算"),
        ("address", "address", r"\baddress\b|地址"),
        ("hours", "hours", r"\bhours\b|营业时间|工作时间|客服时间"),
        ("number", "number", r"(?<!\ba )\bnumber\b"),
        ("quota", "limit", r"\b(?:rate limit|quota|limit)\b|限流|限额|配额|上限"),
        (
            "queue",
            "messaging.queue",
            r"\bqueues?\b|\b(?:rabbitmq|kafka|pulsar|sqs|nats|redis streams|celery|rq)\b"
            r"|消息队列",
        ),
        ("cache", "cache.engine", r"\b(?:cache|caching|memcached|redis|valkey)\b|缓存"),
        (
            "search",
            "search.engine",
            r"\b(?:elasticsearch|opensearch|solr|meilisearch|full-text search)\b|全文检索"
            r"|搜索",
        ),
        (
            "database",
            "database.engine",
            r"\b(?:databases?|postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|sqlite|oracle"
            r"|cockroachdb|dynamodb|cassandra)\b|数据库|主库",
        ),
        (
            "ci",
            "build.ci",
            r"\b(?:ci|jenkins|buildkite|github actions|gitlab ci|circleci)\b|流水线",
        ),
        ("bundler", "frontend.bundler", r"\b(?:vite|webpack|esbuild|rollup|parcel)\b"),
        ("framework", "frontend.framework", r"\b(?:react|vue|svelte|angular)\b"),
        ("flags", "feature.flags", r"\bfeature flags?\b|特性开关|功能开关"),
        ("logging", "ops.logging", r"\b(?:loki|log(?:s|ging)?|elk)\b|日志"),
        (
            "language",
            "code.language",
            r"\b(?:written in|python|golang|rust|java|kotlin|typescript)\b|写的",
        ),
        ("repository", "code.repository", r"\b(?:repo(?:sitory)?|monorepo)\b|仓库"),
        ("branch", "code.branch", r"\bbranch\b|分支|主干"),
        (
            "name",
            "project.name",
            r"\b(?:code ?name|is called|is named|name is)\b|代号|名叫|叫做",
        ),
        ("version", "version", r"\bversions?\b|\bfirmware\b|版本"),
        (
            "location",
            "location",
            r"\b(?:lives?|sits|located|office|url|hosted|deployed)\b"
            r"|部署|位于|放在|运行在|托管|域名|办公室",
        ),
        (
            "schedule",
            "schedule",
            r"\b(?:starts?|ends?|refreshes|opens?|closes?|every)\b|开始|结束",
        ),
    )
)
_ANY_ASPECT = re.compile("|".join(pattern.pattern for _, _, pattern in _ASPECTS), re.I)
_PLACES = re.compile(
    r"\b(staging|production|prod|development|dev|test|demo)\b|(生产|测试|预发"
    r"|开发)(?:环境)?",
    re.I,
)
_PREFERENCES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(words, re.I))
    for name, words in (
        ("indentation", r"\b(?:tabs|spaces|indent\w*)\b|缩进"),
        ("theme", r"\b(?:dark|light) (?:mode|theme)\b|深色|浅色|暗色|主题"),
        ("editor", r"\b(?:vim|neovim|emacs|vs ?code|pycharm|editor)\b|编辑器"),
        ("contact", r"\b(?:e-?mails?|phone|calls?|sms|chat|slack)\b|邮件|电话|短信|微信"),
        ("commits", r"\b(?:commits?|diffs?|pull requests?|prs?)\b|提交|改动"),
        (
            "answers",
            r"\b(?:answers?|repl(?:y|ies)|responses?|summar\w+|bullet\w*|updates?)\b|回复"
            r"|回答|结论|总结",
        ),
        ("format", r"\b(?:csv|pdf|table|markdown|json|chart)s?\b|表格|图表|格式"),
        ("notifications", r"\bnotifications?\b|pop-?ups?|通知|弹窗"),
        ("meetings", r"\bmeetings?\b|会议|开会"),
        (
            "language",
            r"\b(?:english|german|french|spanish|chinese|portuguese)\b|中文|英文|英语",
        ),
    )
)
_WORD = re.compile(r"[A-Za-z][\w'/+]*(?:[.-]\w+)*|\d+(?:\.\d+)*")
_STOP_WORDS = """
a an and any are as at be been but by can cannot can't could did do does don't don every each all
for from had has have he her his i if in into is it its let's let me more most must my need needs
never no not now of off on one only or our out over please shall she should so some than that the
their them then there they this those to too under until up us use used uses using very was we were
what when which who will with without would you your always again before after since also just still
currently instead may they're we're we'll we've i'm i'd i'll it's during out least at's turned turns
below above within today tomorrow yesterday end people everyone nobody team user user's team's
"""
_STOP = frozenset(_STOP_WORDS.split())
_TIME_WORDS = """
monday tuesday wednesday thursday friday saturday sunday january february march april june july
august september october november december week month year two three four five six seven eight nine
ten
"""
_TIMES = frozenset(_TIME_WORDS.split())
_ZH_STOP = re.compile(
    r"我们公司|我们|咱们|我|你们|你|现在|目前|已经|这个|那个|以后|所有|全部|一律|必须|不要|不能|不得|一定要|一定|禁止"
    r"|千万|继续|直接|先|把|将|都|也|还|就|只能|的话|了"
)
_ZH_CUT = re.compile(
    r"[，,、：:。的\s]+|必须|不要|不能|不得|禁止|严禁|一定要|至少|最多|不超过|小于|大于"
)


def key(subject: str, whole: str, fallback: str = "") -> str:
    """Return the key of a statement about `subject` that reads `whole`.

    The part that would change with the value stays out, so that a later value of the same
    thing has the same key. `fallback` is slugged when neither names a topic.
    """
    aspect, alone, pattern = _aspect(subject, whole)
    named = pattern.sub(" ", subject) if pattern else subject
    if aspect:
        thing = _slug(named, 3)
        return _clip(f"{thing}.{aspect}" if thing else alone)
    return _clip(_slug(subject, 3) or _slug(fallback or whole, 4) or "note")


def topic(text: str) -> str:
    """Return the key of a statement without a subject of its own: topic, or first words."""
    aspect, alone, _ = _aspect("", text)
    place = _place(text)
    if aspect:
        return _clip(f"{place}.{aspect}" if place else alone)
    return _clip(_slug(text, 4) or "note")


def words(text: str) -> str:
    """Return the key of a rule or a lesson: its first words that carry meaning."""
    slug = _slug(text, 3)
    if "-" not in slug:
        # `Never deploy on a Friday`: the day is what tells it from another rule.
        slug = _slug(text, 3, stop=_STOP)
    return _clip(slug or "note")


def preference(text: str) -> str:
    """Return the key of what a person likes."""
    for name, pattern in _PREFERENCES:
        if pattern.search(text):
            return f"preference.{name}"
    return _clip(f"preference.{_slug(text, 2) or 'general'}")


def has_topic(text: str) -> bool:
    return _ANY_ASPECT.search(text) is not None


def _aspect(subject: str, whole: str) -> tuple[str, str, re.Pattern[str] | None]:
    for text in (subject, whole):
        for aspect, alone, pattern in _ASPECTS:
            if text and pattern.search(text):
                return aspect, alone, pattern
    return "", "", None


def _place(text: str) -> str:
    found = _PLACES.search(text)
    if not found:
        return ""
    if found[2]:
        return f"{found[2]}环境"
    return {"prod": "production", "dev": "development"}.get(found[1].lower(), found[1].lower())


def _slug(text: str, most: int, *, stop: frozenset[str] = _STOP | _TIMES) -> str:
    if re.search(r"[\u3400-\u9fff]", text):
        return _zh_slug(text)
    words = (w.lower().removesuffix("'s").strip("'") for w in _WORD.findall(text))
    kept = [w for w in words if w not in stop and not w[0].isdigit() and len(w) > 1]
    kept = [{"prod": "production", "dev": "development"}.get(w, w) for w in kept]
    return "-".join(dict.fromkeys(kept[:most])).replace("/", "-").replace("+", "p")


def _zh_slug(text: str) -> str:
    parts = (_ZH_STOP.sub("", part).strip(" “”\"'《》（）()!！") for part in _ZH_CUT.split(text))
    kept = [part.lower()[:12] for part in parts if part and not part[0].isdigit()]
    return ".".join(kept[:2])


def _clip(slug: str) -> str:
    return slug[:_MAX_KEY].strip(".-")
