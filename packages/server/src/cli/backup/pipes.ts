import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../usage-error.ts';

/** Writes to standard output, no faster than it is read. */
export async function writeToOutput(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  if (process.stdout.isTTY) throw new UsageError('The archive cannot be written to a terminal: redirect the output');
  await pipeline(bytes, process.stdout, { end: false });
}

/**
 * Runs `work` with a copy of standard input, which is read twice: to verify it and to restore it. The copy is in the
 * system's folder for temporary files (`TMPDIR`).
 */
export async function withInput<T>(work: (open: () => AsyncIterable<Uint8Array>) => Promise<T>): Promise<T> {
  if (process.stdin.isTTY) throw new UsageError('The archive cannot be read from a terminal: redirect the input');
  const folder = await mkdtemp(join(tmpdir(), 'baobab-restore-'));
  try {
    const copy = join(folder, 'archive.tar');
    await pipeline(process.stdin, createWriteStream(copy, { mode: 0o600 }));
    return await work(() => createReadStream(copy));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
