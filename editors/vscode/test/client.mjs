// Drives `lanework debug --dap` with the public test client of the Debug Adapter Protocol, as an editor would.
//
// Usage: node client.mjs LANEWORK FOLDER. The command line comes from the extension, so this also tests that.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const { DebugClient } = require("@vscode/debugadapter-testsupport");
const { commandLine } = require("../extension.js");
const [lanework, folder] = process.argv.slice(2);

const KERNEL = `__device__ unsigned square(unsigned v) {
    return v * v;
}
__global__ void squares(const unsigned* x, unsigned* y) {
    unsigned i = threadIdx.x;
    unsigned v = square(x[i]);
    y[i] = v;
}
`;

const PROGRAM = `#include <cstdio>
__global__ void fill(unsigned* x) {
    unsigned i = threadIdx.x;
    x[i] = 3 * i;
}
__global__ void twice(unsigned* x) {
    unsigned i = threadIdx.x;
    x[i] *= 2;
}
int main() {
    unsigned *x, y[64];
    cudaMalloc(&x, sizeof y);
    fill<<<1, 64>>>(x);
    for (int i = 0; i < 2; i++) twice<<<1, 64>>>(x);
    cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);
    printf("the last element is %u\\n", y[63]);
}
`;

const kernel = join(folder, "squares.cu");
const program = join(folder, "program.cu");
writeFileSync(kernel, KERNEL);
writeFileSync(program, PROGRAM);
const squares = { kernel, grid: "1", block: "64", arguments: ["rand:u32:64", "zeros:u32:64"] };
const launches = { kernel: program, programArguments: ["1"] };

let adapters = 0;

/** Runs `body` with a client connected to a debugger of its own. */
async function session(configuration, body) {
  // The client starts a program with one argument: a script that starts the debugger.
  const script = join(folder, `adapter-${(adapters += 1)}.mjs`);
  const command = JSON.stringify([lanework, commandLine(configuration)]);
  writeFileSync(
    script,
    `import { spawn } from "node:child_process";
const [command, line] = ${command};
spawn(command, line, { stdio: "inherit" }).on("exit", (code) => process.exit(code ?? 1));
`,
  );
  const options = { cwd: folder, env: { ...process.env, LANEWORK_LANG: "en" } };
  const client = new DebugClient(process.execPath, script, "lanework", options, true);
  await client.start();
  client.defaultTimeout = 60000;
  try {
    await body(client);
  } finally {
    await client.stop();
  }
}

const stack = async (client, threadId) =>
  (await client.stackTraceRequest({ threadId })).body.stackFrames;

/** The values of a scope of a frame, by their names. */
async function values(client, frameId, name) {
  const { scopes } = (await client.scopesRequest({ frameId })).body;
  const scope = scopes.find((one) => one.name === name);
  const { variables } = (await client.variablesRequest({ variablesReference: scope.variablesReference })).body;
  return Object.fromEntries(variables.map((one) => [one.name, one.value]));
}

