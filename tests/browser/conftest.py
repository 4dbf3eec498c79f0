"""A real Chromium on a real server; what the page breaks is collected and must be nothing."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import sync_playwright

from project import browser as installed
from tests.desk import PASSWORD, desk_settings

ASYNC_UNSAFE = "DJANGO_ALLOW_ASYNC_UNSAFE"


@pytest.fixture(scope="module")
def chromium():
    path = installed.find()
    assert path, "install Chromium: python -m project.browser"
    # The driver's event loop runs in the thread of the test, which asks the database too.
    os.environ[ASYNC_UNSAFE] = "true"
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield running
        running.close()
    del os.environ[ASYNC_UNSAFE]


@pytest.fixture
def server(transactional_db, live_server):
    with desk_settings():
        yield live_server


class Tab:
    """One person's browser: a page, and the trouble that it met."""

    def __init__(self, context, server):
        self.context = context
        self.server = server
        self.page = context.new_page()
        self.trouble = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("request", self._asked)

    def _said(self, message):
        # The browser notes each answer that is an error; the tests look at those themselves.
        if message.type == "error" and "status of 4" not in message.text:
            self.trouble.append(message.text)

    def _asked(self, request):
        if not request.url.startswith((self.server.url, "about:", "data:")):
            self.trouble.append(f"asked for {request.url}")

    def open(self, path):
        self.page.goto(self.server.url + path)
        return self.page

    def log_in(self, name):
        self.open("/admin/login/")
        # By id: the labels are in the reader's language.
        self.page.locator("#id_username").fill(name)
        self.page.locator("#id_password").fill(PASSWORD)
        self.page.locator("input[type=submit]").click()
        return self.page


@pytest.fixture
def tabs(chromium, server):
    """Open a browser of its own for each call; at the end none may have met trouble."""
    opened = []

    def open_tab(**options):
        tab = Tab(chromium.new_context(**options), server)
        tab.page.set_default_timeout(10_000)
        opened.append(tab)
        return tab

    yield open_tab
    for tab in opened:
        tab.context.close()
    assert [tab.trouble for tab in opened if tab.trouble] == []
