// Asks the module from Node: node probe.mjs LANEWORK.wasm; prints its speed.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeThreads, sharedMemory } from "./src/threads.js";
import { instantiate } from "./src/wasi.js";

const here = dirname(fileURLToPath(import.meta.url));
const module = await WebAssembly.compile(readFileSync(process.argv[2]));
// A module with threads runs one here.
const threaded = WebAssembly.Module.imports(module).some(({ kind }) => kind === "memory");
const lab = await instantiate(module, threaded ? { memory: sharedMemory(), threads: makeThreads(0) } : null);
const examples = JSON.parse(readFileSync(join(here, "examples/examples.json"), "utf8"));
const example = (name) => ({ ...examples.find((one) => one.name === name), source: readFileSync(join(here, `examples/${name}.cu`), "utf8") });
const extents = (text) => [...text.split("x").map(Number), 1, 1].slice(0, 3);

/** Runs the kernel of an example several times; returns the best time in seconds and the answer. */
function time(name, entry, more = {}, times = 3) {
  const { source, form } = example(name);
  const known = form.kernels[entry];
  const kernel = { entry, grid: extents(known.grid), block: extents(known.block), arguments: known.values };
  let best = Infinity, answer = null;
  for (let run = 0; run < times; run += 1) {
    // Processor time: other programs may use this machine.
    const start = process.cpuUsage();
    answer = lab.ask({ do: "run", source, kernel, ...more });
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1e6);
  }
  if (answer.error) throw new Error(answer.error);
  return { best, answer };
}

for (const [name, entry, more] of [["fma", "fma_loop", {}], ["matmul", "matmul", {}], ["matmul", "matmul", { check: true }], ["matmul", "matmul", { profile: true }], ["matmul", "matmul", { predict: ["H200"] }], ["transpose", "transpose_tiled", { check: true }]]) {
  const { best, answer } = time(name, entry, more);
  console.log(`${entry} ${JSON.stringify(more)}: ${best.toFixed(3)} s, ${(answer.warp_instructions / best / 1e6).toFixed(1)} M warp instructions/s, ${answer.findings.length} findings`);
}
const start = performance.now();
const compiled = lab.ask({ do: "compile", source: example("vector-add").source });
console.log(`compile vector-add: ${(performance.now() - start).toFixed(0)} ms, ok ${compiled.ok}`);
for (const name of ["vector-add", "race", "histogram", "life"]) {
  const start = performance.now();
  const answer = lab.ask({ do: "run", source: example(name).source, check: true });
  console.log(`${name}: ${(performance.now() - start).toFixed(0)} ms, exit ${answer.exit}, ${answer.findings?.length} findings, ${JSON.stringify(answer.output?.slice(0, 70))} ${answer.error ?? ""}`);
}
