import { requireAdmin, type SettingAdmin, type ShownSection, type TestMail } from '@baobab/core';
import { type Static, Type } from 'typebox';
import { presenceOf } from '../../requests/presence.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { FreeObject, OneOf } from '../../schemas/common.ts';
import { PRESENCE } from '../../schemas/factors.ts';
import { ON_ADMINISTRATOR } from '../../schemas/failing.ts';
import { Setting, SettingBody, SettingText } from '../../schemas/settings.ts';
import { operationsIn, type Routes } from '../describe.ts';

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

const Variable = Type.Object(
  {
    name: Type.String(),
    value: Type.String({ description: '`***` for a secret that is set; passwords in URLs are masked' }),
    default: Type.String(),
    source: OneOf(['default', 'environment']),
    description: Type.String(),
    secret: Type.Boolean(),
  },
  { title: 'EnvironmentVariable' },
);

/** Environment variable as administrators see it. */
export type ShownVariable = Static<typeof Variable>;

const DumpedSection = Type.Object({
  section: Type.String(),
  description: Type.String(),
  'sub sections': Type.Record(Type.String(), Type.Array(FreeObject)),
});

export interface ConfigurationOptions {
  readonly settingAdmin: SettingAdmin;
  readonly testMail: TestMail;
  readonly environment: readonly ShownVariable[];
}

/** Settings and environment variables, and the mail test. */
export const configurationRoutes: Routes<ConfigurationOptions> = async (
  app,
  { settingAdmin, testMail, environment },
) => {
  app.get(
    '/admin/configuration/dump.json',
    operation('dumpSettings', 'Read all settings', { data: Type.Array(DumpedSection), ...config }),
    async ({ actor }, reply) => sendData(reply, (await settingAdmin.dump(actor)).map(dumped)),
  );

  app.get(
    '/admin/configuration/:section',
    operation('readSection', 'Read the settings of a section', {
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
    operation('setSetting', 'Change a setting, with the value in the body', {
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

  app.post(
    '/admin/mail/test',
    operation('sendTestMail', 'Send a test mail with the current settings', {
      body: Type.Object({ to: Type.String({ description: 'An e-mail address' }) }),
      data: Type.Object({ answer: Type.String({ description: 'The response of the mail server' }) }),
      fails: ['mail.refused', 'mail.unavailable'],
    }),
    async ({ actor, body }, reply) => sendData(reply, { answer: await testMail.send(actor, body.to) }),
  );

  app.get(
    '/admin/configuration/environment',
    operation('readEnvironment', 'Read the configuration from the environment', {
      data: Type.Array(Variable),
      status: { 'admin.required': 401 },
    }),
    async ({ actor }, reply) => {
      requireAdmin(actor);
      return sendData(reply, environment);
    },
  );
};
