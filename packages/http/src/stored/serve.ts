import { Readable } from 'node:stream';
import { AppError, type BlobContent, type ByteRange } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { forgetCaller } from '../responses/headers.ts';
import { BlobStream } from './blob-stream.ts';
import { allowsRange, evaluateConditions, type Validators } from './conditions.ts';
import { disposition, storedHeaders, typeHeader } from './headers.ts';
import { parseRange } from './range.ts';

/** Stored content, ready to be sent. */
export interface StoredBytes extends Validators {
  readonly fileName: string;
  readonly contentType: string;
  /** Size in bytes. */
  readonly size: number;
  /** Value of `Cache-Control`. */
  readonly caching: string;
  /**
   * True if shared caches may store it because all callers receive the same content. The headers then omit the caller.
   */
  readonly isShared: boolean;
  /** True if browsers should save it instead of showing it. */
  readonly asAttachment: boolean;
  /** Opens the content or a range of it. Not called if no body is to be sent. */
  open(range?: ByteRange): Promise<BlobContent | Uint8Array>;
}

/**
 * Answers GET and HEAD with stored bytes as in RFC 9110: conditions, one range, and no body for HEAD. All headers that
 * prevent stored content from acting as this origin are set here and nowhere else.
 *
 * @throws `precondition.failed`, `range.unsatisfiable`, errors of `open`
 */
export async function serveBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  stored: StoredBytes,
): Promise<FastifyReply> {
  const { headers, method } = request;
  const { size, etag, modified, contentType, fileName, asAttachment } = stored;
  const outcome = evaluateConditions(headers, stored);
  if (outcome === 'failed') throw new AppError('precondition.failed');
  const describe = () => {
    if (stored.isShared) forgetCaller(reply);
    reply.headers({ etag, 'last-modified': new Date(modified).toUTCString(), 'cache-control': stored.caching });
  };
  // An empty stream: without a body, the framework would answer HEAD with a length of 0.
  const unsent = () => (method === 'HEAD' ? Readable.from([]) : undefined);
  if (outcome === 'unchanged') {
    describe();
    return reply.status(304).send(unsent());
  }

  const range = method === 'GET' && allowsRange(headers, stored) ? parseRange(headers.range, size) : null;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${size}`);
    throw new AppError('range.unsatisfiable', { detail: `the file has ${size} bytes` });
  }
  const content = method === 'HEAD' ? null : await stored.open(range ?? undefined);
  describe(); // only after opening, because a failure to open must not be cached
  reply.headers(storedHeaders(contentType)).headers({
    'accept-ranges': 'bytes',
    'content-type': typeHeader(contentType),
    'content-length': range?.length ?? size,
    'content-disposition': disposition(asAttachment ? 'attachment' : 'inline', fileName),
  });
  if (range !== null) {
    reply.status(206).header('content-range', `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`);
  }
  if (content === null) return reply.send(unsent());
  if (content instanceof Uint8Array) return reply.send(content);
  if (reply.sent) content.dispose(); // the response was sent in the meantime
  return reply.send(new BlobStream(content));
}
