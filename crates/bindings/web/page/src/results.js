// The panels of results: output and memory, findings, counters with their optimum, predicted times, and the comparison of two versions.
import { duration, el, thousands } from "./dom.js";
import { say, told } from "./words.js";

const triple = (at) => `(${at.join(",")})`;

/** A button that goes to a line. */
const lineLink = (line, goTo) => (line > 0 ? el("button", { type: "button", className: "link", onclick: () => goTo(line) }, `${say("line")} ${line}`) : "");

/** The most characters of output that the panel shows; more would stop the page for seconds. */
const SHOWN = 200_000;

/** The output: its start and its end if it is long, with a link to all of it. */
function printed(text) {
  if (text.length <= SHOWN) return el("pre", { id: "printed" }, text);
  // Whole lines, if they are not too long.
  const cut = text.lastIndexOf("\n", 0.75 * SHOWN) + 1, next = text.indexOf("\n", text.length - 0.25 * SHOWN) + 1;
  const start = cut > SHOWN / 2 ? cut : 0.75 * SHOWN, end = next > 0 && text.length - next > SHOWN / 8 ? next : text.length - 0.25 * SHOWN;
  const all = el("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" })), download: "output.txt" }, say("all_output"));
  const omitted = el("p", { className: "faint" }, `… ${thousands(end - start)} ${say("characters_omitted")} `, all);
  return el("div", {}, el("pre", { id: "printed" }, text.slice(0, start)), omitted, el("pre", {}, text.slice(end)));
}

/** The output of a run, its faults, and the memory of a kernel. */
export function outputPanel(answer, goTo) {
  const parts = [];
  if (answer.output) parts.push(printed(answer.output));
  if (answer.exit !== undefined && answer.exit !== 0) parts.push(el("p", { className: "bad" }, `${say("exit")} ${answer.exit}`));
  for (const fault of [answer.host_fault, answer.fault]) {
    if (!fault) continue;
    const where = fault.thread && fault.instruction ? `, ${say("thread")} ${triple(fault.thread)} ${say("of_block")} ${triple(fault.block)}` : "";
    parts.push(el("div", { className: "finding" }, el("h3", { className: "bad" }, fault === answer.fault ? `${say("fault")}: ` : "", told(fault.message)), el("p", { className: "where" }, lineLink(fault.line, goTo), where), el("p", {}, told(fault.help))));
  }
  for (const note of answer.notes ?? []) parts.push(el("p", { className: "faint" }, told(note)));
  if (answer.buffers?.length) {
    parts.push(el("h3", {}, say("memory_after")));
    for (const buffer of answer.buffers) parts.push(memory(buffer));
  }
  return el("div", {}, parts);
}

function memory(buffer) {
  const shape = buffer.shape.join(" × ");
  const summary = buffer.least === null ? "" : `, ${short(buffer.least)} … ${short(buffer.most)}, ⌀ ${short(buffer.mean)}`;
  const special = buffer.not_finite > 0 ? `, ${buffer.not_finite} NaN/inf` : "";
  const state = say(buffer.changed ? "changed" : "unchanged");
  const more = buffer.count > buffer.values.length ? ` + ${thousands(buffer.count - buffer.values.length)} ${say("more")}` : "";
  const list = el("div", { className: "values" }, buffer.values.map((value, index) => el("div", {}, el("span", { className: "faint" }, `${index} `), short(value))));
  return el("details", { className: "buffer", open: buffer.changed }, el("summary", {}, el("b", {}, buffer.name), ` ${buffer.number}[${shape}] ${state}${summary}${special}`), list, el("p", { className: "faint" }, more));
}

const short = (value) => (typeof value === "number" ? `${Number(value.toPrecision(6))}` : value);

/** The findings of a check. */
export function findingsPanel(answer, goTo) {
  const list = answer.findings ?? [];
  if (list.length === 0) return el("p", { className: answer.checked ? "good" : "faint" }, answer.checked ? say("no_findings") : say("press_check"));
  return el("div", {}, list.map((one) => {
    const where = [lineLink(one.line, goTo), one.kernel ? ` ${say("thread")} ${triple(one.thread)} ${say("of_block")} ${triple(one.block)}, ${one.kernel}` : "", one.count > 1 ? ` (${thousands(one.count)} ${say("times")})` : ""];
    const other = one.other?.line > 0 ? el("p", { className: "where" }, `${say("other_access")}: `, lineLink(one.other.line, goTo), ` ${say("thread")} ${triple(one.other.thread)} ${say("of_block")} ${triple(one.other.block)}`) : null;
    return el("article", { className: `finding ${one.level}` }, el("h3", {}, `${one.kind}: `, told(one.message)), el("p", { className: "where" }, where), other, el("p", {}, told(one.help)));
  }));
}

