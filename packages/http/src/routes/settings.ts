import type { Settings, ShownSection } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone } from '../envelope.ts';
import { Empty, Envelope, FreeObject, failures } from '../schemas/common.ts';
import { Setting, SettingBody, SettingText } from '../schemas/settings.ts';
import type { Routes } from './plugin.ts';

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['settings'] });

/** The interface answers 401 here, even to signed-in users who are not administrators. */
const config = { status: { 'admin.required': 401 } } as const;

/** A section as the dump shows it: entries grouped by the part of their keys before the first dot. */
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

export const settingRoutes: Routes<{ settings: Settings }> = async (app, { settings }) => {
  app.get(
    '/admin/configuration/dump.json',
    {
      schema: {
        ...schema('dumpSettings', 'All settings'),
        response: { 200: Envelope(Type.Array(DumpedSection)), ...failures },
      },
      config,
    },
    async ({ actor }, reply) => sendData(reply, (await settings.dump(actor)).map(dumped)),
  );

  app.get(
    '/admin/configuration/:section',
    {
      schema: {
        ...schema('readSection', 'The settings of a section'),
        params: Type.Object({ section: Type.String() }),
        response: { 200: Envelope(Type.Array(Setting)), ...failures },
      },
      config: { ...config, fails: ['setting.section_not_found'] },
    },
    async ({ actor, params }, reply) => sendData(reply, await settings.section(actor, params.section)),
  );

  app.put(
    '/admin/configuration/:section/:key/:value',
    {
      schema: {
        ...schema('setSettingByPath', 'Change a setting'),
        params: Type.Object({ section: Type.String(), key: Type.String(), value: Type.String() }),
        response: { 200: Envelope(Empty), ...failures },
      },
      config: { ...config, fails: ['setting.key_not_found', 'setting.section_not_found', 'setting.value_invalid'] },
    },
    async ({ actor, params }, reply) => sendDone(reply, settings.set(actor, params)),
  );

  app.put(
    '/admin/configuration/:section/:key',
    {
      schema: {
        ...schema('setSetting', 'Change a setting; the value may be long'),
        params: Type.Object({ section: Type.String(), key: Type.String() }),
        body: SettingBody,
        response: { 200: Envelope(Empty), ...failures },
      },
      config: {
        ...config,
        fails: ['setting.key_not_found', 'setting.section_not_found', 'setting.value_invalid'],
        describes: { body: { 'application/json': SettingText } },
      },
    },
    async ({ actor, params, body }, reply) =>
      sendDone(reply, settings.set(actor, { ...params, value: String(body.value) })),
  );
};
