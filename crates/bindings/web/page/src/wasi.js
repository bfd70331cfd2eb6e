// The system interface of the WebAssembly module (WASI preview 1): a clock, standard input and standard error. There are no
// files, no arguments and no environment.

const BAD_FILE = 8, NOT_SUPPORTED = 58, NO_ENTRY = 44;

/** The imports of a module, and the text that it has written to standard error. */
export function system(module) {
  let memory = null;
  let errors = "";
  let input = new Uint8Array(0);
  const view = () => new DataView(memory.buffer);
  const decoder = new TextDecoder();
  const calls = {
    clock_time_get(clock, _precision, to) {
      const now = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(to, BigInt(Math.round(now * 1e6)), true);
      return 0;
    },
    random_get(to, count) {
      const bytes = new Uint8Array(memory.buffer, to, count);
      for (let at = 0; at < count; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
      return 0;
    },
    fd_write(file, list, count, written) {
      let total = 0;
      for (let index = 0; index < count; index += 1) {
        const start = view().getUint32(list + 8 * index, true);
        const bytes = view().getUint32(list + 8 * index + 4, true);
        if (file === 2 && errors.length < 20000) errors += decoder.decode(new Uint8Array(memory.buffer, start, bytes));
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
        new Uint8Array(memory.buffer, start, part.length).set(part);
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
    // No other thread can end a wait.
    poll_oneoff(_in, _out, count, events) { view().setUint32(events, count, true); return 0; },
    proc_exit(code) { throw new Error(`the module ended with code ${code}`); },
  };
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = calls[name] ?? (() => NOT_SUPPORTED);
  }
  return {
    imports,
    start(instance) { memory = instance.exports.memory; instance.exports._initialize?.(); },
    setInput(text) { input = new TextEncoder().encode(text); },
    takeErrors() { const taken = errors; errors = ""; return taken; },
  };
}

/** An instance of the module: a function from a request to its answer. */
export async function instantiate(module) {
  const wasi = system(module);
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
      const text = decoder.decode(new Uint8Array(exports.memory.buffer, exports.lanework_answer_start(), count));
      return JSON.parse(text);
    },
  };
}
