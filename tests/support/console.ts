import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

const ROOT = join(import.meta.dirname, '../..');

/** The folder of the built console; it is built first when its sources have changed. */
export function builtConsole(): string {
  const runner = join(ROOT, 'scripts/run.mjs');
  const { status, stderr } = spawnSync(process.execPath, [runner, 'build-console'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the console cannot be built:\n${stderr}`);
  return join(ROOT, 'packages/console/dist/site');
}

/** What tests do in the console, by what its users read and press. */
export function createHands(page: Page, base: string) {
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const field = (label: string): Locator => page.getByLabel(label, { exact: true });
  async function signIn(username: string, password: string): Promise<void> {
    await field('User name').fill(username);
    await field('Password').fill(password);
    await button('Sign in').click();
  }
  return {
    button,
    field,
    signIn,
    heading: (name: string) => page.getByRole('heading', { level: 1, name }).waitFor(),
    /** Waits for a text that the page announces. */
    told: (text: string) => page.getByText(text).first().waitFor(),
    goTo: (place: string) => page.goto(`${base}/console/#/${place}`),
    /** The texts of the body of the table with this label, row by row. */
    rows: (label: string): Promise<string[]> =>
      page.getByRole('region', { name: label, exact: true }).locator('tbody tr').allInnerTexts(),
  };
}
