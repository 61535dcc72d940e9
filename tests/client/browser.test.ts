import type { Baobab, Progress } from '@baobab/client';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { bundleClient } from '../support/bundle.ts';
import { type ClientService, openClientService, PASSWORD } from '../support/client-service.ts';
import { type Pages, servePages } from '../support/pages.ts';

const PAGE = `<!doctype html><title>App</title><script type="module">
  import { createClient, live } from './client.js';
  const { url, code } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  window.events = [];
  window.baobab = createClient({ url, appCode: code, storage: 'localStorage', live });
  baobab.auth.onChange((session, event) => events.push(event + ' ' + (session?.user.username ?? '-')));
</script>`;

const BUNDLE = "export * from '@baobab/client'; export * from '@baobab/client/live';";

/** Globals of the page. */
interface App {
  readonly baobab: Baobab;
  readonly events: string[];
}

describe('the client in a browser', () => {
  let service: ClientService;
  let pages: Pages;
  let browser: SharedBrowser;
  let context: BrowserContext;
  const problems: string[] = [];

  async function openTab(origin = pages.origin): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${origin}/app.html#url=${service.url}&code=${service.backend.appCode}`);
    await page.waitForFunction(() => 'baobab' in globalThis);
    return page;
  }
  /** Passkeys need a host with a name. */
  const withName = (origin: string) => origin.replace('127.0.0.1', 'localhost');
  const nameIn = (page: Page) =>
    page.evaluate(() => (globalThis as unknown as App).baobab.auth.session?.user.username ?? null);
  const nameBecomes = (page: Page, name: string | null) =>
    page.waitForFunction(
      (wanted) => ((globalThis as unknown as App).baobab.auth.session?.user.username ?? null) === wanted,
      name,
    );

  beforeAll(async () => {
    pages = await servePages({ '/app.html': PAGE, '/client.js': await bundleClient(BUNDLE) });
    service = await openClientService('memory:', 1, { webAuthnOrigins: [withName(pages.origin)] });
    browser = await openBrowser();
    context = await browser.newContext();
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
    await service?.close();
  });

  it('keeps the session, and shares it between tabs', async () => {
    const [first, second] = [await openTab(), await openTab()];
    const credentials = { username: 'ann', password: PASSWORD };
    await first.evaluate((user) => (globalThis as unknown as App).baobab.auth.signUp(user), credentials);
    await nameBecomes(second, 'ann');
    expect(await second.evaluate(async () => (await (globalThis as unknown as App).baobab.users.me()).user.name)).toBe(
      'ann',
    );
    // A new tab knows the user before it asks anybody.
    const third = await openTab();
    expect(await nameIn(third)).toBe('ann');
    await second.evaluate(() => (globalThis as unknown as App).baobab.auth.logout());
    await nameBecomes(first, null);
    await nameBecomes(third, null);
    expect(await first.evaluate(() => (globalThis as unknown as App).events)).toEqual(['login ann', 'logout -']);
    expect(await first.evaluate(() => Object.keys(localStorage).filter((key) => !key.endsWith(':client')))).toEqual([]);
    for (const tab of [first, second, third]) await tab.close();
  });

  it('works without a kept session in a frame that may not use storage', async () => {
    const page = await context.newPage();
    await page.goto(`${pages.origin}/client.js`);
    const code = (await bundleClient(BUNDLE)).replaceAll('</script', '<\\/script');
    const options = { url: service.url, appCode: service.backend.appCode, tabs: true };
    const script = `
      const client = URL.createObjectURL(new Blob([document.getElementById('client').textContent], { type: 'text/javascript' }));
      const { createClient } = await import(client);
      const seen = {};
      try { localStorage; } catch ({ name }) { seen.access = name; }
      for (const storage of ['localStorage', 'sessionStorage', () => localStorage]) {
        const { auth, users } = createClient({ ...${JSON.stringify(options)}, storage });
        await auth.signUp({ username: 'frame' + Object.keys(seen).length, password: 'secret' });
        seen[String(storage)] = (await users.me()).user.name;
      }
      parent.postMessage(seen, '*');`;
    const seen = await page.evaluate(
      (srcdoc) =>
        new Promise((resolve) => {
          addEventListener('message', ({ data }) => resolve(data), { once: true });
          const frame = document.createElement('iframe');
          frame.setAttribute('sandbox', 'allow-scripts');
          frame.srcdoc = srcdoc;
          document.body.append(frame);
        }),
      `<script type="text/plain" id="client">${code}</script><script type="module">${script}</script>`,
    );
    expect(seen).toEqual({
      access: 'SecurityError',
      localStorage: 'frame1',
      sessionStorage: 'frame2',
      '() => localStorage': 'frame3',
    });
    await page.close();
  });

  it('creates a passkey, and logs in with it without a name', async () => {
    const page = await openTab(withName(pages.origin));
    const devTools = await context.newCDPSession(page);
    await devTools.send('WebAuthn.enable');
    await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    const credentials = { username: 'pia', password: PASSWORD };
    const shown = await page.evaluate(async (user) => {
      const { auth } = (globalThis as unknown as App).baobab;
      await auth.signUp(user);
      const { name } = await auth.passkeys.add('Phone');
      const again = await auth.passkeys.add('Phone').catch((error: Error) => error.name);
      await auth.logout();
      const profile = await auth.loginWithPasskey();
      const session = (await auth.sessions()).find(({ current }) => current);
      return [name, again, profile.user.name, auth.session?.user.username, session?.factor];
    }, credentials);
    expect(shown).toEqual(['Phone', 'InvalidStateError', 'pia', 'pia', 'passkey']);
    await page.close();
  });

  it('shows in one tab what another one writes, as it happens', async () => {
    const name = await service.collection();
    const [first, second] = [await openTab(), await openTab()];
    const credentials = { username: 'carl', password: PASSWORD };
    await first.evaluate((user) => (globalThis as unknown as App).baobab.auth.signUp(user), credentials);
    await nameBecomes(second, 'carl');
    const seen = first.evaluate(
      (of) =>
        new Promise((resolve) => {
          const lengths: number[] = [];
          const { baobab } = globalThis as unknown as App;
          const stop = baobab
            .collection(of)
            .query()
            .live(
              (rows) => {
                lengths.push(rows.length);
                if (rows.length === 0) return;
                stop();
                resolve(lengths);
              },
              { onState: (state) => Object.assign(globalThis, { state }) },
            );
        }),
      name,
    );
    await first.waitForFunction(() => (globalThis as unknown as { state?: string }).state === 'live');
    await second.evaluate((of) => (globalThis as unknown as App).baobab.collection(of).create({ title: 'ж' }), name);
    expect(await seen).toEqual([0, 1]);
    for (const tab of [first, second]) {
      await tab.evaluate(() => (globalThis as unknown as App).baobab.auth.logout());
      await tab.close();
    }
  });

  it('stores documents and files, with progress, and gives up an upload', async () => {
    const collection = await service.collection();
    const page = await openTab();
    const seen = await page.evaluate(async (name) => {
      const { baobab } = globalThis as unknown as App;
      await baobab.auth.signUp({ username: 'bob', password: 'x' });
      const notes = baobab.collection(name);
      const { id } = await notes.create({ title: 'Milk ж' });
      await notes.update(id, { litres: 1, done: false });
      const rows = await notes.query().where('litres >= ?', 1).list();

      const progress: Progress[] = [];
      const bytes = new Uint8Array(300_000).fill(65);
      const file = await baobab.files.upload(new File([bytes], 'a.txt', { type: 'text/plain' }), {
        onProgress: (one) => progress.push(one),
      });
      const plain = await baobab.files.upload(new Blob(['plain']), { name: 'b.txt' });
      const text = await (await baobab.files.download(plain.id)).text();
      const controller = new AbortController();
      const upload = baobab.files.upload(new Blob([bytes]), { signal: controller.signal, onProgress: () => undefined });
      controller.abort();
      const code = await upload.then(
        () => 'stored',
        (error) => error.code,
      );
      const shown = await fetch(baobab.files.url(plain.id));
      const missing = await baobab.files
        .upload(new Blob(['x']), { grants: { read: { users: ['nobody'] } }, onProgress: () => undefined })
        .catch((error) => error);
      return {
        titles: rows.map((row) => [row.title, row['@version']]),
        length: file.contentLength,
        last: progress.at(-1),
        text,
        code,
        status: shown.status,
        missing: [missing.code, missing.status],
        files: await baobab.files.query().count(),
      };
    }, collection);
    expect(seen).toMatchObject({
      titles: [['Milk ж', 2]],
      length: 300_000,
      text: 'plain',
      code: 'client.aborted',
      status: 200,
      missing: ['grant.user_unknown', 400],
      files: 2,
    });
    expect(seen.last?.sent).toBe(seen.last?.total);
    expect(seen.last?.total).toBeGreaterThan(300_000);
  });

  it('runs without a fault', () => {
    expect(problems).toEqual([]);
  });
});
