"""The review desk in a real browser: by keyboard, without JavaScript, narrow, hostile, Chinese."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from memorykit_app.domain.short_id import short_id
from memorykit_app.domain.states import State
from project.run.demo import GROUPS
from project.run.notice import REVIEWER
from tests.desk import QUOTE, person, quoted, transcript, url
from tests.records import active, fresh, history, memory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("browser")]

HOSTILE = (
    "<script>document.title='owned'</script><img src=https://evil.example/x onerror=alert(1)>"
    " [click](javascript:alert(1)) \u202etxet desrever\u202c zero\u200bwidth "
)
STOCK = ("job", "hostkey", "reviewergrant", "reviewergrant/add")
#: The keys rest for a moment after a page appears.
SETTLED_MS = 450


@pytest.fixture
def reviewer(server):
    return person("kim", roles=("lead", "privacy officer"))


def settled(page):
    page.wait_for_load_state("load")
    page.wait_for_timeout(SETTLED_MS)


def test_the_demo_reviewer_logs_in_and_activates_a_candidate(tabs):
    person(REVIEWER, roles=[group.removeprefix("memorykit ") for group in GROUPS])
    record = memory("The office is in Lisbon.", sources=(quoted(transcript()),))
    tab = tabs()
    page = tab.log_in(REVIEWER)

    page.goto(tab.server.url + url("queue"))
    page.get_by_role("link", name="Start reviewing").click()
    assert page.locator("mark").inner_text() == QUOTE
    page.get_by_role("button", name="Activate").click()

    page.get_by_text("All caught up.").wait_for()
    assert page.get_by_text("Activated: Fact").is_visible()
    assert fresh(record).state == State.ACTIVE


def test_the_whole_work_is_done_by_keyboard(tabs, reviewer):
    first = memory("One.", key="k.1", flags=("outside_text",))
    second = memory("Two.", key="k.2", flags=("hedged",))
    third = memory("Three.", key="k.3")
    tab = tabs()
    page = tab.log_in("kim")
    page.goto(tab.server.url + url("item", first.pk))

    settled(page)
    page.keyboard.press("j")
    page.wait_for_url(f"**/{second.pk}/*")
    settled(page)
    page.keyboard.press("k")
    page.wait_for_url(f"**/{first.pk}/*")
    settled(page)
    page.keyboard.press("a")
    page.wait_for_url(f"**/{second.pk}/*")
    settled(page)
    page.keyboard.press("4")
    page.keyboard.press("x")
    page.wait_for_url(f"**/{third.pk}/*")
    settled(page)
    page.keyboard.press("z")
    page.wait_for_url(f"**/{second.pk}/*")

    assert fresh(first).state == State.ACTIVE
    assert fresh(second).state == State.CANDIDATE
    assert [step.action for step in history(second)] == ["create", "dismiss", "restore"]
    assert history(second)[1].reason == "duplicate"


def test_keys_rest_in_fields_with_modifiers_and_when_switched_off(tabs, reviewer):
    record = memory()
    tab = tabs()
    page = tab.log_in("kim")
    page.goto(tab.server.url + url("item", record.pk))
    settled(page)

    page.keyboard.press("Control+a")
    page.get_by_text("Reason and note").click()
    page.get_by_label("Note").fill("")
    page.get_by_label("Note").press_sequentially("axz")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.get_by_label("Single-letter keys work in this browser").uncheck()
    page.keyboard.press("a")
    page.reload()
    settled(page)
    page.keyboard.press("a")
    page.wait_for_timeout(300)

    assert fresh(record).version == 1


def test_a_correction_is_typed_and_sent_by_keyboard(tabs, reviewer):
    record = memory("The office is in Porto.")
    tab = tabs()
    page = tab.log_in("kim")
    page.goto(tab.server.url + url("item", record.pk))

    settled(page)
    page.keyboard.press("c")
    page.get_by_label("Text").fill("The office is in Lisbon.")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Activated: Fact").wait_for()

    assert (fresh(record).content, fresh(record).state) == (
        "The office is in Lisbon.",
        State.ACTIVE,
    )


def test_everything_works_without_javascript(tabs, reviewer):
    old = active("The office is in Porto.")
    record = memory("The office is in Lisbon.")
    tab = tabs(java_script_enabled=False)
    page = tab.log_in("kim")

    page.goto(tab.server.url + url("queue"))
    page.get_by_role("link", name="office.city").click()
    page.get_by_role("link", name="Correct").click()
    page.get_by_label("Text").fill("The office is in Lisbon now.")
    page.get_by_role("button", name="Show my changes").click()
    assert page.locator("ins").first.inner_text().endswith("now")
    page.get_by_role("button", name="Save and activate").click()
    assert fresh(record).state == State.ACTIVE
    assert fresh(old).state == State.INACTIVE
    page.get_by_role("button", name="Undo").click()
    assert fresh(old).state == State.ACTIVE

    page.goto(tab.server.url + url("erase", record.pk))
    page.get_by_label("Type the short id").fill(short_id(record.pk))
    page.get_by_label("I know that this cannot be undone.").check()
    page.get_by_role("button", name="Erase for good").click()
    page.get_by_role("heading", name="What was erased").wait_for()
    assert fresh(record).state == State.ERASED


def test_two_browsers_on_one_record_make_one_decision_and_one_409(tabs, reviewer):
    person("lee", roles=("lead",))
    record = memory()
    here, there = tabs(), tabs()
    for tab, name in ((here, "kim"), (there, "lee")):
        tab.log_in(name)
        tab.open(url("item", record.pk))

    here.page.get_by_role("button", name="Activate").click()
    here.page.get_by_text("All caught up.").wait_for()
    there.page.get_by_text("Reason and note").click()
    there.page.get_by_label("Note").fill("my own words")
    with there.page.expect_response("**/dismiss/*") as answer:
        there.page.get_by_role("button", name="Dismiss").click()

    assert answer.value.status == 409
    there.page.get_by_text("Activated by kim 0 seconds ago.").wait_for()
    assert there.page.get_by_label("Note").input_value() == "my own words"
    assert [step.action for step in history(record)] == ["create", "activate"]


def test_hostile_text_stays_text(tabs, reviewer):
    record = memory(HOSTILE + "很长的文字。" * 1_200, key="<b onmouseover=alert(1)>key</b>")
    tab = tabs()
    tab.page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    page = tab.log_in("kim")

    for path in (url("queue"), url("item", record.pk), url("correct", record.pk)):
        page.goto(tab.server.url + path)
        assert page.title() != "owned"
        assert page.locator("#content script, #content img").count() == 0
        assert page.locator("#content a[href^='javascript'], #content a[href*='evil']").count() == 0
    page.goto(tab.server.url + url("item", record.pk))
    assert page.get_by_text("RLO", exact=True).first.is_visible()


#: Pages that are not about one record.
LISTS = {
    "queue": "queue",
    "memories": "memory_changelist",
    "receipts": "erasurereceipt_changelist",
    "statistics": "statistics",
    "lab": "lab",
}


@pytest.mark.parametrize("name", [*LISTS, "item", "correct", "erase"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(tabs, reviewer, name, scheme):
    active("The office is in Porto.")
    record = memory(
        "The office is in Lisbon.", sources=(quoted(transcript()),), flags=("outside_text",)
    )
    tab = tabs(color_scheme=scheme)
    page = tab.log_in("kim")
    page.goto(tab.server.url + (url(LISTS[name]) if name in LISTS else url(name, record.pk)))

    # The stock admin's own header and side bar are not ours to mend.
    found = Axe().run(page, context="#content").response["violations"]

    serious = [
        (rule["id"], [node["html"] for node in rule["nodes"]])
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_the_stock_pages_keep_the_policy_too(tabs, reviewer):
    person("root", roles=(), is_superuser=True)
    active("The office is in Porto.")
    tab = tabs()
    page = tab.log_in("root")

    for path in ("/admin/", *(f"/admin/memorykit/{name}/" for name in STOCK)):
        assert page.goto(tab.server.url + path).status == 200
    # What the pages broke is looked at when the tab closes.


@pytest.mark.parametrize("name", [*LISTS, "item", "correct", "erase"])
def test_nothing_runs_off_a_narrow_screen(tabs, reviewer, name):
    active("The office is in Porto.")
    record = memory(
        "The office is in Lisbon. " + "x" * 200,
        key="a." + "very-long-key-" * 12,
        sources=(quoted(transcript()),),
    )
    tab = tabs(viewport={"width": 320, "height": 640})
    page = tab.log_in("kim")
    page.goto(tab.server.url + (url(LISTS[name]) if name in LISTS else url(name, record.pk)))

    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_lab_answers_and_tries_a_candidate(tabs, reviewer):
    record = memory("The office is in Lisbon.", key="office.city")
    tab = tabs()
    tab.log_in("kim")
    page = tab.open(url("item", record.pk))

    page.get_by_label("Would a question find it").fill("Where is the office?")
    page.get_by_role("button", name="Try").click()
    page.get_by_text("As if the candidate were active.").wait_for()

    assert page.locator("tr.mk-own").count() == 1
    assert fresh(record).state == State.CANDIDATE


def test_a_chinese_reader_gets_chinese(tabs, reviewer):
    active("办公室在波尔图，员工有1200人。", key="办公室.城市")
    record = memory("办公室在里斯本，员工有1350人。", key="办公室.城市")
    tab = tabs(locale="zh-CN")
    tab.log_in("kim")
    page = tab.open(url("item", record.pk))

    assert page.locator("del").all_inner_texts()[0].endswith("波尔图")
    assert "1350" in page.locator("ins").all_inner_texts()[1]
    page.get_by_role("button", name="激活").click()
    page.get_by_text("已激活").first.wait_for()
    assert fresh(record).state == State.ACTIVE
