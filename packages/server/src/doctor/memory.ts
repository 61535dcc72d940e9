import { LEAST_MEMORY, memoryLimits, SQLITE_CONNECTIONS } from '../memory-limits.ts';
import { type CheckContext, type Finding, fault, ok } from './check.ts';

const MEGABYTE = 1_000_000;

const megabytes = (bytes: number) => `${Math.floor(bytes / MEGABYTE).toLocaleString('en')} MB`;

/** Checks the memory of each process, and describes the limits that follow from it. */
export function checkMemory({ config, surroundings }: Pick<CheckContext, 'config' | 'surroundings'>): Finding {
  const limits = memoryLimits(surroundings.memory, config.workers);
  const { total, images, bodies, unread, sqliteCache, hashes } = limits;
  if (total < LEAST_MEMORY) {
    return fault(
      `Each process may use ${megabytes(total)}, and needs ${megabytes(LEAST_MEMORY)}`,
      'Allow more memory, or lower WORKERS',
    );
  }
  const parts = [
    `images ${megabytes(images.maxBytes)}`,
    `request bodies ${megabytes(bodies)}`,
    `unread responses ${megabytes(Math.min(unread, config.maxUnreadBytes))}`,
    ...(config.database.kind === 'sqlite' ? [`SQLite page cache ${megabytes(sqliteCache * SQLITE_CONNECTIONS)}`] : []),
    `cached images ${megabytes(images.cacheBytes)}`,
    `passwords ${hashes} at the same time`,
  ];
  return ok(`Each process may use ${megabytes(total)}. At most: ${parts.join(', ')}`);
}
