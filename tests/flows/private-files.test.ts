import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createFolder } from '../support/databases.ts';
import { type Program, startProgram } from '../support/program.ts';

const WARNING = 'data folder is accessible to other users of this machine';
const OTHERS = 0o077;

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function folder(mode: number): string {
  const { path, remove } = createFolder();
  cleanups.push(remove);
  chmodSync(path, mode);
  return path;
}

async function serving(environment: Readonly<Record<string, string>>): Promise<Program> {
  const program = startProgram({ APP_CODE: 'code', ADMIN_PASSWORD: 'admin password', ...environment });
  cleanups.push(() => program.dispose());
  await program.ready();
  return program;
}

/** The paths below a folder that other users of the machine can open. */
const open = (path: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(path, name)).mode & OTHERS) !== 0,
  );

const DATABASE_FILES = ['baobab.db', 'baobab.db-shm', 'baobab.db-wal'];

it('creates files that no other user can read in a data folder that is open to others, and warns about the folder', async () => {
  const path = folder(0o755);
  const program = await serving({ DATA_DIR: path });
  expect(readdirSync(path)).toEqual(expect.arrayContaining([...DATABASE_FILES, 'secret.key']));
  expect(open(path)).toEqual([]);
  expect(JSON.parse(await program.line(WARNING))).toMatchObject({ folder: path, mode: '755' });
});

it('serves as any user in group 0 where the group may write, as on OpenShift, and does not advise against it', async () => {
  const isRoot = process.getuid?.() === 0;
  const path = folder(isRoot ? 0o770 : 0o700);
  if (isRoot) chownSync(path, 1000, 0);
  const program = startProgram(
    { APP_CODE: 'code', ADMIN_PASSWORD: 'admin password', DATA_DIR: path },
    isRoot ? { uid: 1_000_650_000 } : {},
  );
  cleanups.push(() => program.dispose());
  await program.ready();
  expect(readdirSync(path)).toEqual(expect.arrayContaining(DATABASE_FILES));
  expect(program.output() + program.errors()).not.toContain(WARNING);
});

it('restricts database files that are open to others', async () => {
  const path = folder(0o755);
  for (const name of DATABASE_FILES) writeFileSync(join(path, name), '', { mode: 0o644 });
  await serving({ DATA_DIR: path });
  expect(open(path)).toEqual([]);
});

it('leaves a folder alone that is named in place of a database file', async () => {
  const path = folder(0o755);
  const program = startProgram({ DATABASE_URL: `sqlite:${path}`, BLOB_URL: 'memory:', DATA_DIR: path });
  cleanups.push(() => program.dispose());
  expect((await program.exit).code).toBe(1);
  expect(statSync(path).mode & 0o777).toBe(0o755);
});

it('does not warn when only the user of the service has access', async () => {
  const path = join(folder(0o755), 'data');
  const closed = folder(0o700);
  mkdirSync(join(closed, 'blobs'), { mode: 0o755 });
  for (const DATA_DIR of [path, closed]) {
    const program = await serving({ DATA_DIR });
    expect(program.output() + program.errors()).not.toContain(WARNING);
  }
  expect(statSync(path).mode & OTHERS).toBe(0);
});

it('warns about a separate folder of blobs', async () => {
  const blobs = folder(0o750);
  // Only a group other than that of root can be more than the service needs.
  if (process.getuid?.() === 0) chownSync(blobs, 0, 1000);
  const program = await serving({ DATA_DIR: folder(0o700), BLOB_URL: `file:${blobs}` });
  expect(JSON.parse(await program.line(WARNING))).toMatchObject({
    folder: blobs,
    mode: '750',
    remedy: `chmod go-rwx ${blobs}`,
  });
});
