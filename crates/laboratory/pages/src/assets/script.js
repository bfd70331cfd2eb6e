// Routes, hover, filters, tabs, theme, language and keys of the report. The page works without it.
"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const one = (selector, from = document) => from.querySelector(selector);
  const words = JSON.parse(one("#words").textContent);
  const keep = (name, value) => { try { localStorage.setItem("lanework-" + name, value); } catch (_) { /* a file may have no storage */ } };
  const kept = (name) => { try { return localStorage.getItem("lanework-" + name); } catch (_) { return null; } };
  const word = (key) => (words[key] ? words[key][root.lang === "zh" ? 1 : 0] : key);
  // The title and the rows of a tip.
  const rowsOf = (text) => { const [title, ...rows] = text.split("\n"); return [title, rows.map((row) => row.split("\t"))]; };
  root.classList.add("js");

  // Language: the chosen one, else the report's, else the browser's.
  const setLanguage = (language) => {
    root.lang = language;
    for (const element of all("[data-zh-label]")) {
      element.dataset.enLabel ??= element.getAttribute("aria-label");
      const text = language === "zh" ? element.dataset.zhLabel : element.dataset.enLabel;
      element.setAttribute("aria-label", text);
      if (element.title) element.title = text;
      if (element.placeholder) element.placeholder = text;
    }
    for (const table of all(".scroll table")) label(table);
    for (const mark of all("[data-tip]")) mark.setAttribute("aria-label", plain(rowsOf(mark.dataset.tip)));
    setTitle();
  };
  // Gives each cell the name of its column, which narrow windows show before it.
  const label = (table) => {
    const names = all("thead th", table).map((head) => (one("." + root.lang, head) || head).textContent);
    for (const row of all("tbody tr", table)) [...row.children].forEach((cell, at) => { cell.dataset.label = names[at] || ""; });
    table.classList.add("labeled");
  };
  const plain = ([title, rows]) => title + (rows.length ? ". " : "") + rows.map(([name, value]) => word(name) + ": " + value).join(", ");

  // Theme: the system's, until one is chosen.
  const setTheme = (theme) => { if (theme) root.dataset.theme = theme; };
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const otherTheme = () => { const theme = dark() ? "light" : "dark"; setTheme(theme); keep("theme", theme); };
  const otherLanguage = () => { const language = root.lang === "zh" ? "en" : "zh"; setLanguage(language); keep("language", language); };

  // Routes: one page at a time, by the address after the #.
  const pages = all("section.page");
  const current = () => pages.find((page) => !page.hidden) || pages[0];
  const setTitle = () => {
    const name = current().dataset.title;
    document.title = (name ? word(name) + " · " : "") + word("page:title");
  };
  const route = () => {
    const wanted = decodeURIComponent(location.hash.slice(1));
    const page = pages.find((other) => other.id === wanted) || pages[0];
    for (const other of pages) other.hidden = other !== page;
    for (const link of all("#side a")) {
      if (link.getAttribute("href") === "#" + page.id) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const here = one("#side [aria-current]");
    if (here && innerWidth > 900) here.scrollIntoView({ block: "nearest" });
    for (const frame of all(".listing-frame", page)) {
      const first = one("tr[style]", frame);
      if (first && frame.scrollTop === 0) frame.scrollTop = Math.max(0, first.offsetTop - frame.clientHeight / 4);
    }
    root.classList.remove("menu");
    hide();
    setTitle();
    scrollTo(0, 0);
  };
  const step = (by) => {
    const links = all("#side a").filter((link) => link.offsetParent !== null || innerWidth <= 900);
    const at = links.findIndex((link) => link.hasAttribute("aria-current"));
    const next = links[Math.min(Math.max(at + by, 0), links.length - 1)];
    if (next) location.hash = next.getAttribute("href");
  };

  // Tips.
  const tip = one("#tip");
  let shown = null;
  const show = (mark, x, y) => {
    const [title, rows] = rowsOf(mark.dataset.tip);
    tip.replaceChildren();
    const head = document.createElement("b");
    head.textContent = title;
    tip.append(head);
    const list = document.createElement("dl");
    for (const [name, value] of rows) {
      const key = document.createElement("dt");
      const text = document.createElement("dd");
      key.textContent = word(name);
      text.textContent = value;
      list.append(key, text);
    }
    if (rows.length) tip.append(list);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - width - 8)) + "px";
    tip.style.top = Math.max(8, y + 18 + height > innerHeight ? y - height - 12 : y + 18) + "px";
    if (shown) shown.classList.remove("on");
    shown = mark;
    mark.classList.add("on");
  };
  const hide = () => { tip.hidden = true; if (shown) shown.classList.remove("on"); shown = null; };
  document.addEventListener("pointermove", (event) => {
    const mark = event.target.closest?.("[data-tip]");
    if (mark) show(mark, event.clientX, event.clientY);
    else if (shown && document.activeElement !== shown) hide();
    const row = event.target.closest?.("tr[data-l]");
    light(row);
  });
  document.addEventListener("focusin", (event) => {
    const mark = event.target.closest?.("[data-tip]");
    if (!mark) return hide();
    const box = mark.getBoundingClientRect();
    show(mark, box.left + Math.min(box.width / 2, 200), box.top + box.height / 2);
  });
  document.addEventListener("scroll", () => { if (shown && document.activeElement !== shown) hide(); }, { passive: true });
  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.("[data-link]");
    if (mark) location.hash = mark.dataset.link;
  });

  // Lines that come from one line of the source.
  let lit = "";
  const light = (row) => {
    const key = row ? row.dataset.l : "";
    if (key === lit) return;
    for (const other of all("tr.lit")) other.classList.remove("lit");
    lit = key;
    if (!row) return;
    const same = all('tr[data-l="' + CSS.escape(key) + '"]', row.closest(".pair") || document);
    for (const other of same) other.classList.add("lit");
    const frame = row.closest(".listing-frame");
    const first = same.find((other) => other.closest(".listing-frame") !== frame && other.offsetParent);
    if (first) {
      const far = first.closest(".listing-frame");
      const top = first.offsetTop - far.clientHeight / 3;
      if (first.offsetTop < far.scrollTop || first.offsetTop > far.scrollTop + far.clientHeight - 30) far.scrollTop = top;
    }
  };

  // Tabs.
  for (const tabs of all(".tabs")) {
    const panels = all(":scope > .panel", tabs);
    if (panels.length < 2) continue;
    const list = document.createElement("div");
    list.className = "tab-list";
    list.setAttribute("role", "tablist");
    panels.forEach((panel, index) => {
      const name = one(".panel-name", panel);
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("role", "tab");
      button.append(...[...name.childNodes].map((node) => node.cloneNode(true)));
      button.addEventListener("click", () => choose(index));
      button.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        const next = (index + by + panels.length) % panels.length;
        choose(next);
        list.children[next].focus();
      });
      panel.setAttribute("role", "tabpanel");
      name.classList.add("named");
      list.append(button);
    });
    const choose = (chosen) => panels.forEach((panel, index) => {
      panel.hidden = index !== chosen;
      list.children[index].setAttribute("aria-selected", index === chosen);
      list.children[index].tabIndex = index === chosen ? 0 : -1;
    });
    tabs.prepend(list);
    choose(0);
  }

  // Filters: groups of marks, and the list of pages.
  for (const box of all("[data-filter-group]")) {
    box.addEventListener("change", () => {
      const within = box.closest(".panel") || box.closest(".filtered");
      for (const mark of all('[data-group="' + box.dataset.filterGroup + '"]', within)) mark.classList.toggle("off", !box.checked);
    });
  }
  const filter = one("#filter");
  filter.addEventListener("input", () => {
    const text = filter.value.trim().toLowerCase();
    let any = false;
    let group = null;
    let seen = false;
    for (const element of one("#side").children) {
      if (element.matches("p.group")) {
        group = element;
        seen = element.textContent.toLowerCase().includes(text);
        element.hidden = !seen;
        any ||= seen;
      } else if (element.matches("ul")) {
        for (const item of element.children) {
          const found = seen || item.textContent.toLowerCase().includes(text);
          item.hidden = !found;
          if (found && group) group.hidden = false;
          any ||= found;
        }
        seen = false;
        group = null;
      }
    }
    one(".none-found").hidden = any;
  });
  filter.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      const item = all("#side li").find((other) => !other.hidden && !other.closest("[hidden]"));
      const link = item && one("a", item);
      if (link) location.hash = link.getAttribute("href");
    }
    if (event.key === "Escape") { filter.value = ""; filter.dispatchEvent(new Event("input")); filter.blur(); }
  });

  // Buttons and keys.
  one("#theme").addEventListener("click", otherTheme);
  one("#language").addEventListener("click", otherLanguage);
  one("#helper").addEventListener("click", () => one("#help").showModal());
  one("#menu").addEventListener("click", () => root.classList.toggle("menu"));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
    if (one("#help").open) return;
    const mark = event.target.closest?.("[data-tip]");
    const along = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (mark && along) {
      event.preventDefault();
      const marks = all("[data-tip]", mark.closest("svg.chart, .bars, table, .stack") || document).filter((other) => other.getClientRects().length);
      marks[(marks.indexOf(mark) + along + marks.length) % marks.length].focus();
    } else if (mark && event.key === "Enter" && mark.dataset.link) location.hash = mark.dataset.link;
    else if (event.key === "Escape") { hide(); root.classList.remove("menu"); }
    else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "/") { event.preventDefault(); root.classList.add("menu"); filter.focus(); }
    else if (event.key === "d") otherTheme();
    else if (event.key === "l") otherLanguage();
    else if (event.key === "?") one("#help").showModal();
  });

  setTheme(kept("theme"));
  // The browser scrolls to the address after the page is laid out; a page begins at its top.
  addEventListener("load", () => requestAnimationFrame(() => scrollTo(0, 0)));
  addEventListener("hashchange", () => { route(); one("#main").focus({ preventScroll: true }); });
  setLanguage(kept("language") || root.dataset.language || ((navigator.language || "").startsWith("zh") ? "zh" : "en"));
  route();
})();
