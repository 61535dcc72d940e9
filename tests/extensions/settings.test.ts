import { defineExtension, type ExtensionApp, type SettingDeclaration } from '@baobab/server/extensions';
import { createTestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { type ExtendedBackend, extended } from '../support/extensions.ts';

const shop = defineExtension((app) => {
  const settings = app.settings({
    greeting: { default: 'Hello', description: 'Text of the greeting', isProtected: false },
    'terms.text': { default: 'First\nSecond', description: 'Terms', isProtected: false, lines: true },
    discount: { default: 5, description: 'Discount in percent', isProtected: false, min: 0, max: 50 },
    open: { default: true, description: 'Whether the shop is open', isProtected: false },
    carrier: { default: 'carrier.example', description: 'Receiver of orders', isProtected: true },
    key: { secret: true, description: 'Key of the payment service' },
  });
  app.route('GET', '/ext/settings', { access: 'open' }, async () => {
    const values = await settings.current();
    expectTypeOf(values.discount).toEqualTypeOf<number>();
    expectTypeOf(values.open).toEqualTypeOf<boolean>();
    expectTypeOf(values.key).toEqualTypeOf<string>();
    return values;
  });
});

describe.each(Object.entries(STORAGES))('settings of extensions, on %s', (_name, open) => {
  let storage: TestStorage;
  let on: ExtendedBackend;
  beforeAll(async () => {
    storage = await open();
    on = await extended([shop], { databaseUrl: storage.url });
  });
  afterAll(async () => {
    await on.close();
    await storage.dispose();
  });

  const read = async () => (await on.call('GET', '/ext/settings')).body.data;
  const set = (name: string, value: string | number | boolean) =>
    on.admin.admin.settings.set('Extensions', `extension.extension-1.${name}`, value);

  it('have defaults, and take effect immediately when they are changed', async () => {
    expect(await read()).toEqual({
      greeting: 'Hello',
      'terms.text': 'First\nSecond',
      discount: 5,
      open: true,
      carrier: 'carrier.example',
      key: '',
    });
    await set('greeting', 'Good day');
    await set('discount', 50);
    await set('open', false);
    await set('key', 'a secret');
    expect(await read()).toMatchObject({ greeting: 'Good day', discount: 50, open: false, key: 'a secret' });
  });

  it('are out of the reach of API keys if they are protected', async () => {
    const { key } = await on.admin.admin.keys.create({ name: 'a shop', role: 'administrator' });
    const setByKey = async (name: string, value: string | number) => {
      const url = `/admin/configuration/Extensions/extension.extension-1.${name}`;
      const headers = { authorization: `Bearer ${key}` };
      return (await on.backend.app.inject({ method: 'PUT', url, headers, payload: { value } })).json().code;
    };
    expect(await setByKey('carrier', 'evil.example')).toBe('key.user_required');
    expect(await setByKey('key', 'other')).toBe('key.user_required');
    expect(await setByKey('discount', 40)).toBeUndefined();
    expect(await read()).toMatchObject({ carrier: 'carrier.example', key: 'a secret', discount: 40 });
    await set('carrier', 'carrier2.example');
    expect(await read()).toMatchObject({ carrier: 'carrier2.example' });
  });

  it('are protected unless the extension decides otherwise', async () => {
    expectTypeOf<{ default: string; description: string }>().not.toExtend<SettingDeclaration>();
    const undecided = { carrier: { default: 'a', description: 'Receiver of orders' } } as never;
    const other = await extended((app) => void app.settings(undecided));
    const { key } = await other.admin.admin.keys.create({ name: 'a shop', role: 'administrator' });
    const url = '/admin/configuration/Extensions/extension.extension-1.carrier';
    const headers = { authorization: `Bearer ${key}` };
    const answer = await other.backend.app.inject({ method: 'PUT', url, headers, payload: { value: 'b' } });
    expect(answer.json().code).toBe('key.user_required');
    await other.close();
  });

  it('are refused if they are not valid', async () => {
    await expect(set('discount', 51)).rejects.toMatchObject({
      code: 'setting.value_invalid',
      message: expect.stringContaining('a whole number from 0 to 50'),
    });
    await expect(set('greeting', 'two\nlines')).rejects.toMatchObject({ code: 'setting.value_invalid' });
    await expect(set('other', 'x')).rejects.toMatchObject({ code: 'setting.key_not_found' });
  });

  it('are shown to administrators only, and secrets to nobody', async () => {
    const shown = await on.admin.admin.settings.section('Extensions');
    expect(shown.map(({ key, type, value }) => [key.split('.').slice(2).join('.'), type, value])).toEqual([
      ['greeting', 'String', 'Good day'],
      ['terms.text', 'Text', 'First\nSecond'],
      ['discount', 'Integer', '40'],
      ['open', 'Boolean', 'false'],
      ['carrier', 'String', 'carrier2.example'],
      ['key', 'Secret', '***'],
    ]);
    const { token } = await on.user('ann');
    expect((await on.call('GET', '/admin/configuration/Extensions', { token })).status).toBe(401);
    const stored = await on.admin.admin.settings.dump();
    expect(stored.map(({ section }) => section)).toContain('Extensions');
  });
});

describe('the section of extensions', () => {
  it('is not listed without settings', async () => {
    const on = await extended(() => undefined);
    expect((await on.admin.admin.settings.dump()).map(({ section }) => section)).not.toContain('Extensions');
    expect(await on.admin.admin.settings.section('Extensions')).toEqual([]);
    await on.close();
  });
});

describe('a declaration of a setting that is invalid', () => {
  const about = { description: 'a setting', isProtected: true };
  it.each<[string, Parameters<ExtensionApp['settings']>[0]]>([
    ['setting "a b": a name is words', { 'a b': { default: '', ...about } }],
    ['setting "a": the default is a text', { a: { default: null, ...about } as never }],
    ['setting "a": the default is a text', { a: about as never }],
    ['setting "a": the default is a whole number between', { a: { default: 1.5, ...about } }],
    ['setting "a": the default is a whole number between', { a: { default: 1, min: 2, ...about } }],
    ['setting "a": a default with several lines', { a: { default: 'a\nb', ...about } }],
    ['setting "a": a description is required', { a: { default: 1 } as never }],
    ['setting "a": there is no option "least"', { a: { default: 1, least: 1, ...about } as never }],
  ])('stops the start: %s', async (problem, declared) => {
    const extension = defineExtension((app) => void app.settings(declared));
    await expect(createTestBackend({ extensions: [extension] })).rejects.toThrow(problem);
  });

  it('is one that is repeated', async () => {
    const extension = defineExtension((app) => {
      app.settings({ a: { default: 1, ...about } });
      app.settings({ a: { default: 2, ...about } });
    });
    await expect(createTestBackend({ extensions: [extension] })).rejects.toThrow('extension-1.a is declared twice');
  });
});
