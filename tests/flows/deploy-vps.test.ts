import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parseConfig, VARIABLES } from '@baobab/server';
import { expect, it } from 'vitest';
import { fences } from '../support/fences.ts';
import { readDocument } from '../support/markdown.ts';
import { build, startProgram } from '../support/program.ts';
import { createSetUp } from '../support/set-up.ts';

const ROOT = join(import.meta.dirname, '../..');
const { cleanups, folder } = createSetUp();
const blocks = fences(readDocument('docs/deploy-vps.md')).map(({ text }) => text);
const blockOf = (page: string, info: string) => fences(readDocument(page)).find((fence) => fence.info === info)?.text;

/** Runs the blocks of the page that contain these texts in a new folder, without commands that change the system. */
function run(...contained: readonly string[]): { readonly root: string; readonly output: string } {
  build();
  const root = folder();
  for (const path of ['etc/caddy', 'etc/systemd/system', 'var/lib/baobab']) {
    mkdirSync(join(root, path), { recursive: true, mode: 0o700 });
  }
  const commands = contained
    .map((text) => blocks.find((block) => block.includes(text)) ?? 'exit 9')
    .join('\n')
    .replaceAll(/^(?:useradd|systemctl|curl) .*$/gm, '')
    .replaceAll('/opt/baobab', ROOT)
    .replaceAll(/(?<=[ =])\/(?:etc|var)\//g, (path) => `${root}${path}`);
  const env = { PATH: process.env.PATH ?? '' };
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', commands], { env, encoding: 'utf8' });
  // `doctor` may exit with 1, because another program uses the port of the page.
  expect([status === 9, stderr]).toEqual([false, '']);
  return { root, output: stdout };
}

it('a new server has variables that doctor finds safe', () => {
  const { root, output } = run('useradd', 'BACKUP_URL=', ' doctor');
  const set = parseEnv(readFileSync(join(root, 'etc/baobab/env'), 'utf8')) as Record<string, string>;
  expect(Object.keys(set).filter((name) => !(name in VARIABLES))).toEqual([]);
  const config = parseConfig(set);
  expect(config).toMatchObject({ host: '127.0.0.1', trustProxy: 1, backups: { kind: 's3', bucket: 'my-backups' } });
  // Caddy keeps idle connections for two minutes.
  expect(config.keepAliveMs).toBeGreaterThan(120_000);
  expect(output).toMatch(/^ok +configuration /m);
  expect(output).toMatch(/^ok +exposure /m);
  expect(output).not.toMatch(/^FAULT +(?:configuration|exposure) /m);
});

it('a new server gets the unit and the configuration of Caddy that other pages explain', () => {
  const { root } = run('sed -n', '/Caddyfile');
  const written = (path: string) => readFileSync(join(root, 'etc', path), 'utf8');
  expect(written('systemd/system/baobab.service')).toBe(blockOf('docs/deploy.md', 'ini systemd'));
  const caddy = blockOf('docs/deploy-proxy.md', 'caddy')?.replace('example.org', 'api.example.com');
  expect(written('caddy/Caddyfile')).toBe(caddy);
});

it('a new server prints the password of its administrator in a line that the page searches', async () => {
  const [, searched = ''] = /journalctl .* grep '(.*)'/.exec(blocks.join('\n')) ?? [];
  expect(searched).not.toBe('');
  const program = startProgram({ DATA_DIR: folder(), HOST: '127.0.0.1', PORT: '0' });
  cleanups.push(() => program.dispose());
  await program.ready();
  await expect.poll(() => program.output().split('\n')).toContainEqual(expect.stringContaining(searched));
});