const tests = {
  "the adapter answers initialize with its abilities": () =>
    session(squares, async (client) => {
      const { body } = await client.initializeRequest();
      assert.equal(body.supportsConfigurationDoneRequest, true);
      assert.equal(body.supportsStepBack, true);
      assert.equal(body.supportsConditionalBreakpoints, true);
    }),

  "unknown requests are errors": () =>
    session(squares, async (client) => {
      await client.initializeRequest();
      await assert.rejects(client.customRequest("illegalRequest"), /does not support `illegalRequest`/);
    }),

  "a launch runs to its end": () =>
    session(squares, (client) =>
      Promise.all([
        client.configurationSequence(),
        client.launch({ stopOnEntry: false, stopAtEnd: false }),
        client.waitForEvent("terminated"),
      ])),

  "a launch stops on entry": () =>
    session(squares, (client) =>
      Promise.all([
        client.configurationSequence(),
        client.launch({ stopOnEntry: true }),
        client.waitForEvent("stopped").then(({ body }) => assert.equal(body.reason, "entry")),
      ])),

  "a launch stops at a breakpoint, steps, and goes back": () =>
    session(squares, async (client) => {
      await client.hitBreakpoint({ stopOnEntry: false }, { path: kernel, line: 6 });
      const [{ threadId }] = (await client.threadsRequest()).body.threads.map((one) => ({ threadId: one.id }));
      const at = { path: kernel };
      for (const line of [1, 2]) {
        await Promise.all([
          client.stepInRequest({ threadId }),
          client.assertStoppedLocation("step", { ...at, line }),
        ]);
      }
      const frames = await stack(client, threadId);
      assert.deepEqual(frames.map((frame) => frame.name), ["square", "squares"]);
      // The caller has its own variables.
      assert.equal((await values(client, frames[1].id, "Locals")).i, "0");
      await Promise.all([
        client.stepOutRequest({ threadId }),
        client.assertStoppedLocation("step", { ...at, line: 6 }),
      ]);
      await Promise.all([
        client.nextRequest({ threadId }),
        client.assertStoppedLocation("step", { ...at, line: 7 }),
      ]);
      await Promise.all([
        client.nextRequest({ threadId, granularity: "instruction" }),
        client.assertStoppedLocation("step", { ...at, line: 7 }),
      ]);
      await Promise.all([
        client.reverseContinueRequest({ threadId }),
        client.assertStoppedLocation("breakpoint", { ...at, line: 6 }),
      ]);
    }),

  "a condition selects its thread, and one on a variable without a value is false": () =>
    session(squares, async (client) => {
      const breakpoints = [{ line: 5, condition: "x[i] == 3" }, { line: 7, condition: "i == 35" }];
      await Promise.all([
        client.waitForEvent("initialized").then(async () => {
          const set = await client.setBreakpointsRequest({ source: { path: kernel }, breakpoints });
          assert.deepEqual(set.body.breakpoints.map((one) => one.verified), [true, true]);
          await client.configurationDoneRequest();
        }),
        client.launch({ stopOnEntry: false }),
        client.assertStoppedLocation("breakpoint", { path: kernel, line: 7 }),
      ]);
      const [frame] = await stack(client, 2);
      assert.equal((await values(client, frame.id, "Locals")).i, "35");
      const evaluated = await client.evaluateRequest({ expression: "i * 2", frameId: frame.id, context: "watch" });
      assert.equal(evaluated.body.result, "70");
      await assert.rejects(client.evaluateRequest({ expression: "nothing", frameId: frame.id, context: "watch" }));
      const told = await client.evaluateRequest({ expression: "who wrote v", context: "repl" });
      assert.match(told.body.result, /squares\.cu:6/);
      const refused = client.setVariableRequest({ variablesReference: 1, name: "i", value: "1" });
      await assert.rejects(refused, /a recording, which cannot be changed/);
    }),

  "a program's launches follow each other, in both directions": () =>
    session(launches, async (client) => {
      // The first launch has no code there, so the breakpoint waits for a later one.
      await client.hitBreakpoint({ stopOnEntry: false }, { path: program, line: 8, verified: false });
      const at = { path: program, line: 8 };
      const seen = [];
      const note = async () => {
        const [frame] = await stack(client, 1);
        const { result } = (await client.evaluateRequest({ expression: "x[1]", frameId: frame.id })).body;
        seen.push(result);
      };
      await note();
      // The other warp of the launch, then the other launch.
      for (let stops = 0; stops < 2; stops++) {
        await Promise.all([
          client.continueRequest({ threadId: 1 }),
          client.assertStoppedLocation("breakpoint", at),
        ]);
      }
      await note();
      for (let stops = 0; stops < 2; stops++) {
        await Promise.all([
          client.reverseContinueRequest({ threadId: 1 }),
          client.assertStoppedLocation("breakpoint", at),
        ]);
      }
      await note();
      assert.deepEqual(seen, ["3", "6", "3"]);
    }),

  "findings stop, as exceptions do": async () => {
    const source = join(folder, "late.cu");
    writeFileSync(source, readFileSync(kernel, "utf8").replace("y[i] = v", "y[i + 1] = v"));
    await session({ ...squares, kernel: source }, (client) =>
      Promise.all([
        client.waitForEvent("initialized").then(async () => {
          await client.setExceptionBreakpointsRequest({ filters: ["finding"] });
          await client.configurationDoneRequest();
        }),
        client.launch({ stopOnEntry: false }),
        client.assertStoppedLocation("breakpoint", { path: source, line: 7 }),
      ]));
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}: ${error.stack || error.message || error}`);
  }
}
console.log(`${Object.keys(tests).length - failed} of ${Object.keys(tests).length} tests passed`);
process.exit(failed === 0 ? 0 : 1);
