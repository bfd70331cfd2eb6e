// Runs requests apart from the page, so that the page stays responsive and can stop a run; or runs threads of another worker's requests.
import { serve, takeMost } from "./threads.js";
import { instantiate } from "./wasi.js";

let module = null, shared = null, thread, lab = null;

/** The instance: one, although requests may arrive while it is made. */
const instance = () => (lab ??= instantiate(module, shared && { ...shared, thread }));

/** Tells the page about a trap. It leaves the instance in an unknown state: the next request gets a new one. */
async function trapped(id, why) {
  const errors = await lab?.then((made) => made.takeErrors(), () => "") ?? "";
  lab = null;
  self.postMessage({ id, trap: `${errors}${why.message ?? why}` });
}

self.onmessage = async ({ data }) => {
  if (data.module) {
    ({ module, shared, thread } = data);
    try {
      const { exports } = await instance();
      // The first instance is the one of the main thread: the page starts the others after it.
      if (thread === undefined) return self.postMessage({ ready: true });
      serve(shared.threads, thread, exports.wasi_thread_start);
    } catch (why) {
      trapped(undefined, why);
    }
    return null;
  }
  const { id, request, input } = data;
  try {
    const made = await instance();
    if (shared) takeMost(shared.threads);
    const started = performance.now();
    const answer = made.ask(request, input);
    self.postMessage({ id, answer, milliseconds: performance.now() - started, threads: shared ? takeMost(shared.threads) : 1 });
  } catch (why) {
    trapped(id, why);
  }
  return null;
};
