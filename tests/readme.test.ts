import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from './support/databases.ts';
import { type Program, startProgram } from './support/program.ts';
import { masked, openShell, parseTour, type Shell } from './support/tour.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
const tour = parseTour(readme);

/** Where the packages are found under their names. */
const HERE = import.meta.dirname;

/** A minute for a tour of two starts and some dozen calls. */
const TIME_LIMIT_MS = 60_000;

describe('the tour in README.md', () => {
  const folder = createFolder();
  let program: Program;
  let shell: Shell;
  let base = '';

  /** As in the README: the password only at the first start. A restart gets another port. */
  async function start(variables: Readonly<Record<string, string>>): Promise<void> {
    program = startProgram({ DATA_DIR: join(folder.path, 'data'), ...variables });
    base = await program.ready();
  }

  beforeAll(async () => {
    shell = openShell(folder.path);
    await start({ ADMIN_PASSWORD: 'change-me' });
  }, TIME_LIMIT_MS);

  afterAll(async () => {
    shell.close();
    await program.dispose();
    folder.remove();
  });

  it('is all there', () => {
    expect(tour.filter(({ kind }) => kind === 'restart')).toHaveLength(1);
    expect(tour.filter(({ output }) => output !== '').length).toBeGreaterThan(10);
  });

  it(
    'prints what it says',
    async () => {
      for (const step of tour) {
        if (step.kind === 'restart') {
          program.kill('SIGTERM');
          expect(await program.exit).toEqual({ code: 0, signal: null });
          await start({});
          await shell.run(`BASE=${base}`);
          continue;
        }
        const printed = await shell.run(step.commands.replaceAll('http://localhost:9000', base));
        expect({ line: step.line, output: masked(printed) }).toEqual({ line: step.line, output: masked(step.output) });
      }
    },
    TIME_LIMIT_MS,
  );

  // The program was built when it started: the example runs what was built, as another program would.
  it('puts a backend into another program as it says', () => {
    const [, example = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', example], { cwd: HERE });
    expect(printed.toString()).toBe('201\n');
  });
});
