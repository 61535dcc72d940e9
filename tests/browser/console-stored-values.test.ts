import { beforeAll, describe, expect, it } from 'vitest';
import { useConsole } from '../support/console-page.ts';

const current = useConsole();

beforeAll(async () => {
  const { admin } = current();
  const text = { type: 'string' };
  const properties = {
    title: text,
    steps: text,
    size: { enum: ['s', 'm'] },
    author: { type: 'object', properties: { name: text, number: { type: 'integer' } } },
  };
  await admin('POST', '/admin/collection/recipes');
  await admin('PUT', '/admin/collection/recipes/schema', { properties });
});

/** @param content JSON, sent unchanged */
const created = async (content: string): Promise<string> =>
  (await current().admin('POST', '/document/recipes', content)).data.id;
const read = (id: string) => current().admin('GET', `/document/recipes/${id}`);

async function open(id: string, title: string): Promise<void> {
  const { hands } = current();
  await hands.goTo(`collections/recipes/${id}`);
  await hands.drawer(title);
}

async function save(): Promise<void> {
  await current().page.keyboard.press('Control+s');
  await current().hands.saved();
}

describe('a form changes only what was typed into it', () => {
  it.each([
    ['\n', 'Peel\nCook\nEat'],
    ['\r\n', '\r\n  Peel\r\nCook\r\n'],
  ])('of a text with the line break %j', async (lineBreak, steps) => {
    const { page, hands } = current();
    const id = await created(JSON.stringify({ title: 'Soup', steps }));
    await open(id, 'Soup');
    expect(await hands.field('steps').inputValue()).toBe(steps.replaceAll('\r\n', '\n'));
    await hands.field('steps').focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('!');
    await save();
    expect((await read(id)).data.steps).toBe(`${steps}${lineBreak}!`);
  });

  it('of members that the schema does not name', async () => {
    const { page, hands } = current();
    const others = '"many":[{"n":1},0.5],"a.b":"","":null,"`":1,"__proto__":{"x":1}';
    const id = await created(`{"title":"Odd","steps":"","author":{"name":"ann","number":1},${others}}`);
    await open(id, 'Odd');
    await page.getByRole('group', { name: 'author' }).getByLabel('name').fill('eve');
    await hands.field('steps').fill('none');
    await hands.field('steps').fill('');
    await save();
    const { text, data } = await read(id);
    expect(data).toMatchObject({ title: 'Odd', steps: '', author: { name: 'eve', number: 1 }, '@version': 2 });
    expect(text).toContain(others);
  });

  it('of a document with names that no path can name', async () => {
    const { hands } = current();
    const id = await created('{"title":"Paths","a/b":1,"c.d":1}');
    await open(id, 'Paths');
    await current().page.getByRole('tab', { name: 'JSON' }).click();
    await hands.fillJson('Content (JSON)', '{"title":"Paths","a/b":2,"c.d":2}');
    await save();
    expect((await read(id)).data).toMatchObject({ 'a/b': 2, 'c.d': 2, '@version': 2 });
  });
});

describe('a document that another user has changed', () => {
  it('keeps what the user has not changed', async () => {
    const { hands, admin } = current();
    const id = await created('{"title":"Bread","steps":"Bake","author":{"name":"ann"}}');
    await open(id, 'Bread');
    await hands.field('steps').fill('Bake\nEat');
    await admin('PATCH', `/document/recipes/${id}`, { set: { title: 'Rye bread', 'author.number': 7 } });
    await hands.button('Save').click();
    await hands.told('Changed by someone else');
    await hands.button('Apply to version 2').click();
    await hands.saved();
    expect(await hands.field('title').inputValue()).toBe('Rye bread');
    expect((await read(id)).data).toMatchObject({
      title: 'Rye bread',
      steps: 'Bake\nEat',
      author: { name: 'ann', number: 7 },
      '@version': 3,
    });
  });
});

describe('several lines that are stored', () => {
  it('are shown and kept: the description of a role', async () => {
    const { page, hands, admin } = current();
    await admin('POST', '/admin/role/cooks', { description: 'first\r\nsecond' });
    await hands.goTo('roles');
    await page.getByRole('button', { name: 'Actions for cooks' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const description = page.getByRole('dialog').getByLabel('Description');
    expect(await description.inputValue()).toBe('first\nsecond');
    await description.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('!');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await admin('GET', '/admin/role/cooks')).data.description).toBe('first\r\nsecond!');
  });

  it('are shown and kept: the filter of a rule', async () => {
    const { page, hands, admin } = current();
    const filter = "title = 'a'\nor title = 'b'";
    await admin('PUT', '/admin/collection/recipes/rules', { read: [{ role: 'registereduser', if: filter }] });
    await hands.goTo('collections/recipes/rules');
    const input = hands.field('Filter of condition 1');
    await expect.poll(() => input.inputValue()).toBe(filter);
    await input.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' or size = 1');
    await page.keyboard.press('Enter');
    const stored = async () => (await admin('GET', '/admin/collection/recipes/rules')).data.read;
    await expect.poll(stored).toEqual([{ role: 'registereduser', if: `${filter} or size = 1` }]);
  });
});
