import type { Readable } from 'node:stream';
import { AppError } from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import { SMALL_BODY } from './bodies.ts';

/** Initial size of the buffer for a body, in bytes. A declared length alone must not take memory. */
const INITIAL = 65_536;

/**
 * Reads the bytes of a body, and counts them while they arrive. The framework would keep each chunk, and a client can
 * make every byte a chunk, which takes a hundred times as much memory.
 *
 * @param done receives `input.too_large`, `service.bodies_busy`, or the error of the connection
 */
export function readBody(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, bytes: Buffer) => void,
): void {
  const { bodies } = request.server;
  const limit = bodies.limitOf(request);
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  let buffer = Buffer.alloc(0);
  let length = 0;

  /** @throws `service.bodies_busy` */
  function makeRoom(needed: number): void {
    if (needed <= buffer.length) return;
    const wanted = Math.max(needed, 2 * buffer.length, Math.min(declared || 0, INITIAL));
    const capacity = Math.min(wanted, limit);
    const counted = buffer.length > SMALL_BODY ? buffer.length : 0;
    if (capacity > SMALL_BODY) bodies.hold(request, capacity - counted);
    const larger = Buffer.allocUnsafe(capacity);
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }

  function end(error: Error | null): void {
    payload.off('data', onData).off('end', onEnd).off('error', onError);
    done(error, buffer.subarray(0, length));
  }

  function onData(chunk: Buffer): void {
    const needed = length + chunk.length;
    if (needed > limit) {
      end(new AppError('input.too_large'));
      return;
    }
    try {
      makeRoom(needed);
    } catch (error) {
      end(error as Error);
      return;
    }
    length += chunk.copy(buffer, length);
  }

  function onEnd(): void {
    end(null);
  }

  function onError(error: Error): void {
    end(Object.assign(error, { statusCode: 400 }));
  }

  if (declared > limit) done(new AppError('input.too_large'), buffer);
  else payload.on('data', onData).on('end', onEnd).on('error', onError);
}
