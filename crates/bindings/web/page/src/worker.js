// Runs requests apart from the page, so that the page stays responsive and can stop a run.
import { instantiate } from "./wasi.js";

let module = null, lab = null;

self.onmessage = async ({ data }) => {
  if (data.module) {
    module = data.module;
    return;
  }
  const { id, request, input } = data;
  try {
    lab ??= await instantiate(module);
    const started = performance.now();
    const answer = lab.ask(request, input);
    self.postMessage({ id, answer, milliseconds: performance.now() - started });
  } catch (why) {
    // A trap leaves the instance in an unknown state: the next request gets a new one.
    const errors = lab?.takeErrors() ?? "";
    lab = null;
    self.postMessage({ id, trap: `${errors}${why.message ?? why}` });
  }
};
