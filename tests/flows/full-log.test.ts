import { closeSync, openSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { PATIENCE_MS, until } from '../support/patience.ts';
import { freePort } from '../support/ports.ts';
import { type Program, startProgram } from '../support/program.ts';

let program: Program | undefined;
let full: number | undefined;
afterEach(async () => {
  await program?.dispose();
  if (full !== undefined) closeSync(full);
});

it('serves and stops while the disk of its log is full', async () => {
  full = openSync('/dev/full', 'w');
  const port = await freePort();
  const env = {
    DATABASE_URL: 'memory:',
    BLOB_URL: 'memory:',
    APP_CODE: 'full',
    ADMIN_PASSWORD: 'full',
    PORT: String(port),
  };
  program = startProgram(env, { stdout: full });
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    await answer.body?.cancel();
    return answer.status;
  };
  const { errors } = program;
  await until(async () => (await ask('/health/ready').catch(() => 0)) === 200);
  await program.line('the log cannot be written');
  // More than a block of lines.
  for (let n = 0; n < 100; n++) expect(await ask('/me')).toBe(400);
  expect(errors().match(/cannot be written/g)).toHaveLength(1);
  program.kill('SIGTERM');
  expect(await program.exit).toEqual({ code: 0, signal: null });
});
