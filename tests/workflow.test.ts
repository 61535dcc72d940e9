import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDocument } from './support/markdown.ts';

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly strategy?: { readonly matrix: { readonly node: readonly number[] } };
  readonly 'timeout-minutes': number;
  readonly steps: ReadonlyArray<{ readonly uses?: string; readonly run?: string }>;
}

const SCRIPT = '.ci/run';
const workflow: Workflow = parse(readDocument('.github/workflows/test.yml'));
const jobs = Object.values(workflow.jobs);
const nightly: Workflow = parse(readDocument('.github/workflows/nightly.yml'));
const stepsOf = ({ jobs: all }: Workflow) => Object.values(all).flatMap((job) => job.steps);
const commands = (one: Workflow) => stepsOf(one).flatMap(({ run }) => run ?? []);

/** The commands of a shell script, without comments and what every script begins with. */
const commandsOf = (script: string) =>
  script.split('\n').filter((line) => line !== '' && !/^(?:#|set -|cd "\$\(dirname "\$0"\)\/\.\."$)/.test(line));

it("runs the README's test command, and nothing else", () => {
  expect(commands(workflow)).toEqual([SCRIPT]);
  const [command = ''] = commandsOf(readDocument(SCRIPT));
  expect(commandsOf(readDocument(SCRIPT))).toEqual([command]);
  expect(readDocument('README.md')).toMatch(new RegExp(`^${command} +# install, build, lint, check types`, 'm'));
  const path = join(import.meta.dirname, '..', SCRIPT);
  expect(existsSync(path) && statSync(path).mode & 0o111, 'is executable').toBeTruthy();
});

it('runs on pushes and pull requests, with each major version of Node that the service supports', () => {
  expect(Object.keys(workflow.on)).toEqual(['push', 'pull_request']);
  const { engines } = JSON.parse(readFileSync(join(import.meta.dirname, '../packages/server/package.json'), 'utf8'));
  const least = Number(/^>=(\d+)/.exec(engines.node)?.[1]);
  for (const { strategy } of jobs) expect(strategy?.matrix.node).toEqual([least, 24]);
});

it('runs every test each night', () => {
  expect(Object.keys(nightly.on)).toEqual(['schedule', 'workflow_dispatch']);
  expect(commands(nightly)).toEqual(['npm run test:all']);
});

it.each([
  ['test', workflow],
  ['nightly', nightly],
])('pins actions to commits, may only read, and ends: %s', (_name, one) => {
  const actions = stepsOf(one).flatMap(({ uses }) => uses ?? []);
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
  expect(one.permissions).toEqual({ contents: 'read' });
  for (const job of Object.values(one.jobs)) expect(job['timeout-minutes']).toBeLessThanOrEqual(240);
});
