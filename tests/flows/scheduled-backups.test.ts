import { spawnSync } from 'node:child_process';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parseConfig } from '@baobab/server';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { linesOf } from '../support/answers.ts';
import { createFolder } from '../support/databases.ts';
import { fences } from '../support/fences.ts';
import { createReader } from '../support/followed.ts';
import { readDocument } from '../support/markdown.ts';
import { COMMAND, startCommand } from '../support/program.ts';
import { createSetUp } from '../support/set-up.ts';
import { createSurroundings } from '../support/surroundings.ts';

const ROOT = join(import.meta.dirname, '../..');
const { folder } = createSetUp();
const page = readDocument('docs/scheduled-backups.md');
const block = (info: string) => fences(page).find((fence) => fence.info === info)?.text ?? '';
const service = block('ini baobab-backup.service');
const timer = block('ini baobab-backup.timer');

/** The value of a line of a unit. */
const lineOf = (unit: string, name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

describe('a backup by a timer', () => {
  const { path: data, remove } = createFolder();
  beforeAll(async () => {
    expect((await startCommand(['migrate', 'up'], { DATA_DIR: data }).ended).code).toBe(0);
  });
  afterAll(remove);

  /** Replaces the places of the installation by those of this test. */
  const here = (text: string, archives: string) =>
    text
      .replaceAll('/usr/bin/node', process.execPath)
      .replaceAll('/opt/baobab', ROOT)
      .replaceAll('/var/lib/baobab-backups', archives)
      .replaceAll('/var/lib/baobab', data);

  /** A folder with an archive that is older than the retention. */
  function archivesWithOldOne(): string {
    const archives = folder();
    const old = join(archives, 'old.tar');
    writeFileSync(old, 'old');
    utimesSync(old, 0, 0);
    return archives;
  }

  async function expectNewArchiveIn(archives: string): Promise<void> {
    const [name = '', ...others] = readdirSync(archives);
    expect([name, others]).toEqual([expect.stringMatching(/^\d{8}-\d{6}\.tar$/), []]);
    const restored = startCommand(['restore', '--from', join(archives, name)], { DATA_DIR: folder() });
    expect(await restored.ended).toMatchObject({ code: 0, errors: '' });
  }

  it('of systemd is accepted by it, where it is installed', () => {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) return;
    const place = folder();
    const files = Object.entries({ 'baobab-backup.service': here(service, place), 'baobab-backup.timer': timer });
    for (const [name, unit] of files) writeFileSync(join(place, name), unit);
    const paths = files.map(([name]) => join(place, name));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' });
    expect([status, stderr.split('\n').filter((line) => line.includes('baobab-backup'))]).toEqual([0, []]);
    const time = spawnSync('systemd-analyze', ['calendar', lineOf(timer, 'OnCalendar')], { encoding: 'utf8' });
    expect(time.stdout).toContain('*-*-* 03:17:00');
  });

  it('of systemd writes an archive, and then removes old ones', async () => {
    const archives = archivesWithOldOne();
    const set = parseEnv(service.match(/^Environment=(.*)$/m)?.[1] ?? '') as Record<string, string>;
    const env = {
      PATH: process.env.PATH ?? '',
      DATA_DIR: here(set.DATA_DIR ?? '', archives),
      STATE_DIRECTORY: archives,
    };
    const commands = [lineOf(service, 'ExecStart'), lineOf(service, 'ExecStartPost')]
      // systemd replaces variables and %%, and knows no patterns of file names.
      .map((line) => here(line, archives).replaceAll('%%', '%').replace('*.tar', "'*.tar'"));
    const script = `set -e\ncd ${here(lineOf(service, 'WorkingDirectory'), archives)}\n${commands.join('\n')}`;
    const { status, stderr } = spawnSync('sh', ['-c', script], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    await expectNewArchiveIn(archives);
  });

  it('of cron writes an archive, and then removes old ones', async () => {
    const archives = archivesWithOldOne();
    const lines = block('cron').trim().split('\n');
    expect(lines).toHaveLength(1);
    const [, times = '', command = ''] = /^((?:[\d*,/-]+ ){5})(.*)$/.exec(lines[0] ?? '') ?? [];
    expect(times).not.toBe('');
    // Cron ends the command at a bare %.
    expect(command.replaceAll('\\%', '')).not.toContain('%');
    const run = here(command.replaceAll('\\%', '%'), archives);
    const env = { PATH: '/usr/bin:/bin' };
    const { status, stderr } = spawnSync('/bin/sh', ['-c', run], { cwd: '/', env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    await expectNewArchiveIn(archives);
  });

  it('runs the command line', () => {
    for (const text of [service, block('cron')])
      expect(here(`/opt/baobab/${/packages\S+/.exec(text)}`, '')).toBe(COMMAND);
  });
});

it('archives go to a bucket that is written as on the page', () => {
  const { backups } = parseConfig(parseEnv(block('env backup-bucket')) as Record<string, string>);
  expect(backups).toMatchObject({ kind: 's3', bucket: 'my-backups', prefix: 'baobab' });
});

it('SQLite is copied by its own program, where it is installed', async () => {
  const [commands = '', ...more] = fences(readDocument('docs/operations.md')).flatMap(({ info, text }) =>
    info === 'sh not-run: needs the program sqlite3' ? [text] : [],
  );
  expect([commands === '', more]).toEqual([false, []]);
  if (spawnSync('sh', ['-c', 'command -v sqlite3']).status !== 0) return;
  const path = folder();
  const env = { DATA_DIR: join(path, 'data'), PATH: process.env.PATH ?? '' };
  expect((await startCommand(['migrate', 'up'], env).ended).code).toBe(0);
  const { status, stderr } = spawnSync('bash', ['-c', commands], { cwd: path, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  const copy = { ...env, DATABASE_URL: `sqlite:${join(path, 'baobab-backup.db')}` };
  const { output } = await startCommand(['--json', 'migrate', 'status'], copy).ended;
  expect(JSON.parse(output)).toMatchObject({ state: 'current' });
});

/** Follows the page with a bucket in place of its folder of archives. */
describe('the restore drill from a bucket', () => {
  let surroundings: Awaited<ReturnType<typeof createSurroundings>>;
  beforeAll(async () => {
    surroundings = await createSurroundings();
  });
  afterAll(() => surroundings.close());

  it('restores what the scheduled backup wrote', async () => {
    const bucket = inject('s3').url.replace('?', '/drill?');
    const newest = `curl $AS_ADMIN http://localhost:9000/admin/backup | grep -o '"name":"[^"]*' | head -n 1 | cut -c 9-`;
    const archive = `'${bucket.replace('?', `/backups/'$(${newest})'/original?`)}'`;
    const [drill = ''] = page.split('## Know when');
    const onS3 = drill
      .replace('BACKUP_URL=file:backups', () => `BACKUP_URL='${bucket}'`)
      .replace(/ARCHIVE=\$\(ls .*/, () => `ARCHIVE=${archive}`);
    expect(onS3.split(bucket.split('?')[0] ?? '')).toHaveLength(3);
    const reader = await createReader(surroundings);
    try {
      let steps = 0;
      for await (const { line, status, printed, shown } of reader.follow(onS3)) {
        expect({ line, status, printed: linesOf(printed) }).toEqual({ line, status: 0, printed: linesOf(shown) });
        steps++;
      }
      expect(steps).toBeGreaterThan(9);
    } finally {
      await reader.close();
    }
  });
});
