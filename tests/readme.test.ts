import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { readDocument } from './support/markdown.ts';
import { build } from './support/program.ts';

/** Where the packages are found under their names. */
const HERE = import.meta.dirname;

// It runs the build, as another program would.
it('embeds a backend in another program as the README says', () => {
  build();
  const [, example = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readDocument('README.md')) ?? [];
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', example], { cwd: HERE });
  expect(printed.toString()).toBe('201\n');
});
