// Keeps the page, its engine and the book in the browser: what was opened once opens without a network. The name of the cache changes with what is in it.

const CACHE = "holonom-VERSION";
const FILES = ["./", "engine.bin"];
/** Pages and pictures of the book: kept once somebody reads in it, all at once. */
const BOOK = ["BOOK"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("holonom-") && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

/** The name under which a path of the site is kept; null for what is not of it. */
function keptAs(name) {
  if (name === "" || name === "index.html") return "./";
  const page = name === "book/" ? "book/index.html" : name;
  return page === "engine.bin" || BOOK.includes(page) ? page : null;
}

// from the cache at once; page and engine belong together, so that a new version is taken as a whole when the worker is installed
self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const { origin, pathname } = new URL(event.request.url);
  const scope = new URL(self.registration.scope).pathname;
  const kept = origin === self.location.origin && pathname.startsWith(scope) ? keptAs(decodeURIComponent(pathname.slice(scope.length))) : null;
  if (kept === null) return;
  event.respondWith(caches.open(CACHE).then((cache) => cache.match(kept)).then((found) => found ?? fetch(event.request)));
});

self.addEventListener("message", (event) => {
  if (event.data !== "keep the book") return;
  const keep = async () => {
    const cache = await caches.open(CACHE);
    const missing = [];
    for (const name of BOOK) if (!(await cache.match(name))) missing.push(name);
    await cache.addAll(missing);
    event.source?.postMessage("the book is kept");
  };
  event.waitUntil(keep().catch(() => {}));
});
