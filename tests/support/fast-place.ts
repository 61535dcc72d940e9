import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** A file system in memory, on Linux. */
const SHARED_MEMORY = '/dev/shm';
/** Minimum size in bytes. Containers often have only a few megabytes of shared memory. */
const LEAST_MEMORY = 1_000_000_000;

/**
 * Returns a folder for databases that need not survive a crash of the machine. SQLite waits for the disk at each
 * commit, which takes up to a tenth of the time of a suite, and Postgres copies hundreds of files for each database.
 */
export function fastPlace(): string {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize < LEAST_MEMORY ? tmpdir() : SHARED_MEMORY;
  } catch {
    return tmpdir();
  }
}
