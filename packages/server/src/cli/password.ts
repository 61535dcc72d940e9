import { isUtf8 } from 'node:buffer';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { AppError } from '@baobab/core';
import type { Host } from './host.ts';
import { UsageError } from './usage-error.ts';

const INTERRUPTED = 130;

/** Reads one line from the terminal with line editing, but without echo. Null at the end of the input. */
function typed({ stdin, stderr }: Host, what: string): Promise<string | null> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: stdin, output: unseen, terminal: true });
  prompt.once('SIGINT', () => process.exit(INTERRUPTED));
  // The prompt comes last, because the terminal echoes input until readline reads it.
  stderr.write(`${what} (not shown while you type): `);
  process.once('exit', () => prompt.close()); // turns echo on again
  return new Promise((resolve) => {
    prompt.once('line', (line) => {
      resolve(line);
      prompt.close();
    });
    prompt.once('close', () => {
      stderr.write('\n');
      resolve(null);
    });
  });
}

async function firstLine(host: Host): Promise<string | null> {
  const lines = createInterface({ input: host.stdin });
  for await (const line of lines) {
    lines.close();
    return line;
  }
  return null;
}

/**
 * Reads a secret from the terminal, or as one line from standard input. A command-line argument would be visible to all
 * users of the machine.
 *
 * @throws `UsageError` for an empty line and without input, as from a variable that is not set
 */
export async function readPassword(host: Host, what = 'Password'): Promise<string> {
  const line = await (host.stdin.isTTY ? typed(host, what) : firstLine(host));
  if (!line) throw new UsageError(`${what}: the standard input is empty. Nothing was changed`);
  return line;
}

/** Reads standard input to its end. */
export async function readInput({ stdin, stderr }: Host): Promise<string> {
  if (stdin.isTTY) stderr.write('Type JSON, then Ctrl-D:\n');
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Uint8Array);
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new AppError('input.json_invalid', { detail: 'its bytes are not UTF-8' });
  return bytes.toString('utf8');
}
