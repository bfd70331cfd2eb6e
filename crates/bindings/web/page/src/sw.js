// Keeps the page's files, so that it works offline, and isolates the page from other origins, so that its threads may share memory: a server
// would do this by two headers. VERSION is replaced by a hash of all files when the page is built.
const PREFIX = "lanework-", CACHE = "lanework-VERSION";
const FILES = ["FILES"];
// A page uses one of the modules, which is kept when it is loaded.
const isModule = (url) => /\/lanework[a-z-]*\.wasm$/.test(new URL(url).pathname);

self.addEventListener("install", (event) => {
  const install = async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })));
    // The new version of the module that the page has used works offline, too.
    for (const name of (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE)) {
      const old = await (await caches.open(name)).keys();
      await Promise.all(old.map(({ url }) => url).filter(isModule).map((url) => cache.add(new Request(url, { cache: "no-cache" })).catch(() => null)));
    }
    await self.skipWaiting();
  };
  event.waitUntil(install());
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

/** A response with the headers that isolate the page. */
function isolated(response) {
  if (response.type === "error" || response.type === "opaque" || response.type === "opaqueredirect") return response;
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

async function answer(request) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request, { ignoreSearch: true });
  if (kept) return isolated(kept);
  const found = await fetch(request);
  if (found.ok && isModule(request.url)) await cache.put(request, found.clone()).catch(() => null);
  return isolated(found);
}

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(answer(event.request));
});
