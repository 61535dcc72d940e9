import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createFolder } from '../support/databases.ts';
import { startFaultyProxy } from '../support/faulty-proxy.ts';
import { silentLogger } from '../support/logger.ts';
import { startShell } from '../support/pipeline.ts';
import { build, startCommand, typeCommand } from '../support/program.ts';

const BLOB = 10_000_000; // more than one part on S3
/** Otherwise a backup pauses while the machine is busy, as with other tests. */
const AT_FULL_SPEED = ['--throttle', '0'];

describe('where a backup is written to', () => {
  let folder: ReturnType<typeof createFolder>;
  const at = (name: string) => join(folder.path, name);
  const s3 = inject('s3');
  const stores = (name: string) => ({ DATABASE_URL: `sqlite:${at(`${name}.db`)}`, BLOB_URL: `file:${at(name)}` });
  const env = (name: string) => ({
    ...stores(name),
    DATA_DIR: folder.path,
    TMPDIR: folder.path,
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
  const run = (args: readonly string[], name = 'here', variables: Record<string, string> = {}) =>
    startCommand(args, { ...env(name), ...variables }).ended;
  /** `s3://bucket/<key>?…` */
  const onS3 = (key: string) => s3.url.replace(/^(s3:\/\/[^?/]+)/, `$1/${key}`);
  const bucket = new URL(s3.url).hostname;
  const client = new S3Client({
    endpoint: new URL(s3.url).searchParams.get('endpoint') ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: s3,
  });
  const keysOf = async (prefix: string) =>
    ((await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }))).Contents ?? []).map(
      ({ Key }) => Key,
    );
  const restored = (name: string) => {
    const path = readdirSync(at(name), { recursive: true, encoding: 'utf8' }).find((one) => one.endsWith('original'));
    return createHash('sha256')
      .update(readFileSync(join(at(name), path ?? '')))
      .digest('hex');
  };

  /** A database with a user, and a file of some megabytes. */
  beforeAll(async () => {
    build();
    folder = createFolder();
    const storage = createSqliteStorage({ path: at('here.db'), logger: silentLogger });
    await storage.migrate();
    const { createFilesystemBlobs } = await import('@baobab/adapters/filesystem');
    const { addUser, newFile } = await import('@baobab/contracts/storage');
    const ann = await addUser(storage, 'Ann');
    const blobs = createFilesystemBlobs({ path: at('here') });
    const file = newFile(ann.id);
    const { size, sha256 } = await blobs.put(
      `files/${file.id}/original`,
      (async function* () {
        yield Uint8Array.from({ length: BLOB }, (_, i) => i % 251);
      })(),
    );
    await storage.files.add({ ...file, size, sha256 });
    await blobs.close();
    await storage.close();
  });
  afterAll(() => {
    client.destroy();
    folder.remove();
  });

  it('never overwrites a file, except with --force', async () => {
    writeFileSync(at('precious.tar'), 'precious');
    const refused = await run(['backup', '--to', at('precious.tar')]);
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.errors).toBe(
      `baobab: ${at('precious.tar')} already exists: choose another name, or overwrite it with --force\n`,
    );
    expect(readFileSync(at('precious.tar'), 'utf8')).toBe('precious');
    expect((await run(['backup', '--to', at('precious.tar'), '--force', ...AT_FULL_SPEED])).code).toBe(0);
    expect(statSync(at('precious.tar')).size).toBeGreaterThan(BLOB);
  });

  it('does not overwrite what appears while it works, and replaces nothing that is no file', async () => {
    const slow = startCommand(['backup', '--to', at('raced.tar'), '--throttle', '5'], env('here'));
    await expect.poll(() => existsSync(at('raced.tar.unfinished')), { interval: 5 }).toBe(true);
    writeFileSync(at('raced.tar'), 'of somebody else');
    expect(await slow.ended).toMatchObject({ code: 1, errors: expect.stringContaining('already exists') });
    expect(readFileSync(at('raced.tar'), 'utf8')).toBe('of somebody else');
    expect(existsSync(at('raced.tar.unfinished'))).toBe(false);
    const onFolder = await run(['backup', '--to', at('here'), '--force']);
    expect(onFolder).toMatchObject({ code: 1, errors: expect.stringContaining('is not a file') });
  });

  it('lets no two backups write one file, and names what an interrupted one left', async () => {
    writeFileSync(at('left.tar.unfinished'), 'half');
    const refused = await run(['backup', '--to', at('left.tar')]);
    expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('was interrupted') });
    expect(readFileSync(at('left.tar.unfinished'), 'utf8')).toBe('half');
    expect((await run(['backup', '--to', at('left.tar'), '--force', ...AT_FULL_SPEED])).code).toBe(0);
    expect(existsSync(at('left.tar.unfinished'))).toBe(false);
  });

  it('leaves nothing behind when it is stopped', async () => {
    const slow = startCommand(['backup', '--to', at('stopped.tar'), '--throttle', '1000'], env('here'));
    await expect.poll(() => existsSync(at('stopped.tar.unfinished'))).toBe(true);
    slow.kill('SIGTERM');
    expect(await slow.ended).toMatchObject({
      code: 1,
      output: '',
      errors: expect.stringContaining('stopped by SIGTERM'),
    });
    expect(readdirSync(folder.path).filter((name) => name.startsWith('stopped'))).toEqual([]);
  });

  it('shows on a terminal how far it has come', async () => {
    const { code, screen } = await typeCommand(['backup', '--to', at('shown.tar')], env('here'), {
      prompt: 'x',
      keys: '',
    });
    expect(code).toBe(0);
    expect(screen).toMatch(/\d+(\.\d)? [kM]?B and 0 of [1-9]\d* rows written, about \d+ (s|min) left/);
    expect(screen).toContain(`rows written to ${at('shown.tar')}`);
  });

  it('writes to S3 and restores from there, and overwrites nothing there', async () => {
    const place = onS3('archives/monday.tar');
    const written = await run(['--json', 'backup', '--to', place, ...AT_FULL_SPEED]);
    expect([written.code, written.errors]).toEqual([0, '']);
    expect(JSON.parse(written.output)).toMatchObject({ file: place, rows: { users: 1, files: 1 } });
    expect(await keysOf('archives/')).toEqual(['archives/monday.tar']);
    const refused = await run(['backup', '--to', place]);
    expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('already exists') });
    expect((await run(['backup', '--to', place, '--force', ...AT_FULL_SPEED])).code).toBe(0);
    expect(await run(['restore', '--from', place], 'from-s3')).toMatchObject({ code: 0, errors: '' });
    expect(restored('from-s3')).toBe(restored('here'));
  });

  it('leaves nothing on S3 when it fails half-way', async () => {
    const proxy = await startFaultyProxy(new URL(s3.url).searchParams.get('endpoint') ?? '');
    const body = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
    proxy.behave(({ url }) => (url.includes('partNumber=2') ? { kind: 'answer', status: 403, body } : null));
    const place = `s3://${bucket}/half/a.tar?endpoint=${proxy.url}`;
    const { code, errors } = await run(['backup', '--to', place, ...AT_FULL_SPEED]);
    expect([code, errors]).toEqual([1, expect.stringContaining('Access Denied')]);
    const written = proxy.seen.filter(({ method, url }) => method === 'PUT' && url.includes('half/'));
    expect(written.some(({ url }) => url.includes('a.tar.unfinished'))).toBe(true);
    expect(written.some(({ url }) => url.includes('partNumber=1'))).toBe(true);
    expect(await keysOf('half/')).toEqual([]);
    await proxy.close();
  });

  it('says what is wrong with a place on S3', async () => {
    for (const [to, code, message] of [
      [onS3('').replace('/?', '?'), 2, 's3://bucket/key'],
      ['s3://Bad_Bucket/key', 2, 's3://bucket/key'],
      [onS3('x.tar').replace(bucket, 'no-such-bucket'), 1, 'there is no such bucket'],
    ] as const) {
      const { errors, ...rest } = await run(['backup', '--to', to]);
      expect([rest.code, errors]).toEqual([code, expect.stringContaining(message)]);
    }
    const missing = await run(['restore', '--from', onS3('nothing.tar')], 'nowhere');
    expect(missing).toMatchObject({ code: 1, errors: `baobab: There is no s3://${bucket}/nothing.tar\n` });
  });

  it('writes to the standard output and restores from the standard input', async () => {
    const { code, errors } = await startShell(
      'baobab --json backup --to - --throttle 0 > out.tar && env $THERE baobab restore --from - < out.tar',
      { folder: folder.path, env: env('here'), there: stores('from-pipe') },
    );
    expect([code, errors]).toEqual([0, expect.stringContaining('"rows":{')]); // the output is the archive
    expect(restored('from-pipe')).toBe(restored('here'));
    expect(readdirSync(folder.path).filter((name) => name.startsWith('baobab-restore'))).toEqual([]);
    const cut = await startShell('head -c 4000000 out.tar | env $THERE baobab restore --from -', {
      folder: folder.path,
      env: env('here'),
      there: stores('from-cut'),
    });
    expect(cut).toMatchObject({ code: 1, errors: expect.stringContaining('nothing was changed') });
    const closed = await startShell('baobab backup --to - | head -c 10 > /dev/null', {
      folder: folder.path,
      env: env('here'),
      there: {},
    });
    expect(closed).toMatchObject({ code: 1, errors: expect.stringContaining('EPIPE') });
  });

  it('leaves no archive where there is no room', async () => {
    // A limit on the size of files stands for a full disk.
    const { code } = await startShell('ulimit -f 2000; trap "" XFSZ; baobab backup --to full.tar', {
      folder: folder.path,
      env: env('here'),
      there: {},
    });
    expect(code).toBe(1);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('full'))).toEqual([]);
  });
});
