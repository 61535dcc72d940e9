import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with one plain line that scripts can parse: `312 passed, 0 failed`. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length + (modules.length === 0 ? 1 : 0);
    for (const module of modules) {
      if (module.errors().length > 0) failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        // A skipped test is a lie: nothing here may be skipped.
        else failed++;
      }
    }
    process.on('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
    if (failed > 0) process.exitCode = 1;
  }
}
