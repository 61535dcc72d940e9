import dns from 'node:dns';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createS3Blobs, createS3Object, type S3Options } from '@baobab/adapters/s3';
import { type Blobs, blobGroup, blobKey } from '@baobab/core';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { collect, s3Options, textBytes } from '../support/blobs.ts';
import { runCommand } from '../support/command.ts';
import { startOwnS3 } from '../support/s3-server.ts';
import { createSetUp } from '../support/set-up.ts';
import { type Strictness, startStrictS3 } from '../support/strict-s3.ts';

const { cleanups, folder } = createSetUp();
const ID = '018f0000-0000-7000-8000-0000000000aa';
const KEY = blobKey('files', ID);

beforeAll(() => {
  // Not every machine resolves the names below `localhost`.
  const { lookup } = dns;
  vi.spyOn(dns, 'lookup').mockImplementation(((host: string, ...rest: [never]) =>
    lookup(host.endsWith('localhost') ? '127.0.0.1' : host, ...rest)) as typeof dns.lookup);
});
afterEach(() => vi.unstubAllEnvs());

const CREDENTIALS = { accessKeyId: 'ASIAX', secretAccessKey: 'not a secret' };

/** A vendor with these rules and its bucket. */
async function vendor(rules: Strictness) {
  const s3 = await startOwnS3();
  cleanups.push(() => s3.stop());
  const { hostname: bucket, searchParams } = new URL(s3.place.url);
  const server = await startStrictS3(searchParams.get('endpoint') ?? '', rules);
  cleanups.push(() => server.stop());
  const options: S3Options = {
    bucket,
    prefix: 'p',
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: CREDENTIALS,
  };
  return { ...server, bucket, options };
}

function open(options: S3Options): Blobs {
  const blobs = createS3Blobs(options);
  cleanups.push(() => blobs.close());
  return blobs;
}

/** Stores, reads and removes a blob. */
async function expectUsable(blobs: Blobs): Promise<void> {
  await blobs.put(KEY, textBytes('hello'));
  const content = await blobs.get(KEY);
  expect((await collect(content?.bytes ?? textBytes())).toString()).toBe('hello');
  expect(await blobs.stat(KEY)).toMatchObject({ size: 5 });
  expect(await blobs.removeGroup(blobGroup('files', ID))).toBe(1);
  expect(await blobs.stat(KEY)).toBeNull();
}

