import { AppError, createSemaphore } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.ts';

/** Share of a limit that one caller may use. */
const SHARE = 1 / 4;

/** Returns the caller whose share a request uses: the user, the API key, or else the address. */
const callerOf = (request: FastifyRequest): string =>
  request.actor?.user?.id ?? request.actor?.key?.id ?? clientAddress(request);

type Shares = ReturnType<typeof createShares>;

/** Counts bytes in the memory of this process by caller, so that one caller cannot use them up for the others. */
function createShares(maxBytes: number) {
  const byCaller = new Map<string, number>();
  let bytes = 0;
  return {
    /** True if neither the limit nor the caller's share of it is reached. */
    hasRoom: (caller: string): boolean => bytes < maxBytes && (byCaller.get(caller) ?? 0) < maxBytes * SHARE,

    change(caller: string, by: number): void {
      bytes += by;
      const left = (byCaller.get(caller) ?? 0) + by;
      if (left === 0) byCaller.delete(caller);
      else byCaller.set(caller, left);
    },

    get bytes() {
      return bytes;
    },
  };
}

/** Calls `work` once, when the response is sent or its connection is closed, which may already be the case. */
function afterAnswer({ raw }: FastifyReply, work: () => void): void {
  // A closed response emits no further event.
  if (raw.destroyed || raw.writableFinished) {
    work();
    return;
  }
  let isOver = false;
  function end(): void {
    if (!isOver) work();
    isOver = true;
  }
  raw.once('finish', end).once('close', end);
}

/** Bytes that a request keeps in memory for its body. */
interface Held {
  readonly shares: Shares;
  readonly caller: string;
  bytes: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    bodies: Bodies;
    unread: UnreadAnswers;
  }
  interface FastifyRequest {
    /** Null until something is held; `over` once the request is answered. */
    held: Held | 'over' | null;
  }
}

/** Maximum size of bodies that are not counted. Most are smaller, and cost little beside their connection. */
export const SMALL_BODY = 4_096;

const MIB = 2 ** 20;
/** Total size of the bodies of known callers in memory: at least this many bytes, and this many of the largest body. */
const KNOWN = { bytes: 128 * MIB, bodies: 64, memoryShare: 3 / 4 } as const;
/** The same for other callers, and the size of their largest body: at least some bytes, and a part of other bodies. */
const STRANGERS = { bytes: 32 * MIB, bodies: 16, memoryShare: 1 / 4, largest: 65_536, part: 1 / 4 } as const;
/** Bodies that are decompressed at the same time, and those that wait for it. */
const INFLATING = { running: 4, waiting: 64 } as const;

const isStranger = ({ actor }: FastifyRequest) => (actor?.user ?? actor?.key ?? null) === null;

/** Memory of a parsed body for each occurrence of a character, in bytes, as measured for the most wasteful bodies. */
const COSTS: readonly (readonly [character: string, bytes: number])[] = [
  ['{', 160],
  ['[', 64],
  [':', 48],
  ['&', 64],
  [',', 8],
];

const COST_OF = new Uint8Array(256);
for (const [character, bytes] of COSTS) COST_OF[character.charCodeAt(0)] = bytes;

/** Returns an estimate of the memory of a text and its value. A list of empty lists takes 30 times the bytes of its text. */
function parsedSize(bytes: Uint8Array): number {
  let size = 2 * bytes.length;
  // An iterator would take ten times as long.
  for (let at = 0; at < bytes.length; at++) size += COST_OF[bytes[at] as number] as number;
  return size;
}

const busy = () => new AppError('service.bodies_busy');

export type Bodies = ReturnType<typeof createBodies>;

/**
 * Limits the memory for the bodies of requests in this process. Strangers have less of it, because their number is not
 * limited, and small values leave much garbage behind. Each caller has a share.
 *
 * @param maxJsonBytes size of the largest JSON body
 * @param memory maximum size of all bodies, of which strangers have a quarter. Default: no further limit
 */
