"""The plain pages: memories, jobs, host keys, grants, and what the index leads to."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.urls import NoReverseMatch, reverse

from memorykit_app.domain.actors import Capability
from memorykit_app.domain.errors import Unavailable
from memorykit_app.models import Job, Memory, ReviewerGrant
from memorykit_app.services import erasure, host_keys, memories
from memorykit_app.templatetags import memorykit_desk
from tests.desk import desk_settings, person, text_of, url
from tests.records import NOW, OTHER, active, asked, memory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _settings():
    with desk_settings():
        yield


@pytest.fixture
def desk(client):
    client.force_login(person())
    return client


@pytest.fixture
def root(client):
    client.force_login(person("root", roles=(), projects=(), is_superuser=True))
    return client


def test_memories_are_listed_by_state(desk):
    active("An active one.", key="k.1")
    memory("A candidate.", key="k.2")
    memories.forget(active("A forgotten one.", key="k.3").pk, asked(1, seconds=0))
    erasure.erase(memory("An erased one.", key="k.4").pk, asked(1, seconds=0))
    active("Of another project.", scope=OTHER)

    pages = {
        view: text_of(desk.get(url("memory_changelist"), {"view": view}))
        for view in ("active", "candidate", "inactive", "erased")
    }

    assert "An active one." in pages["active"]
    assert "A candidate." in pages["candidate"]
    assert "A forgotten one." in pages["inactive"]
    assert "An erased one." not in pages["erased"]
    assert not any("Of another project." in page for page in pages.values())


def test_memories_can_be_searched_and_say_when_nothing_matches(desk):
    active("The office is in Lisbon.", key="office.city")
    active("The coffee is from Peru.", key="coffee.bean")

    found = desk.post(url("memory_changelist"), {"q": "office.c"})
    nothing = text_of(desk.post(url("memory_changelist"), {"q": "tea"}))
    empty = text_of(desk.get(url("memory_changelist"), {"view": "inactive"}))

    assert [row.key for row in found.context["rows"]] == ["office.city"]
    assert "No match." in nothing
    assert "Nothing in this state." in empty


def test_jobs_show_state_and_codes_only(root):
    active("The office is in Lisbon.")
    job = Job.objects.get()

    listed = root.get(reverse("admin:memorykit_job_changelist"))
    one = root.get(reverse("admin:memorykit_job_change", args=[job.pk]))

    assert listed.status_code == one.status_code == 200
    assert "embed" in text_of(listed)
    assert "0 / 5" in text_of(listed)
    assert "Lisbon" not in text_of(listed) + text_of(one)
    assert root.get(reverse("admin:memorykit_job_add")).status_code == 403
    assert root.post(reverse("admin:memorykit_job_delete", args=[job.pk])).status_code == 403


def test_jobs_are_queued_again_or_cancelled_each_by_itself(root):
    active("One.", key="k.1")
    active("Two.", key="k.2")
    first, second = Job.objects.order_by("created_at", "id")
    page = reverse("admin:memorykit_job_changelist")
    Job.objects.filter(pk=second.pk).update(state="completed", finished_at=NOW)

    root.post(page, {"action": "cancel", "_selected_action": [first.pk]})
    response = root.post(
        page, {"action": "redrive", "_selected_action": [first.pk, second.pk]}, follow=True
    )

    states = dict(Job.objects.values_list("pk", "state"))
    assert states == {first.pk: "pending", second.pk: "completed"}
    assert "1 job done." in text_of(response)
    assert "1 job is in a state that does not allow this." in text_of(response)


def test_an_operator_may_act_on_jobs_and_a_lead_may_only_look(client):
    active("One.")
    job, page = Job.objects.get(), reverse("admin:memorykit_job_changelist")
    client.force_login(person("lena", roles=("lead",)))
    client.post(page, {"action": "cancel", "_selected_action": [job.pk]})
    assert Job.objects.get().state == "pending"

    client.force_login(person("otto", roles=("operator",)))
    client.post(page, {"action": "cancel", "_selected_action": [job.pk]})

    assert Job.objects.get().state == "cancelled"


def test_host_keys_are_listed_without_their_hash(root):
    key, secret = host_keys.create(
        name="planner", tenant_id="acme", projects=["red"], capabilities=[Capability.READ], now=NOW
    )

    listed = text_of(root.get(reverse("admin:memorykit_hostkey_changelist")))
    one = text_of(root.get(reverse("admin:memorykit_hostkey_change", args=[key.pk])))

    assert "planner" in listed
    assert key.secret_hash not in listed + one
    assert secret not in listed + one
    assert root.get(reverse("admin:memorykit_hostkey_add")).status_code == 403
    assert root.get(reverse("admin:memorykit_hostkey_delete", args=[key.pk])).status_code == 403


def test_a_grant_opens_a_project_and_its_removal_closes_it(root, client):
    kim = person("kim", projects=())
    memory("The office is in Lisbon.")
    client.force_login(kim)
    assert "Lisbon" not in text_of(client.get(url("queue")))
    client.force_login(person("root2", roles=(), projects=(), is_superuser=True))

    add = reverse("admin:memorykit_reviewergrant_add")
    client.post(add, {"user": kim.pk, "tenant_id": "acme", "subject_id": "red"})
    grant = ReviewerGrant.objects.get(user=kim)
    client.force_login(kim)
    assert "Lisbon" in text_of(client.get(url("queue")))
    client.force_login(person("root3", roles=(), projects=(), is_superuser=True))
    client.post(reverse("admin:memorykit_reviewergrant_delete", args=[grant.pk]), {"post": "yes"})
    client.force_login(kim)

    assert "Lisbon" not in text_of(client.get(url("queue")))
    assert {entry.object_repr for entry in LogEntry.objects.all()} == {
        f"grant {grant.pk} of user {kim.pk}"
    }


@pytest.mark.parametrize(
    ("tenant", "project", "good"),
    [("acme", "*", True), ("acme", "a\tb", False), ("a\u200bcme", "red", True), ("", "red", False)],
)
def test_a_grant_must_name_a_tenant_and_a_project(root, tenant, project, good):
    kim = person("kim", projects=())

    response = root.post(
        reverse("admin:memorykit_reviewergrant_add"),
        {"user": kim.pk, "tenant_id": tenant, "subject_id": project},
    )

    assert response.status_code == (302 if good else 200)
    assert ReviewerGrant.objects.filter(user=kim).exists() is good


def test_grants_are_not_edited(root):
    kim = person("kim")
    grant = ReviewerGrant.objects.get(user=kim)
    page = reverse("admin:memorykit_reviewergrant_change", args=[grant.pk])

    assert root.post(page, {"tenant_id": "other"}).status_code == 403
    assert "acme" in text_of(root.get(reverse("admin:memorykit_reviewergrant_changelist")))


def test_a_reviewer_manages_neither_grants_nor_jobs_nor_keys(desk):
    for name in ("reviewergrant", "job", "hostkey"):
        assert desk.get(reverse(f"admin:memorykit_{name}_changelist")).status_code == 403


def test_the_index_leads_to_the_desk(desk):
    memory(flags=("hedged",), now=NOW - timedelta(days=2))
    memory(key="k.2", scope=OTHER)

    page = text_of(desk.get(reverse("admin:index")))

    assert url("memory_changelist") in page
    assert "Awaiting your review" in page
    assert "1 waiting" in page
    assert "2\xa0days" in page


def test_the_index_shows_no_panel_to_who_may_not_view(client):
    client.force_login(person("new", roles=("operator",)))

    assert "Awaiting your review" not in text_of(client.get(reverse("admin:index")))


def test_times_are_told_as_phrases():
    hours = NOW - timedelta(hours=3)

    assert memorykit_desk.ago(NOW, NOW) == "just now"
    assert memorykit_desk.ago(hours, NOW) == "3\xa0hours ago"
    assert memorykit_desk.lasting(NOW, NOW) == "under a minute"
    assert memorykit_desk.lasting(hours, NOW) == "3\xa0hours"


def test_no_stock_form_is_registered_for_records_and_no_page_of_the_queue_library():
    for name in ("memorykit_memory_add", "memorykit_memory_change", "django_rq_dashboard"):
        with pytest.raises(NoReverseMatch):
            reverse(f"admin:{name}")
    assert {model._meta.label for model in admin.site._registry} >= {"memorykit.Memory"}
    assert not any(model._meta.app_label == "django_rq" for model in admin.site._registry)


def test_a_store_that_is_down_is_told_as_such(desk, monkeypatch):
    def down(*args, **kwargs):
        raise Unavailable

    record = memory()
    monkeypatch.setattr(Memory.objects, "in_granted", down)

    response = desk.get(url("item", record.pk))

    assert response.status_code == 503
    assert "cannot be reached now" in text_of(response)


def test_the_desk_speaks_chinese(client):
    client.force_login(person())
    memory("办公室在里斯本。", flags=("hedged",))

    page = text_of(client.get(url("queue"), headers={"accept-language": "zh-hans"}))

    assert "待审核" in page
    assert "办公室在里斯本。" in page
