// Small helpers for elements, and the tip that follows the pointer or the focus.

/** An element with properties and children. `on...` are listeners, `data` and `aria` attributes. */
export function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  set(made, properties);
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** The same in SVG. */
export function svg(name, properties = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity));
  return made;
}

function set(made, properties) {
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key.includes("-") || ["role", "for", "scope", "colspan", "list"].includes(key)) made.setAttribute(key, value);
    else made[key] = value;
  }
}

const tip = () => document.getElementById("tip");

/** Shows a text next to an element. */
export function showTip(target, text) {
  const box = tip();
  box.textContent = text;
  box.hidden = false;
  const at = target.getBoundingClientRect(), own = box.getBoundingClientRect();
  const x = Math.min(Math.max(8, at.left + at.width / 2 - own.width / 2), innerWidth - own.width - 8);
  const y = at.top - own.height - 8 > 8 ? at.top - own.height - 8 : Math.min(at.bottom + 8, innerHeight - own.height - 8);
  box.style.left = `${x}px`;
  box.style.top = `${y}px`;
}

export function hideTip() {
  tip().hidden = true;
}

/** A cell of a picture: shows `text` on hover and on focus; arrow keys move to its neighbors. */
export function tipped(cell, text) {
  cell.setAttribute("aria-label", text.replaceAll("\n", "; "));
  const show = () => showTip(cell, text);
  cell.addEventListener("pointerenter", show);
  cell.addEventListener("pointerleave", hideTip);
  cell.addEventListener("focus", show);
  cell.addEventListener("blur", hideTip);
  return cell;
}

/** Lets arrow keys move through the cells of a drawing; only one of them is in the order of the Tab key. */
export function rove(drawing, selector) {
  const cells = [...drawing.querySelectorAll(selector)];
  cells.forEach((cell, index) => cell.setAttribute("tabindex", index === 0 ? 0 : -1));
  drawing.addEventListener("keydown", (event) => {
    const at = cells.indexOf(event.target);
    if (event.key === "Escape") hideTip();
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (at < 0 || !step) return;
    event.preventDefault();
    const next = cells[(at + step + cells.length) % cells.length];
    cells[at].setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  });
}

/** A count with separators. */
export const thousands = (count) => Math.round(count).toLocaleString("en-US");

/** Nanoseconds in the unit that suits them. */
export function duration(ns) {
  if (ns < 1e3) return `${ns.toFixed(0)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  if (ns < 1e9) return `${(ns / 1e6).toFixed(2)} ms`;
  return `${(ns / 1e9).toFixed(2)} s`;
}

/** Lanes as ranges: `0-7, 12`. */
export function ranges(lanes) {
  const parts = [];
  for (let at = 0; at < lanes.length; at += 1) {
    const first = at;
    while (lanes[at + 1] === lanes[at] + 1) at += 1;
    parts.push(first === at ? `${lanes[at]}` : `${lanes[first]}-${lanes[at]}`);
  }
  return parts.join(", ");
}
