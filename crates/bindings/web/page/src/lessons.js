// The lessons: exercises, and the rungs of the ladders with their counts and predicted times.
import { duration, el, thousands } from "./dom.js";
import { lineNotes } from "./results.js";
import { chineseNow, say, told } from "./words.js";

const stored = (key, value) => { try { if (value === undefined) return localStorage.getItem(key); localStorage.setItem(key, value); } catch { /* storage is off */ } return null; };

export class Lessons {
  #all = [];
  /** The counts and times of kernels by source and lesson. */
  #measured = new Map();
  #verdict = null;
  current = null;
  table = null;

  /** `page` has the editor, the engine, and functions to open a source, to begin and end a run, and to show its results. */
  constructor(box, page) {
    this.box = box;
    this.page = page;
  }

  set all(list) { this.#all = list; }

  find = (name) => this.#all.find((one) => one.name === name) ?? null;

  /** Selects the lesson of a state. */
  select(name) {
    this.current = this.find(name);
    this.draw();
  }

  /** The state that opens a lesson: its source and its launch. */
  state(name, source = null) {
    const one = this.find(name);
    if (!one) return null;
    const kernel = /__global__\s+void\s+(\w+)/.exec(one.source)?.[1];
    const known = { grid: one.grid.join("x"), block: one.block.join("x"), shared: `${one.shared ?? 0}`, values: one.arguments };
    return { source: source ?? one.source, lesson: one.name, form: { what: kernel, kernels: { [kernel]: known } } };
  }

  #title = (one) => (one.ladder ? `${chineseNow() ? one.ladder.zh : one.ladder.title}` : say("lessons"));
  #name = (one) => (one.ladder ? one.name.split("/")[1] : told(one.name));
  #group = (one) => this.#all.filter((other) => (other.ladder?.name ?? "") === (one.ladder?.name ?? ""));

  /** The groups of the menu. */
  groups() {
    const first = this.#all.filter((one) => this.#group(one)[0] === one);
    return first.map((one) => el("optgroup", { label: this.#title(one) }, this.#group(one).map((lesson, at) => el("option", { value: `lesson/${lesson.name}` }, `${stored(`solved/${lesson.name}`) ? "✓ " : ""}${at + 1}. ${this.#name(lesson)}`))));
  }

  draw(verdict = null) {
    const { box, current: one } = this;
    this.#verdict = verdict;
    this.table = null;
    box.hidden = !one;
    if (!one) return;
    const group = this.#group(one), at = group.indexOf(one), next = group[at + 1];
    const goals = one.goals.map((goal) => `${told(goal.name)} ${goal.most === null ? `≥ ${thousands(goal.least)}` : `≤ ${thousands(goal.most)}`}`);
    if (one.most_us) goals.push(`${say("time")} (${one.gpu}, n = ${one.sizes[1]}) ≤ ${duration(one.most_us * 1e3)}`);
    const go = (to, label) => (to ? el("button", { type: "button", "aria-label": label.length === 1 ? `${label} ${this.#name(to)}` : label, onclick: () => this.page.choose(`lesson/${to.name}`) }, label) : null);
    const check = el("button", { type: "button", id: "solve", className: "primary", onclick: () => this.#solve() }, say("check_lesson"));
    const solution = one.solution ? el("button", { type: "button", id: "solution", onclick: () => { this.page.open(this.state(one.name, one.solution)); } }, say("solution")) : null;
    const result = verdict ? el("p", { id: "verdict", className: verdict.solved ? "solved" : "bad" }, verdict.solved ? `✓ ${say("solved")}` : `${say("not_solved")}: ${told(verdict.why)}`, verdict.solved || !verdict.help || one.ladder ? "" : el("span", { className: "faint" }, ` ${told(verdict.help)}`)) : null;
    const hints = one.hints.length ? el("details", {}, el("summary", {}, say("hints")), el("ol", {}, one.hints.map((hint) => el("li", {}, told(hint))))) : null;
    const heading = `${one.ladder ? `${this.#title(one)} ` : ""}${at + 1}/${group.length}: ${this.#name(one)}`;
    const parts = [
      el("h2", {}, heading, one.experiment ? el("span", { className: "faint" }, ` ${one.experiment}`) : null), el("p", {}, chineseNow() && one.zh ? one.zh : told(one.task).replace(/^./, (letter) => letter.toUpperCase())),
      goals.length ? el("p", { className: "faint" }, `${say("goal")}: ${goals.join(chineseNow() ? "；" : "; ")}`) : null,
      el("div", { className: "controls" }, check, solution, go(group[at - 1], "←"), go(next, verdict?.solved && next ? `${say("next_lesson")}: ${this.#name(next)}` : "→")), result, hints,
    ];
    // The page shows it in its panel of comparisons.
    this.table = one.ladder && one.arguments.length ? el("div", { className: "scroll", tabIndex: 0, role: "group", "aria-label": say("rungs") }) : null;
    box.replaceChildren(...parts.filter(Boolean));
    this.#rows();
  }

  /** Measures a source as a rung, once. */
  async #measure(rung, source) {
    const key = `${rung.name}\n${source}`;
    if (!this.#measured.has(key)) this.#measured.set(key, this.page.engine.ask({ do: "rung", lesson: rung.name, source }));
    const found = await this.#measured.get(key);
    // A stopped run says nothing about the kernel.
    if (found.stopped || found.trap) this.#measured.delete(key);
    return found;
  }

  /** The table of the rung before, this rung, and a solution of the learner's. */
  async #rows() {
    const { current: one, table } = this;
    if (!table) return;
    const group = this.#group(one), before = group[group.indexOf(one) - 1];
    const rows = [...(before ? [[this.#name(before), before, before.solution]] : []), [`${this.#name(one)}`, one, one.solution]];
    if (this.#verdict?.solved && this.#verdict.source.trim() !== one.solution.trim()) rows.push([say("yours"), one, this.#verdict.source]);
    const found = [];
    for (const [name, rung, source] of rows) {
      if (this.table !== table) return;
      found.push([name, await this.#measure(rung, source)]);
    }
    const each = (key, group) => ({ counters }) => (counters[key]?.requests ? (counters[key][group] / counters[key].requests).toFixed(1) : "–");
    const counts = [
      [say("warp_instructions"), ({ counters }) => thousands(counters.warp_instructions)],
      [say("load_sectors"), each("global_load", "sectors")],
      [say("store_sectors"), each("global_store", "sectors")],
      [say("shared_loads"), ({ counters }) => thousands(counters.shared_load?.requests ?? 0)],
      [say("conflicts"), ({ counters }) => thousands((counters.shared_load?.bank_conflicts ?? 0) + (counters.shared_store?.bank_conflicts ?? 0))],
    ];
    const row = (name, cell) => el("tr", {}, el("th", { scope: "row" }, name), found.map(([, measured]) => el("td", { className: "n" }, cell(measured))));
    const body = [
      ...counts.map(([name, cell]) => row(name, (measured) => (measured.profile ? cell(measured.profile) : "–"))),
      row(`${say("time")} (${one.gpu}, n = ${one.sizes[1]})`, ({ prediction }) => (prediction?.predicted_ns ? duration(prediction.predicted_ns) : "–")),
    ];
    const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, `n = ${one.sizes[0]}`), found.map(([name]) => el("th", { scope: "col", className: "n" }, name))));
    const failed = found.filter(([, measured]) => !measured.profile).map(([name, measured]) => el("p", { className: "bad" }, `${name}: ${told(measured.error ?? measured.trap ?? say("stopped"))}`));
    table.replaceChildren(el("h3", {}, say("rungs")), el("table", { id: "rungs" }, head, el("tbody", {}, body)), ...failed);
  }

  async #solve() {
    const { current: one, page } = this, source = page.editor.text();
    page.begin();
    const found = await page.engine.ask({ do: "solve", lesson: one.name, source });
    page.end();
    if (found.stopped || this.current !== one) return;
    if (found.trap || found.error) {
      page.editor.showProblems(found.diagnostics ?? []);
      page.status(say("not_solved"), "bad");
      return this.draw({ solved: false, why: found.trap ?? found.error, help: found.help });
    }
    if (found.solved) stored(`solved/${one.name}`, "1");
    this.draw({ ...found, source });
    const answer = { findings: found.findings ?? [], fault: found.fault ?? null, checked: true };
    page.editor.showNotes(lineNotes(answer));
    page.showAnswer(answer, found.fault ? "output" : found.solved && this.table ? "compare" : "findings");
    page.status(found.solved ? say("solved") : say("not_solved"), found.solved ? "good" : "bad");
  }
}