export function createBodies(maxJsonBytes: number, memory = Number.POSITIVE_INFINITY) {
  const shares = (limit: typeof KNOWN | typeof STRANGERS) =>
    createShares(Math.min(limit.memoryShare * memory, Math.max(limit.bytes, limit.bodies * maxJsonBytes)));
  const [known, strangers] = [shares(KNOWN), shares(STRANGERS)];
  const largestOfStrangers = Math.max(STRANGERS.largest, STRANGERS.part * maxJsonBytes);
  const inflating = createSemaphore({ ...INFLATING, refusal: busy });

  /** @throws `service.bodies_busy` if the limit is reached */
  function hold(request: FastifyRequest, bytes: number): void {
    if (request.held === 'over') throw busy(); // nothing would release them
    const shares = isStranger(request) ? strangers : known;
    const held = request.held ?? { shares, caller: callerOf(request), bytes: 0 };
    if (!shares.hasRoom(held.caller)) throw busy();
    shares.change(held.caller, bytes);
    held.bytes += bytes;
    request.held = held;
  }

  return {
    hold,

    /** Returns the size of the largest body that the caller of a request may send. */
    limitOf(request: FastifyRequest): number {
      const { bodyLimit } = request.routeOptions;
      return isStranger(request) ? Math.min(bodyLimit, largestOfStrangers) : bodyLimit;
    },

    /** Counts the value of a body that is about to be parsed. @throws `service.bodies_busy` if the limit is reached */
    holdParsed(request: FastifyRequest, bytes: Uint8Array): void {
      if (bytes.length > SMALL_BODY) hold(request, parsedSize(bytes));
    },

    /**
     * Decompresses a body, once it is its turn. The body must have arrived: a slow client would keep others waiting.
     *
     * @throws `service.bodies_busy` if too many bodies are waiting, errors of `inflate`
     */
    inflate: <T>(inflate: () => Promise<T>): Promise<T> => inflating.run(inflate),

    /**
     * Called when the answer of a request is ready, so that its body is no longer needed. The framework keeps the body
     * until the answer is sent.
     */
    release(reply: FastifyReply): void {
      const { held } = reply.request;
      reply.request.held = 'over';
      if (held !== null && held !== 'over') afterAnswer(reply, () => held.shares.change(held.caller, -held.bytes));
    },

    /** Size of the counted bodies. */
    get bytes() {
      return known.bytes + strangers.bytes;
    },
  };
}

/** Minimum size of counted responses, in characters. Smaller ones fit in the socket buffers of the operating system. */
export const LARGE_ANSWER = 65_536;

export type UnreadAnswers = ReturnType<typeof createUnreadAnswers>;

/**
 * Creates the count of the responses in this process's memory that clients have not read yet. Each caller has its own
 * share, so that unread responses of one caller do not block the others.
 */
export function createUnreadAnswers(maxBytes: number) {
  const shares = createShares(maxBytes);

  function assertRoomFor(caller: string): void {
    if (!shares.hasRoom(caller)) throw new AppError('service.answers_unread');
  }

  return {
    /** Called before much data is read for a response. @throws `service.answers_unread` if the limit is reached */
    assertRoom(request: FastifyRequest): void {
      if (shares.bytes > 0) assertRoomFor(callerOf(request));
    },
    /**
     * Counts a response until it is sent or its connection is closed.
     *
     * @throws `service.answers_unread` if the limit is reached and the request changed nothing
     */
    add(reply: FastifyReply, length: number): void {
      const { request } = reply;
      const caller = callerOf(request);
      if (request.method === 'GET') assertRoomFor(caller);
      shares.change(caller, length);
      afterAnswer(reply, () => shares.change(caller, -length));
    },
    /** Size of the responses that are not read yet, in characters. */
    get bytes() {
      return shares.bytes;
    },
  };
}
