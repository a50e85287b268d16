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
      button.title = `Theme: ${NAMES[theme]}`;
    }
    // It is of no origin, and knows the system's theme alone.
    document.querySelector(".drawing")?.contentWindow.postMessage({ theme }, "*");
  };

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-theme-switch]")) return;
    const theme = THEMES[(THEMES.indexOf(kept()) + 1) % THEMES.length];
    keep(theme);
    show(theme);
  });

  // Before a page is connected, NiceGUI holds each event back by a timer of its own: what is sent could overtake what
  // was typed, and be empty. The socket keeps all in order; it may where connecting is the handshake.
  let didHandshake = false;
  Object.defineProperty(window, "did_handshake", {
    get: () => didHandshake || Boolean(window.socket?.io.opts.query?.implicit_handshake),
    set: (now) => { didHandshake = now; },
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

  // What is being written outlives a page that is loaded anew, as one is that was away for too long, or whose server was
  // restarted in the middle of a reply. Once it is answered it is forgotten. A page that is opened without a conversation's
  // name gets one a moment later.
  const DRAFT = "offbook-draft";
  const draft = () => {
    try { return JSON.parse(sessionStorage.getItem(DRAFT)); } catch { return null; }
  };
  const forgetDraft = () => { try { sessionStorage.removeItem(DRAFT); } catch { /* none was kept */ } };
  const keepDraft = (text, after) => {
    const { pathname: path, search } = location;
    try { sessionStorage.setItem(DRAFT, JSON.stringify({ path, search, text, after })); } catch { /* not kept */ }
  };
  const isOfHere = ({ path, search }) =>
    path === location.pathname && (!search || !location.search || search === location.search);
  const lastAnswered = () => [...document.querySelectorAll(".exchange:has(.under)")].at(-1);
  document.addEventListener("input", (event) => {
    if (event.target.matches?.(".composer textarea")) keepDraft(event.target.value);
  }, true);
  // The same may have been said before: what was sent is answered by a turn that was not there when it was sent.
  document.addEventListener("submit", (event) => {
    const text = event.target.matches?.(".composer") && event.target.querySelector("textarea")?.value;
    if (text) keepDraft(text, lastAnswered()?.dataset.turn ?? "");
  }, true);
  const wasSaid = () => {
    const kept = draft();
    const last = lastAnswered();
    if (kept?.after === undefined || !last || !isOfHere(kept) || last.dataset.turn === kept.after) return;
    if (last.querySelector(".said")?.textContent === kept.text.trim()) forgetDraft();
  };
  const write = (field, text) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const goOnWriting = (field) => {
    wasSaid();
    const kept = draft();
    if (!kept?.text || field.value || !isOfHere(kept)) return;
    write(field, kept.text);
  };
  document.addEventListener("unsaid", (event) => setTimeout(() => {
    const field = document.querySelector(".composer textarea");
    if (field && !field.value) write(field, event.detail);
  }));

  // What is drawn anew keeps the focus that it had: it goes to what has the same name there. Arrows through replies are
  // waited for while a reply comes, and give it to the next one where they end; a region without such a part takes it.
  let used = null;
  const nameOf = (element) => element.getAttribute("aria-label") ?? element.textContent.trim();
  document.addEventListener("focusin", ({ target: at }) => {
    const around = [];
    for (let each = at.parentElement; each?.closest("#main"); each = each.parentElement) around.push(each);
    used = around.length ? { at, around, name: nameOf(at), box: at.closest(".swipes, .exchange") } : null;
  });
  const refocus = () => {
    if (!used || used.at.isConnected || document.activeElement !== document.body) return;
    const near = used.around.find((each) => each.isConnected);
    const isArrow = used.box?.matches(".swipes");
    const there = isArrow
      ? [...document.querySelectorAll(".swipes button:not([disabled])")]
      : [...near?.querySelectorAll(`${used.at.localName}:not([disabled])`) ?? []];
    const same = used.name && there.findLast((each) => nameOf(each) === used.name);
    const instead = isArrow ? there.at(-1) : !used.box && near?.closest("[tabindex='0']");
    (same || instead)?.focus?.({ preventScroll: !same });
  };

  // A sentence of a reply and what it rests on have one number: pointed at or reached by keyboard, both light up.
  const MARK = ".log [data-support], .side [data-support]";
  const light = (element) => {
    const number = element?.closest?.(MARK)?.dataset.support;
    for (const each of document.querySelectorAll(MARK)) each.classList.toggle("lit", each.dataset.support === number);
  };
  for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, (event) => light(event.target));
  const lead = (mark) => {
    const panel = document.querySelector(".side");
    if (getComputedStyle(panel).display === "none") mark.closest(".answer").querySelector(".under button")?.click();
    const there = panel.querySelector(`[data-support="${CSS.escape(mark.dataset.support)}"]`);
    setTimeout(() => { there?.focus({ preventScroll: true }); there?.scrollIntoView({ block: "nearest" }); }, 60);
  };
  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.(".rests");
    if (mark) lead(mark);
  });
  document.addEventListener("keydown", (event) => {
    if (!event.target.matches?.(".rests") || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    lead(event.target);
  });

  // The clipboard takes what is seen; where a page may not write there (no HTTPS), the old way does.
  const copy = async (words) => {
    try { await navigator.clipboard.writeText(words); return; } catch { /* refused, or not there */ }
    const field = Object.assign(document.createElement("textarea"), { value: words, readOnly: true });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button) return;
    await copy(button.closest(".answer").querySelector(".answered").textContent);
    button.focus();
    const name = button.getAttribute("aria-label");
    button.setAttribute("aria-label", "Copied");
    button.classList.add("done");
    setTimeout(() => { button.setAttribute("aria-label", name); button.classList.remove("done"); }, 1500);
  });

  // On a narrow window the panel hides what it was opened with, which loses the focus by that, and gets it back.
  let opener = null;
  document.addEventListener("focusin", (event) => {
    if (!event.target.closest?.(".side, .q-dialog")) opener = event.target;
  });
  document.addEventListener("panel-closed", () => {
    const back = opener?.isConnected ? opener : document.querySelector(".log");
    back?.focus({ preventScroll: true });
  });

  // The end of the conversation stays in sight while it grows, unless the person has scrolled away.
  const follow = (log) => {
    let near = true;
    log.addEventListener("scroll", () => { near = log.scrollHeight - log.scrollTop - log.clientHeight < 120; });
    const down = () => { if (near) log.scrollTop = log.scrollHeight; };
    new MutationObserver(wasSaid).observe(log, { childList: true, subtree: true });
    new MutationObserver(down).observe(log, { childList: true, subtree: true, characterData: true });
    down();
  };

  // A connection that is lost may be a key that has ended: then nothing stays but the way back in.
  const signOut = async () => {
    const answer = await fetch("/_page/page.css", { cache: "no-store" }).catch(() => null);
    if (answer?.status !== 401) return;
    window.socket.disconnect();
    forgetDraft();
    const made = (tag, told, classes, ...inside) => {
      const element = Object.assign(document.createElement(tag), { textContent: told, className: classes });
      element.append(...inside);
      return element;
    };
    const again = Object.assign(made("a", "Sign in with a key", ""), { href: location.pathname });
    const notice = made("div", "", "notice bad", made("p", "Your key does not open this page any more.", ""));
    const main = made("main", "", "content", made("h1", "Signed out", ""), notice, again);
    main.setAttribute("role", "alert");
    document.body.replaceChildren(main);
  };
  const listen = () => {
    if (!window.socket) { setTimeout(listen, 200); return; }
    window.socket.on("disconnect", (why) => { if (why !== "io client disconnect") signOut(); });
    window.socket.on("connect_error", signOut);
  };

  const whenThere = (selector, act) => {
    const found = document.querySelector(selector);
    if (found) { act(found); return; }
    new MutationObserver((_, self) => {
      const come = document.querySelector(selector);
      if (come) { self.disconnect(); act(come); }
    }).observe(document.body, { childList: true, subtree: true });
  };

  window.addEventListener("load", () => {
    show(kept());
    listen();
    for (const popup of document.querySelectorAll(".nicegui-error-popup")) popup.setAttribute("role", "status");
    new MutationObserver(refocus).observe(document.body, { childList: true, subtree: true });
    document.querySelector(".parts [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
    whenThere(".drawing", (frame) => frame.addEventListener("load", () => show(kept())));
    whenThere(".log", follow);
    whenThere(".composer textarea", goOnWriting);
  });
})();
