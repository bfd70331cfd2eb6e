// The page: sources, runs and their results.
import { Engine } from "./engine.js";
import { Form } from "./form.js";
import { el, thousands } from "./dom.js";
import { makeEditor } from "./editor.js";
import { Lessons } from "./lessons.js";
import { drawAccess } from "./picture.js";
import { comparePanel, countsPanel, findingsPanel, lineHeat, lineNotes, outputPanel, timePanel } from "./results.js";
import { isolate, keep } from "./offline.js";
import { packed, unpacked } from "./share.js";
import { stepsPanel } from "./steps.js";
import { chineseNow, say, setLanguage, told } from "./words.js";
import examples from "./examples.json";

const TABS = ["output", "findings", "accesses", "steps", "counts", "time", "compare", "ptx"];
const $ = (id) => document.getElementById(id);
const stored = (key, value) => { try { if (value === undefined) return localStorage.getItem(key); localStorage.setItem(key, value); } catch { /* storage is off */ } return null; };

const engine = new Engine();
let gpus = [], described = { kernels: [], has_main: false, ptx: "" };
let answer = null, kept = null, running = false, opened = "", look = { launch: 1, line: 0, block: 0, warp: 0 }, tab = "output", timer = null, version = 0;

const form = new Form($("fields"), () => save(), () => gpus, () => engine.threads);
const editor = makeEditor($("editor"), {
  text: "", label: "CUDA C++", onEdit: edited,
  keys: [{ key: "Ctrl-Enter", run: () => go("run") }, { key: "Ctrl-Shift-Enter", run: () => go("check") }, { key: "Alt-Enter", run: () => go("measure") }],
});
const lessons = new Lessons($("lesson"), { editor, engine, begin, end, status, open, choose: (value) => { $("open").value = value; choose(); }, showAnswer: (found, name) => { answer = found; show(name); drawMenu(); } });
// Tests and scripts of other pages find the editor here.
$("editor").editor = editor;
const lineText = (line) => { const doc = editor.view.state.doc; return line >= 1 && line <= doc.lines ? doc.line(line).text : ""; };

function status(text, kind = "") {
  $("status").textContent = text;
  $("status").className = kind;
}

// Sources.

function edited() {
  if (opened) { opened = ""; }
  editor.showHere(0);
  clearTimeout(timer);
  timer = setTimeout(compile, 350);
}

async function compile() {
  if (running) return;
  const own = ++version;
  // A source may make the compiler compute for ever, and nobody has asked for this run.
  let slow = false;
  const patience = setTimeout(() => { slow = !running; if (slow) engine.stop(); }, 15_000);
  const found = await engine.ask({ do: "compile", source: editor.text() });
  clearTimeout(patience);
  if (slow) return status(say("slow_compile"), "bad");
  if (own !== version || found.stopped) return;
  if (found.trap) return status(failure(found.trap), "bad");
  described = found.ok || found.kernels?.length ? found : { ...described, ptx: "", diagnostics: found.diagnostics };
  editor.showProblems(found.diagnostics ?? []);
  if (found.ok) form.describe(found);
  save();
  if (tab === "ptx") show();
}

function save() {
  stored("lab", JSON.stringify({ source: editor.text(), form: form.state(), lesson: lessons.current?.name }));
}

function open(state, name = "") {
  version += 1;
  answer = null;
  form.restore(state.form ?? { what: "program", kernels: {} });
  editor.replace(state.source);
  opened = name;
  lessons.select(state.lesson);
  show(lessons.table ? "compare" : "output");
  compile();
}

function choose() {
  const value = $("open").value, at = value.indexOf("/"), name = value.slice(at + 1);
  open(value.startsWith("lesson/") ? lessons.state(name) : examples.find((one) => one.name === name));
}

function drawMenu() {
  const chosen = $("open").value;
  const name = (one) => (chineseNow() && one.zh ? one.zh : told(one.title ?? one.name));
  const group = (label, kind) => el("optgroup", { label: say(label) }, examples.filter((one) => one.group === kind).map((one) => el("option", { value: `example/${one.name}` }, name(one))));
  $("open").replaceChildren(el("option", { value: "" }, say("own")), group("programs", "program"), group("notes", "notes"), group("kernels", "kernel"), ...lessons.groups());
  $("open").value = chosen;
}

// Runs.

function begin() {
  running = true;
  for (const id of ["run", "check", "measure"]) $(id).disabled = true;
  $("stop").hidden = false;
  status(`${say("running")} …`);
}

function end() {
  running = false;
  for (const id of ["run", "check", "measure"]) $(id).disabled = false;
  $("stop").hidden = true;
}

