// The system interface of the WebAssembly module (WASI preview 1): a clock, standard input and standard error. There are no
// files, no arguments and no environment. A module with threads gets its memory from here.
import { spawn } from "./threads.js";

const BAD_FILE = 8, NOT_SUPPORTED = 58, NO_ENTRY = 44;

/** The imports of a module, and the text that it has written to standard error. `shared` has the memory and the threads of a module with threads. */
export function system(module, shared = null) {
  let memory = shared?.memory ?? null;
  let errors = "";
  let input = new Uint8Array(0);
  const view = () => new DataView(memory.buffer);
  const bytesAt = (start, bytes) => new Uint8Array(memory.buffer, start, bytes);
  const decoder = new TextDecoder();
  const calls = {
    clock_time_get(clock, _precision, to) {
      const now = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(to, BigInt(Math.round(now * 1e6)), true);
      return 0;
    },
    random_get(to, count) {
      // Random values cannot be written to shared memory directly.
      for (let at = 0; at < count; at += 65536) bytesAt(to + at, Math.min(65536, count - at)).set(crypto.getRandomValues(new Uint8Array(Math.min(65536, count - at))));
      return 0;
    },
    fd_write(file, list, count, written) {
      let total = 0;
      for (let index = 0; index < count; index += 1) {
        const start = view().getUint32(list + 8 * index, true);
        const bytes = view().getUint32(list + 8 * index + 4, true);
        if (file === 2 && errors.length < 20000) errors += decoder.decode(bytesAt(start, bytes).slice());
        total += bytes;
      }
      view().setUint32(written, total, true);
      return 0;
    },
    fd_read(file, list, count, read) {
      if (file !== 0) return BAD_FILE;
      let total = 0;
      for (let index = 0; index < count; index += 1) {
        const start = view().getUint32(list + 8 * index, true);
        const room = view().getUint32(list + 8 * index + 4, true);
        const part = input.subarray(0, room);
        bytesAt(start, part.length).set(part);
        input = input.subarray(part.length);
        total += part.length;
      }
      view().setUint32(read, total, true);
      return 0;
    },
    environ_sizes_get(count, bytes) { view().setUint32(count, 0, true); view().setUint32(bytes, 0, true); return 0; },
    environ_get: () => 0,
    args_sizes_get(count, bytes) { view().setUint32(count, 0, true); view().setUint32(bytes, 0, true); return 0; },
    args_get: () => 0,
    fd_prestat_get: () => BAD_FILE,
    fd_close: () => 0,
    fd_fdstat_get(file, to) { if (file > 2) return BAD_FILE; new Uint8Array(memory.buffer, to, 24).fill(0); view().setUint8(to, 2); return 0; },
    path_open: () => NO_ENTRY,
    sched_yield: () => 0,
    // Waits for a time; there is nothing else to wait for. Without shared memory the wait ends at once.
    poll_oneoff(list, out, count, events) {
      const now = view(), times = [...Array(count).keys()].filter((index) => now.getUint8(list + 48 * index + 8) === 0);
      const least = times.map((index) => Number(now.getBigUint64(list + 48 * index + 24, true)) / 1e6 - ((now.getUint16(list + 48 * index + 40, true) & 1) === 0 ? 0 : now.getUint32(list + 48 * index + 16, true) === 0 ? Date.now() : performance.now()));
      if (shared && least.length > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, Math.min(...least)));
      for (let index = 0; index < count; index += 1) {
        bytesAt(out + 32 * index, 32).fill(0);
        now.setBigUint64(out + 32 * index, now.getBigUint64(list + 48 * index, true), true);
        now.setUint8(out + 32 * index + 10, now.getUint8(list + 48 * index + 8));
      }
      now.setUint32(events, count, true);
      return 0;
    },
    proc_exit(code) { throw new Error(`the module ended with code ${code}`); },
  };
  const imports = shared ? { env: { memory: shared.memory }, wasi: { "thread-spawn": (start) => spawn(shared.threads, start) } } : {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] ??= calls[name] ?? (() => NOT_SUPPORTED);
  }
  return {
    imports,
    start(instance) {
      memory = instance.exports.memory ?? memory;
      // Once for the memory: instances of threads share it.
      if (shared?.thread === undefined) instance.exports._initialize?.();
    },
    setInput(text) { input = new TextEncoder().encode(text); },
    takeErrors() { const taken = errors; errors = ""; return taken; },
  };
}

/** An instance of the module: a function from a request to its answer. */
export async function instantiate(module, shared = null) {
  const wasi = system(module, shared);
  const { exports } = await WebAssembly.instantiate(module, wasi.imports).then((instance) => { wasi.start(instance); return instance; });
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  return {
    exports,
    takeErrors: wasi.takeErrors,
    ask(request, input = "") {
      wasi.setInput(input);
      const bytes = encoder.encode(JSON.stringify(request));
      const to = exports.lanework_allocate(bytes.length);
      new Uint8Array(exports.memory.buffer, to, bytes.length).set(bytes);
      const count = exports.lanework_answer();
      // A decoder does not read shared memory.
      const text = decoder.decode(new Uint8Array(exports.memory.buffer, exports.lanework_answer_start(), count).slice());
      return JSON.parse(text);
    },
  };
}
