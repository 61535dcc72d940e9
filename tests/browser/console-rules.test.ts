import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { overflow, seriousProblems } from '../support/accessibility.ts';
import { type Hands, type StartedConsole, startConsole } from '../support/console.ts';

let started: StartedConsole;
let page: Page;
let hands: Hands;

beforeAll(async () => {
  started = await startConsole();
  const { admin } = started;
  for (const name of ['boards', 'tasks']) await admin('POST', `/admin/collection/${name}`);
  await admin('POST', '/admin/role/editors');
  await admin('POST', '/document/tasks', { title: 'Print', state: 'open', public: true });
  await admin('POST', '/document/tasks', { title: 'Bind', state: 'done' });
  page = await started.open();
  hands = await started.enter(page);
  await hands.goTo('collections/tasks/rules');
});
afterAll(() => started?.close());
afterEach(() => expect(started.problems()).toEqual([]));

const rules = async () => (await started.admin('GET', '/admin/collection/tasks/rules')).data;
/** Waits for a sentence of the summary. */
const says = (sentence: string) => page.getByRole('region', { name: 'Summary' }).getByText(sentence).waitFor();
async function save(): Promise<void> {
  await hands.button('Save rules').click();
  await hands.saved();
  await page.getByText('Saved', { exact: true }).first().waitFor({ state: 'detached' });
}

describe('the access rules of a collection', () => {
  it('give roles permissions, and are put in words', async () => {
    await says('All signed-in users can create documents.');
    await hands.field('create: registereduser').uncheck();
    await says('Only administrators can create documents.');
    for (const action of ['create', 'read', 'update']) await hands.field(`${action}: editors`).check();
    await says('Users with the role editors can create, read, and update documents.');
    await save();
    expect(await rules()).toMatchObject({ create: ['editors'], read: ['editors'], update: ['editors'], delete: [] });
    expect(await hands.button('Save rules').isDisabled()).toBe(true);
  });

  it('have conditions, whose errors appear at their filter', async () => {
    await hands.button('Add condition').click();
    await hands.field('Role of condition 1').selectOption('anonymous');
    expect(await hands.field('Permission of condition 1').inputValue()).toBe('read');
    const filter = hands.field('Filter of condition 1');
    await filter.fill('publ');
    await page.getByRole('option', { name: 'public', exact: true }).click();
    await expect.poll(() => filter.inputValue()).toBe('public ');
    await filter.fill('public =');
    await hands.button('Save rules').click();
    await expect.poll(() => filter.getAttribute('aria-invalid')).toBe('true');
    const problem = page.locator('.condition-row [role=alert]');
    expect(await problem.innerText()).toContain('expected');
    await filter.fill('public = true');
    await says('Everyone can read documents if public = true.');
    await save();
    expect(await problem.count()).toBe(0);
    expect(await hands.button('Save rules').isDisabled()).toBe(true);
    const { read } = await rules();
    expect(read).toHaveLength(2);
    expect(read).toEqual(expect.arrayContaining(['editors', { role: 'anonymous', if: 'public = true' }]));
  });

  it('inherit from a parent', async () => {
    await page.getByLabel('Inherit permissions from a parent').check();
    await hands.button('Save rules').click();
    await expect.poll(() => hands.field('Field with the ID of the parent').getAttribute('aria-invalid')).toBe('true');
    await hands.field('Field with the ID of the parent').fill('board');
    await hands.field('Collection of the parents').selectOption('boards');
    await hands.field('Permission on the parent needed to delete').selectOption('all');
    await hands.field('When the parent is deleted').selectOption('Refuse the deletion');
    await says('Users who can read the parent in boards can read its documents.');
    await says('Users who can update the parent in boards can create and update its documents.');
    await says('Users with all permissions on the parent in boards can delete its documents.');
    await save();
    expect((await rules()).parent).toEqual({
      field: 'board',
      collection: 'boards',
      create: 'update',
      read: 'read',
      update: 'update',
      delete: 'all',
      onDelete: 'restrict',
    });
  });

  it('have checks, which are evaluated on the stored documents before they are saved', async () => {
    const check = hands.field('Check of update');
    await check.fill('not ch');
    await page.getByRole('option', { name: 'changed(', exact: true }).click();
    await page.getByRole('option', { name: 'state', exact: true }).click();
    await expect.poll(() => check.inputValue()).toBe('not changed(state ');
    await check.fill('not changed(state) and or');
    await hands.button('Save rules').click();
    await expect.poll(() => check.getAttribute('aria-invalid')).toBe('true');
    await check.fill("new.state = 'open'");
    await hands.field('Message if update is refused').fill('Only open tasks');
    await hands.button('Check existing documents').click();
    await hands.told('Existing documents that do not satisfy the checks: 1.');
    await page.getByText('/check/update').waitFor();
    await hands.button('Save rules').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Existing documents that do not satisfy the checks: 1.').waitFor();
    expect((await rules()).check).toEqual({});
    await dialog.getByRole('button', { name: 'Save anyway' }).click();
    await hands.saved();
    expect(await rules()).toMatchObject({
      check: { update: "new.state = 'open'" },
      messages: { update: 'Only open tasks' },
    });
  });

  it('are sent by the code that the page shows', async () => {
    await hands.button('API').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('client.admin.collections.setRules("tasks", {"check":').waitFor();
    await page.keyboard.press('Escape');
  });
});

