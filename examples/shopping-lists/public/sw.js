// A service worker that stores the files of the app on the device, so that the app opens offline. Calls to the server
// bypass it.
const KEPT = 'app';
const PAGE = './index.html';

async function keep() {
  const cache = await caches.open(KEPT);
  const page = await (await fetch(PAGE, { cache: 'reload' })).text();
  const assets = Array.from(page.matchAll(/="(\.\/assets\/[^"]+)"/g), ([, path]) => path);
  await cache.addAll([PAGE, ...assets]);
}

/** Fetches the newest version; offline, returns the stored one. */
async function answer(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(request.mode === 'navigate' ? PAGE : request);
    if (kept === undefined) throw error;
    return kept;
  }
}

self.addEventListener('install', (event) => event.waitUntil(keep()));
self.addEventListener('fetch', (event) => {
  if (event.request.url.startsWith(location.origin)) event.respondWith(answer(event.request));
});