describe('a vendor of S3', () => {
  it.each(['SecondLevelDomainForbidden', 'PathStyleDomainForbidden', 'VirtualHostDomainRequired', 'InvalidPathAccess'])(
    'that wants the bucket in the host is recognized by %s',
    async (hostStyleCode) => {
      const { options, seen, bucket } = await vendor({ hostStyle: true, hostStyleCode });
      const blobs = open(options);
      await blobs.health();
      await expectUsable(blobs);
      expect(seen.filter(({ host }) => !host.startsWith(`${bucket}.`))).toHaveLength(1);
    },
  );

  it('that wants the bucket in the host is recognized whichever request is the first', async () => {
    const { options } = await vendor({ hostStyle: true });
    expect(await open(options).stat(KEY)).toBeNull();
    await expectUsable(open(options));
    const object = createS3Object(options, 'archive.tar');
    cleanups.push(() => object.close());
    expect(await object.exists()).toBe(false);
  });

  it('is addressed as the operator says', async () => {
    const lenient = await vendor({});
    const byHost = open({ ...lenient.options, pathStyle: false });
    await byHost.health();
    expect(lenient.seen.map(({ host }) => host.startsWith(lenient.bucket))).toEqual([true]);
    const strict = await vendor({ hostStyle: true });
    await expect(open({ ...strict.options, pathStyle: true }).health()).rejects.toThrow(
      /the credentials may not use the bucket \(SecondLevelDomainForbidden: The bucket must be addressed/,
    );
    expect(strict.seen).toHaveLength(1);
  });

  it.each(['redirect', 'body'] as const)('in another region says so by a %s, which is followed', async (regionBy) => {
    const { options, seen } = await vendor({ region: 'eu-central-2', regionBy });
    const blobs = open(options);
    await blobs.health();
    await expectUsable(blobs);
    expect(seen.filter(({ region }) => region !== 'eu-central-2')).toHaveLength(1);
    expect(await open(options).stat(KEY)).toBeNull();
  });

  it('that wants another region and the bucket in the host is followed twice', async () => {
    const { options } = await vendor({ region: 'eu-central-2', hostStyle: true });
    await expectUsable(open(options));
  });

  it('is quoted when it refuses, without keys and signatures', async () => {
    const { options } = await vendor({ token: 'TOK' });
    const refused = open(options).health();
    await expect(refused).rejects.toThrow(/\(InvalidAccessKeyId: The AWS Access Key Id you provided does not exist/);
    await expect(refused).rejects.not.toThrow(/not-to-be-shown/);
  });
});

describe('temporary keys from the environment', () => {
  async function setUp() {
    const { endpoint, seen, bucket } = await vendor({ token: 'TOK', region: 'eu-west-3' });
    const environment = {
      DATA_DIR: folder(),
      AWS_ACCESS_KEY_ID: 'ASIAX',
      AWS_SECRET_ACCESS_KEY: 'secret-not-to-be-shown',
      AWS_SESSION_TOKEN: 'TOK',
      AWS_REGION: 'eu-west-3',
    };
    return { url: (key: string) => `s3://${bucket}/${key}?endpoint=${endpoint}`, seen, environment };
  }
  const isRefused = ({ token, region }: { token: string | undefined; region: string }) =>
    token !== 'TOK' || region !== 'eu-west-3';

  it('are used with their session token and region by the doctor', async () => {
    const { url, seen, environment } = await setUp();
    const { output } = await runCommand(['doctor'], { ...environment, BLOB_URL: url('files') });
    expect(output).toMatch(/^ok +blobs .* can be written to$/m);
    expect([seen.length > 2, seen.filter(isRefused)]).toEqual([true, []]);
  });

  it('are used by commands that read an archive', async () => {
    const { url, seen, environment } = await setUp();
    const { errors } = await runCommand(['restore', '--from', url('missing.tar')], environment);
    expect(errors).toMatch(/^baobab: There is no s3:/);
    expect([seen.length > 0, seen.filter(isRefused)]).toEqual([true, []]);
  });

  it('are refused without the token, in the words of the server', async () => {
    const { url, environment } = await setUp();
    const { AWS_SESSION_TOKEN: _token, ...rest } = environment;
    const { output } = await runCommand(['doctor'], { ...rest, BLOB_URL: url('files') });
    expect(output).toMatch(/^FAULT +blobs .*\(InvalidAccessKeyId: The AWS Access Key Id you provided/m);
    expect(output).not.toContain('not-to-be-shown');
  });
});

/** A server that answers every request with this JSON or text, such as those of containers and machines. */
async function answering(answer: (path: string) => string): Promise<string> {
  const server = createServer((request, response) => response.end(answer(request.url ?? '')));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the credential chain of AWS', () => {
  const KEYS = { AccessKeyId: 'CHAIN', SecretAccessKey: 's', Token: 'TOK', Expiration: '2999-01-01T00:00:00Z' };

  function file(name: string, text: string): string {
    const path = join(folder(), name);
    writeFileSync(path, text);
    return path;
  }

  it.each<[string, () => Promise<Readonly<Record<string, string>>>]>([
    [
      'a profile',
      async () => ({
        AWS_PROFILE: 'baobab',
        AWS_SHARED_CREDENTIALS_FILE: file(
          'credentials',
          '[baobab]\naws_access_key_id=CHAIN\naws_secret_access_key=s\naws_session_token=TOK\n',
        ),
      }),
    ],
    [
      'a process',
      async () => {
        const keys = file('keys', JSON.stringify({ Version: 1, ...KEYS, SessionToken: 'TOK' }));
        return {
          AWS_PROFILE: 'baobab',
          AWS_CONFIG_FILE: file('config', `[profile baobab]\ncredential_process=cat ${keys}\n`),
        };
      },
    ],
    [
      'a container',
      async () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${await answering(() => JSON.stringify(KEYS))}/k` }),
    ],
    [
      'a machine',
      async () => ({
        AWS_EC2_METADATA_SERVICE_ENDPOINT: await answering((path) =>
          path.endsWith('/role') ? JSON.stringify({ Code: 'Success', ...KEYS }) : 'role',
        ),
      }),
    ],
    [
      'a web identity',
      async () => ({
        AWS_WEB_IDENTITY_TOKEN_FILE: file('token', 'jwt'),
        AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/baobab',
        AWS_ENDPOINT_URL_STS: await answering(
          () =>
            '<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">' +
            '<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>CHAIN</AccessKeyId><SecretAccessKey>s</SecretAccessKey>' +
            '<SessionToken>TOK</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></Credentials>' +
            '</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>',
        ),
        AWS_REGION: 'us-east-1',
      }),
    ],
  ])('is used where no keys are set: %s', async (_name, environment) => {
    for (const name of Object.keys(process.env).filter((name) => name.startsWith('AWS_'))) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder(), 'none'));
    vi.stubEnv('AWS_CONFIG_FILE', join(folder(), 'none'));
    for (const [name, value] of Object.entries(await environment())) vi.stubEnv(name, value);
    const { options, seen } = await vendor({ token: 'TOK' });
    const blobs = open({ ...options, credentials: null });
    await blobs.health();
    expect(seen.map(({ key }) => key)).toEqual(['CHAIN']);
  });

  it('is named when it finds nothing', async () => {
    for (const name of Object.keys(process.env).filter((name) => name.startsWith('AWS_'))) vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder(), 'none'));
    vi.stubEnv('AWS_CONFIG_FILE', join(folder(), 'none'));
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    const blobs = open({ ...s3Options(), credentials: null });
    await expect(blobs.health()).rejects.toThrow(/there are no credentials/);
  });
});
