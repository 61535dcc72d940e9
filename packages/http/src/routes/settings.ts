import type { SettingAdmin, ShownSection } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone } from '../envelope.ts';
import { FreeObject } from '../schemas/common.ts';
import { PRESENCE } from '../schemas/factors.ts';
import { ON_ADMINISTRATOR } from '../schemas/failing.ts';
import { Setting, SettingBody, SettingText } from '../schemas/settings.ts';
import { operationsIn, type Routes } from './describe.ts';
import { presenceOf } from './factors.ts';

const operation = operationsIn('settings');

/** The API answers 401 here, even to signed-in users who are not administrators. */
const config = { status: { 'admin.required': 401 } } as const;

const ON_SET = [
  'setting.key_not_found',
  'setting.section_not_found',
  'setting.value_invalid',
  ...ON_ADMINISTRATOR,
] as const;

/** Formats a section for the dump, with entries grouped by the part of their keys before the first dot. */
function dumped({ section, description: about, settings }: ShownSection) {
  const groups: Record<string, unknown[]> = {};
  for (const { key, value, description, type } of settings) {
    const group = key.split('.', 1)[0] ?? key;
    groups[group] ??= [];
    groups[group].push({ [key]: value, description, type });
  }
  return { section, description: about, 'sub sections': groups };
}

const DumpedSection = Type.Object({
  section: Type.String(),
  description: Type.String(),
  'sub sections': Type.Record(Type.String(), Type.Array(FreeObject)),
});

export const settingRoutes: Routes<{ settingAdmin: SettingAdmin }> = async (app, { settingAdmin }) => {
  app.get(
    '/admin/configuration/dump.json',
    operation('dumpSettings', 'All settings', { data: Type.Array(DumpedSection), ...config }),
    async ({ actor }, reply) => sendData(reply, (await settingAdmin.dump(actor)).map(dumped)),
  );

  app.get(
    '/admin/configuration/:section',
    operation('readSection', 'The settings of a section', {
      data: Type.Array(Setting),
      ...config,
      fails: ['setting.section_not_found'],
    }),
    async ({ actor, params }, reply) => sendData(reply, await settingAdmin.section(actor, params.section)),
  );

  app.put(
    '/admin/configuration/:section/:key/:value',
    operation('setSettingByPath', 'Change a setting', {
      ...config,
      fails: ON_SET,
      describes: PRESENCE,
    }),
    async (request, reply) =>
      sendDone(reply, settingAdmin.set(request.actor, { ...request.params, presence: presenceOf(request) })),
  );

  app.put(
    '/admin/configuration/:section/:key',
    operation('setSetting', 'Change a setting; the value may be long', {
      body: SettingBody,
      ...config,
      fails: ON_SET,
      describes: { body: { 'application/json': SettingText } },
    }),
    async (request, reply) => {
      const change = { ...request.params, value: String(request.body.value), presence: presenceOf(request) };
      return sendDone(reply, settingAdmin.set(request.actor, change));
    },
  );
};
