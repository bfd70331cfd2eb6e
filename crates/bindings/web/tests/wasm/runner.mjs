// Runs a test program of Rust that is compiled for wasm32-wasip1, in Node's WASI: cargo's runner in scripts/wasm-tests.sh.
// A test that panics ends the program, because WebAssembly cannot unwind yet, so the rest run in a new one. skips.txt names the tests that
// cannot run in WebAssembly, and why. The last line counts: N passed, N failed, N skipped.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { WASI } from "node:wasi";

const here = fileURLToPath(import.meta.url);
const [first, ...rest] = process.argv.slice(2);

if (first === "--inside") {
  const [file, ...args] = rest;
  // Tests read their data.
  const wasi = new WASI({ version: "preview1", args: [file, ...args], env: { ...process.env, PWD: process.cwd() }, preopens: { "/": "/" }, returnOnExit: true });
  const module = await WebAssembly.compile(readFileSync(file));
  process.exit(wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject())));
}

/** The tests to skip in this program: lines of its crate's name (and its own, unless it is the library), a test's path, and a reason. */
const crate = (process.env.CARGO_PKG_NAME ?? "").replace("lanework-", ""), file = basename(first).replace(/-[0-9a-f]{16}\.wasm$/, "");
const program = file === `lanework_${crate.replaceAll("-", "_")}` ? crate : `${crate}/${file}`;
const lines = readFileSync(new URL("skips.txt", import.meta.url), "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
const skips = lines.map((line) => /^(\S+) (\S+): (.+)$/.exec(line) ?? fail(`skips.txt: ${line}`)).filter(([, of]) => of === program).map(([, , test, why]) => ({ test, why }));

function fail(why) {
  console.log(why);
  process.exit(2);
}

/** Runs the program; resolves to its output. */
const run = (args) => new Promise((resolve) => {
  const child = spawn(process.execPath, ["--no-warnings", "--stack-size=4000", here, "--inside", first, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let out = "", errors = "";
  child.stdout.on("data", (data) => { out += data; });
  child.stderr.on("data", (data) => { errors += data; });
  child.on("close", (code) => resolve({ out, errors, code }));
});

const listed = (await run(["--list", "--format=terse", ...rest])).out.split("\n").filter((line) => line.endsWith(": test")).map((line) => line.slice(0, -6));
const skipped = new Set(listed.filter((test) => skips.some((one) => test === one.test || (one.test.endsWith("*") && test.startsWith(one.test.slice(0, -1))))));
const failed = [];
const done = new Set(skipped);
let passed = 0, ignored = 0;
while (done.size < listed.length) {
  const left = listed.filter((test) => !done.has(test));
  const { out, code } = await run(["--exact", "--test-threads=1", ...left]);
  const results = [...out.matchAll(/^test (\S+)(?: - should panic)? \.\.\. (?:.*?)(ok|ignored|FAILED)/gm)];
  for (const [, test, result] of results) {
    if (done.has(test)) continue;
    done.add(test);
    if (result === "ok") passed += 1;
    else if (result === "ignored") ignored += 1;
    else failed.push(test);
  }
  if (code === 0) break;
  // The test after those with results ended the program.
  const ended = /^test (\S+)(?: - should panic)? \.\.\. (?!.*(?:ok|ignored|FAILED))/m.exec(out.split("\n").filter((line) => line.startsWith("test ")).pop() ?? "")?.[1] ?? left.find((test) => !done.has(test));
  if (!ended || done.has(ended)) { if (results.length === 0) { failed.push(left[0]); done.add(left[0]); } continue; }
  done.add(ended);
  failed.push(ended);
  const again = await run(["--exact", "--nocapture", ended]);
  const why = `${again.out}\n${again.errors}`.split("\n").filter((line) => line.trim() && !/^\s+at |^wasm:|^running |^Node|^note: /.test(line));
  console.log(`${ended}: ${why.slice(0, 8).join("\n").slice(0, 1500)}`);
}
for (const test of failed) console.log(`FAILED in WebAssembly: ${program} ${test}`);
console.log(`wasm32: ${program}: ${passed} passed, ${failed.length} failed, ${skipped.size + ignored} skipped`);
process.exit(failed.length > 0 ? 1 : 0);
