// The steps of a block: a timeline of the active lanes of each warp, and one warp step by step, with its line in the editor and the registers
// that each instruction reads and writes.
import { el } from "./dom.js";
import { say } from "./words.js";

const bits = (mask) => { let count = 0; for (let rest = mask >>> 0; rest; rest &= rest - 1) count += 1; return count; };

/** The steps by warp: arrays of `{ instruction, mask, at }`, in the order of execution. */
function byWarp(flat) {
  const warps = new Map();
  for (let at = 0; at + 2 < flat.length; at += 3) {
    const warp = flat[at];
    if (!warps.has(warp)) warps.set(warp, []);
    warps.get(warp).push({ instruction: flat[at + 1], mask: flat[at + 2] });
  }
  return [...warps].sort(([a], [b]) => a - b);
}

/** The values of registers: `at(register, step)` is the value before a step, one for all lanes or 32. */
function registerHistory({ steps }) {
  const writes = new Map();
  steps.forEach((step, index) => {
    for (const [register, value] of step) {
      if (!writes.has(register)) writes.set(register, []);
      writes.get(register).push([index, value]);
    }
  });
  return (register, step) => writes.get(register)?.findLast(([index]) => index < step)?.[1];
}

const short = (value) => (typeof value === "number" && !Number.isInteger(value) ? `${Number(value.toPrecision(5))}` : `${value}`);

/** The registers of an instruction: what it reads, then what it writes. */
function registerTable(registers, valueAt, { instruction, mask }, at) {
  const [reads, writes] = registers.uses[instruction] ?? [[], []];
  const row = (register, role, step) => {
    const value = valueAt(register, step);
    if (value === undefined) return null;
    const one = !Array.isArray(value), cells = one ? [el("td", { colspan: 32 }, `${say("all_lanes")}: ${short(value)}`)] : value.map((each, lane) => el("td", { className: `n ${(mask >>> lane) & 1 ? "" : "faint"}` }, short(each)));
    return el("tr", {}, el("th", { scope: "row" }, el("code", {}, registers.names[register])), el("td", { className: "faint" }, say(role)), cells);
  };
  const rows = [...reads.map((register) => row(register, "reads", at)), ...writes.map((register) => row(register, "writes", at + 1))].filter(Boolean);
  if (rows.length === 0) return [];
  const head = el("thead", {}, el("tr", {}, el("th", { scope: "col", colspan: 2 }, say("registers_here")), [...Array(32).keys()].map((lane) => el("th", { scope: "col", className: "n" }, `${lane}`))));
  return [el("table", { id: "registers" }, head, el("tbody", {}, rows))];
}

