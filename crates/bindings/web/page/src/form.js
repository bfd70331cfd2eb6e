// The form of a launch: the whole program, or a kernel with fields made from its signature.
import { el } from "./dom.js";
import { say } from "./words.js";

/** A value that suits a parameter before the user has chosen one. */
function suggestion(parameter, size) {
  if (!parameter.pointer) {
    if (/^(n|m|k|size|count|length|len|num.*|n_.*|rows|cols|columns|width|height)$/i.test(parameter.name)) return `${size.edge ?? size.count}`;
    return parameter.number.startsWith("f") || parameter.number === "bf16" ? "1.5" : "1";
  }
  return parameter.const ? `rand:${size.shape}` : `zeros:${size.shape}`;
}

export class Form {
  #state = { what: "program", kernels: {}, input: "", arguments: "", gpus: ["H200", "RTX 4090", "A100"], instructions: 2e9, memory: 1024, threads: null };
  #described = { kernels: [], has_main: false };

  /** `threads` returns the largest number of threads. */
  constructor(root, onChange, gpus, threads) {
    this.root = root;
    this.onChange = onChange;
    this.gpus = gpus;
    this.threads = threads;
  }

  /** The state for a link. */
  state = () => this.#state;

  /** Takes a state, which may come from a link of anybody: members of other types are left out. */
  restore(state) {
    const fits = (known, value) => (Array.isArray(known) ? Array.isArray(value) && value.every((one) => typeof one === "string") : value !== null && typeof value === typeof known && !Array.isArray(value));
    const given = Object.entries(state ?? {}).filter(([key, value]) => key !== "kernels" && (key === "threads" ? Number.isFinite(value) : key in this.#state && fits(this.#state[key], value)));
    const kernels = Object.entries(state?.kernels ?? {}).filter(([, one]) => one && (one.values === undefined || (Array.isArray(one.values) && one.values.every((value) => typeof value === "string"))));
    this.#state = { ...this.#state, ...Object.fromEntries(given), kernels: Object.fromEntries(kernels) };
  }

  /** Renews the fields for a source's kernels. */
  describe(described) {
    this.#described = described;
    const names = described.kernels.map((kernel) => kernel.name);
    if (this.#state.what !== "program" && !names.includes(this.#state.what)) this.#state.what = described.has_main ? "program" : names[0] ?? "program";
    if (!described.has_main && this.#state.what === "program" && names.length) [this.#state.what] = names;
    this.draw();
  }

  #kernel(kernel) {
    const known = this.#state.kernels[kernel.name] ?? {};
    const flat = kernel.parameters.filter((one) => one.pointer).length > 0;
    const square = /matrix|transpose|gemm|matmul|mm|tile|2d|image/i.test(kernel.name);
    const size = square ? { shape: "64x64", count: 4096, edge: 64 } : { shape: "4096", count: 4096 };
    // A lesson has values without names.
    const fits = (index) => (known.names ? known.names[index] === kernel.parameters[index].name : known.values?.length === kernel.parameters.length);
    const values = kernel.parameters.map((parameter, index) => (fits(index) && known.values[index] !== undefined ? known.values[index] : suggestion(parameter, size)));
    const made = { grid: known.grid ?? (square ? "4x4" : flat ? "16" : "1"), block: known.block ?? (square ? "16x16" : flat ? "256" : "32"), shared: known.shared ?? "0", names: kernel.parameters.map((one) => one.name), values };
    this.#state.kernels[kernel.name] = made;
    return made;
  }

  draw() {
    const { kernels, has_main } = this.#described;
    const options = [has_main ? el("option", { value: "program" }, say("program")) : null, ...kernels.map((kernel) => el("option", { value: kernel.name }, kernel.name))];
    const what = el("select", { id: "what", onchange: () => { this.#state.what = what.value; this.draw(); this.onChange(); } }, options);
    what.value = this.#state.what;
    const rows = [this.#row("what", say("what"), what)];
    const text = (id, label, value, change, hint = "") => rows.push(this.#row(id, label, el("input", { id, value, autocomplete: "off", spellcheck: false, oninput: (event) => { change(event.target.value); this.onChange(); } }), hint));
    if (this.#state.what === "program") {
      text("arguments", say("arguments"), this.#state.arguments, (value) => { this.#state.arguments = value; });
      text("input", say("input"), this.#state.input, (value) => { this.#state.input = value; });
    } else {
      const kernel = kernels.find(({ name }) => name === this.#state.what);
      if (kernel) {
        const state = this.#kernel(kernel);
        text("grid", say("grid"), state.grid, (value) => { state.grid = value; });
        text("block", say("block"), state.block, (value) => { state.block = value; });
        text("shared", say("shared_bytes"), state.shared, (value) => { state.shared = value; });
        kernel.parameters.forEach((parameter, index) => {
          const hint = parameter.pointer ? "rand:N  rand:RxC:SEED  iota:N  ones:N  zeros:N  uninit:N  [1, 2, 3]" : "";
          text(`argument-${index}`, el("code", {}, `${parameter.declared} ${parameter.name}`), state.values[index], (value) => { state.values[index] = value; }, index === 0 || !kernel.parameters[index - 1].pointer ? hint : "");
        });
      }
    }
    rows.push(this.#settings());
    this.root.replaceChildren(...rows);
  }

  #row(id, label, control, hint = "") {
    if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
    return el("div", { className: "row" }, el("label", { for: id }, label), control, hint ? el("span", { className: "hint", id: `${id}-hint` }, hint) : null);
  }

  #settings() {
    const boxes = this.gpus().map((gpu) => el("label", {}, el("input", { type: "checkbox", checked: this.#state.gpus.includes(gpu.name), onchange: (event) => {
      this.#state.gpus = this.#state.gpus.filter((name) => name !== gpu.name).concat(event.target.checked ? [gpu.name] : []);
      this.onChange();
    } }), gpu.name));
    const number = (id, label, key, most = null) => this.#row(id, label, el("input", { id, type: "number", min: 1, ...(most ? { max: most } : {}), value: this.#state[key] ?? most, oninput: (event) => { this.#state[key] = Number(event.target.value) || 1; this.onChange(); } }));
    return el("details", { open: this.opened ?? false, ontoggle: (event) => { this.opened = event.target.open; } }, el("summary", {}, say("settings")), el("fieldset", { className: "controls" }, el("legend", {}, say("gpus")), boxes), number("limit", say("limit"), "instructions"), number("memory", say("memory"), "memory"), this.threads() > 1 ? number("threads", say("threads"), "threads", this.threads()) : this.#row("threads", say("threads"), el("output", { id: "threads" }, `1 (${say("no_threads")})`)));
  }

  /** The request for a run, without the source; or the reason why a field is `wrong`, which gets the focus. */
  request() {
    const whole = (value, most) => Math.min(most, Math.max(1, Math.round(value) || 1));
    const { instructions, memory, threads } = this.#state;
    const request = { instructions: whole(instructions, 1e15), memory_mib: whole(memory, 2048), workers: whole(threads ?? this.threads(), this.threads()) };
    for (const field of this.root.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
    if (this.#state.what === "program") {
      request.arguments = this.#state.arguments.split(/\s+/).filter(Boolean);
      return { request, input: this.#state.input };
    }
    const state = this.#state.kernels[this.#state.what];
    if (!state) return { request, input: "" };
    const refuse = (id, label, value, limits) => {
      const field = this.root.querySelector(`#${id}`);
      field?.setAttribute("aria-invalid", "true");
      field?.focus();
      return { wrong: `${say(label)}: “${value}” ${say(limits)}` };
    };
    const extents = (text) => {
      const parts = `${text}`.trim().split(/\s*[x,×]\s*|\s+/);
      const numbers = parts.map(Number);
      return parts.length <= 3 && parts.every((part) => /^\d+$/.test(part)) && numbers.every((extent) => extent >= 1 && extent < 2 ** 32) ? [...numbers, 1, 1].slice(0, 3) : null;
    };
    const grid = extents(state.grid), block = extents(state.block), shared = `${state.shared}`.trim() || "0";
    if (!grid) return refuse("grid", "grid", state.grid, "wrong_extents");
    if (!block) return refuse("block", "block", state.block, "wrong_extents");
    if (!/^\d+$/.test(shared) || Number(shared) >= 2 ** 32) return refuse("shared", "shared_bytes", state.shared, "wrong_bytes");
    request.kernel = { entry: this.#state.what, grid, block, shared: Number(shared), arguments: state.values };
    return { request, input: "" };
  }

  get gpuNames() { return this.#state.gpus; }
}
