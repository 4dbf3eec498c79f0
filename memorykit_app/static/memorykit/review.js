/* Keys for the review desk. Everything here has a button; without this file nothing is lost. */
"use strict";
(() => {
    const OFF = "memorykit.keys.off";
    const opened = Date.now();
    const SETTLE_MS = 400;
    let leaving = false;
    let prefix = "";

    const keysOn = () => {
        try { return localStorage.getItem(OFF) !== "1"; } catch { return true; }
    };
    const first = (selector) => document.querySelector(selector);
    const typing = (target) =>
        target instanceof HTMLElement &&
        (target.isContentEditable ||
            target.matches("textarea, select, input:not([type=radio]):not([type=checkbox])"));

    const reveal = (element) => {
        if (!element) { return; }
        element.scrollIntoView({ block: "start" });
        element.focus({ preventScroll: true });
    };
    const chooseReason = (number) => {
        const radio = first(`input[data-reason="${number}"]`);
        if (!radio) { return false; }
        const more = radio.closest("details");
        if (more) { more.open = true; }
        radio.checked = true;
        radio.focus();
        return true;
    };
    const switchDiff = () => {
        const views = [...document.querySelectorAll("details[data-diff]")];
        if (!views.length) { return false; }
        const at = views.findIndex((view) => view.open);
        views.forEach((view, index) => { view.open = index === (at + 1) % views.length; });
        return true;
    };
    const press = (key) => {
        const element = first(`[data-key="${CSS.escape(key)}"]`);
        if (!element) { return false; }
        leaving = true;
        element.click();
        return true;
    };
    const act = (key) => {
        if (prefix === "g") {
            prefix = "";
            const link = first(`[data-go="${CSS.escape(key)}"]`);
            if (link) { link.click(); return true; }
        }
        if (key === "g") { prefix = "g"; return true; }
        if (/^[1-9]$/.test(key)) { return chooseReason(key); }
        if (key === "d") { return switchDiff(); }
        if (key === "o") { reveal(first("[data-sources]")); return true; }
        if (key === "/") { const box = first("[data-search]"); reveal(box); return Boolean(box); }
        if (key === "?") {
            const help = first("[data-help]");
            if (help) { help.open = !help.open; reveal(help.querySelector("summary")); }
            return true;
        }
        return press(key);
    };

    document.addEventListener("keydown", (event) => {
        if (event.defaultPrevented || leaving || event.isComposing) { return; }
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            const form = event.target instanceof HTMLElement && event.target.closest("form[data-form]");
            const button = form && form.querySelector("[data-submit]");
            if (button) { event.preventDefault(); leaving = true; button.click(); }
            return;
        }
        if (event.ctrlKey || event.metaKey || event.altKey) { return; }
        if (event.key === "Escape") {
            if (typing(event.target)) { event.target.blur(); } else { press("Escape"); }
            return;
        }
        if (typing(event.target) || !keysOn() || event.repeat) { return; }
        if (Date.now() - opened < SETTLE_MS) { return; }
        if (act(event.key)) { event.preventDefault(); }
    });

    // A second click on a verb is the same decision, not another one.
    document.addEventListener("submit", (event) => {
        if (event.target.dataset.sent) { event.preventDefault(); return; }
        event.target.dataset.sent = "1";
        leaving = true;
    });
    window.addEventListener("pageshow", (event) => {
        if (!event.persisted) { return; }
        leaving = false;
        document.querySelectorAll("form").forEach((form) => { delete form.dataset.sent; });
    });

    const toggle = first("[data-keys-on]");
    if (toggle) {
        toggle.checked = keysOn();
        toggle.addEventListener("change", () => {
            try { localStorage.setItem(OFF, toggle.checked ? "0" : "1"); } catch { /* private window */ }
        });
    }
    const problem = first("[data-focus]");
    if (problem) { problem.focus(); }
    else if (first("[data-item]")) {
        const heading = first("#content h1");
        if (heading) { heading.tabIndex = -1; heading.focus({ preventScroll: true }); }
    }
})();