/** Findings and faults as notes next to the lines of the editor. */
export function lineNotes(answer) {
  const notes = [];
  for (const one of answer.findings ?? []) {
    notes.push({ line: one.line, text: `${one.kind}: ${told(one.message)}`, help: told(one.help), level: one.level });
    if (one.other?.line > 0 && one.other.line !== one.line) notes.push({ line: one.other.line, other: true });
  }
  for (const fault of [answer.fault, answer.host_fault]) if (fault) notes.push({ line: fault.line, text: told(fault.message), help: told(fault.help), level: "error" });
  return notes;
}

const own = (profile) => profile.lines.filter((line) => line.file === "kernel.cu");

/** The share of each line, for the gutter. */
export function lineHeat(answer) {
  const shares = new Map();
  for (const kernel of answer.kernels ?? []) for (const line of kernel.profile ? own(kernel.profile) : []) shares.set(line.line, Math.max(shares.get(line.line) ?? 0, line.share));
  return [...shares].filter(([, share]) => share >= 0.005).map(([line, share]) => ({ line, share, text: `${(100 * share).toFixed(0)} %` }));
}

const ratio = (above, below) => (below > 0 ? above / below : 0);

/** The main counters of a profile: name, value, optimum. */
function totals(profile) {
  const { counters } = profile;
  const rows = [[say("warp_instructions"), counters.warp_instructions, null]];
  for (const [key, group] of Object.entries(counters)) {
    if (typeof group !== "object" || !group.requests) continue;
    const name = key.replace("_", " ");
    if (group.sectors !== undefined) rows.push([`${name}: ${say("sectors")}`, group.sectors, group.ideal_sectors ?? null]);
    if (group.wavefronts !== undefined) rows.push([`${name}: ${say("wavefronts")}`, group.wavefronts, group.wavefronts - (group.bank_conflicts ?? 0)]);
  }
  rows.push([say("divergent"), counters.divergent_branches, null]);
  return rows;
}

const title = (kernel) => `${kernel.kernel}, ${kernel.grid.join("×")} × ${kernel.block.join("×")}${kernel.launches > 1 ? `, ${kernel.launches} ${say("launches")}` : ""}`;

/** The counters of each kernel, as a whole and by line. */
export function countsPanel(answer, goTo, lineText) {
  const counted = (answer.kernels ?? []).filter((kernel) => kernel.profile);
  if (counted.length === 0) return el("p", { className: "faint" }, say("press_measure"));
  return el("div", {}, counted.map((kernel) => {
    const profile = kernel.profile, resources = profile.resources;
    const summary = totals(profile).map(([name, value, best]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { className: `n ${best !== null && value > best ? "over" : ""}` }, thousands(value)), el("td", { className: "n faint" }, best === null ? "" : thousands(best))));
    const lines = own(profile).sort((a, b) => b.share - a.share).slice(0, 40).map((line) => el("tr", {},
      el("td", {}, lineLink(line.line, goTo)), el("td", { className: "share" }, el("span", { className: "bar" }, el("i", { style: `width:${(100 * line.share).toFixed(1)}%` })), ` ${(100 * line.share).toFixed(1)} %`), el("td", { className: "n" }, thousands(line.counters.warp_instructions)),
      el("td", {}, el("code", {}, lineText(line.line).trim()), line.remarks.map((remark) => el("div", { className: "remark" }, told(remark))))));
    const head = (...names) => el("thead", {}, el("tr", {}, names.map(([name, n]) => el("th", { scope: "col", className: n ? "n" : "" }, name))));
    return el("section", {}, el("h3", {}, title(kernel)),
      el("p", { className: "faint" }, `${say("occupancy")}: ${resources.resident_blocks} (${(100 * resources.occupancy).toFixed(0)} %, ${told(resources.limiter)}); ${resources.registers} ${say("registers")}, ${resources.shared_bytes} B ${say("shared_memory")}; ${profile.gpu}`),
      el("div", { className: "scroll" }, el("table", {}, head([say("counter")], [say("value"), true], [say("optimum"), true]), el("tbody", {}, summary))),
      el("div", { className: "scroll" }, el("table", {}, head([say("line")], [say("share_of")], [say("warp_instructions"), true], [say("code")]), el("tbody", {}, lines))));
  }));
}

