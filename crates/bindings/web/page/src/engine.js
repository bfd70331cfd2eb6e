// The page's side of the workers: requests one after another, and a way to stop them.
import { makeThreads, sharedMemory } from "./threads.js";

/** Whether this engine has fused multiply-adds in relaxed SIMD; the module that uses them is several times faster. */
export function fuses() {
  // f32x4.relaxed_madd(x, x, -(1 + 2^-11)) for x = 1 + 2^-12 is 2^-24 if it is fused, and else 0.
  const x = [67, 0, 8, 128, 63, 253, 19], c = [67, 0, 16, 128, 191, 253, 19];
  const body = [0, ...x, ...x, ...c, 253, 133, 2, 253, 31, 0, 67, 0, 0, 0, 0, 94, 11];
  const code = [10, body.length + 2, 1, body.length, ...body];
  const head = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0];
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([...head, ...code]))).exports.f() === 1;
  } catch {
    return false;
  }
}

/** Whether the page has a module with threads for this browser. The build replaces THREADS. */
export const mayThread = () => THREADS && (navigator.hardwareConcurrency ?? 1) > 1 && fuses();

/** The number of threads that the page uses at most: one, unless it is isolated from other origins and so may share memory. */
export function mostThreads() {
  return globalThis.crossOriginIsolated === true && mayThread() ? Math.min(16, navigator.hardwareConcurrency) : 1;
}

export class Engine {
  #workers = [];
  #module = null;
  #threaded = false;
  #waiting = new Map();
  #next = 1;
  /** The number of threads of a run. */
  threads = 1;

  /** Loads the module; `onProgress` gets the loaded fraction. */
  async load(onProgress) {
    this.threads = mostThreads();
    this.#threaded = this.threads > 1 && sharedMemory() !== null;
    const files = [...(this.#threaded ? ["lanework-threads.wasm"] : []), ...(fuses() ? ["lanework-fused.wasm"] : []), "lanework.wasm"];
    let response = null;
    for (const file of files) {
      response = await fetch(file).catch(() => null);
      if (response?.ok) break;
    }
    if (!response?.ok) throw new Error(response ? `${response.url}: ${response.status}` : `${files[0]}: offline`);
    this.#threaded &&= response.url.endsWith("lanework-threads.wasm");
    if (!this.#threaded) this.threads = 1;
    const total = Number(response.headers.get("content-length")) || 0;
    const parts = [];
    let loaded = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      loaded += value.length;
      if (total > 0) onProgress?.(Math.min(1, loaded / total));
    }
    this.#module = await WebAssembly.compile(await new Blob(parts).arrayBuffer());
    this.#start();
    return response.url.split("/").pop();
  }

  #worker(message, onReady = () => {}) {
    const worker = new Worker(new URL("worker.js", document.baseURI), { type: "module" });
    worker.postMessage({ module: this.#module, ...message });
    this.#workers.push(worker);
    worker.onmessage = ({ data }) => {
      if (!this.#workers.includes(worker)) return;
      if (data.ready) return onReady();
      // Threads share the memory of the one that failed, so all of them start anew.
      if (data.trap !== undefined && this.#threaded) return this.#restart({ trap: data.trap });
      const { settle } = this.#waiting.get(data.id) ?? {};
      this.#waiting.delete(data.id);
      if (data.trap !== undefined) settle?.({ trap: data.trap });
      else settle?.(Array.isArray(data.answer) ? data.answer : { ...data.answer, milliseconds: data.milliseconds, threads: data.threads });
    };
    return worker;
  }

  #start() {
    const memory = this.#threaded ? sharedMemory() : null;
    const shared = memory ? { memory, threads: makeThreads(this.threads - 1) } : null;
    this.#worker({ shared }, () => {
      for (let thread = 0; shared && thread < this.threads - 1; thread += 1) this.#worker({ shared, thread });
    });
  }

  /** Answers a request; `{ stopped: true }` if it was stopped, `{ trap }` if the module failed. */
  ask(request, input = "") {
    const id = this.#next++;
    return new Promise((resolve) => {
      const settle = (answer) => resolve(answer);
      this.#waiting.set(id, { settle });
      this.#workers[0].postMessage({ id, request, input });
    });
  }

  #restart(answer) {
    for (const worker of this.#workers) worker.terminate();
    this.#workers = [];
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#start();
    for (const { settle } of waiting) settle(answer);
  }

  /** Ends everything that runs. */
  stop() {
    this.#restart({ stopped: true });
  }
}