function go(what) {
  if (!running) run(what);
  return true;
}

/** Removes the results of another source. */
function clear() {
  answer = null;
  editor.showNotes([]);
  editor.showHeat([]);
  show();
}

/** The text of a failure of the module. */
function failure(trap) {
  const why = /call stack/i.test(trap) ? say("too_deep") : /memory allocation|out of memory|capacity overflow/i.test(trap) ? say("no_memory") : trap;
  return `${say("failed")}: ${why}`;
}

async function run(what, chosen = null) {
  const source = editor.text();
  begin();
  if (!(await ready(source))) {
    end();
    return status(say("stopped"), "bad");
  }
  const { request, input, wrong: field } = form.request();
  if (field) {
    end();
    clear();
    return status(field, "bad");
  }
  const more = { run: {}, check: { check: true }, measure: { profile: true, predict: form.gpuNames, look: pickLook() }, look: { look: chosen } }[what];
  const found = await engine.ask({ do: "run", source, ...request, ...more }, input);
  end();
  if (found.stopped) return status(say("stopped"), "bad");
  if (found.trap || found.error) clear();
  if (found.trap) return status(failure(found.trap), "bad");
  if (found.error) {
    if (found.diagnostics) editor.showProblems(found.diagnostics);
    const text = `${found.diagnostics ? `${say("not_compiled")}: ` : ""}${told(found.error)}${found.help ? ` (${told(found.help)})` : ""}`;
    return status(text, "bad");
  }
  if (what === "look") {
    answer.look = found.look;
  } else {
    answer = found;
    editor.showNotes(lineNotes(found));
    editor.showHeat(lineHeat(found));
  }
  const rate = found.warp_instructions / found.milliseconds / 1e3;
  const speed = found.warp_instructions > 1e6 && what === "run" ? `, ${rate.toFixed(0)} ${say("speed")}` : "";
  const wrong = found.findings.length > 0 || found.fault || found.host_fault;
  const text = what === "check" && !wrong ? say("no_findings") : found.findings.length > 0 ? `${found.findings.length} ${say(found.findings.length === 1 ? "found_one" : "found")}` : found.fault ? say("fault") : found.host_fault ? say("program_stopped") : "";
  const threads = `, ${found.threads} ${say(found.threads === 1 ? "host_thread" : "host_threads")}`;
  status(`${text ? `${text}; ` : ""}${thousands(found.warp_instructions)} ${say("warp_instructions")}, ${(found.milliseconds / 1e3).toFixed(2)} s${speed}${threads}`, wrong ? "bad" : "good");
  const target = what === "look" ? tab : found.findings.length > 0 ? "findings" : what === "check" ? "findings" : what === "measure" && !wrong ? (["counts", "time", "accesses", "steps", "compare"].includes(tab) ? tab : "counts") : "output";
  show(target);
}

/** Waits until the form belongs to the present source. Returns whether nobody has stopped this. */
async function ready(source) {
  clearTimeout(timer);
  const own = ++version;
  const found = await engine.ask({ do: "compile", source });
  if (found.stopped) return false;
  if (own !== version || found.trap) return true;
  editor.showProblems(found.diagnostics ?? []);
  if (found.kernels?.length || found.has_main) { described = found; form.describe(found); }
  return true;
}

const pickLook = () => ({ launch: look.launch, block: look.block, warp: look.warp, ...(look.line > 0 ? { line: look.line } : {}) });

// Panels.

function lookControls() {
  const number = (id, key, least) => el("label", {}, say(id), el("input", { id, type: "number", min: least, value: look[key] || (least > 0 ? least : key === "line" ? "" : 0), onchange: (event) => { look[key] = Math.max(0, Math.round(Number(event.target.value))); } }));
  return el("form", { className: "controls", onsubmit: (event) => { event.preventDefault(); if (!running && answer) run("look", pickLook()); } }, number("look_launch", "launch", 1), number("look_line", "line", 0), number("look_block", "block", 0), number("look_warp", "warp", 0), el("button", {}, say("show")));
}

function accessesPanel() {
  if (!answer?.look) return el("p", { className: "faint" }, say("press_measure"));
  if (answer.look.error) return el("div", {}, lookControls(), el("p", { className: "bad" }, told(answer.look.error), el("span", { className: "faint" }, ` ${told(answer.look.help)}`)));
  const { line, accesses, kernel, block, warp } = answer.look;
  const head = el("p", {}, el("button", { type: "button", className: "link", onclick: () => editor.goTo(line) }, `${say("line")} ${line}`), " ", el("code", {}, lineText(line).trim()), el("span", { className: "faint" }, ` ${kernel}, ${say("look_block")} ${block}, ${say("look_warp")} ${warp}`));
  return el("div", {}, lookControls(), line > 0 ? head : null, accesses.length ? accesses.map(drawAccess) : el("p", { className: "faint" }, say("no_access")));
}

