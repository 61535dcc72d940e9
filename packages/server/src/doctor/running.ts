import { type Actor, isAppError, type OAuthNetworks, type Storage } from '@baobab/core';
import { type ServiceCheck, type ServiceCheckName, within } from '@baobab/http';
import type { Backend } from '../composition/compose.ts';
import { logInToMailServer } from '../composition/inspections.ts';
import type { Config } from '../config.ts';
import { checkBackupAge } from './backups.ts';
import { causeText, type Finding, fault, HERE, ok, skipped } from './check.ts';
import { checkJump } from './clock.ts';
import { checkWorkers } from './configuration.ts';
import { checkDisk } from './disk.ts';
import { checkFolders, EXPOSURES, isLocal } from './exposure.ts';
import { checkMailServer } from './mail.ts';
import { checkMemory } from './memory.ts';
import { checkProxy } from './network.ts';
import { findingsOf } from './secrets.ts';

interface RunningOptions {
  readonly config: Config;
  readonly backend: Backend;
}

/** A check with the settings that fix its findings. */
interface Check {
  readonly find: (actor: Actor) => Promise<Finding | readonly Finding[]>;
  /** Environment variables that fix the findings. */
  readonly variables?: readonly string[];
  /** Section of settings that fixes the findings. */
  readonly section?: string;
}

/** Longer than the timeout of each adapter, in milliseconds. */
const ANSWER_LIMIT_MS = 11_000;

async function answers(name: string, health: () => Promise<void>): Promise<Finding> {
  try {
    await health();
    return ok(`${name} answers`);
  } catch (error) {
    return fault(`${name} cannot be used: ${causeText(error)}`, 'Run "baobab doctor" on the machine of the server');
  }
}

async function checkPush({ pushServices, pushDelivery }: Backend): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [os, service] of Object.entries(pushServices)) {
    if ((await service.channel()) === null) continue;
    const refusal = pushDelivery.lanes.get(os)?.refusal() ?? null;
    findings.push(
      refusal === null
        ? ok(`Notifications to ${os} are set up`)
        : fault(`The push service of ${os} rejects the server: ${refusal}`, 'Correct the settings of the section Push'),
    );
  }
  return findings.length > 0 ? findings : [skipped('No push service is set up, so notifications cannot be sent')];
}

/** Only a few of these exist, whereas every user may have some of the others. */
const SET_BY_ADMINISTRATORS = ['settings', 'secrets of webhooks'] as const;

/** Proof that no network accepts. A configured network refuses it. */
const NO_PROOF = { token: 'a test of the settings', nonce: null };

async function checkNetwork(name: string, network: OAuthNetworks[string]): Promise<Finding> {
  try {
    await network.identify(NO_PROOF);
  } catch (error) {
    if (isAppError(error) && error.code === 'social.refused') return ok(`Login with ${name} is set up`);
    return fault(`Login with ${name} does not work: ${causeText(error)}`, 'Correct the settings of the section Social');
  }
  return fault(`${name} accepts invalid tokens`, 'Check the addresses of the network');
}

async function checkNetworks({ networks }: Backend): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, network] of Object.entries(networks)) {
    if (await network.isEnabled()) findings.push(await checkNetwork(name, network));
  }
  return findings.length > 0 ? findings : [skipped('No social login is enabled')];
}

async function checkDatabase(storage: Pick<Storage, 'health' | 'signals'>): Promise<Finding> {
  const finding = await answers('The database', () => storage.health());
  if (finding.state !== 'ok' || storage.signals.live) return finding;
  return fault(
    'The database delivers no notifications, so nothing is cached and changes reach other nodes late',
    'See the log for the reason. The listening connection must not use a pooler in transaction mode',
  );
}

async function checkPassword({ config, backend }: RunningOptions, actor: Actor): Promise<Finding> {
  const { firstPassword } = backend;
  if (await firstPassword.isGenerated(actor)) {
    return fault(
      'The user admin still has the password that the first start generated and printed',
      'Choose another one for the user admin',
    );
  }
  const { adminPassword } = config;
  const weak = EXPOSURES.password.check(config);
  if (weak === null || adminPassword === null || !(await firstPassword.is(actor, adminPassword))) {
    return ok('The password of the user admin is neither generated nor well known');
  }
  return fault('ADMIN_PASSWORD is short or well known, and still in use', 'Choose another one for the user admin');
}