/** The panel for a look; `showLine` marks a line of the editor, `lineText` is the text of a line. */
export function stepsPanel(look, { showLine, lineText }) {
  const warps = byWarp(look.steps);
  if (warps.length === 0) return el("p", { className: "faint" }, say("nothing_yet"));
  let current = Math.max(0, warps.findIndex(([warp]) => warp === look.warp)), at = 0, timer = null;
  const longest = Math.max(...warps.map(([, steps]) => steps.length));
  const canvas = el("canvas", { className: "timeline", width: 880, height: Math.min(16, warps.length) * 20 + 4, tabIndex: 0, role: "img", "aria-label": say("warps_over_time") });
  const place = el("p", {}), code = el("pre", {}), values = el("div", { className: "scroll", tabIndex: 0, role: "group", "aria-label": say("registers_here") }), valueAt = look.registers && registerHistory(look.registers), lanes = el("div", { className: "lanes", role: "img" });
  const choice = el("select", { id: "step-warp", onchange: () => { current = Number(choice.value); at = 0; draw(); } }, warps.map(([warp], index) => el("option", { value: index, selected: index === current }, `${warp}`)));
  const move = (to) => { const last = warps[current][1].length - 1; at = Math.min(Math.max(0, to), last); draw(); };
  const here = (step) => {
    const steps = warps[current][1], line = look.instructions.lines[steps[at].instruction];
    for (let next = at + step; next >= 0 && next < steps.length; next += step) {
      if (look.instructions.lines[steps[next].instruction] === line && look.instructions.lines[steps[next - step]?.instruction] !== line) return move(next);
    }
    return null;
  };
  const play = el("button", { type: "button", onclick: () => {
    if (timer) { clearInterval(timer); timer = null; } else timer = setInterval(() => { if (!canvas.isConnected || at + 1 >= warps[current][1].length) { clearInterval(timer); timer = null; } else move(at + 1); play.textContent = say(timer ? "pause" : "play"); }, 120);
    play.textContent = say(timer ? "pause" : "play");
  } }, say("play"));
  const button = (text, action) => el("button", { type: "button", onclick: action }, say(text));
  const slider = el("input", { type: "range", min: 0, "aria-label": say("step"), oninput: () => move(Number(slider.value)) });
  const controls = el("div", { className: "controls" }, el("label", { for: "step-warp" }, say("look_warp"), choice), button("previous", () => move(at - 1)), button("next", () => move(at + 1)), button("previous_here", () => here(-1)), button("next_here", () => here(1)), play, slider);
  canvas.addEventListener("pointerdown", (event) => {
    const box = canvas.getBoundingClientRect();
    current = Math.min(warps.length - 1, Math.floor((((event.clientY - box.top) / box.height) * canvas.height) / 20));
    choice.value = `${current}`;
    move(Math.floor(((event.clientX - box.left) / box.width) * longest));
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], row = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) move(at + step);
    else if (row) { current = (current + row + warps.length) % warps.length; choice.value = `${current}`; move(at); } else return;
    event.preventDefault();
  });

  function draw() {
    const [warp, steps] = warps[current];
    slider.max = steps.length - 1;
    slider.value = at;
    const { instruction, mask } = steps[at];
    const line = look.instructions.lines[instruction];
    place.textContent = `${say("step")} ${at + 1} ${say("of")} ${steps.length}, ${say("look_warp")} ${warp}: ${bits(mask)} ${say("active")}`;
    code.textContent = `${line > 0 ? `${line}: ${lineText(line).trim()}` : ""}\n${look.instructions.names[instruction]}`;
    lanes.replaceChildren(...[...Array(32).keys()].map((lane) => el("span", { className: (mask >>> lane) & 1 ? "on" : "" }, `${lane}`)));
    lanes.setAttribute("aria-label", `${bits(mask)} ${say("active")}`);
    // The registers of one warp are recorded, up to a number of steps.
    values.replaceChildren(...(valueAt && warp === look.warp && at < look.registers.steps.length ? registerTable(look.registers, valueAt, steps[at], at) : []));
    showLine(line);
    paint();
  }

  function paint() {
    const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    const columns = Math.min(longest, canvas.width);
    warps.slice(0, 16).forEach(([, steps], row) => {
      context.fillStyle = ink("--free");
      context.fillRect(0, row * 20 + 2, (canvas.width * steps.length) / longest, 17);
      for (let column = 0; column < columns; column += 1) {
        const from = Math.floor((column * longest) / columns), to = Math.max(from + 1, Math.floor(((column + 1) * longest) / columns));
        let sum = 0, count = 0;
        for (let index = from; index < Math.min(to, steps.length); index += 1) { sum += bits(steps[index].mask); count += 1; }
        if (count === 0) break;
        const mean = sum / count;
        context.fillStyle = ink(mean < 32 ? "--conflict" : "--used");
        context.fillRect((canvas.width * column) / columns, row * 20 + 2 + 17 * (1 - mean / 32), Math.max(1, canvas.width / columns - (columns < 300 ? 1 : 0)), (17 * mean) / 32);
      }
    });
    if (current < 16) {
      context.fillStyle = ink("--mark");
      context.fillRect((canvas.width * at) / longest, current * 20, 2, 20);
    }
  }
  const more = look.omitted_steps > 0 ? el("p", { className: "faint" }, `${look.omitted_steps} ${say("omitted")}`) : null;
  const panel = el("div", {}, el("h3", {}, `${say("warps_over_time")}: ${look.kernel}, ${say("look_block")} ${look.block}`), canvas, controls, place, code, lanes, values, more);
  draw();
  return panel;
}
