import { Readable, Writable } from 'node:stream';
import { run } from '../../packages/server/src/cli/run.ts';
import type { Ended } from './program.ts';

function createCollector() {
  let text = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  return { stream, text: () => text };
}

/**
 * Runs a command of the command line in this process, because a separate process takes a second to load the program.
 * Not for `serve`, which never returns, and `backup`, which lowers the priority of its process.
 */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<Omit<Ended, 'signal'>> {
  const [output, errors] = [createCollector(), createCollector()];
  const host = {
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout: output.stream,
    stderr: errors.stream,
    cwd: () => process.cwd(),
    exitCode: 0,
  };
  await run(args, { ...env }, host);
  return { code: host.exitCode, output: output.text(), errors: errors.text() };
}
