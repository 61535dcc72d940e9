import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

const INTERRUPTED = 130;

/** One line at a terminal. What is typed is not shown, and can be corrected like every line. */
function typed(): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: unseen, terminal: true });
  prompt.once('SIGINT', () => process.exit(INTERRUPTED));
  // Not before: until the line is read here, the terminal shows it.
  process.stderr.write('Password (not shown while you type): ');
  process.once('exit', () => prompt.close()); // the terminal shows again what is typed
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

/** A password is typed, or comes as one line on the standard input: among the arguments everybody could read it. */
export async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) return typed();
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    lines.close();
    return line;
  }
  return '';
}
