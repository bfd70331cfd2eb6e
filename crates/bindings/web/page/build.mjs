// Builds the page's folder: node build.mjs OUT LANEWORK.wasm [LANEWORK-FUSED.wasm [LANEWORK-THREADS.wasm]]
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [folder, plain, fused, threads] = process.argv.slice(2);
// esbuild resolves relative paths from the folder of the page.
const out = resolve(folder);
const root = join(here, "../../../..");
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

// The examples with their sources; those of the course notes are tests of the driver.
const notes = join(root, "crates/cuda-programs/driver/tests/notes");
const examples = JSON.parse(readFileSync(join(here, "examples/examples.json"), "utf8"));
for (const one of examples) {
  one.source = readFileSync(one.file ? join(notes, one.file) : join(here, `examples/${one.name}.cu`), "utf8");
  one.form ??= { what: "program", kernels: {} };
}
const withExamples = {
  name: "examples",
  setup(of) {
    of.onResolve({ filter: /examples\.json$/ }, () => ({ path: "examples", namespace: "examples" }));
    of.onLoad({ filter: /.*/, namespace: "examples" }, () => ({ contents: JSON.stringify(examples), loader: "json" }));
  },
};
const common = { bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "none", logLevel: "warning", absWorkingDir: here, define: { THREADS: `${Boolean(threads)}` } };
await build({ ...common, entryPoints: ["src/app.js"], outfile: join(out, "app.js"), plugins: [withExamples] });
await build({ ...common, entryPoints: ["src/worker.js"], outfile: join(out, "worker.js") });
for (const file of ["index.html", "style.css", "manifest.webmanifest", "icon.svg"]) copyFileSync(join(here, file), join(out, file));
copyFileSync(plain, join(out, "lanework.wasm"));
if (fused) copyFileSync(fused, join(out, "lanework-fused.wasm"));
if (threads) copyFileSync(threads, join(out, "lanework-threads.wasm"));

// The catalogs of the command's Chinese messages: a template, then its translation.
const words = join(root, "crates/terminal/words/zh");
const catalog = [];
for (const file of readdirSync(words).sort()) {
  for (const entry of readFileSync(join(words, file), "utf8").split("\n\n")) {
    const lines = entry.split("\n").filter((line) => line && !line.startsWith("#"));
    if (lines.length === 2) catalog.push(lines);
  }
}
writeFileSync(join(out, "zh.json"), JSON.stringify(catalog));

// The service worker keeps all files of this build.
const files = readdirSync(out).sort();
const hash = createHash("sha256");
for (const file of files) hash.update(file).update(readFileSync(join(out, file)));
const worker = readFileSync(join(here, "src/sw.js"), "utf8");
const kept = files.filter((file) => !file.endsWith(".wasm"));
writeFileSync(join(out, "sw.js"), worker.replace("VERSION", hash.digest("hex").slice(0, 16)).replace('["FILES"]', JSON.stringify(["./", ...kept])));
