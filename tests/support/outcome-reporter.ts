import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule, TestSpecification } from 'vitest/node';
import { type Coverage, coverageReport } from './coverage.ts';
import { closingLine, type Failure, type Outcome } from './outcome.ts';

const ROOT = `${import.meta.dirname}/../..`;
/** States of a file whose tests have not all ended. */
const OPEN: ReadonlySet<string> = new Set(['queued', 'pending']);
const pathOf = ({ moduleId }: { readonly moduleId: string }) => relative(ROOT, moduleId);
const firstLine = (text = '') => text.split('\n')[0] ?? '';

/** Failures of a module and its tests. Skipped tests count as failed. */
function failuresOf(module: TestModule): Failure[] {
  const tests = Array.from(module.children.allTests(), (test) => ({ test, result: test.result() }));
  return [
    ...module.errors().map(({ message }) => ({ test: 'the file', error: firstLine(message) })),
    ...tests.flatMap(({ test, result: { state, errors } }) =>
      state === 'passed' ? [] : [{ test: test.fullName, error: firstLine(errors?.[0]?.message ?? state) }],
    ),
  ];
}

/**
 * Writes the outcome to the file in the variable TEST_OUTCOME. Without it, ends the output with one line that scripts
 * can parse: `312 passed, 0 failed`. Coverage is printed above it; a package without enough of it counts as a failure.
 */
export default class OutcomeReporter implements Reporter {
  #outcome: Record<string, { passed: number; failures: Failure[] }> = {};
  #coverage: readonly string[] = [];
  #planned: readonly string[] = [];

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#planned = specifications.map(pathOf);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    for (const module of modules) {
      const failures = failuresOf(module);
      const count = Array.from(module.children.allTests()).filter((test) => test.result().state === 'passed').length;
      this.#outcome[pathOf(module)] = { passed: count, failures };
    }
    // A worker that dies leaves a file that did not end, and perhaps others that did not begin. Its error names no file.
    const ended = new Set(modules.filter((module) => !OPEN.has(module.state())).map(pathOf));
    const unfinished = this.#planned.filter((path) => !ended.has(path));
    for (const path of unfinished) this.#fail(path, 'the file', 'it did not end: its worker died');
    for (const error of errors) {
      const path = error.VITEST_TEST_PATH;
      if (path === undefined && unfinished.length > 0) continue;
      this.#fail(path === undefined ? '' : relative(ROOT, String(path)), 'outside of tests', firstLine(error.message));
    }
    if (modules.length === 0) this.#fail('', 'the run', 'no test was found');
    process.on('exit', () => {
      for (const line of this.#coverage) process.stdout.write(`${line}\n`);
      const { TEST_OUTCOME } = process.env;
      if (TEST_OUTCOME === undefined) process.stdout.write(`${closingLine(this.#outcome)}\n`);
      else writeFileSync(TEST_OUTCOME, JSON.stringify(this.#outcome satisfies Outcome));
    });
    if (Object.values(this.#outcome).some(({ failures }) => failures.length > 0)) process.exitCode = 1;
  }

  onCoverage(coverage: unknown): void {
    const { lines, missed } = coverageReport(coverage as Coverage);
    this.#coverage = lines;
    for (const line of missed) this.#fail('', 'coverage', line);
  }

  #fail(path: string, test: string, error: string): void {
    this.#outcome[path] ??= { passed: 0, failures: [] };
    this.#outcome[path].failures.push({ test, error });
    process.exitCode = 1;
  }
}
