import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { createFolder } from '../support/databases.ts';
import { until } from '../support/patience.ts';
import { startCommand } from '../support/program.ts';
import { createSetUp, SETTINGS } from '../support/set-up.ts';

type Environment = Readonly<Record<string, string>>;

const setUp = createSetUp();

/** A folder with `backup.tar` of a new server. */
let folder: string;
/** The server's environment, which is stopped. */
let source: Environment;

beforeAll(async () => {
  const created = createFolder();
  folder = created.path;
  source = { ...SETTINGS, DATA_DIR: join(folder, 'data') };
  const migrated = await runCommand(['migrate', 'up'], source);
  expect(migrated.code).toBe(0);
  const { code, errors } = await startCommand(['backup', '--to', join(folder, 'backup.tar'), '--throttle', '0'], source)
    .ended;
  expect([code, errors]).toEqual([0, '']);
  return () => created.remove();
});

const restore = (name: string, environment: Environment) =>
  runCommand(['restore', '--from', join(folder, name)], environment);

describe('an archive that is not the file of a backup', () => {
  const refusal = async (name: string) => {
    const { code, errors } = await restore(name, { ...SETTINGS, DATA_DIR: setUp.folder() });
    return [code, errors];
  };

  it('is refused with a hint to decompress it', async () => {
    writeFileSync(join(folder, 'backup.tar.gz'), gzipSync(readFileSync(join(folder, 'backup.tar'))));
    expect(await refusal('backup.tar.gz')).toEqual([
      1,
      expect.stringContaining('it is compressed with gzip; decompress it first'),
    ]);
  });

  it.each([
    ['of its folder', ['.']],
    ['of its entries', ['manifest.json', 'rows', 'checksums.json']],
    ['without its manifest', ['checksums.json']],
  ])('is refused as packed again if it is an archive %s', async (_name, entries) => {
    const unpacked = join(folder, entries.join('-'), 'unpacked');
    mkdirSync(unpacked, { recursive: true });
    execFileSync('tar', ['-xf', join(folder, 'backup.tar')], { cwd: unpacked });
    execFileSync('tar', ['-cf', join(folder, 'again.tar'), ...entries], { cwd: unpacked });
    expect(await refusal('again.tar')).toEqual([
      1,
      expect.stringContaining('it was packed again, or is not an archive of this program'),
    ]);
  });
});

describe.each([
  ['SQLite', async () => ({ DATABASE_URL: `sqlite:${join(setUp.folder(), 'used.db')}` })],
  ['Postgres', async () => ({ DATABASE_URL: await setUp.database({ empty: true }) })],
])('a database on %s', (_name, open) => {
  it('accepts a restore or a transfer only while no server uses it', async () => {
    const target = { ...SETTINGS, DATA_DIR: setUp.folder(), ...(await open()) };
    const program = setUp.start(target);
    await program.ready();
    const transfer = ['transfer', '--from', `sqlite:${join(folder, 'data', 'baobab.db')}`, '--to', target.DATABASE_URL];
    const inUse = expect.stringContaining('The target is in use, nothing was changed');
    expect(await restore('backup.tar', target)).toMatchObject({ code: 1, errors: inUse });
    expect(await runCommand(transfer, target)).toMatchObject({ code: 1, errors: inUse });
    program.kill('SIGKILL');
    await program.exit;
    await until(async () => (await restore('backup.tar', target)).code === 0);
  });
});
