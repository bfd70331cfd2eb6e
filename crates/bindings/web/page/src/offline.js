// The service worker of the page: it keeps the page's files for use offline, and isolates the page from other origins, which threads need.
import { mayThread } from "./engine.js";

const MARK = "lanework-isolation";
const workers = () => navigator.serviceWorker;

/** Registers the service worker. Returns whether it controls the page, after some seconds at the latest. */
async function controlled(patience) {
  const change = new Promise((resolve) => { workers().addEventListener("controllerchange", resolve, { once: true }); });
  const ready = workers().register("sw.js").then(() => workers().ready).then(() => workers().controller ?? change);
  await Promise.race([ready, new Promise((resolve) => { setTimeout(resolve, patience); })]);
  return Boolean(workers().controller);
}

/** Loads the page again, isolated, if this helps and was not tried before. Returns whether it does. */
export async function isolate() {
  if (crossOriginIsolated || !workers() || window !== window.top || !mayThread()) return false;
  try {
    if (sessionStorage.getItem(MARK)) return false;
    sessionStorage.setItem(MARK, "tried");
    if (!(await controlled(4000))) return false;
  } catch {
    // Without storage the page could not tell that it has tried.
    return false;
  }
  location.reload();
  return true;
}

/** Keeps the page and the module that it uses. Returns whether the page works offline from now on. */
export async function keep(module) {
  if (!workers()) return false;
  try {
    // The worker keeps a module that it loads.
    if ((await controlled(60_000)) && !(await caches.match(module, { ignoreSearch: true }))) await fetch(module).then((found) => found.arrayBuffer());
    return Boolean(await caches.match(module, { ignoreSearch: true }));
  } catch {
    return false;
  }
}
