import { beforeAll, describe, expect, it } from 'vitest';
import { holdNext, settled, useConsole } from '../support/console-page.ts';

const current = useConsole();
const LONG_NUMBER = '9007199254740993';

const asking = () => current().page.getByRole('dialog', { name: 'Unsaved changes', exact: true });

beforeAll(async () => {
  const { admin } = current();
  for (const name of ['plain', 'poems', 'odd']) await admin('POST', `/admin/collection/${name}`);
  const text = { type: 'string' };
  await admin('PUT', '/admin/collection/poems/schema', { properties: { title: text, text } });
  await admin('PUT', '/admin/collection/odd/schema', { properties: { title: text, constructor: text } });
});

const created = async (collection: string, content: unknown): Promise<string> =>
  (await current().admin('POST', `/document/${collection}`, content)).data.id;
const stored = async (collection: string, id: string) =>
  (await current().admin('GET', `/document/${collection}/${id}`)).data;

describe('a document', () => {
  it('may have members with names that every object has', async () => {
    const { page, hands } = current();
    await created('odd', JSON.parse('{"title":"Odd","__proto__":{"a":1},"constructor":"built","toString":7}'));
    const plain = await created('odd', { title: 'Plain' });
    await hands.goTo('collections/odd');
    await expect.poll(() => hands.rows('Documents')).toHaveLength(2);
    expect((await hands.rows('Documents')).join()).toContain('built');
    await page.getByRole('columnheader', { name: 'toString' }).waitFor();
    await page.getByRole('columnheader', { name: '__proto__' }).waitFor();
    await hands.goTo(`collections/odd/${plain}`);
    await hands.drawer('Plain');
    expect(await hands.field('constructor').inputValue()).toBe('');
    await hands.field('title').fill('Plainer');
    await page.keyboard.press('Control+s');
    await hands.saved();
    expect(Object.keys(await stored('odd', plain))).not.toContain('constructor');
    await hands.goTo('constructor');
    await hands.heading('Page not found');
  });

  it('keeps the line breaks of its texts in a form', async () => {
    const { page, hands } = current();
    const id = await created('poems', { title: 'Song', text: 'first\nsecond' });
    await hands.goTo(`collections/poems/${id}`);
    await hands.drawer('Song');
    await hands.field('text').focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('third');
    await page.keyboard.press('Control+s');
    await hands.saved();
    expect((await stored('poems', id)).text).toBe('first\nsecond\nthird');
    const { height } = (await hands.field('text').boundingBox()) ?? {};
    const { height: ofLine } = (await hands.field('title').boundingBox()) ?? {};
    expect(height).toBeGreaterThan((ofLine ?? 0) + 20);
  });

  it('has its new title in its drawer as soon as it is saved', async () => {
    const { page, hands } = current();
    const id = await created('plain', { title: 'Old' });
    await hands.goTo(`collections/plain/${id}`);
    await hands.drawer('Old');
    await hands.fillJson('Content (JSON)', '{"title":"New"}');
    await page.keyboard.press('Control+s');
    await hands.saved();
    await hands.drawer('New');
    await hands.more('Delete document');
    await hands.told('Delete the document “New”?');
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});

it('refuses an integer that the browser would round', async () => {
  const { hands, page } = current();
  await hands.goTo(`collections/plain/${await created('plain', { title: 'Number' })}`);
  await hands.drawer('Number');
  await hands.fillJson('Content (JSON)', `{"n":${LONG_NUMBER}}`);
  await page.getByText(`${LONG_NUMBER} has more digits than the browser keeps`).waitFor();
  expect(await hands.button('Save').isDisabled()).toBe(true);
  await hands.button('Cancel').click();
  await hands.button('Discard changes').click();
});

describe('what was typed', () => {
  it.each([
    ['collections', 'New collection', 'Name'],
    ['users', 'New user', 'Username'],
    ['groups', 'New group', 'Name'],
    ['roles', 'New role', 'Name'],
    ['keys', 'New API key', 'Name'],
    ['assets', 'New asset', 'Name'],
    ['webhooks', 'New webhook', 'Description'],
  ])('is not discarded unasked: %s', async (place, opener, field) => {
    const { page, hands } = current();
    await hands.goTo(place);
    await page.locator('main').getByRole('button', { name: opener, exact: true }).first().click();
    const input = page.getByRole('dialog').getByLabel(field, { exact: true });
    await page.keyboard.press('Escape');
    await input.waitFor({ state: 'detached' });
    await page.locator('main').getByRole('button', { name: opener, exact: true }).first().click();
    await input.fill('kept');
    await page.keyboard.press('Escape');
    await asking().waitFor();
    await page.keyboard.press('Escape');
    await asking().waitFor({ state: 'detached' });
    expect(await input.inputValue()).toBe('kept');
    await page.keyboard.press('Escape');
    await asking().getByRole('button', { name: 'Discard changes' }).click();
    await input.waitFor({ state: 'detached' });
  });

  it('stays if Escape is pressed twice at once', async () => {
    const { page, hands } = current();
    await hands.goTo('roles');
    await page.locator('main').getByRole('button', { name: 'New role', exact: true }).first().click();
    const input = page.getByRole('dialog').getByLabel('Name', { exact: true });
    await input.fill('kept');
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        if (document.querySelectorAll('[role=dialog]').length < 2) return;
        observer.disconnect();
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    await page.keyboard.press('Escape');
    await asking().waitFor({ state: 'detached' });
    expect(await input.inputValue()).toBe('kept');
    await page.keyboard.press('Escape');
    await asking().getByRole('button', { name: 'Discard changes' }).click();
  });

  it('is not discarded unasked: a notification', async () => {
    const { hands } = current();
    await hands.goTo('push/new');
    await hands.field('Text').fill('Hello');
    await hands.goTo('overview');
    await asking().getByRole('button', { name: 'Cancel' }).click();
    expect(await hands.field('Text').inputValue()).toBe('Hello');
    await hands.goTo('overview');
    await asking().getByRole('button', { name: 'Discard changes' }).click();
    await hands.heading('Overview');
  });

  it('stays where a call fails, and nothing promises to repeat it', async () => {
    const { page, hands } = current();
    const id = await created('plain', { title: 'Offline' });
    await hands.goTo(`collections/plain/${id}`);
    await hands.drawer('Offline');
    await hands.fillJson('Content (JSON)', '{"title":"Typed"}');
    await page.route('**/batch', (route) => route.abort());
    await page.keyboard.press('Control+s');
    const failure = page.getByRole('dialog').getByRole('alert');
    await failure.waitFor();
    expect(await failure.innerText()).toBe('Can’t reach the server. Try again once it is back.');
    await page.unroute('**/batch');
    await page.keyboard.press('Control+s');
    await hands.drawer('Typed');
  });
});

describe('a slow server', () => {
  it('lets nobody type into a document that is being created', async () => {
    const { page, hands } = current();
    for (const [collection, label] of [
      ['plain', 'Content (JSON)'],
      ['poems', 'title'],
    ] as const) {
      await hands.goTo('overview');
      await hands.heading('Overview');
      await hands.goTo(`collections/${collection}?new=on`);
      await hands.drawer('New document');
      if (collection === 'plain') await hands.fillJson(label, '{"title":"Slow"}');
      else await hands.field(label).fill('Slow');
      const creation = await holdNext(current(), 'POST');
      await page.keyboard.press('Control+s');
      await creation.asked;
      await page.keyboard.type('x');
      await page.keyboard.press('Backspace');
      await page.keyboard.press('Backspace');
      const shown = collection === 'plain' ? await hands.jsonText() : await hands.field(label).inputValue();
      expect(shown).toMatch(/^(?:Slow|\{"title":"Slow"\})$/);
      creation.open();
      await hands.drawer('Slow');
    }
  });

  const FIELDS = { Name: 'slow', Username: 'slow', Password: 'secret-enough-1', title: 'slow' };

  it.each([
    ['collections?new=on', ['Name']],
    ['users?new=on', ['Username', 'Password']],
    ['collections/poems?new=on', ['title']],
  ] as const)('does not pull the user off another page: %s', async (place, fields) => {
    const { page, hands } = current();
    await hands.goTo(place);
    await settled(current());
    for (const field of fields) await hands.field(field).fill(FIELDS[field]);
    const creation = await holdNext(current(), 'POST');
    await hands.button('Create').click();
    await creation.asked;
    await hands.goTo('collections/plain?new=on');
    await asking().getByRole('button', { name: 'Discard changes' }).click();
    await hands.drawer('New document');
    await hands.fillJson('Content (JSON)', '{"kept":1}');
    creation.open();
    await creation.answered;
    await settled(current());
    expect(await hands.jsonText()).toBe('{"kept":1}');
    expect(page.url()).toContain('collections/plain');
    await hands.button('Cancel').click();
    await hands.button('Discard changes').click();
  });

  it('does not pull the user off another page: after a deletion', async () => {
    const { page, hands, world } = current();
    const { name } = await world.user();
    await hands.goTo(`users/${name}`);
    await hands.more('Delete user');
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name);
    const deletion = await holdNext(current(), 'DELETE');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete user' }).click();
    await deletion.asked;
    await hands.goTo('settings/general');
    await hands.field('Application name').fill('Kept');
    deletion.open();
    await hands.told(`User ${name} deleted`);
    expect(await asking().count()).toBe(0);
    expect(await hands.field('Application name').inputValue()).toBe('Kept');
    await hands.button('Discard changes').click();
  });
});

describe('the layout', () => {
  it.each([390, 1440])(
    'shows a message beside the title and the buttons of a drawer, %i pixels wide',
    async (width) => {
      const { page, hands } = current();
      await page.setViewportSize({ width, height: 900 });
      const id = await created('plain', { title: 'A' });
      await hands.goTo(`collections/plain/${id}`);
      await hands.drawer('A');
      await hands.fillJson('Content (JSON)', '{"title":"Message"}');
      await page.keyboard.press('Control+s');
      await page.locator('.toast').first().waitFor();
      const covered = await page.evaluate(() => {
        const toasts = document.querySelector('.toasts')?.getBoundingClientRect() ?? new DOMRect();
        const isBelow = ({ left, right, top, bottom }: DOMRect) =>
          left < toasts.right && right > toasts.left && top < toasts.bottom && bottom > toasts.top;
        const parts = [...document.querySelectorAll('.drawer .overlay-head > *, .drawer .overlay-foot > *')];
        const inWindow = toasts.left >= 0 && toasts.right <= innerWidth && toasts.bottom <= innerHeight;
        return [inWindow, parts.length > 3, parts.filter((part) => isBelow(part.getBoundingClientRect())).length];
      });
      expect(covered).toEqual([true, true, 0]);
      await hands.saved();
      await page.setViewportSize({ width: 1440, height: 900 });
    },
  );

  it('gives each label of a long list its height', async () => {
    const { page, hands, admin } = current();
    for (let n = 0; n < 15; n++)
      await admin('POST', `/admin/collection/a-long-name-of-a-collection-with-several-lines-${n}`);
    await page.setViewportSize({ width: 390, height: 900 });
    await hands.goTo('webhooks');
    await page.locator('main').getByRole('button', { name: 'New webhook' }).first().click();
    await hands.field('a-long-name-of-a-collection-with-several-lines-14').waitFor();
    const cut = await page
      .locator('.check-list label')
      .evaluateAll((labels) => labels.filter((label) => label.scrollHeight > label.clientHeight).length);
    expect(cut).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});
