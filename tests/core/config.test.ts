import { availableParallelism } from 'node:os';
import { ConfigError, parseConfig, VARIABLES } from '@baobab/server';
import { describe, expect, it } from 'vitest';

function problems(environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('the configuration', () => {
  it('is complete without any variable', () => {
    expect(parseConfig({})).toMatchObject({
      port: 9000,
      host: '0.0.0.0',
      keepAliveMs: 72_000,
      dataDir: './data',
      database: { kind: 'sqlite', path: 'data/baobab.db' },
      blobs: { kind: 'file', path: 'data/blobs' },
      appCode: '1234567890',
      adminPassword: null,
      secretKey: null,
      previousSecretKey: null,
      logLevel: 'info',
      trustProxy: 0,
      maxJsonBytes: 1_048_576,
      maxPageSize: 1000,
      maxPageBytes: 8_388_608,
      maxUnreadBytes: 268_435_456,
    });
  });

  it('treats an empty variable as absent', () => {
    const empty = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, '']));
    expect(parseConfig(empty)).toEqual(parseConfig({}));
  });

  it('has the documented defaults', () => {
    const defaults = Object.entries(VARIABLES).map(([name, { default: value }]) => [name, String(value ?? '')]);
    expect(parseConfig(Object.fromEntries(defaults))).toEqual(parseConfig({}));
  });

  it('describes ranges as they are', () => {
    const described = Object.values(VARIABLES).flatMap((schema) => {
      const [range, from, to] = /(\d+) to (\d+)/.exec(schema.description) ?? [];
      return range === undefined ? [] : [{ schema, minimum: Number(from), maximum: Number(to) }];
    });
    expect(described).toHaveLength(2);
    for (const { schema, ...range } of described) expect(schema).toMatchObject(range);
  });

  it.each([
    ['memory:', { kind: 'memory' }],
    ['sqlite:x.db', { kind: 'sqlite', path: 'x.db' }],
    ['sqlite:/var/lib/a b.db', { kind: 'sqlite', path: '/var/lib/a b.db' }],
    [
      'postgres://a:b@c:1/d',
      { kind: 'postgres', url: 'postgres://a:b@c:1/d', listenUrl: null, connections: 10, readUrls: [] },
    ],
    [
      'postgresql://c/d?sslmode=require',
      { kind: 'postgres', url: 'postgresql://c/d?sslmode=require', listenUrl: null, connections: 10, readUrls: [] },
    ],
  ])('accepts the database %s', (url, database) => {
    expect(parseConfig({ DATABASE_URL: url }).database).toEqual(database);
  });

  it.each([
    ['memory:', { kind: 'memory' }],
    ['file:blobs', { kind: 'file', path: 'blobs' }],
    ['file:///var/lib/a b', { kind: 'file', path: '/var/lib/a b' }],
    [
      's3://bucket',
      {
        kind: 's3',
        bucket: 'bucket',
        prefix: '',
        endpoint: null,
        region: 'us-east-1',
        pathStyle: null,
        credentials: null,
        proxies: null,
      },
    ],
    [
      's3://my.bucket/a/b/?endpoint=http://localhost:9000&region=eu-1&pathStyle=off',
      {
        kind: 's3',
        bucket: 'my.bucket',
        prefix: 'a/b',
        endpoint: 'http://localhost:9000',
        region: 'eu-1',
        pathStyle: false,
        credentials: null,
        proxies: null,
      },
    ],
  ])('accepts the blob store %s', (url, blobs) => {
    expect(parseConfig({ BLOB_URL: url }).blobs).toEqual(blobs);
  });

  it.each<[Record<string, string>, string]>([
    [{ AWS_REGION: 'eu-1', AWS_DEFAULT_REGION: 'eu-2' }, 'eu-1'],
    [{ AWS_DEFAULT_REGION: 'eu-2' }, 'eu-2'],
    [{ BLOB_URL: 's3://bucket?region=eu-3', AWS_REGION: 'eu-1' }, 'eu-3'],
  ])('takes the region of a bucket from %o', (environment, region) => {
    expect(parseConfig({ BLOB_URL: 's3://bucket', ...environment }).blobs).toMatchObject({ region });
  });

  it('refuses a session token without keys, which would have no effect', () => {
    const token = { AWS_SESSION_TOKEN: 'hidden' };
    expect(problems({ BLOB_URL: 's3://bucket', ...token })).toEqual([
      'AWS_SESSION_TOKEN has no effect without AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    ]);
    expect(parseConfig(token).blobs.kind).toBe('file');
  });

  it('converts numbers and `auto`', () => {
    expect(parseConfig({ PORT: '0080', WORKERS: '3', MAX_FILE_BYTES: '51539607552' })).toMatchObject({
      port: 80,
      workers: 3,
      maxFileBytes: 51_539_607_552,
    });
    expect(parseConfig({ WORKERS: 'auto' }).workers).toBeGreaterThanOrEqual(1);
  });

  it('accepts the S3 key and secret together, but not one of them alone', () => {
    const [BLOB_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY] = ['s3://bucket', 'key', 'hidden value'];
    expect(parseConfig({ BLOB_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }).blobs).toMatchObject({
      credentials: { accessKeyId: 'key', secretAccessKey: 'hidden value' },
    });
    expect(problems({ BLOB_URL, AWS_SECRET_ACCESS_KEY })).toEqual([expect.stringMatching(/^AWS_ACCESS_KEY_ID must/)]);
    expect(problems({ BLOB_URL, AWS_ACCESS_KEY_ID })).toEqual([expect.stringMatching(/^AWS_SECRET_ACCESS_KEY must/)]);
    expect(problems({ AWS_ACCESS_KEY_ID })).toEqual([]);
  });

  it('refuses one port for the service and its metrics', () => {
    expect(problems({ PORT: '9000', METRICS_PORT: '9000' })).toEqual([expect.stringMatching(/^METRICS_PORT must/)]);
    expect(problems({ PORT: '0', METRICS_PORT: '0' })).toEqual([]);
  });

  it.each([
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['PORT', '1e3'],
    ['PORT', ' 80'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'memory'],
    ['DATABASE_URL', 'sqlite::memory:'],
    ['APP_CODE', 'caf\u00e9'],
    ['APP_CODE', ' code'],
    ['BLOB_URL', 'file:'],
    ['BLOB_URL', '/var/lib/blobs'],
    ['BLOB_URL', 'http://localhost/bucket'],
    ['BLOB_URL', 's3://'],
    ['BLOB_URL', 's3://Bucket_of_ours'],
    ['BLOB_URL', 's3://key:secret@bucket'],
    ['BLOB_URL', 's3://bucket?endpoint=localhost:9000'],
    ['BLOB_URL', 's3://bucket?endpoint=https://key:secret@localhost'],
    ['BLOB_URL', 's3://bucket?region=a&acl=public'],
    ['BLOB_URL', 's3://bucket?pathStyle=yes'],
    ['BLOB_URL', 's3://bucket/%e0%a4'],
    ['WORKERS', '0'],
    ['WORKERS', 'automatic'],
    ['PUBLIC_URL', 'example.org'],
    ['PUBLIC_URL', 'https://example.org?a=b'],
    ['RATE_LIMIT', 'ON'],
    ['DATABASE_CONNECTIONS', '0'],
    ['DATABASE_CONNECTIONS', '501'],
    ['SECRET_KEY', 'x'.repeat(31)],
    ['LOG_LEVEL', 'verbose'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '0'],
    ['TRUST_PROXY', '100'],
    ['TRUST_PROXY', '10.0.0.0/8,'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0/16'],
    ['TRUST_PROXY', '10.0.0.0/255.0.0.0'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', 'fe80::1%eth0'],
    ['TRUST_PROXY', 'proxy.internal'],
    ['KEEP_ALIVE_SECONDS', '0'],
    ['MAX_JSON_BYTES', '0'],
    ['MAX_PAGE_SIZE', '1.5'],
    ['MAX_PAGE_BYTES', '0'],
    ['MAX_UNREAD_BYTES', '1048575'],
  ])('rejects %s=%s in one line that begins with the name', (name, value) => {
    expect(problems({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} must be [^\\n]+$`))]);
  });

  it.each([
    ['PORT', 'many', 'PORT must be a whole number from 0 to 65535'],
    ['WORKERS', 'all', 'WORKERS must be auto or a whole number from 1 to 256'],
    [
      'TRUST_PROXY',
      'true',
      'TRUST_PROXY must be on, off, a number of proxies from 1 to 99, or networks and addresses such as 10.0.0.0/8, ::1, loopback, separated by commas',
    ],
    ['PUBLIC_URL', 'my-host', 'PUBLIC_URL must be an http or https URL'],
    ['PORT', ' 80', 'PORT must be a whole number from 0 to 65535; remove the white space around its value'],
    ['PORT', ' many', 'PORT must be a whole number from 0 to 65535'],
    ['SECRET_KEY', 'hidden', 'SECRET_KEY must be at least 32 characters long'],
    [
      'DATABASE_URL',
      'mysql://a:hidden@b',
      'DATABASE_URL must be memory:, sqlite:<path> or postgres://user:password@host:port/database',
    ],
  ])('says what %s=%s should be', (name, value, message) => {
    expect(problems({ [name]: value })).toEqual([message]);
  });

  it('counts the length of a key as JavaScript does', () => {
    expect(parseConfig({ SECRET_KEY: '🌳'.repeat(16) }).secretKey).toHaveLength(32);
    expect(problems({ SECRET_KEY: '🌳'.repeat(15) })).toHaveLength(1);
  });

  it('names every problem at once, and repeats no secret', () => {
    const found = problems({ PORT: 'x', SECRET_KEY: 'too short', DATABASE_URL: 'mysql://u:pass@h', LOG_LEVEL: '?' });
    expect(found).toHaveLength(4);
    expect(found.join()).not.toMatch(/too short|pass@/);
  });

  it.each(Object.keys(VARIABLES))('never repeats the value of %s', (name) => {
    for (const value of ['-hidden-value-', 'https://-hidden-value-/?a', ' -hidden-value-', '-hidden-value-\nb']) {
      expect(problems({ [name]: value }).join()).not.toContain('hidden');
    }
  });

  it('refuses workers that would share nothing', () => {
    expect(problems({ WORKERS: '2', DATABASE_URL: 'memory:' })).toEqual([
      'WORKERS must be 1 because DATABASE_URL is memory:, which processes cannot share',
    ]);
    const hasSeveral = availableParallelism() > 1;
    expect(problems({ WORKERS: 'auto', BLOB_URL: 'memory:', PORT: 'x' })).toHaveLength(hasSeveral ? 2 : 1);
  });

  it('draws no conclusions from a value that it refuses', () => {
    expect(problems({ WORKERS: '2', DATABASE_URL: 'mysql://x' })).toEqual([expect.stringMatching(/^DATABASE_URL /)]);
  });

  it.each([
    ['https://app.example.org', ['https://app.example.org']],
    [
      'https://a.example, http://localhost:3000,android:apk-key-hash:rz1Vl7b4sSuMlq0ZAMOSyzDXlB6sVMH3v3GZcsc4zZc',
      [
        'https://a.example',
        'http://localhost:3000',
        'android:apk-key-hash:rz1Vl7b4sSuMlq0ZAMOSyzDXlB6sVMH3v3GZcsc4zZc',
      ],
    ],
  ])('accepts passkeys from %s', (origins, expected) => {
    expect(parseConfig({ WEBAUTHN_ORIGINS: origins }).webAuthnOrigins).toEqual(expected);
    expect(parseConfig({}).webAuthnOrigins).toBeNull();
    expect(parseConfig({ WEBAUTHN_TOP_ORIGINS: origins }).webAuthnTopOrigins).toEqual(expected);
    expect(parseConfig({}).webAuthnTopOrigins).toBeNull();
  });

  it.each([
    'https://a.example/',
    'https://a.example/path',
    'a.example',
    'https://A.example',
    'https://a.example,',
    '*',
  ])('accepts passkeys from no origin such as %s', (origins) => {
    expect(problems({ WEBAUTHN_ORIGINS: origins })).toEqual([
      expect.stringMatching(/^WEBAUTHN_ORIGINS must be origins /),
    ]);
  });

  it.each(['sqlite:replica.db', 'postgres://a/b,', 'http://a/b'])(
    'rejects %s as the URL of a replica, without repeating it',
    (urls) => {
      expect(problems({ DATABASE_URL: 'postgres://c/d', DATABASE_READ_URL: urls })).toEqual([
        'DATABASE_READ_URL must be URLs of Postgres, separated by commas',
      ]);
    },
  );

  it('has replicas of Postgres only', () => {
    const replicas = { DATABASE_READ_URL: 'postgres://a/d, postgres://b/d' };
    expect(parseConfig({ DATABASE_URL: 'postgres://c/d', ...replicas }).database).toMatchObject({
      readUrls: ['postgres://a/d', 'postgres://b/d'],
    });
    expect(problems(replicas)).toEqual(['DATABASE_READ_URL needs a DATABASE_URL of Postgres']);
  });
});
