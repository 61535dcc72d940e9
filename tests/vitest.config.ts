import { configDefaults, defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './support/patience.ts';
import { QUICK } from './support/quick.ts';

/** Contract suites that need a database server or S3. */
const NEED_SERVERS = ['archive', 's3-faults', 's3-unfinished', 'shared-storage'];

export default defineConfig({
  // Sources, not builds: what is tested is what is in the editor.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    root: import.meta.dirname,
    include: QUICK ? ['{core,contracts}/*.test.ts', '{architecture,prose}.test.ts'] : ['**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(QUICK ? NEED_SERVERS.map((name) => `contracts/${name}.test.ts`) : [])],
    globalSetup: QUICK ? [] : ['support/global-setup.ts'],
    isolate: false,
    // Most wait for something most of the time; more files at once would want more of the one Postgres than it has.
    maxWorkers: 2,
    // Against what hangs. How fast something is no test says (bench/ does): a machine may give us little of itself.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    reporters: ['default', './support/closing-line-reporter.ts'],
  },
});
