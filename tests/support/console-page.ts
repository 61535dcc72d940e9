import { createTestBackend, type TestBackend, type TestBackendOptions } from '@baobab/server/testing';
import type { Page, Request, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { LOOKS, overflow, seriousProblems } from './accessibility.ts';
import { type Answer, createWorld, type World } from './backend.ts';
import { openBrowser, type SharedBrowser } from './browser.ts';
import { builtConsole, createHands } from './console.ts';
import { createLatch } from './patience.ts';
import { PREFIX, startPrefixProxy } from './prefix-proxy.ts';
import { openSocket } from './sockets.ts';

/** Markup that runs code if stored content is rendered as a page. */
export const CANARY = '<img src=x onerror="globalThis.ran=1"><script>globalThis.ran=1</script>';

/** Context of a console test, complete after `beforeAll`. */
export interface ConsolePage {
  readonly backend: TestBackend;
  readonly world: World;
  readonly page: Page;
  readonly hands: ReturnType<typeof createHands>;
  /** Address of the server. */
  readonly base: string;
  /** Returns the page's requests since the last call. */
  asked(): readonly Request[];
  /** Sends a request as the administrator, from outside the page. */
  admin(method: string, url: string, body?: unknown): Promise<Answer>;
  /** Returns a button in the open dialog. */
  inDialog(name: string): ReturnType<Page['getByRole']>;
}

/** Opens a signed-in console and checks it for errors after each test. @param options called once */
export function useConsole(options: () => TestBackendOptions = () => ({})): () => ConsolePage {
  let backend: TestBackend;
  let world: World;
  let browser: SharedBrowser;
  let proxy: Awaited<ReturnType<typeof startPrefixProxy>>;
  let opened: ConsolePage | undefined;
  let problems: string[] = [];
  let requests: Request[] = [];

  function watch(page: Page, base: string): void {
    page.on('console', (message) => {
      // A rejected call is shown to the user; the browser reports it as well.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('dialog', (dialog) => {
      if (dialog.type() === 'beforeunload') return dialog.accept();
      return problems.push(dialog.message());
    });
    page.on('request', (request) => {
      requests.push(request);
      if (!request.url().startsWith(`${base}/`) && !request.url().startsWith('blob:')) problems.push(request.url());
    });
  }

  beforeAll(async () => {
    backend = await createTestBackend({ ...options(), consoleFolder: builtConsole() });
    world = createWorld(backend);
    proxy = await startPrefixProxy(await openSocket(backend.app));
    const base = proxy.origin + PREFIX;
    browser = await openBrowser();
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true });
    const page = await context.newPage();
    watch(page, base);
    const hands = createHands(page, base);
    await page.goto(`${base}/console`);
    await hands.signIn('admin', backend.adminPassword);
    await hands.heading('Overview');
    opened = {
      backend,
      world,
      page,
      hands,
      base,
      admin: (method, url, body) =>
        world.call(method, url, { basic: ['admin', backend.adminPassword], ...(body === undefined ? {} : { body }) }),
      inDialog: (name) => page.getByRole('dialog').getByRole('button', { name, exact: true }),
      asked() {
        const all = requests;
        requests = [];
        return all;
      },
    };
  });
  afterAll(async () => {
    await browser?.close();
    proxy?.server.close();
    await backend?.close();
  });
  /** Discards what a failed test left open: every later test would wait for it. */
  async function startOver({ page, base }: ConsolePage): Promise<void> {
    await page.unrouteAll();
    await page.goto('about:blank');
    await page.goto(`${base}/console`);
  }

  afterEach(async ({ task }) => {
    const found = problems;
    problems = [];
    if (task.result?.state === 'fail' && opened !== undefined) await startOver(opened);
    expect(found).toEqual([]);
  });

  return () => {
    if (opened === undefined) throw new Error('the console is not open yet');
    return opened;
  };
}

/** Waits until the page has finished loading. */
export const settled = ({ page }: ConsolePage) =>
  page.waitForFunction(() => document.querySelector('[aria-busy=true], .skeleton') === null);

/** Lets the page wait for the response to its next request of this method until the latch is open. */
export async function holdNext({ page }: ConsolePage, method: string) {
  const [asked, held, answered] = [createLatch(), createLatch(), createLatch()];
  const hold = async (route: Route) => {
    if (route.request().method() !== method) return route.fallback();
    const response = await route.fetch();
    asked.open();
    await held.opened;
    await route.fulfill({ response });
    await page.unroute('**/*', hold);
    answered.open();
  };
  await page.route('**/*', hold);
  return { asked: asked.opened, open: held.open, answered: answered.opened };
}

/** Checks places with wide and narrow windows, in light and dark mode. `⋯` marks a dialog that a menu opens. */
export function itIsAccessible(
  current: () => ConsolePage,
  places: () => Promise<readonly (readonly [place: string, heading: string, open?: string])[]>,
): void {
  it.each(LOOKS)('is accessible in %s colors, %i pixels wide', async (colorScheme, width) => {
    const opened = current();
    const { page, hands } = opened;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    for (const [place, heading, dialog] of await places()) {
      await hands.goTo(place);
      await hands.heading(heading);
      await settled(opened);
      expect([place, await seriousProblems(page), await overflow(page)]).toEqual([place, [], 0]);
      if (dialog === undefined) continue;
      if (dialog.startsWith('⋯ ')) await hands.more(dialog.slice(2));
      else await hands.button(dialog).click();
      await page.getByRole('dialog').waitFor();
      await settled(opened);
      expect([dialog, await seriousProblems(page), await overflow(page)]).toEqual([dialog, [], 0]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1440, height: 900 });
  });
}