/** The predicted times of each kernel on each GPU. */
export function timePanel(answer, goTo, lineText) {
  const predicted = (answer.kernels ?? []).filter((kernel) => kernel.predictions.length > 0);
  if (predicted.length === 0) return el("p", { className: "faint" }, say("press_measure"));
  return el("div", {}, predicted.map((kernel) => {
    const good = kernel.predictions.filter((one) => one.predicted_ns);
    const most = Math.max(...good.map((one) => one.interval_ns[1]));
    const rows = kernel.predictions.map((one) => {
      if (one.error) return el("tr", {}, el("th", { scope: "row" }, one.gpu), el("td", { colspan: 4, className: "bad" }, told(one.error)));
      const at = (ns) => `${((100 * ns) / most).toFixed(1)}%`;
      const bar = el("span", { className: "interval" }, el("i", { style: `left:${at(one.interval_ns[0])};width:${at(one.interval_ns[1] - one.interval_ns[0])}` }), el("b", { style: `left:${at(one.predicted_ns)}` }));
      return el("tr", {}, el("th", { scope: "row" }, one.gpu), el("td", { className: "n" }, duration(one.predicted_ns)), el("td", {}, bar, el("span", { className: "faint" }, `${duration(one.interval_ns[0])} – ${duration(one.interval_ns[1])}`)), el("td", {}, `${told(one.limiter)} (${(100 * one.use).toFixed(0)} %)`), el("td", {}, `${one.resident_blocks} (${told(one.resident_limit)})`));
    });
    const first = good[0];
    const lost = (first?.lines ?? []).filter((line) => line.file === "kernel.cu").slice(0, 8).map((line) => {
      const [reason] = Object.entries(line.lost).sort((a, b) => b[1] - a[1])[0] ?? [""];
      return el("tr", {}, el("td", {}, lineLink(line.line, goTo)), el("td", { className: "n" }, thousands(Object.values(line.lost).reduce((a, b) => a + b, 0))), el("td", {}, told(reason)), el("td", {}, el("code", {}, lineText(line.line).trim())));
    });
    const notes = [...new Set(good.flatMap((one) => one.notes))].map((note) => el("li", { className: "faint" }, told(note)));
    return el("section", {}, el("h3", {}, title(kernel)), el("p", { className: "faint" }, say("per_gpu")),
      el("div", { className: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, [say("gpu"), say("predicted"), say("interval"), say("limiter"), say("occupancy")].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows))),
      lost.length ? el("h3", {}, `${say("lost")} (${first.gpu})`) : null, lost.length ? el("div", { className: "scroll" }, el("table", {}, el("tbody", {}, lost))) : null, el("ul", {}, notes));
  }));
}

/** The comparison of a kept version with the present one. */
export function comparePanel(kept, answer) {
  const pairs = (answer?.kernels ?? []).map((kernel, index) => [kept?.kernels[index], kernel]).filter(([a, b]) => a?.profile && b.profile);
  if (pairs.length === 0) return el("p", { className: "faint" }, say("no_a"));
  return el("div", {}, pairs.map(([a, b]) => {
    const before = new Map(totals(a.profile).map(([name, value]) => [name, value]));
    const now = new Map(totals(b.profile).map(([name, value]) => [name, value]));
    const names = [...new Set([...before.keys(), ...now.keys()])];
    const rows = names.map((name) => row(name, before.get(name) ?? 0, now.get(name) ?? 0, thousands, ""));
    for (const one of b.predictions) {
      const other = a.predictions.find(({ gpu }) => gpu === one.gpu);
      if (!other?.predicted_ns || !one.predicted_ns) continue;
      // The errors of two predictions for one GPU are correlated: half of each interval counts.
      const half = (p) => 0.5 * Math.log(p.interval_ns[1] / p.predicted_ns);
      const differs = Math.abs(Math.log(one.predicted_ns / other.predicted_ns)) > Math.hypot(half(one), half(other));
      const verdict = differs ? say(one.predicted_ns < other.predicted_ns ? "faster" : "slower") : say("unclear");
      rows.push(row(`${say("time")}: ${one.gpu}`, other.predicted_ns, one.predicted_ns, duration, verdict));
    }
    const heads = [say("counter"), say("version_a"), say("version_b"), say("ratio"), say("verdict")];
    return el("section", {}, el("h3", {}, title(b)), el("div", { className: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, heads.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows))));
  }));
}

function row(name, before, now, format, verdict) {
  const change = ratio(now, before);
  const className = now < before ? "good" : now > before ? "over" : "faint";
  return el("tr", {}, el("th", { scope: "row" }, name), el("td", { className: "n" }, format(before)), el("td", { className: "n" }, format(now)), el("td", { className: `n ${className}` }, before > 0 ? `${change.toFixed(2)}×` : ""), el("td", { className }, verdict));
}
