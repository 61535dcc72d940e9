import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Sources, not builds: what is tested is what is in the editor.
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['support/global-setup.ts'],
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './support/closing-line-reporter.ts'],
  },
});
