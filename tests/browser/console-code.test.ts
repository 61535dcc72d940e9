import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { seriousProblems } from '../support/accessibility.ts';
import { type Hands, type StartedConsole, startConsole } from '../support/console.ts';
import { openShell, type Shell } from '../support/shell.ts';

/** Everything that a shell or JavaScript might take for its own. */
const NASTY = 'it\'s "quoted" $HOME `id` \\ ! é\n<b>';

let started: StartedConsole;
let page: Page;
let hands: Hands;
let shell: Shell;

beforeAll(async () => {
  started = await startConsole();
  await started.admin('POST', '/admin/collection/notes');
  await started.admin('POST', '/document/notes', { title: NASTY });
  await started.admin('POST', '/document/notes', { title: 'plain' });
  page = await started.open();
  hands = await started.enter(page);
  shell = openShell(process.cwd(), { PATH: process.env.PATH ?? '', TOKEN: started.token });
});
afterAll(async () => {
  shell?.close();
  await started?.close();
});
afterEach(() => expect(started.problems()).toEqual([]));

const dialog = () => page.getByRole('dialog');
const snippet = (name: string) => dialog().getByRole('region', { name, exact: true }).locator('pre').innerText();

async function showCode(): Promise<void> {
  await hands.button('API').click();
  await hands.field('Request').waitFor();
}

/** Runs a command as it is shown. */
async function run(command: string): Promise<unknown> {
  const { output, status } = await shell.run(command);
  expect(status).toBe(0);
  return JSON.parse(output);
}

describe('a view as code', () => {
  const WHERE = `title = ${JSON.stringify('it\'s "quoted" $HOME `id` \\ ! é\n<b>')}`;

  it('is a command that requests the same, whatever is in it', async () => {
    const query = new URLSearchParams({ where: WHERE, order: 'title desc' });
    await page.goto(`${started.base}/console/#/collections/notes?${query}`);
    await expect.poll(() => hands.rows('Documents')).toHaveLength(1);
    await showCode();
    await hands.field('Request').selectOption({ label: 'GET /document/notes' });
    const command = await snippet('curl');
    expect(command).toContain('$TOKEN');
    expect(command).not.toContain(started.token);
    const own = await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
    for (const [, token] of own.matchAll(/"token\\?":\\?"([^"\\]+)/g)) expect(command).not.toContain(token);
    expect(await run(command)).toMatchObject({ data: [{ title: NASTY }] });
    expect(await seriousProblems(page)).toEqual([]);
  });

  it('is a call of the client, too', async () => {
    expect(await snippet('@baobab/client')).toContain(
      `client.collection("notes").query().whereUnchecked(${JSON.stringify(WHERE)}).orderBy("title", "desc").pageSize(50).page()`,
    );
    await hands.button('Close').click();
  });

  it('has what was changed in it', async () => {
    const { data } = await started.admin('POST', '/document/notes', { title: 'to edit' });
    await hands.goTo(`collections/notes/${data.id}`);
    await hands.fillJson('Content (JSON)', JSON.stringify({ title: NASTY }));
    await hands.button('Save').click();
    await hands.saved();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await showCode();
    await hands.field('Request').selectOption({ label: 'POST /batch' });
    expect(await snippet('@baobab/client')).toContain(
      `client.batch([{"method":"PATCH","path":"/document/notes/${data.id}","body":${JSON.stringify({ set: { '`title`': NASTY }, '@version': 1 })}}])`,
    );
    // The version has passed.
    expect(await run(await snippet('curl'))).toMatchObject({ result: 'error', bb_code: '40001' });
    await hands.button('Close').click();
  });

  it('has no passwords and no values of settings', async () => {
    await started.world.user('gina');
    await hands.goTo('users/gina/security');
    await hands.field('New password').fill('not to be shown');
    await hands.button('Set password').click();
    await hands.told('Password changed.');
    await showCode();
    for (const option of await hands.field('Request').locator('option').all()) {
      await hands.field('Request').selectOption((await option.getAttribute('value')) ?? '');
      expect(await dialog().innerText()).not.toContain('not to be shown');
    }
    await hands.field('Request').selectOption({ label: 'PUT /admin/user/gina/password' });
    expect(await snippet('@baobab/client')).toContain('client.admin.users.setPassword("gina", "…")');
    await hands.button('Close').click();
  });

  it.each(['users', 'users/admin', 'collections', 'collections/notes/rules', 'settings', 'settings/email'])(
    'is there for %s',
    async (place) => {
      await hands.goTo(place);
      await page.waitForFunction(() => document.querySelector('main h2, main table') !== null);
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
      await showCode();
      const count = await hands.field('Request').locator('option').count();
      for (let index = 0; index < count; index++) {
        await hands.field('Request').selectOption(String(index));
        expect(await snippet('@baobab/client')).toMatch(/await client\.\w+/);
        await run(await snippet('curl'));
      }
      await hands.button('Close').click();
    },
  );
});
