import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { type Coverage, coverageReport } from './coverage.ts';
import { closingLine, type Failure, type Outcome } from './outcome.ts';

const ROOT = `${import.meta.dirname}/../..`;
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

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    for (const module of modules) {
      const failures = failuresOf(module);
      const count = Array.from(module.children.allTests()).filter((test) => test.result().state === 'passed').length;
      this.#outcome[relative(ROOT, module.moduleId)] = { passed: count, failures };
    }
    for (const error of errors) {
      const path = error.VITEST_TEST_PATH;
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
