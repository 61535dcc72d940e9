import { beforeAll, describe, expect, it } from 'vitest';
import { holdNext, useConsole } from '../support/console-page.ts';

const current = useConsole();

beforeAll(async () => {
  await current().admin('POST', '/admin/collection/typed');
});

it('saves a document with the key that was typed just before', async () => {
  const { page, hands } = current();
  await hands.goTo('collections/typed');
  await hands.button('New document').first().click();
  await hands.drawer('New document');
  await hands.fillJson('Content (JSON)', '{"title":"Emil"');
  await hands.told('Invalid JSON');
  await page.evaluate(async () => {
    document.execCommand('insertText', false, '}');
    await null; // the editor has noticed it, and no task of the page has run
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, bubbles: true }));
  });
  await hands.drawer('Emil');
});

describe('edits during a save stay, and are saved by the next one', () => {
  it('in a document, whose editor keeps the focus', async () => {
    const { page, hands, admin } = current();
    const { id } = (await admin('POST', '/document/typed', { title: 'Momo' })).data;
    await hands.goTo(`collections/typed/${id}`);
    await hands.drawer('Momo');
    await hands.fillJson('Content (JSON)', '{"title":"Jim"}');
    const save = await holdNext(current(), 'POST');
    await page.keyboard.press('Control+s');
    await save.asked;
    await page.keyboard.press('Backspace');
    await page.keyboard.type(',"pages":7}');
    save.open();
    await hands.saved();
    await page.keyboard.type(' ');
    expect(await hands.jsonText()).toBe('{"title":"Jim","pages":7} ');
    await page.keyboard.press('Control+s');
    await hands.saved();
    expect((await admin('GET', `/document/typed/${id}`)).data).toMatchObject({ title: 'Jim', pages: 7 });
  });

  it('in the rules of a collection', async () => {
    const { page, hands, admin } = current();
    await hands.goTo('collections/typed/rules');
    await hands.field('create: registereduser').uncheck();
    const save = await holdNext(current(), 'PUT');
    await hands.button('Save rules').click();
    await save.asked;
    await hands.field('read: registereduser').check();
    save.open();
    await hands.saved();
    expect(await hands.field('read: registereduser').isChecked()).toBe(true);
    await hands.button('Save rules').click();
    await hands.saved();
    await expect.poll(() => page.getByRole('button', { name: 'Save rules' }).isDisabled()).toBe(true);
    const { create, read } = (await admin('GET', '/admin/collection/typed/rules')).data;
    expect({ create, read }).toEqual({ create: [], read: ['registereduser'] });
  });

  it.each([
    ['the profile of a user', 'users/admin', 'Visible to the user', ['{"n":1}', '{"n":2}'], 'Save profile'],
    ['settings', 'settings/general', 'Application name', ['First', 'Second'], 'Save'],
  ] as const)('in %s', async (_what, place, label, [first, second], button) => {
    const { page, hands } = current();
    await hands.goTo(place);
    const field = hands.field(label);
    await field.fill(first);
    const save = await holdNext(current(), 'PUT');
    await hands.button(button).click();
    await save.asked;
    await field.fill(second);
    save.open();
    await hands.saved();
    expect(await field.inputValue()).toBe(second);
    await hands.button(button).click();
    await hands.saved();
    await page.reload();
    await expect.poll(async () => (await field.inputValue()).replaceAll(/\s/g, '')).toBe(second);
  });
});
