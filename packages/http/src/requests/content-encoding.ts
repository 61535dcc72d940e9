import { createGunzip, createInflate, type Gunzip, type Inflate } from 'node:zlib';
import { AppError, isAppError } from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import { SMALL_BODY } from './bodies.ts';
import { mediaTypeOf } from './media-type.ts';

type Inflater = Gunzip | Inflate;

const CHUNKS = { chunkSize: 65_536 } as const;

/**
 * Decompressors by the name in `Content-Encoding`. `x-gzip` is an alias of `gzip` (RFC 9110, section 8.4.1.3). Other
 * codings are excluded: their streams choose the size of the window, so that a few bytes can take megabytes of memory.
 */
const INFLATERS: ReadonlyMap<string, () => Inflater> = new Map<string, () => Inflater>([
  ['gzip', () => createGunzip(CHUNKS)],
  ['x-gzip', () => createGunzip(CHUNKS)],
  ['deflate', () => createInflate(CHUNKS)],
]);

const isMultipart = ({ headers }: FastifyRequest) => mediaTypeOf(headers['content-type']).startsWith('multipart/');

/** True if the caller is known, or has at least sent the application code outside of the body. */
const isAdmitted = ({ hasAppCode, actor }: FastifyRequest) =>
  hasAppCode || (actor !== undefined && (actor.sessionId !== null || actor.key !== null));

/** Returns the `Accept-Encoding` of a response that rejects the request's content coding (RFC 7694). */
export const acceptedEncodings = (request: FastifyRequest): string =>
  isMultipart(request) || !isAdmitted(request) ? 'identity' : 'gzip, deflate';

/** Returns the content coding of the body in lower case, or null. */
function codingOf({ headers }: FastifyRequest): string | null {
  const coding = headers['content-encoding']?.toLowerCase() ?? '';
  return coding === '' || coding === 'identity' ? null : coding;
}

/** @throws `input.encoding_unsupported` if the body is compressed */
export function refuseCompressed(request: FastifyRequest): void {
  if (codingOf(request) !== null) {
    throw new AppError('input.encoding_unsupported', { detail: 'multipart forms must not be compressed' });
  }
}

/**
 * Returns the function that creates the decompressor of the body; null if it is not compressed. Nothing is decompressed
 * for strangers.
 *
 * @throws `app_code.invalid`, `input.encoding_unsupported`
 */
export function inflaterOf(request: FastifyRequest): (() => Inflater) | null {
  const coding = codingOf(request);
  if (coding === null) return null;
  const inflater = INFLATERS.get(coding);
  if (inflater === undefined) throw new AppError('input.encoding_unsupported');
  if (isAdmitted(request)) return inflater;
  if (request.routeOptions.config.appCode === 'body') {
    throw new AppError('app_code.invalid', { detail: 'with a compressed body, it must be in a header or the query' });
  }
  throw new AppError('input.encoding_unsupported', { detail: 'only callers with the application code may compress' });
}

const tooLarge = (limit: number) =>
  new AppError('input.too_large', { detail: `it has more than ${limit} bytes when decompressed` });

const invalid = (detail: string, cause?: unknown) => new AppError('input.encoding_invalid', { detail, cause });

/** Decompresses the body, and stops as soon as the result exceeds the limit of the route. */
async function inflate(request: FastifyRequest, body: Buffer, inflater: Inflater): Promise<Buffer> {
  const { bodies } = request.server;
  const limit = bodies.limitOf(request);
  const chunks: Buffer[] = [];
  let length = 0;
  let counted = 0;
  inflater.end(body);
  for await (const chunk of inflater as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    if (length > SMALL_BODY) {
      bodies.hold(request, length - counted);
      counted = length;
    }
    chunks.push(chunk);
  }
  // Node ignores bytes after the end of a stream.
  if (inflater.bytesWritten < body.length) throw invalid('there are bytes after its end');
  return Buffer.concat(chunks, length);
}

/**
 * Decompresses a body that has arrived, when it is its turn.
 *
 * @throws `input.encoding_invalid`, `input.too_large`, `service.bodies_busy`
 */
export async function decoded(request: FastifyRequest, body: Buffer, create: () => Inflater): Promise<Buffer> {
  if (body.length === 0) return body;
  return request.server.bodies.inflate(() =>
    inflate(request, body, create()).catch((error: Error) => {
      throw isAppError(error) ? error : invalid(error.message, error);
    }),
  );
}
