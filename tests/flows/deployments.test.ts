import { spawnSync } from 'node:child_process';
import { chownSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { VARIABLES } from '@baobab/server';
import { describe, expect, it } from 'vitest';
import { fences } from '../support/fences.ts';
import { readDocument } from '../support/markdown.ts';
import { COMMAND, PROGRAM, startProgram } from '../support/program.ts';
import { createSetUp } from '../support/set-up.ts';

const ROOT = join(import.meta.dirname, '../..');
const { cleanups, folder } = createSetUp();
const blocks = fences(readDocument('docs/operations.md'));

/** The blocks of the page with this text after the opening fence. */
const textsOf = (info: string) => blocks.filter((block) => block.info === info).map(({ text }) => text);

/** A user without privileges; only root can become one. */
const NOBODY = process.getuid?.() === 0 ? { uid: 1_000_650_000, gid: 1_000_650_000 } : {};

/** Gives what the tests made to the user that runs the program. */
function give(...paths: readonly string[]): void {
  for (const path of paths) if (NOBODY.uid !== undefined) chownSync(path, NOBODY.uid, NOBODY.gid);
}

/** Runs the commands, without those for which `left` is true. */
function runShell(commands: string, left: (line: string) => boolean): void {
  const input = commands
    .split('\n')
    .filter((line) => !left(line))
    .join('\n');
  const { status, stderr } = spawnSync('bash', ['-e'], { input, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
}

describe('the unit of systemd', () => {
  const [unit = ''] = textsOf('ini systemd');
  const [making = '', , using = ''] = textsOf('sh not-run: needs systemd');
  const all = (name: string) =>
    Array.from(unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value = '']) => value);

  it('is accepted by systemd, which finds it little exposed, where it is installed', () => {
    const [, version = '0'] =
      /^systemd (\d+)/.exec(spawnSync('systemd-analyze', ['--version']).stdout?.toString()) ?? [];
    if (Number(version) < 250) return;
    const file = join(folder(), 'baobab.service');
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath).replace('/opt/baobab', ROOT));
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    const complaints = verified.stderr.split('\n').filter((line) => line.includes('baobab.service'));
    expect([verified.status, complaints]).toEqual([0, []]);
    const limits = ['security', '--no-pager', '--offline=yes', '--threshold=20', file];
    const { status, stdout } = spawnSync('systemd-analyze', limits, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('OK')]);
  });

  it('gives the program what it needs, as a user who can write nowhere else', async () => {
    const [etc, state, credentials] = [join(folder(), 'etc'), folder(), folder()];
    runShell(making.replaceAll('/etc/baobab', etc), (line) => line.startsWith('useradd '));
    for (const [name = '', path = ''] of all('LoadCredential').map((value) => value.split(':'))) {
      copyFileSync(path.replace('/etc/baobab', etc), join(credentials, name));
      give(join(credentials, name));
    }
    give(state, credentials);
    const [data = ''] = all('StateDirectory');
    const filled = (text: string) => text.replaceAll('%d', credentials).replaceAll(`/var/lib/${data}`, state);
    const file = (all('EnvironmentFile')[0] ?? '').replace('/etc/baobab', etc);
    const set = parseEnv(readFileSync(file, 'utf8'));
    expect(Object.keys(set).filter((name) => !(name in VARIABLES))).toEqual([]);
    const env = { ...parseEnv(all('Environment').join(' ').replaceAll(' ', '\n')), ...set } as Record<string, string>;
    for (const [name, value] of Object.entries(env)) env[name] = filled(value);
    const [, script = ''] = /^\/usr\/bin\/node (\S+)$/.exec(all('ExecStart')[0] ?? '') ?? [];
    expect(join(ROOT, script)).toBe(PROGRAM);

    const program = startProgram(env, { cwd: ROOT, ...NOBODY });
    cleanups.push(() => program.dispose());
    await program.ready();
    await program.line('password');
    // The key comes from the credential, so none is generated.
    expect(readdirSync(state).sort()).toEqual(['baobab.db', 'baobab.db-shm', 'baobab.db-wal', 'blobs']);

    const [, dataDir = '', path = '', args = ''] =
      /^sudo -u baobab DATA_DIR=(\S+) node \/opt\/baobab\/(\S+) (.*)$/m.exec(using) ?? [];
    expect(join(ROOT, path)).toBe(COMMAND);
    const backup = startProgram(
      { DATA_DIR: filled(dataDir) },
      { command: [COMMAND, ...filled(args).split(' ')], cwd: ROOT, ...NOBODY },
    );
    expect([(await backup.exit).code, backup.errors()]).toEqual([0, '']);
    expect(readdirSync(state)).toContain('monday.tar');

    program.kill('SIGTERM');
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(Number(all('TimeoutStopSec')[0])).toBeGreaterThan(10);
  });
});
