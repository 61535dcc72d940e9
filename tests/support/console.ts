import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createTestBackend } from '@baobab/server/testing';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { createWorld } from './backend.ts';
import { openBrowser } from './browser.ts';
import { PREFIX, startPrefixProxy } from './prefix-proxy.ts';
import { openSocket } from './sockets.ts';

const ROOT = join(import.meta.dirname, '../..');

let isBuilt = false;

/** Returns the folder of the built console. Builds it first if its sources have changed. */
export function builtConsole(): string {
  const folder = join(ROOT, 'packages/console/dist/site');
  if (isBuilt) return folder;
  const runner = join(ROOT, 'scripts/run.mjs');
  const { status, stderr } = spawnSync(process.execPath, [runner, 'build-console'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the console cannot be built:\n${stderr}`);
  isBuilt = true;
  return folder;
}

/** Escapes a text for a regular expression. */
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Creates helpers that use the console like a user, by visible texts. */
export function createHands(page: Page, base: string) {
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const field = (label: string): Locator => page.getByLabel(label, { exact: true });
  async function signIn(username: string, password: string): Promise<void> {
    await field('Username').fill(username);
    await field('Password').fill(password);
    await button('Sign in').click();
  }
  return {
    button,
    field,
    signIn,
    /** Chooses an action behind ⋯ of the page, or of the open drawer. */
    async more(action: string): Promise<void> {
      await page
        .getByRole('button', { name: /^(?:More actions|Actions for )/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: action, exact: true }).click();
    },
    /** Replaces the text of a JSON editor. */
    async fillJson(label: string, text: string): Promise<void> {
      await page.getByRole('textbox', { name: label, exact: true }).click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(text);
    },
    /** Returns the text of the JSON editor on screen. */
    jsonText: () => page.locator('.code-editor .cm-content').innerText(),
    /** Waits for the drawer of a document by its title, and until it has the focus: it would take it from its fields. */
    async drawer(title: string): Promise<void> {
      await page.getByRole('dialog', { name: title, exact: true }).waitFor();
      await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]') != null);
    },
    /** Waits for a view by the beginning of its title. */
    heading: (title: string) =>
      page
        .getByRole('heading', { level: 1 })
        .filter({ hasText: new RegExp(`^${escaped(title)}`) })
        .waitFor(),
    /** Waits for an announced text. */
    told: (text: string) => page.getByText(text).first().waitFor(),
    /** Waits for the message that something was saved, and closes it so that it is not taken for the next one. */
    async saved() {
      await page
        .locator('.toast', { hasText: /^Saved$/ })
        .first()
        .waitFor();
      await page.evaluate(() => {
        for (const button of document.querySelectorAll<HTMLElement>('.toast button')) button.click();
      });
    },
    goTo: (place: string) => page.goto(`${base}/console/#/${place}`),
    /** Returns the texts of the table body with this label, row by row. */
    rows: (label: string): Promise<string[]> =>
      page.locator(`section.table[aria-label="${label}"] tbody tr`).allInnerTexts(),
  };
}

export type Hands = ReturnType<typeof createHands>;

/** Starts a server below a path prefix and its console in a browser, and collects the errors of its pages. */
export async function startConsole() {
  const backend = await createTestBackend({ consoleFolder: builtConsole() });
  const world = createWorld(backend);
  const token = await world.admin();
  const proxy = await startPrefixProxy(await openSocket(backend.app));
  const base = proxy.origin + PREFIX;
  const browser = await openBrowser();
  let problems: string[] = [];

  /** Opens a page in a separate browser context. */
  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const page = await context.newPage();
    page.on('console', (message) => {
      // A rejected call is shown to the user; the browser reports it as well.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('dialog', (dialog) => problems.push(dialog.message()));
    page.on('request', (asked) => {
      if (!asked.url().startsWith(`${base}/`) && !asked.url().startsWith('blob:')) problems.push(asked.url());
    });
    await page.goto(`${base}/console`);
    return page;
  }

  return {
    backend,
    world,
    base,
    token,
    open,
    /** Sends a request as an administrator, bypassing the console. */
    admin: (method: string, url: string, body?: unknown) => world.call(method, url, { token, body }),
    /** Signs in an administrator on an English page. */
    async enter(page: Page) {
      const hands = createHands(page, base);
      await hands.signIn('admin', backend.adminPassword);
      await hands.button('Account: admin').waitFor();
      return hands;
    },
    /** Returns errors and requests to other origins since the last call. */
    problems(): readonly string[] {
      const found = problems;
      problems = [];
      return found;
    },
    async close(): Promise<void> {
      await browser.close();
      proxy.server.close();
      await backend.close();
    },
  };
}

export type StartedConsole = Awaited<ReturnType<typeof startConsole>>;
