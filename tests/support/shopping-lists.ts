import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';

const ROOT = join(import.meta.dirname, '../..');
const RUNNER = join(ROOT, 'scripts/run.mjs');
/** Default server address of the app. */
const ADDRESS = 'http://localhost:9000';

export const EXAMPLE = join(ROOT, 'examples/shopping-lists');

/** Returns the files of the built example by path, for a server at another address. Builds it first if necessary. */
export function builtExample(service: string): Record<string, string> {
  const { status, stderr } = spawnSync(process.execPath, [RUNNER, 'build-example'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the example cannot be built:\n${stderr}`);
  const site = join(EXAMPLE, 'dist/site');
  const names = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    names.map((path) => [path.slice(site.length), readFileSync(path, 'utf8').replaceAll(ADDRESS, service)]),
  );
}

/** Prepares a server for the example. Resolves to the output. */
export async function setUpExample(service: string, password: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [RUNNER, 'example', 'set-up', service, password]);
  return stdout;
}

/** A row of a list, as displayed or as stored. */
export interface ShownItem {
  readonly title: string;
  readonly done: boolean;
  readonly photo: boolean;
}

/** Creates helpers that use the example like a user, by visible texts. */
export function createShopper(page: Page, base: string) {
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const field = (label: string): Locator => page.getByLabel(label, { exact: true });
  const row = (title: string): Locator =>
    page.locator('.items li').filter({ has: page.getByRole('checkbox', { name: title, exact: true }) });

  async function add(label: string, text: string, press: string): Promise<void> {
    await field(label).fill(text);
    await button(press).click();
  }

  return {
    page,
    button,
    field,
    row,
    async signUp(username: string): Promise<void> {
      await page.goto(`${base}/index.html`);
      await field('User name').fill(username);
      await field('Password').fill('a password');
      await button('Sign up').click();
      await page.getByRole('heading', { name: 'Your lists' }).waitFor();
    },
    goTo: (place: string) => page.goto(`${base}/index.html#${place}`),
    async openList(title: string): Promise<void> {
      await page.getByRole('link', { name: title, exact: true }).click();
      // Until then the page shows the previous list, whose form has the same fields.
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
    },
    addList: (title: string) => add('New list', title, 'Add list'),
    addItem: (title: string) => add('New item', title, 'Add item'),
    check: (title: string) => row(title).getByRole('checkbox').click(),
    remove: (title: string) => button(`Remove ${title}`).click(),
    photoOf: (title: string) => row(title).getByRole('img'),
    /** Waits for a displayed text. */
    told: (text: string) => page.getByText(text).first().waitFor(),
    /** Returns the rows of the open list. */
    shown: (): Promise<ShownItem[]> =>
      page.locator('.items li').evaluateAll((rows) =>
        rows.map((one) => ({
          title: one.querySelector('span')?.textContent ?? '',
          done: one.querySelector<HTMLInputElement>('input[type=checkbox]')?.checked === true,
          photo: one.querySelector('img') !== null,
        })),
      ),
  };
}

export type Shopper = ReturnType<typeof createShopper>;
