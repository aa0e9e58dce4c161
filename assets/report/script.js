"use strict";
(() => {
  const root = document.documentElement;
  const one = (selector) => document.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const box = one("#search"), hits = one("#hits"), help = one("#help"), theme = one("#theme");
  const kept = { get: () => { try { return localStorage.getItem("trajview-theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("trajview-theme", value); } catch { /* a file may have no storage */ } } };
  const looks = ["auto", "light", "dark"];
  const show = (look) => {
    if (look === "auto") delete root.dataset.theme; else root.dataset.theme = look;
    theme.textContent = "Theme: " + look;
  };
  show(looks.includes(kept.get()) ? kept.get() : "auto");
  const turnTheme = () => {
    const look = looks[(looks.indexOf(root.dataset.theme ?? "auto") + 1) % looks.length];
    show(look);
    kept.set(look);
  };
  theme.addEventListener("click", turnTheme);

  // What an address leads to is opened with all that it lies in.
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
    // What lies before it may get its height only now.
    requestAnimationFrame(() => target.scrollIntoView());
  };
  addEventListener("hashchange", reveal);
  reveal();

  const turns = all(".turn");
  const links = new Map(all("nav a").map((link) => [link.getAttribute("href"), link]));
  const top = () => (one(".bar")?.offsetHeight ?? 0) + 8;
  const current = () => {
    let at = -1;
    turns.forEach((turn, index) => { if (turn.getBoundingClientRect().top <= top() + 4) at = index; });
    return at;
  };
  const go = (by) => {
    const target = turns[Math.max(0, Math.min(turns.length - 1, current() + by))];
    if (target) location.hash === "#" + target.id ? reveal() : (location.hash = target.id);
  };
  let marked = null, waits = false;
  const follow = () => {
    waits = false;
    const at = current();
    const link = at < 0 ? null : links.get("#" + turns[at].id);
    if (link === marked) return;
    marked?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "true");
    const nav = one("nav");
    if (link && nav.scrollHeight > nav.clientHeight && getComputedStyle(nav).position === "sticky") {
      const top = link.offsetTop;
      if (top < nav.scrollTop || top > nav.scrollTop + nav.clientHeight - 40) nav.scrollTop = top - nav.clientHeight / 2;
    }
    marked = link;
  };
  addEventListener("scroll", () => { if (!waits) { waits = true; requestAnimationFrame(follow); } }, { passive: true });

  // The texts are read when somebody looks for something, not before.
  let texts = null;
  const read = () => all("[data-find]").map((node) => {
    const parts = [...node.children];
    const text = parts.length > 1 ? parts.map((part) => part.textContent).join(" ") : node.textContent;
    const holder = node.id ? node : node.closest("[id]");
    return { id: holder.id, name: node.dataset.find, text, low: text.toLowerCase(), node };
  });
  const MOST = 200;
  let chosen = -1;
  const find = () => {
    const words = box.value.trim().toLowerCase();
    hits.replaceChildren();
    chosen = -1;
    hits.hidden = words.length < 2;
    if (hits.hidden) return;
    texts ??= read();
    const found = texts.filter((it) => it.low.includes(words));
    const head = document.createElement("div");
    head.className = "soft";
    head.textContent = found.length + (found.length === 1 ? " place" : " places") + (found.length > MOST ? ", the first " + MOST : "");
    hits.append(head);
    for (const it of found.slice(0, MOST)) {
      const at = it.low.indexOf(words);
      const link = document.createElement("a");
      const name = document.createElement("b");
      const mark = document.createElement("mark");
      link.href = "#" + it.id;
      name.textContent = it.name + " ";
      mark.textContent = it.text.slice(at, at + words.length);
      link.append(name, it.text.slice(Math.max(0, at - 50), at), mark, it.text.slice(at + words.length, at + words.length + 90));
      link.addEventListener("click", () => { close(); light(it.node); });
      hits.append(link);
    }
  };
  let lit = null;
  const light = (node) => {
    lit?.classList.remove("found");
    lit = node;
    node.classList.add("found");
    requestAnimationFrame(() => {
      for (let at = node; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
      node.scrollIntoView({ block: "start" });
    });
  };
  const close = () => { hits.hidden = true; box.blur(); };
  const choose = (by) => {
    const links = all("a", hits);
    if (!links.length) return;
    links[chosen]?.classList.remove("on");
    chosen = (chosen + by + links.length) % links.length;
    links[chosen].classList.add("on");
    links[chosen].scrollIntoView({ block: "nearest" });
  };
  let timer = 0;
  box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(find, 120); });
  box.addEventListener("focus", () => { if (box.value.trim().length > 1) hits.hidden = false; });
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(1);
    else if (event.key === "ArrowUp") choose(-1);
    else if (event.key === "Enter") { if (chosen < 0) choose(1); all("a", hits)[chosen]?.click(); }
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", (event) => { if (!hits.contains(event.target) && event.target !== box) hits.hidden = true; });

  const openAll = (is) => {
    const at = turns[current()];
    all("details", at ?? one("main")).forEach((it) => { it.open = is; });
  };
  const keys = { j: () => go(1), k: () => go(-1), "/": () => { box.focus(); box.select(); }, t: turnTheme,
    o: () => openAll(true), c: () => openAll(false), g: () => scrollTo(0, 0),
    "?": () => (help.open ? help.close() : help.showModal()) };
  one("#keys").addEventListener("click", keys["?"]);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const act = keys[event.key];
    if (!act || (help.open && event.key !== "?")) return;
    event.preventDefault();
    act();
  });
  follow();
})();
