import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { seriousProblems } from '../support/accessibility.ts';
import { createWorld, type World } from '../support/backend.ts';
import { openBrowser, type SharedBrowser } from '../support/browser.ts';
import { builtExample, setUpExample } from '../support/examples.ts';
import { type Pages, servePages } from '../support/pages.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { openSocket } from '../support/sockets.ts';

const REFUSED = 'Only the assignee and the owner of the board can move a task';
/** The picture in the documents is what this test sees; set SCREENSHOTS=write to take it again. */
const SCREENSHOT = join(import.meta.dirname, '../../docs/images/task-board.png');

let backend: TestBackend;
let world: World;
let pages: Pages;
let browser: SharedBrowser;
let problems: string[] = [];

/** Returns the names of all files. */
async function filesOf({ call, admin }: World): Promise<string[]> {
  const { data } = await call('GET', '/file/details', { token: await admin() });
  return data.map(({ fileName }: { fileName: string }) => fileName);
}

/** Opens the app as a new user. */
async function signedUp(name: string) {
  const context = await browser.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const page: Page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  const button = (label: string) => page.getByRole('button', { name: label, exact: true });
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  await page.goto(`${pages.origin}/index.html`);
  await fill('User name', name);
  await fill('Password', 'a password');
  await button('Sign up').click();
  await button('Create board').waitFor();
  return {
    page,
    button,
    async send(label: string, text: string, press: string) {
      await fill(label, text);
      await button(press).click();
    },
    column: (column: string, title: string) =>
      page.getByRole('region', { name: column, exact: true }).getByRole('article', { name: title, exact: true }),
    move: (title: string, column: string) =>
      page.getByLabel(`Column of ${title}`, { exact: true }).selectOption(column),
    async comment(title: string, text: string) {
      await fill(`Comment on ${title}`, text);
      await page.getByLabel(`Comment on ${title}`, { exact: true }).press('Enter');
    },
    attach: (title: string, name: string) =>
      page
        .getByLabel(`Attach to ${title}`, { exact: true })
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('A poster') }),
    told: (text: string) => page.getByText(text).first().waitFor(),
  };
}

beforeAll(async () => {
  backend = await createTestBackend();
  world = createWorld(backend);
  const service = `http://127.0.0.1:${await openSocket(backend.app)}`;
  expect(await setUpExample('task-board', service, backend.adminPassword)).toBe('The task board is ready\n');
  // Again: it can be run after a change.
  await setUpExample('task-board', service, backend.adminPassword);
  pages = await servePages(builtExample('task-board', service));
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await pages?.close();
  await backend?.close();
});
afterEach(() => {
  expect(problems).toEqual([]);
  problems = [];
});

describe('the example of a shared task board', () => {
  it('is used by an owner, a member and a stranger', async () => {
    const [ann, bob, eve] = [await signedUp('ann'), await signedUp('bob'), await signedUp('eve')];
    await ann.send('New board', 'Launch', 'Create board');
    await ann.send('New task', 'Print', 'Add task');
    await ann.column('open', 'Print').waitFor();
    await ann.button('Invite').click();
    const code = await ann.page.locator('output').filter({ hasText: /./ }).innerText();
    expect(await seriousProblems(ann.page)).toEqual([]);

    await bob.send('Invitation code', code, 'Join');
    await bob.button('Launch').click();
    await bob.column('open', 'Print').waitFor();
    await bob.send('New task', 'Bind', 'Add task');
    await ann.column('open', 'Bind').waitFor();
    await bob.move('Print', 'done');
    await bob.told(REFUSED);
    await bob.move('Bind', 'doing');
    await ann.column('doing', 'Bind').waitFor();
    await ann.move('Bind', 'done');
    await bob.column('done', 'Bind').waitFor();
    await bob.comment('Print', 'On paper?');
    await ann.told('On paper?');
    await bob.attach('Print', 'poster.txt');
    await bob.page.getByRole('link', { name: 'poster.txt' }).waitFor();
    expect(await filesOf(world)).toEqual(['poster.txt']);
    if (process.env.SCREENSHOTS === 'write') {
      await ann.page.screenshot({ path: SCREENSHOT, clip: { x: 0, y: 0, width: 1280, height: 490 } });
    }
    expect(existsSync(SCREENSHOT)).toBe(true);

    // A stranger sees nothing, and cannot put tasks onto the board.
    expect(await eve.button('Launch').count()).toBe(0);
    const [board] = (await world.call('GET', '/document/boards', { token: await world.admin() })).data;
    const login = await world.call('POST', '/login', { body: { username: 'eve', password: 'a password' } });
    const spam = { board: board.id, title: 'Spam', column: 'open', assignee: 'eve' };
    const token = login.data['X-BB-SESSION'];
    expect((await world.call('POST', '/document/tasks', { token, body: spam })).body.code).toBe(
      'document.parent_invalid',
    );

    await ann.button('Show members').click();
    await ann.button('Remove bob').click();
    await bob.button('Launch').waitFor({ state: 'detached' });
    await ann.button('Delete board').click();
    await ann.button('Launch').waitFor({ state: 'detached' });
    for (const name of ['tasks', 'comments']) {
      expect((await world.call('GET', `/document/${name}`, { token: await world.admin() })).data).toEqual([]);
    }
    expect(await filesOf(world)).toEqual([]);
  });
});
