// Keeps the page and its engine in the browser: what was opened once opens without a network. The name of the cache changes with what is in it.

const CACHE = "holonom-VERSION";
const FILES = ["./", "engine.bin"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("holonom-") && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

// from the cache at once; page and engine belong together, so that a new version is taken as a whole when the worker is installed
self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const { origin, pathname } = new URL(event.request.url);
  const scope = new URL(self.registration.scope).pathname;
  const name = pathname.slice(scope.length);
  if (origin !== self.location.origin || !["", "index.html", "engine.bin"].includes(name)) return;
  const kept = name === "engine.bin" ? "engine.bin" : "./";
  event.respondWith(caches.open(CACHE).then((cache) => cache.match(kept)).then((found) => found ?? fetch(event.request)));
});
