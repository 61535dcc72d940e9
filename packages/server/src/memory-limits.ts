import { availableParallelism, totalmem } from 'node:os';

const MIB = 2 ** 20;
/** Share of the machine's memory that is used if nothing limits the process: the rest is for other programs. */
const MACHINE_SHARE = 3 / 4;
/** Memory of an idle process and small requests, in bytes. */
const PROGRAM = 112 * MIB;
/** Least memory of a process, in bytes. */
export const LEAST_MEMORY = 256 * MIB;

/** Shares of the memory that exceeds `PROGRAM`. The rest is for buffers that are not collected yet. */
const SHARES = {
  images: 13 / 32,
  bodies: 4 / 32,
  sqlite: 4 / 32,
  hashes: 4 / 32,
  unread: 3 / 32,
  cachedImages: 1 / 32,
} as const;

/** Maximum share of one original image in the memory for images. */
const SOURCE_SHARE = 1 / 8;
const MAX_SOURCE_BYTES = 64 * MIB;
const MAX_CACHED_IMAGES = 32 * MIB;
/** Maximum page cache of one connection to SQLite, and the number of connections: three, and two of long searches. */
const MAX_SQLITE_CACHE = 64 * MIB;
export const SQLITE_CONNECTIONS = 5;
/** Memory of one password that is hashed. */
const HASH = 19 * MIB;

/** Limits of the large consumers of memory in one process, in bytes. */
export interface MemoryLimits {
  /** Memory that the process may use. */
  readonly total: number;
  readonly images: {
    /** Memory of all images that are resized at the same time. */
    readonly maxBytes: number;
    readonly maxSourceBytes: number;
    /** Size of the resized images kept in memory. */
    readonly cacheBytes: number;
  };
  /** Memory of the bodies of requests in progress. */
  readonly bodies: number;
  /** Size of large answers that clients have not read. */
  readonly unread: number;
  /** Size of the page cache of each connection to SQLite. */
  readonly sqliteCache: number;
  /** Number of passwords that are hashed at the same time. */
  readonly hashes: number;
}

/** Returns the memory that the processes of this node may use together, in bytes. */
export function availableMemory(): number {
  const machine = totalmem();
  const limit = process.constrainedMemory();
  // Without a limit it is 0, or more than the machine has.
  return limit > 0 && limit < machine ? limit : machine * MACHINE_SHARE;
}

/**
 * Divides the memory of a node.
 *
 * @param available as `availableMemory` returns it
 * @param processes number of processes of the node
 */
export function memoryLimits(available: number, processes: number): MemoryLimits {
  const total = Math.floor(available / processes);
  // With less than the least memory, the limits stay usable, and `doctor` reports it.
  const shared = Math.max(total, LEAST_MEMORY) - PROGRAM;
  const share = (name: keyof typeof SHARES) => Math.floor(shared * SHARES[name]);
  const maxBytes = share('images');
  return {
    total,
    images: {
      maxBytes,
      maxSourceBytes: Math.min(MAX_SOURCE_BYTES, Math.floor(maxBytes * SOURCE_SHARE)),
      cacheBytes: Math.min(MAX_CACHED_IMAGES, share('cachedImages')),
    },
    bodies: share('bodies'),
    unread: share('unread'),
    sqliteCache: Math.min(MAX_SQLITE_CACHE, Math.floor(share('sqlite') / SQLITE_CONNECTIONS)),
    hashes: Math.min(availableParallelism(), Math.max(1, Math.floor(share('hashes') / HASH))),
  };
}