describe('a test of access', () => {
  const test = async (user: string, action: string) => {
    const form = page.getByRole('region', { name: 'Test access' });
    await form.getByLabel('Username').fill(user);
    await form.getByLabel('Action').selectOption(action);
    await form.getByRole('button', { name: 'Test' }).click();
    return form.getByRole('status');
  };
  const create = async (collection: string, by: string, body: object): Promise<string> =>
    (await started.world.call('POST', `/document/${collection}`, { token: by, body })).data.id;

  it('says who may do what with a document, and why', async () => {
    const { world, admin } = started;
    const [ann, bob] = [await world.user('ann'), await world.user('bob')];
    const board = await create('boards', ann.token, { title: 'Launch' });
    await admin('PUT', `/document/boards/${board}/read/user/bob`);
    await admin('PUT', '/admin/user/ann', { role: 'editors' });
    const task = await create('tasks', ann.token, { title: 'Fold', state: 'open', board });
    await hands.goTo(`collections/tasks/${task}`);
    await hands.drawer('Fold');
    await page.getByRole('tab', { name: 'Permissions' }).click();

    const byParent = await test('bob', 'read');
    await byParent.getByText('bob can read the document, because:').waitFor();
    await byParent.getByText('The permission to read is inherited from the parent:').waitFor();
    await byParent.getByText('The permission to read is shared with bob.').waitFor();
    await byParent.getByRole('link', { name: `boards/${board}` }).waitFor();

    const refused = await test('bob', 'update');
    await refused.getByText('bob cannot update the document, because:').waitFor();
    await refused.getByText('No permission, rule or parent allows to update it.').waitFor();
    expect((await world.call('GET', `/document/tasks/${task}`, { token: bob.token })).data.title).toBe('Fold');

    await (await test('', 'delete')).getByText('An anonymous visitor cannot delete the document').waitFor();
    await (await test('nobody-of-this-name', 'read')).waitFor({ state: 'attached' });
    await page.getByRole('region', { name: 'Test access' }).getByRole('alert').waitFor();
  });

  it('tries other content, and names the check that refuses it', async () => {
    await hands.goTo('collections/tasks/rules');
    const { data } = await started.admin('GET', '/document/tasks?where=title%3D%27Fold%27');
    await hands.field('Document ID').fill(data[0].id);
    await hands.field('Action').selectOption('update');
    await page.getByLabel('Test with other content').check();
    await hands.field('Content (JSON)').fill(JSON.stringify({ title: 'Fold', state: 'done', board: data[0].board }));
    const result = await test('ann', 'update');
    await result.getByText("The check of update is not satisfied: new.state = 'open'").waitFor();
    expect((await started.admin('GET', `/document/tasks/${data[0].id}`)).data.state).toBe('open');
  });

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('is accessible with the editor in %s colors, %i pixels wide', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await hands.goTo('collections/tasks/rules');
    await (await test('bob', 'create')).getByText('bob cannot create the document').waitFor();
    expect([await seriousProblems(page), await overflow(page)]).toEqual([[], 0]);
  });
});
