import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { LINES } from './support/coverage.ts';
import { markRun } from './support/leftovers.ts';
import { PART, QUICK, STATIC, THOROUGH } from './support/parts.ts';
import { PATIENCE_MS } from './support/patience.ts';
import { SlowestFirst } from './support/slowest-first.ts';
import { SLOWNESS } from './support/slowness.ts';
import { UNCOUNTED, withoutCoverage } from './support/uncounted.ts';

/** `npm run test:guide`: the guide in a browser. It has to be built for that, by a generator that other tests do not need. */
const GUIDE = process.env.TEST_GUIDE === 'on';
/** Contract suites that need a database server or S3. */
const NEED_SERVERS = QUICK ? ['archive', 'outbound', 's3-faults', 's3-unfinished', 's3-vendors', 'shared-storage'] : [];
const INCLUDED = {
  static: STATIC,
  quick: ['tests/{core,contracts}/*.test.ts'],
  everyday: ['tests/**/*.test.ts'],
  thorough: ['tests/**/*.test.ts'],
}[PART ?? 'thorough'];
/** Files that other parts run. */
const OTHERS = PART === 'everyday' ? [...STATIC, ...THOROUGH] : PART === 'thorough' ? STATIC : [];
/** Only `npm run test:citus` has a cluster for all of `tests/citus`. Citus refuses rules with parents. */
const ELSEWHERE = process.env.TEST_CITUS_URL === undefined ? 'tests/citus/**' : 'tests/http/document-files.test.ts';
const EXCLUDED = [
  ...configDefaults.exclude,
  ...NEED_SERVERS.map((name) => `tests/contracts/${name}.test.ts`),
  ELSEWHERE,
  ...OTHERS,
];
const COUNTS = process.argv.includes('--coverage');

// Before workers start, which inherit the environment.
markRun();

export default defineConfig({
  // Sources, not builds: what is tested is what is in the editor.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    // The project, so that coverage sees the packages.
    root: join(import.meta.dirname, '..'),
    // Options of a project are added to those of the root, so the root has no files of its own then.
    ...(COUNTS
      ? {
          projects: [
            {
              extends: true,
              plugins: [withoutCoverage],
              test: { name: 'uncounted', include: UNCOUNTED, exclude: EXCLUDED },
            },
            { extends: true, test: { name: 'counted', include: INCLUDED, exclude: [...EXCLUDED, ...UNCOUNTED] } },
          ],
        }
      : { include: GUIDE ? ['tests/browser/guide.ts'] : INCLUDED, exclude: EXCLUDED }),
    globalSetup: QUICK || PART === 'static' ? [] : ['tests/support/global-setup.ts'],
    isolate: false,
    // A file waits for two thirds of its time: for timeouts that it tests, for programs that start, for other nodes. With
    // four at once a third of two processors was idle.
    maxWorkers: 6,
    // Most of what tests make is soon garbage. With room for it a worker spends half as long on collections.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: SlowestFirst },
    // Only for tests that hang: no test takes as long on a quiet machine. Speed is measured by bench/.
    testTimeout: 300_000 * SLOWNESS,
    hookTimeout: 300_000 * SLOWNESS,
    coverage: {
      provider: 'v8',
      include: Object.keys(LINES).map((name) => `packages/${name}/src/**/*.ts`),
      // `outcome-reporter.ts` prints the figures and checks them.
      reporter: [],
      reportsDirectory: 'coverage',
    },
    expect: { poll: { timeout: PATIENCE_MS } },
    reporters: ['default', join(import.meta.dirname, 'support/outcome-reporter.ts')],
  },
});