const panels = {
  output: () => (answer ? outputPanel(answer, editor.goTo) : el("p", { className: "faint" }, `${say("nothing_yet")} ${say("press_run")} ${say("press_check")} ${say("press_measure")}`)),
  findings: () => findingsPanel(answer ?? {}, editor.goTo),
  accesses: accessesPanel,
  steps: () => (answer?.look?.steps ? stepsPanel(answer.look, { showLine: editor.showHere, lineText }) : el("p", { className: "faint" }, say("press_measure"))),
  counts: () => countsPanel(answer ?? {}, editor.goTo, lineText),
  time: () => timePanel(answer ?? {}, editor.goTo, lineText),
  compare: () => (lessons.table ? el("div", {}, lessons.table, kept ? comparePanel(kept, answer) : null) : comparePanel(kept, answer)),
  ptx: () => el("pre", { tabIndex: 0, "aria-label": "PTX" }, described.ptx ?? ""),
};

function show(name = tab) {
  tab = name;
  const count = answer?.findings?.length ?? 0;
  $("tabs").replaceChildren(...TABS.map((one) => el("button", {
    id: `tab-${one}`, role: "tab", "aria-selected": `${one === tab}`, "aria-controls": "panel", tabIndex: one === tab ? 0 : -1, onclick: () => show(one),
    onkeydown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      show(TABS[(TABS.indexOf(one) + step + TABS.length) % TABS.length]);
      $(`tab-${tab}`).focus();
    },
  }, say(one), one === "findings" && count > 0 ? el("span", { className: "count bad" }, `${count}`) : null)));
  if (tab !== "steps") editor.showHere(0);
  const panel = el("div", { id: "panel", role: "tabpanel", "aria-labelledby": `tab-${tab}`, tabIndex: 0 });
  panel.append(panels[tab]());
  $("panels").replaceChildren(panel);
}

// Settings of the page.

function theme(name) {
  document.documentElement.dataset.theme = name;
  stored("theme", name);
  if (tab === "steps") show();
}

async function language(code) {
  await setLanguage(code);
  stored("language", code);
  drawMenu();
  lessons.draw();
  form.draw();
  show();
}

async function share() {
  location.hash = await packed({ source: editor.text(), form: form.state(), lesson: lessons.current?.name });
  await navigator.clipboard?.writeText(location.href).then(() => status(say("copied"), "good"), () => status(`${say("link")}: ${location.href}`));
}

async function start() {
  if (await isolate()) return;
  theme(stored("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  await language(stored("language") ?? (navigator.language.startsWith("zh") ? "zh" : "en"));
  for (const what of ["run", "check", "measure"]) $(what).onclick = () => go(what);
  $("stop").onclick = () => engine.stop();
  $("share").onclick = share;
  $("open").onchange = () => { if ($("open").value) choose(); };
  $("language").onclick = () => language(chineseNow() ? "en" : "zh");
  $("theme").onclick = () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  $("keep").onclick = () => { if (answer?.kernels?.some((kernel) => kernel.profile)) { kept = answer; status(say("kept"), "good"); } else status(say("press_measure")); show(); };
  $("launch").onsubmit = (event) => { event.preventDefault(); go("run"); };
  let moduleFile = "";
  begin();
  $("stop").hidden = true;
  const progress = el("progress", { max: 1, value: 0, "aria-label": say("loading") });
  $("status").replaceChildren(`${say("loading")} `, progress);
  try {
    moduleFile = await engine.load((part) => { progress.value = part; });
  } catch (why) {
    return status(`${say("loading")}: ${why.message}`, "bad");
  }
  [gpus, lessons.all] = await Promise.all([engine.ask({ do: "gpus" }), engine.ask({ do: "lessons" })]);
  end();
  drawMenu();
  const last = () => { try { return JSON.parse(stored("lab")); } catch { return null; } };
  const named = location.hash.slice(1), wanted = examples.find((one) => one.name === named) ?? lessons.state(named);
  open((await unpacked(location.hash.slice(1))) ?? wanted ?? (last()?.source ? last() : examples[0]));
  status(say("ready"), "good");
  document.documentElement.dataset.ready = "yes";
  addEventListener("hashchange", async () => { const state = await unpacked(location.hash.slice(1)); if (state && state.source !== editor.text()) open(state); });
  keep(moduleFile).then((works) => { if (works) document.documentElement.dataset.offline = "yes"; });
}

start();