async function checkPublicUrl({ config, backend }: RunningOptions): Promise<Finding> {
  const { publicUrl, host, port, trustProxy } = config;
  const values = await backend.settings.current();
  if (publicUrl !== null || values['network.http.url'] !== '') return ok('The public URL is set');
  const text = `PUBLIC_URL is not set, so links in mails lead to http://localhost:${port}`;
  const remedy = 'Set PUBLIC_URL, or network.http.url, .port and .ssl of the section Application';
  return isLocal(host) && trustProxy === 0 ? { state: 'skipped', text, remedy } : fault(text, remedy);
}

function checksOf(options: RunningOptions): Readonly<Record<ServiceCheckName, Check>> {
  const { config, backend } = options;
  const { storage, blobs, settings, sealedValues } = backend;
  const exposure = (name: keyof typeof EXPOSURES, fine: string): Check => ({
    find: async () => EXPOSURES[name].check(config) ?? ok(fine),
    variables: EXPOSURES[name].variables,
  });
  return {
    database: { find: () => checkDatabase(storage) },
    blobs: { find: () => answers('The blob store', () => blobs.health()) },
    backups: {
      find: (actor) => checkBackupAge(() => backend.backups.health(actor)),
      variables: ['BACKUP_URL'],
      section: 'Application',
    },
    mail: {
      find: async () =>
        [
          await checkMailServer(async () => logInToMailServer(config, await settings.current())),
          EXPOSURES.mail.check(config) ?? [],
        ].flat(),
      section: 'PasswordRecovery',
    },
    push: { find: () => checkPush(backend), section: 'Push' },
    social: { find: () => checkNetworks(backend), section: 'Social' },
    password: { find: (actor) => checkPassword(options, actor) },
    app_code: exposure('app_code', 'APP_CODE is not the default'),
    public_url: { find: () => checkPublicUrl(options), variables: ['PUBLIC_URL'], section: 'Application' },
    address: exposure('address', 'Only this machine and proxies connect without TLS'),
    secret_key: exposure('secret_key', 'The secret key is random'),
    secrets: {
      find: async (actor) => findingsOf(await sealedValues.survey(actor, SET_BY_ADMINISTRATORS)),
      variables: ['SECRET_KEY', 'SECRET_KEY_PREVIOUS'],
    },
    rate_limit: exposure('rate_limit', 'Attempts to log in are limited'),
    webhooks: exposure('webhooks', 'Webhooks reach public addresses only'),
    proxy: { find: async () => checkProxy(config), variables: ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] },
    folders: {
      find: async () => {
        const open = checkFolders(config);
        return open.length > 0 ? open : ok('No other user of the machine has access to the data folders');
      },
    },
    disk: { find: () => checkDisk({ config, surroundings: HERE }), variables: ['DATA_DIR'] },
    clock: { find: async () => checkJump(backend.timeWatch.jump()), section: 'Application' },
    workers: { find: async () => checkWorkers({ config, surroundings: HERE }), variables: ['WORKERS'] },
    memory: { find: async () => checkMemory({ config, surroundings: HERE }), variables: ['WORKERS'] },
  };
}

const late = () => fault('The check timed out', 'Run "baobab doctor" on the machine of the server');

/**
 * Runs the checks of `doctor` that a running server can answer, and some that need one.
 *
 * @param only absent to run all
 */
export async function checkRunning(
  options: RunningOptions,
  actor: Actor,
  only?: ServiceCheckName,
): Promise<ServiceCheck[]> {
  const wanted = Object.entries(checksOf(options)).filter(([name]) => only === undefined || name === only);
  const found = await Promise.all(
    wanted.map(async ([name, { find, variables = [], section = null }]) =>
      [await within<Finding | readonly Finding[]>(ANSWER_LIMIT_MS, find(actor), late)]
        .flat()
        .map((finding) => ({ check: name as ServiceCheckName, ...finding, variables: [...variables], section })),
    ),
  );
  return found.flat();
}
