import { spawn } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { fences } from './support/fences.ts';
import { readDocument, tableRows } from './support/markdown.ts';
import { until } from './support/patience.ts';

/** Runs a block as it is, with the sources of the packages under their names. */
const OPTIONS = ['--experimental-strip-types', '--no-warnings', '--conditions=source', '--input-type=module', '-e'];

const [, embedded = ''] = fences(readDocument('README.md'))
  .filter(({ info }) => info === 'ts')
  .map(({ text }) => text);

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function run(program: string) {
  const child = spawn(process.execPath, [...OPTIONS, program], { cwd: import.meta.dirname });
  cleanups.push(() => child.kill());
  const shown = { output: '', errors: '' };
  child.stdout.on('data', (text) => {
    shown.output += text;
  });
  child.stderr.on('data', (text) => {
    shown.errors += text;
  });
  return shown;
}

it('embeds a backend in another program', async () => {
  const shown = run(embedded);
  await until(() => shown.output !== '' || shown.errors !== '');
  expect(shown).toEqual({ output: '201\n', errors: '' });
});

it('quotes measured ratios', () => {
  const measured = readDocument('bench/PEERS.md');
  const ratios = tableRows(measured, 'Ratios of these rates');
  const ratio = (work: string) => Number(ratios.find(([name]) => name === work)?.[1]);
  const text = readDocument('README.md').replaceAll('\n', ' ');
  const claim =
    /answers (\d+) times as many reads as PocketBase, (\d+) times as many creates and (\d+) to (\d+) times as/;
  const [, reads, creates, least, most] = (claim.exec(text) ?? []).map(Number);
  expect([ratio('get one'), ratio('create 1 KB')].map(Math.round)).toEqual([reads, creates]);
  const lists = ['newest 20 of 100 k', '20 by an indexed field, of 100 k', '20 by a field without index, of 10 k'].map(
    ratio,
  );
  expect([Math.floor(Math.min(...lists)), Math.round(Math.max(...lists))]).toEqual([least, most]);
  expect(text).toContain('uploads are equal, and a cold start takes twice as long');
  expect(ratio('upload 1 MiB')).toBeCloseTo(1, 1);
  const rates = tableRows(measured, 'Units of work per second');
  const [, ours, , , theirs] = rates.find(([name]) => name?.startsWith('cold start')) ?? [];
  expect(Number(ours) / Number(theirs)).toBeGreaterThan(1.5);
});
