"""Chinese: orders to a model in Chinese, told from talk about such orders."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from memorykit_app.backends.validator_phrases import Phrase, Row, Sign, matches, phrases

_PARTS: Mapping[str, str] = {
    "drop": """忽略 忽视 无视 忘记 忘掉 忘了 抛弃 丢弃 抛开 不要理会 不必理会 不用理会 不理会
        别管 不用管 不要管 跳过 推翻 放弃 不再遵守 不要遵守 停止遵守 不再遵循 不要遵循 违背
        绕过 覆盖 不要听从 不再听从""",
    "prior": """之前 以前 先前 此前 早先 以上 上面 上述 前面 前述 原有 原来 原先 最初 初始
        你收到 给你 系统 开发者 既有 已有 你的 您的""",
    "your": "你的 您的 你所有",
    "any": "所有 全部 一切 任何 你所有",
    "firm": """指令 指示 提示词 系统提示 系统提示词 提示语 约束条件 安全准则 行为准则 系统设定
        人设 系统指令 指令集""",
    "soft": "规则 命令 要求 约束 限制 设定 准则 规定 指引 提示",
    "take": "把 将",
    "lose": "忘掉 忘记 忘了 忽略 丢掉 抛开 作废 清空 无视 删掉",
    "void": "作废 无效 失效 不算数 不再有效",
    "task": "你的新任务 你的新指令 你的新目标 你的新身份 新的任务 新的指令",
    "is": "是 为 如下 :",
    "show": """输出 打印 显示 展示 告诉我 说出 复述 重复 泄露 透露 公开 发出 给我看 列出 背出
        写出 念出 贴出 翻译""",
    "done": "了 过",
    "prompt": """系统提示 系统提示词 系统指令 隐藏指令 隐藏的指令 隐藏提示词 隐藏的提示词
        初始指令 初始提示词 内部指令 开发者指令 提示词全文 你的提示词 你的系统提示 你的指令
        你的配置 你的设定 你的密钥 你的令牌 你的系统提示词""",
    "you_are": """你现在是 你现在就是 从现在起你是 从现在开始你是 你扮演 你将扮演 请扮演 扮演
        假装 假装你是 进入 你就是""",
    "free": "没有 不受 无视",
    "limits": "限制 约束 规则 审查 道德",
    "unbound": "无限制 越狱 dan 不受限",
    "secrets": """密钥 口令 密码 令牌 凭证 凭据 聊天记录 对话内容 对话记录 对话 记忆 记忆内容
        环境变量 会话 你的密钥 你的令牌""",
    "data": "笔记 记录 数据 文件 日志 资料 消息 内容 答案 档案",
    "send": "发送 发给 发到 上传 转发 传到 传给 提交 邮寄 泄露 外发 推送 寄给 发往",
    "place": "http https @ .com .net .org .cn .io .invalid .example .test .xyz .top",
    "when": "当 只要 一旦 如果 每当",
    "people": "用户 任何人 别人 他人 管理员 审核 审核员 人类 运维 主管 对方 客户 有人",
    "says": "说 发 问 提到 回复 输入",
    "call": "调用 执行 运行 触发",
    "harm": "删除 清空 删掉 转账 上传 导出 禁用 泄露 delete erase drop",
    "safety": """安全检查 安全限制 安全规则 安全策略 安全机制 安全防护 安全过滤 安全审查
        内容审查 内容过滤 内容策略 护栏 审查机制 策略层 安全准则""",
    "off": "关闭 停用 失效 解除 取消 禁用 移除 作废 暂停 关掉",
    "unneeded": "不再适用 不再生效 不再需要 不适用 不生效 可以跳过",
    "skip": "跳过 绕过 绕开 不需要 无需 不用 不必 不经 免去 未经",
    "guards": """审批 审核 确认 验证 告警 警报 报警 审计日志 权限检查 权限 授权 复核 审计 监控
        二次确认""",
    "mode": "开发者模式 管理员模式 调试模式 上帝模式 维护模式 root模式 debug模式 超级模式",
    "on": "开启 启用 打开 激活 生效",
    "treat": "视为 当作 当成 看作 视作",
    "root": "管理员 root 超级用户 所有者 最高权限 可信 系统管理员",
    "grant": "拥有 获得 授予 具有",
    "rights": "最高权限 全部权限 所有权限 管理员权限",
    "no": "不要 别 不得 禁止 切勿 不能 无需 不必 不用 请勿",
    "tell": "告诉 告诉我 告知 提醒 透露 透露给 通知 让 说给",
    "secretly": "偷偷 悄悄 悄悄地 暗中 瞒着 背着",
    "again": "再次 重新 每次 每次都 反复 永久",
    "piece": "这条 这段 这句 本条 本段 该指令 这则",
    "store": "保存 写入 写进 记录 存下 存入 记住",
    "voice": """系统通知 系统公告 系统消息 系统指令 系统警告 管理员通知 管理员指令 管理员命令
        开发者通知 开发者指令 平台通知 平台公告 安全中心通知 系统命令 系统更新""",
    "colon": ": 】 ]",
    "like_that": """每次都这样 每次这样 每次照此 以后都照此 以后照此 下次照此 今后照此
        以后都照这样 每次都照此 每次同样""",
    "model": "智能体 助手 模型 机器人 ai",
    "must": "必须 务必",
    "to": "致 给",
    "memo": "说明 指令 消息 备注 指示 的话",
    "standing": """从现在开始 从现在起 从今以后 从今往后 今后每次 今后所有 今后一律 每次对话
        每次会话 每次回答 每次回复""",
    "each": "每次 所有 一切",
    "future": "后续 未来 以后 今后",
    "talk": "对话 会话 回答 回复 任务",
    "stop": "。 ! ? ; \n",
}  # fmt: skip
BITS: Mapping[str, int] = {part: 1 << n for n, part in enumerate(_PARTS)}


def _words() -> dict[str, int]:
    words: dict[str, int] = {"\n": BITS["stop"]}
    for part, listed in _PARTS.items():
        for word in listed.split():
            words[word] = words.get(word, 0) | BITS[part]
    return words


def _pattern(words: Mapping[str, int]) -> re.Pattern[str]:
    """Return a pattern of all words, the longest first, grouped so that few are tried."""
    rests: dict[str, list[str]] = defaultdict(list)
    for word in sorted(words, key=len, reverse=True):
        rests[word[0]].append(re.escape(word[1:]))
    groups = (
        rf"(?<![a-z]){one}(?:{'|'.join(rest)})(?![a-z])"
        if "a" <= one <= "z"
        else f"{re.escape(one)}(?:{'|'.join(rest)})"
        for one, rest in rests.items()
    )
    return re.compile("|".join(groups))


_WORDS = _words()
_WORD = _pattern(_WORDS)

# A number says how many characters behind the part before it the part may start at most, plus one.
_ALL = (
    *phrases(
        BITS,
        "instruction_override",
        """
        drop 8prior 10firm
        drop 8any 9prior 9firm
        drop 4any 2firm
        drop 5your 6soft
        drop 6prior 2any 2soft
        drop 4any 4prior 2soft
        take 4prior|any 10firm|soft 6lose
        prior 6firm 6void
        task 2is
        """,
    ),
    *phrases(
        BITS,
        "instruction_reveal",
        """
        show 9prompt
        take 8prompt 8show|send
        """,
    ),
    *phrases(BITS, "instruction_persona", "you_are 14free 6limits\nyou_are 14unbound"),
    *phrases(BITS, "instruction_exfiltrate", "secrets 14send 40place\nsend 10secrets 40place"),
    *phrases(BITS, "instruction_trigger", "when 2people 10says 15call 16harm"),
    *phrases(BITS, "sign_action", "when 2people 10says 14harm"),
    *phrases(BITS, "sign_sending", "data 14send 40place"),
    *phrases(BITS, "sign_override", "drop 8prior 8soft\ndrop 4any 8soft"),
    *phrases(BITS, "sign_safety", "safety 10off|unneeded\noff|skip|drop 6safety"),
    *phrases(BITS, "sign_guard", "off|skip 7guards\nguards 4off|unneeded"),
    *phrases(BITS, "sign_authority", "mode 6on\ntreat 4root\ngrant 3rights"),
    *phrases(BITS, "sign_hiding", "no 4tell 5people\nsecretly"),
    *phrases(BITS, "sign_renewal", "again 8store 2piece\npiece 12again 10store"),
    *phrases(BITS, "sign_voice", "voice 3colon", ordered=True),
    *phrases(BITS, "sign_imitation", "like_that"),
    *phrases(BITS, "sign_addressed", "model must"),
    *phrases(BITS, "sign_letter", "to 6model 3memo", ordered=True),
    *phrases(BITS, "sign_standing", "standing\neach 3future 3talk"),
)
_HAN = re.compile("[\u3400-\u9fff]")
_BEFORE, _AROUND = 8, 48
_NEGATED = re.compile(
    r"(?:不要|别|不可|不得|不能|不应|切勿|禁止|不会|没有|不允许|严禁|避免|防止|从不|绝不)$"
)
_TOLD = re.compile(
    r"(?:我们|他们|她们|大家|团队|客户|用户|攻击者|程序|脚本|系统会?|解析器|服务|机器人|有人|同事|他|她)"
    r"[^，。；：:,;\n]{0,6}$"
)
_OPENED = re.compile(r"[“「『\"'`《][^”」』\"'`》。\n]{0,20}$")
_MENTIONED = re.compile(
    r"短语|字样|字符串|示例|例如|样例|黑名单|屏蔽|拦截|测试|检测|攻击|注入|关键词|过滤|语料|诸如|这类|这句话"
    r"|之类|培训|演练|拒绝"
)
_CLAUSE = re.compile(r"(?:\A|[\n。!?;,:，：【\[(（])\s{0,3}$")
_STRONG = "instruction_"


def signs(text: str) -> Iterator[Sign]:
    """Yield what the folded text tells a model: a sign wherever it is, an order once."""
    if _HAN.search(text) is None:
        return
    found = [*_WORD.finditer(text)]
    row = Row(
        [_WORDS[word[0]] for word in found],
        [word.start() for word in found],
        [word.end() for word in found],
        BITS["stop"],
    )
    met: set[str] = set()
    for phrase, at, end in matches(_ALL, row):
        if phrase.rule in met:
            continue
        rule = _rule(phrase, text, row.starts[at], row.ends[end], row.ends[at])
        if rule:
            yield Sign(rule, row.starts[at])
        if rule.startswith(_STRONG):
            met.add(rule)


def _rule(phrase: Phrase, text: str, start: int, end: int, after: int) -> str:
    """Return the rule, a milder one when the words are only told of, or blank."""
    before = text[max(0, start - _BEFORE) : start]
    if _NEGATED.search(before) or text[after : after + 1] in ("了", "过"):
        return ""
    if phrase.ordered and not _CLAUSE.search(before if start > _BEFORE else f"\n{before}"):
        return ""
    if not phrase.rule.startswith(_STRONG):
        return phrase.rule
    around = text[max(0, start - _AROUND) : end + _AROUND]
    quoted = _OPENED.search(text[max(0, start - _AROUND) : start])
    if _TOLD.search(before) or (quoted and _MENTIONED.search(around)):
        return "instruction_mention"
    return phrase.rule
