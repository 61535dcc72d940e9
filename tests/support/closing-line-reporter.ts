import type { Reporter, TestModule } from 'vitest/node';
import { type Coverage, coverageReport } from './coverage.ts';

/**
 * Prints one line at the end of the run that scripts can parse: `312 passed, 0 failed`. Coverage is printed above it.
 */
export default class ClosingLineReporter implements Reporter {
  #passed = 0;
  #failed = 0;
  #coverage: readonly string[] = [];

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    this.#failed += errors.length + (modules.length === 0 ? 1 : 0);
    for (const module of modules) {
      if (module.errors().length > 0) this.#failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') this.#passed++;
        // Skipped tests count as failed.
        else this.#failed++;
      }
    }
    this.#fail();
    process.on('exit', () => {
      for (const line of this.#coverage) process.stdout.write(`${line}\n`);
      process.stdout.write(`${this.#passed} passed, ${this.#failed} failed\n`);
    });
  }

  /** A package with insufficient coverage counts as a failed test. */
  onCoverage(coverage: unknown): void {
    const { lines, missed } = coverageReport(coverage as Coverage);
    this.#coverage = lines;
    this.#failed += missed;
    this.#fail();
  }

  #fail(): void {
    if (this.#failed > 0) process.exitCode = 1;
  }
}
