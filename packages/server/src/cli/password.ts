import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

const INTERRUPTED = 130;

/** Reads one line from the terminal, without echo but with line editing. */
function typed(): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: unseen, terminal: true });
  prompt.once('SIGINT', () => process.exit(INTERRUPTED));
  // Not earlier: the terminal echoes input until readline reads it.
  process.stderr.write('Password (not shown while you type): ');
  process.once('exit', () => prompt.close()); // turns echo on again
  return new Promise((resolve) => {
    prompt.once('line', (line) => {
      resolve(line);
      prompt.close();
    });
    prompt.once('close', () => {
      process.stderr.write('\n');
      resolve('');
    });
  });
}

/**
 * Reads a password from the terminal, or as one line from standard input. As an argument it would be visible to every
 * user of the machine.
 */
export async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) return typed();
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    lines.close();
    return line;
  }
  return '';
}
