import { createServer as createHttpServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { createFilesystemBlobs } from '@baobab/adapters/filesystem';
import { blobKey } from '@baobab/core';
import { createTestBackend } from '@baobab/server/testing';
import type { Surroundings } from '../../packages/server/src/doctor/check.ts';

export type Variables = Readonly<Record<string, string>>;

/** A fault of an installation, with the message of `doctor`. */
export interface Fault {
  readonly name: string;
  /** Introduces the fault. Resolves to the variables and surroundings that differ from a healthy installation. */
  readonly plant: () => Variables | Promise<Variables>;
  readonly surroundings?: Partial<Surroundings>;
  readonly check: string;
  readonly text: RegExp;
  readonly remedy: RegExp;
}

/** Faults caused by variables alone. */
export const PLAIN_FAULTS: readonly Fault[] = [
  {
    name: 'a scheme of DATABASE_URL that does not exist',
    plant: () => ({ DATABASE_URL: 'mysql://localhost/app' }),
    check: 'configuration',
    text: /DATABASE_URL must be memory:, sqlite:<path> or postgres:/,
    remedy: /Correct DATABASE_URL/,
  },
  {
    name: 'a data folder that cannot be written to',
    plant: () => ({ DATA_DIR: '/proc/baobab' }),
    check: 'disk',
    text: /Nothing can be written into \/proc/,
    remedy: /chown/,
  },
  {
    name: 'an address of another machine',
    plant: () => ({ HOST: '192.0.2.1', PORT: '9000', TRUST_PROXY: 'on' }),
    check: 'port',
    text: /PORT 9000 cannot be listened on \(EADDRNOTAVAIL\)/,
    remedy: /Set HOST to an address of this machine/,
  },
  {
    name: 'a word where a number should be',
    plant: () => ({ MAX_PAGE_SIZE: 'many' }),
    check: 'configuration',
    text: /MAX_PAGE_SIZE must be a whole number from 1 to 100000/,
    remedy: /Correct MAX_PAGE_SIZE, or unset it for its default, 1000/,
  },
  {
    name: 'a misspelt variable',
    plant: () => ({ DATABSE_URL: 'postgres://localhost/app' }),
    check: 'configuration',
    text: /DATABSE_URL is not a variable/,
    remedy: /Rename it to DATABASE_URL/,
  },
  {
    name: 'a SECRET_KEY that is not random',
    plant: () => ({ SECRET_KEY: 'secretsecretsecretsecretsecretsecret' }),
    check: 'exposure',
    text: /SECRET_KEY is not random/,
    remedy: /openssl rand -hex 32/,
  },
  {
    name: 'the default app code',
    plant: () => ({ APP_CODE: '' }),
    check: 'exposure',
    text: /APP_CODE has its well-known default/,
    remedy: /Set APP_CODE/,
  },
  {
    name: 'a weak password of the administrator',
    plant: () => ({ ADMIN_PASSWORD: 'change-me' }),
    check: 'exposure',
    text: /ADMIN_PASSWORD is short or well known/,
    remedy: /baobab user password admin/,
  },
  {
    name: 'every address without TLS',
    plant: () => ({ HOST: '0.0.0.0' }),
    check: 'exposure',
    text: /listens on 0\.0\.0\.0 without TLS/,
    remedy: /TRUST_PROXY=on/,
  },
  {
    name: 'an S3 server that does not answer',
    plant: () => ({ BLOB_URL: 's3://bucket?endpoint=http://127.0.0.1:1' }),
    check: 'blobs',
    text: /^Bucket "bucket" at http:\/\/127\.0\.0\.1:1 cannot be used: connect ECONNREFUSED/,
    remedy: /^Start it, or correct the address \(BLOB_URL\)$/,
  },
  {
    name: 'no rate limits',
    plant: () => ({ RATE_LIMIT: 'off' }),
    check: 'exposure',
    text: /RATE_LIMIT is off/,
    remedy: /Set RATE_LIMIT=on/,
  },
  {
    name: 'webhooks to private addresses',
    plant: () => ({ WEBHOOK_PRIVATE: 'on' }),
    check: 'exposure',
    text: /WEBHOOK_PRIVATE is on/,
    remedy: /Set WEBHOOK_PRIVATE=off/,
  },
  {
    name: 'a mail password in clear text',
    plant: () => ({ SMTP_PLAINTEXT_AUTH: 'on' }),
    check: 'exposure',
    text: /SMTP_PLAINTEXT_AUTH is on/,
    remedy: /Set SMTP_PLAINTEXT_AUTH=off/,
  },
  {
    name: 'no workers',
    plant: () => ({ WORKERS: '0' }),
    check: 'configuration',
    text: /WORKERS must be auto or a whole number from 1 to 256/,
    remedy: /Correct WORKERS/,
  },
  {
    name: 'more workers than the machine can run',
    plant: () => ({ WORKERS: '100' }),
    check: 'workers',
    text: /WORKERS is 100, but this machine has 2 cores/,
    remedy: /Set WORKERS to auto/,
  },
];

/** An S3 server that rejects every signature. */
export const refusing = (): Server =>
  createHttpServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/xml' });
    response.end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
  });

/** Runs a server on a database for a while. */
export async function ranOn(databaseUrl: string): Promise<Variables> {
  const backend = await createTestBackend({ databaseUrl });
  await backend.sweep();
  await backend.close();
  return { DATABASE_URL: databaseUrl };
}

/**
 * @param at returns the path of a file in the folder of the test
 * @param bucket URL of a bucket
 */
export const backupFaults = (at: (name: string) => string, bucket: string): readonly Fault[] => [
  {
    name: 'a bucket of backups that does not exist',
    plant: () => ({ BACKUP_URL: bucket.replace(/^s3:\/\/[^?/]+/, 's3://no-such-bucket') }),
    check: 'backups',
    text: /no-such-bucket.*there is no such bucket/,
    remedy: /^Create the bucket, or correct its name \(BACKUP_URL\)$/,
  },
  {
    name: 'backups that have stopped',
    async plant() {
      const blobs = createFilesystemBlobs({ path: at('archives') });
      await blobs.put(blobKey('backups', '20250101-000000-000'), Readable.from([Buffer.from('an archive')]));
      await blobs.close();
      return { ...(await ranOn(`sqlite:${at('stopped.db')}`)), BACKUP_URL: `file:${at('archives')}` };
    },
    check: 'backups',
    text: /^The newest backup is \d{5} hours old$/,
    remedy: /Search the log for "backup failed"/,
  },
];
