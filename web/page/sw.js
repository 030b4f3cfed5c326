// Keeps the page for use without a network. All files of one build are kept together under the build's name, so that
// files of two builds never meet. A new build waits until the page says that its reader wants it.

const VERSION = "__VERSION__";
/** @type {string[]} */
const FILES = ["__FILES__"];
const SHELL = `hippolyta-${VERSION}`;
const MODELS = "hippolyta-models";
const worker = /** @type {any} */ (self);

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(caches.open(SHELL).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })))));
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("hippolyta-") && name !== SHELL && name !== MODELS) await caches.delete(name);
    }
    await worker.clients.claim();
  })());
});

worker.addEventListener("message", (/** @type {any} */ event) => {
  if (event.data === "take over") worker.skipWaiting();
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.includes("/models/")) event.respondWith(model(event.request));
  else event.respondWith(file(event.request, url));
});

/** @param {Request} request @param {URL} url */
async function file(request, url) {
  const cache = await caches.open(SHELL);
  const wanted = url.pathname.endsWith("/") ? new URL("index.html", url) : url;
  return await cache.match(wanted, { ignoreSearch: true }) ?? fetch(request);
}

/** A model may change under its name: the network first, and what is kept without one. @param {Request} request */
async function model(request) {
  const cache = await caches.open(MODELS);
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    throw error;
  }
}
