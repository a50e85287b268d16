// What happens in the browser alone: the theme, keys, and the place of the conversation.
"use strict";
(() => {
  const THEMES = ["auto", "light", "dark"];
  const NAMES = { auto: "as the system has it", light: "light", dark: "dark" };
  const kept = () => {
    try { return localStorage.getItem("offbook-theme") || "auto"; } catch { return "auto"; }
  };
  const keep = (theme) => { try { localStorage.setItem("offbook-theme", theme); } catch { /* not kept */ } };

  const show = (theme) => {
    Quasar.Dark.set(theme === "auto" ? "auto" : theme === "dark");
    document.documentElement.style.colorScheme = theme === "auto" ? "light dark" : theme;
    for (const button of document.querySelectorAll("[data-theme-switch]")) {
      button.setAttribute("aria-label", `Theme: ${NAMES[theme]}`);
    }
  };

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-theme-switch]")) return;
    const theme = THEMES[(THEMES.indexOf(kept()) + 1) % THEMES.length];
    keep(theme);
    show(theme);
  });

  // Enter sends, Shift+Enter breaks the line; while an input method composes, Enter is its own.
  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && field.closest?.(".composer")
        && field.tagName === "TEXTAREA") {
      event.preventDefault();
      field.closest("form").requestSubmit();
    }
    if (event.key === "Escape" && !document.querySelector(".q-dialog")) {
      document.querySelector(".side.open [data-close]")?.click();
    }
  }, true);

  // The end of the conversation stays in sight while it grows, unless the person has scrolled away.
  const follow = (log) => {
    let near = true;
    log.addEventListener("scroll", () => { near = log.scrollHeight - log.scrollTop - log.clientHeight < 120; });
    const down = () => { if (near) log.scrollTop = log.scrollHeight; };
    new MutationObserver(down).observe(log, { childList: true, subtree: true, characterData: true });
    down();
  };

  window.addEventListener("load", () => {
    show(kept());
    document.querySelector(".parts [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
    const found = () => document.querySelector(".log");
    const log = found();
    if (log) follow(log);
    else new MutationObserver((_, self) => { if (found()) { self.disconnect(); follow(found()); } })
      .observe(document.body, { childList: true, subtree: true });
  });
})();
