import { totalmem } from 'node:os';

const MIB = 2 ** 20;
/** Share of the machine's memory that is used if nothing limits the process: the rest is for other programs. */
const MACHINE_SHARE = 3 / 4;
/** Memory of an idle process and small requests, in bytes. */
const PROGRAM = 144 * MIB;
/** Memory that large consumers share at least, in bytes. */
const LEAST_SHARED = 64 * MIB;

/** Shares of the memory beside `PROGRAM`. They add up to 1. */
const SHARES = { images: 1 / 2 } as const;
/** Maximum share of one original image in the memory for images. */
const SOURCE_SHARE = 1 / 8;
const MAX_SOURCE_BYTES = 64 * MIB;

/** Memory of large consumers of one process, in bytes. */
export interface MemoryLimits {
  /** Memory that the process may use. */
  readonly total: number;
  readonly images: {
    /** Memory of all images that are resized at the same time. */
    readonly maxBytes: number;
    readonly maxSourceBytes: number;
  };
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
  const shared = Math.max(LEAST_SHARED, total - PROGRAM);
  const images = Math.floor(shared * SHARES.images);
  return {
    total,
    images: { maxBytes: images, maxSourceBytes: Math.min(MAX_SOURCE_BYTES, Math.floor(images * SOURCE_SHARE)) },
  };
}
