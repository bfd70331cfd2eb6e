// The page's side of the worker: requests one after another, and a way to stop them.

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

export class Engine {
  #worker = null;
  #module = null;
  #waiting = new Map();
  #next = 1;

  /** Loads the module; `onProgress` gets the loaded fraction. */
  async load(onProgress) {
    const file = fuses() ? "lanework-fused.wasm" : "lanework.wasm";
    const response = await fetch(file).then((found) => (found.ok ? found : fetch("lanework.wasm")));
    if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
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

  #start() {
    this.#worker = new Worker(new URL("worker.js", document.baseURI), { type: "module" });
    this.#worker.postMessage({ module: this.#module });
    this.#worker.onmessage = ({ data }) => {
      const { settle } = this.#waiting.get(data.id) ?? {};
      this.#waiting.delete(data.id);
      if (data.trap !== undefined) settle?.({ trap: data.trap });
      else settle?.(Array.isArray(data.answer) ? data.answer : { ...data.answer, milliseconds: data.milliseconds });
    };
  }

  /** Answers a request; `{ stopped: true }` if it was stopped, `{ trap }` if the module failed. */
  ask(request, input = "") {
    const id = this.#next++;
    return new Promise((resolve) => {
      const settle = (answer) => resolve(answer);
      this.#waiting.set(id, { settle });
      this.#worker.postMessage({ id, request, input });
    });
  }

  /** Ends everything that runs. */
  stop() {
    this.#worker.terminate();
    for (const { settle } of this.#waiting.values()) settle({ stopped: true });
    this.#waiting.clear();
    this.#start();
  }
}
