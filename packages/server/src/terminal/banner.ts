import { isAbsolute, resolve } from 'node:path';
import { API_VERSION } from '@baobab/http';
import { databaseLocation } from '../config/database-url.ts';
import type { BlobConfig, Config, DatabaseConfig } from '../config.ts';

export interface Ready {
  /** Address on which the server listens. */
  readonly address: string;
  readonly config: Config;
  /** Generated password of the administrator; null if none was generated. */
  readonly password: string | null;
  /** True if the server has the administrators' console. */
  readonly hasConsole: boolean;
}

const BOLD = '\u001b[1m';
const PLAIN = '\u001b[22m';

const absolute = (path: string) => (isAbsolute(path) ? path : resolve(path));

function placeOfRows(database: DatabaseConfig): string {
  switch (database.kind) {
    case 'memory':
      return 'in memory only; they are lost when it stops';
    case 'sqlite':
      return absolute(database.path);
    case 'postgres':
      return `Postgres, ${databaseLocation(database.url)}`;
  }
}

function placeOfFiles(blobs: BlobConfig): string {
  switch (blobs.kind) {
    case 'memory':
      return 'in memory only; they are lost when it stops';
    case 'file':
      return absolute(blobs.path);
    case 's3':
      return `s3://${[blobs.bucket, blobs.prefix].filter((part) => part !== '').join('/')}`;
  }
}

/** Quotes text as one shell argument. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns a sign-up, the first call of an app. */
const firstCall = (address: string, appCode: string) =>
  [
    `curl -s ${address}/user -H ${quoted(`X-SERVICE-APPCODE: ${appCode}`)} \\`,
    `  -H 'Content-Type: application/json' -d '{"username":"ann","password":"secret"}'`,
  ] as const;

/** Returns the message for a person at a terminal when the server is ready. */
export function banner({ address, config, password, hasConsole }: Ready, { colors }: { colors: boolean }): string {
  const bold = (text: string) => (colors ? `${BOLD}${text}${PLAIN}` : text);
  const { host, publicUrl } = config;
  const base = host === '0.0.0.0' || host === '::' ? address.replace(/\/\/[^/]+(?=:\d+$)/, '//localhost') : address;
  const rows: ReadonlyArray<readonly [name: string, value: string] | null> = [
    ['Service', base],
    publicUrl === null ? null : ['Public URL', publicUrl],
    ['Reference', `${base}/docs`],
    hasConsole ? ['Console', `${base}/console`] : null,
    ['Data', placeOfRows(config.database)],
    ['Files', placeOfFiles(config.blobs)],
    password === null ? null : ['Administrator', `admin, password ${bold(password)} (shown only this once)`],
  ];
  const width = 'Administrator'.length;
  const [first, second] = firstCall(base, config.appCode);
  return [
    '',
    `  ${bold(`Baobab ${API_VERSION} is ready.`)} Ctrl-C stops it.`,
    '',
    ...rows.flatMap((row) => (row === null ? [] : [`  ${row[0].padEnd(width)}  ${row[1]}`])),
    '',
    '  Sign up the first user from another terminal:',
    '',
    `    ${first}`,
    `    ${second}`,
    '',
  ].join('\n');
}
