import { isIP } from 'node:net';
import { type Config, DEFAULT_APP_CODE } from '../config.ts';
import { openFolders } from '../data-folders.ts';
import { type CheckContext, type Finding, fault, ok } from './check.ts';

const LEAST_PASSWORD = 8;
/** Passwords that attackers try first. */
const COMMON = new Set(['password', '12345678', '123456789', 'changeme', 'change-me', 'administrator', 'baobab123']);
/** Minimum number of different characters. A random key of 32 characters has far more. */
const LEAST_VARIETY = 10;

export const isLocal = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.');

function checkAddress({ host, trustProxy, publicUrl }: Config): Finding | null {
  if (isLocal(host) || trustProxy !== 0 || publicUrl?.startsWith('https://')) return null;
  return fault(
    `Baobab listens on ${isIP(host) === 0 ? 'HOST' : host} without TLS, and no proxy is configured`,
    'Put a proxy with TLS in front and set TRUST_PROXY=on and PUBLIC_URL=https://…; or set HOST=127.0.0.1',
  );
}

function checkPassword({ adminPassword }: Config): Finding | null {
  if (adminPassword === null) return null;
  if (adminPassword.length >= LEAST_PASSWORD && !COMMON.has(adminPassword.toLowerCase())) return null;
  return fault(
    'ADMIN_PASSWORD is short or well known',
    'Set a longer one before the first start; later change it with "baobab user password admin"',
  );
}

function checkKey({ secretKey, database }: Config): Finding | null {
  if (secretKey !== null) {
    if (new Set(secretKey).size >= LEAST_VARIETY) return null;
    return fault('SECRET_KEY is not random', 'Generate one with "openssl rand -hex 32"');
  }
  if (database.kind !== 'postgres') return null;
  return fault(
    'SECRET_KEY is not set, so each node on this Postgres rejects the sessions of the others',
    'Generate one with "openssl rand -hex 32" and set it on every node; one that has run alone has its key in DATA_DIR/secret.key',
  );
}

function checkLimits({ rateLimit }: Config): Finding | null {
  if (rateLimit) return null;
  return fault('RATE_LIMIT is off: passwords can be guessed without limit', 'Set RATE_LIMIT=on; off is for load tests');
}

function checkWebhooks({ webhookPrivate }: Config): Finding | null {
  if (!webhookPrivate) return null;
  return fault(
    'WEBHOOK_PRIVATE is on: webhooks can reach private services of this network',
    'Set WEBHOOK_PRIVATE=off unless the receivers are in this network',
  );
}

function checkMailPassword({ smtpPlaintextAuth }: Config): Finding | null {
  if (!smtpPlaintextAuth) return null;
  return fault(
    'SMTP_PLAINTEXT_AUTH is on: the mail password may cross the network without encryption',
    'Set SMTP_PLAINTEXT_AUTH=off and use a mail server with TLS or STARTTLS',
  );
}

function checkCode({ appCode }: Config): Finding | null {
  if (appCode !== DEFAULT_APP_CODE) return null;
  return fault('APP_CODE has its well-known default', 'Set APP_CODE to another code, here and in your clients');
}

/** Checks for exposed endpoints and guessable secrets, with the variables that fix the findings. */
export const EXPOSURES = {
  address: { check: checkAddress, variables: ['TRUST_PROXY', 'PUBLIC_URL', 'HOST'] },
  app_code: { check: checkCode, variables: ['APP_CODE'] },
  password: { check: checkPassword, variables: ['ADMIN_PASSWORD'] },
  secret_key: { check: checkKey, variables: ['SECRET_KEY'] },
  rate_limit: { check: checkLimits, variables: ['RATE_LIMIT'] },
  mail: { check: checkMailPassword, variables: ['SMTP_PLAINTEXT_AUTH'] },
  webhooks: { check: checkWebhooks, variables: ['WEBHOOK_PRIVATE'] },
} as const;

/** Finds data folders that other users of the machine can read. */
export const checkFolders = (config: Config): Finding[] =>
  openFolders(config).map(({ folder, mode, remedy }) =>
    fault(`${folder} is accessible to other users of this machine (mode ${mode})`, `Run "${remedy}"`),
  );

/** Checks for exposed endpoints, guessable secrets and readable folders. */
export function checkExposure({ config }: CheckContext): Finding[] {
  const exposed = Object.values(EXPOSURES).map(({ check }) => check(config));
  const found = [...exposed.filter((finding) => finding !== null), ...checkFolders(config)];
  return found.length > 0 ? found : [ok('No exposed endpoints and no guessable secrets')];
}
