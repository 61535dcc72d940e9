import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { createGunzip, createInflate, type Gunzip, type Inflate } from 'node:zlib';
import { AppError, isAppError, type ParsedJson, parseJson } from '@baobab/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SMALL_BODY } from '../callers/memory.ts';
import { mediaTypeOf } from './media-type.ts';
import { isPercentEncodedUtf8 } from './target.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Body as text and as parsed JSON, for routes that store it. Null without a body. */
    json: ParsedJson | null;
  }
}

/** Initial size of the buffer for a body, in bytes. A declared length alone must not take memory. */
const INITIAL = 65_536;

type ReadDone = (error: Error | null, bytes: Buffer) => void;

/**
 * Receives the bytes of a body, and counts them while they arrive. The framework would keep each chunk, and a client can
 * make every byte a chunk, which takes a hundred times as much memory.
 *
 * @param done receives `input.too_large`, `service.bodies_busy`, or the error of the connection
 */
function receive(request: FastifyRequest, payload: Readable, done: ReadDone): void {
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
function inflaterOf(request: FastifyRequest): (() => Inflater) | null {
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
async function decoded(request: FastifyRequest, body: Buffer, create: () => Inflater): Promise<Buffer> {
  if (body.length === 0) return body;
  return request.server.bodies.inflate(() =>
    inflate(request, body, create()).catch((error: Error) => {
      throw isAppError(error) ? error : invalid(error.message, error);
    }),
  );
}

/**
 * Reads the bytes of a body, and decompresses them once all have arrived.
 *
 * @param done receives `input.too_large`, `input.encoding_invalid`, `service.bodies_busy`, or the error of the connection
 * @throws `app_code.invalid`, `input.encoding_unsupported`
 */
function readBody(request: FastifyRequest, payload: Readable, done: ReadDone): void {
  const inflater = inflaterOf(request);
  if (inflater === null) receive(request, payload, done);
  else
    receive(request, payload, (error, bytes) => {
      if (error !== null) done(error, bytes);
      else
        decoded(request, bytes, inflater).then(
          (text) => done(null, text),
          (failure: Error) => done(failure, bytes),
        );
    });
}

/** Returns the JSON body. @throws `input.empty` without a body */
export function jsonBody({ json }: Pick<FastifyRequest, 'json'>): ParsedJson {
  if (json === null) throw new AppError('input.empty');
  return json;
}

/**
 * Adds a body parser. It runs after authentication, and decodes compressed bodies first. The memory for bodies is counted
 * until their requests are answered.
 */
function addParser(
  app: Pick<FastifyInstance, 'addContentTypeParser'>,
  type: string,
  parse: (request: FastifyRequest, bytes: Buffer) => unknown,
): void {
  app.addContentTypeParser(type, (request, payload, done) => {
    readBody(request, payload, (error, bytes) => {
      if (error !== null) {
        done(error);
        return;
      }
      let value: unknown;
      try {
        request.server.bodies.holdParsed(request, bytes);
        value = parse(request, bytes);
      } catch (failure) {
        done(failure as Error);
        return;
      }
      done(null, value);
    });
  });
}

function readJson(request: FastifyRequest, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  // Decoding would replace invalid bytes with U+FFFD and lose the original.
  if (!isUtf8(bytes)) throw new AppError('input.json_invalid', { detail: 'its bytes are not UTF-8' });
  request.json = parseJson(bytes.toString('utf8'));
  return request.json.value;
}

export const JSON_TYPE = 'application/json';

/** Parses JSON bodies on all routes. An empty body counts as absent, regardless of its content type. */
export function registerJson(app: FastifyInstance): void {
  app.decorateRequest('json', null);
  app.removeAllContentTypeParsers();
  addParser(app, JSON_TYPE, readJson);
}

/** Media type of merge patches (RFC 7396). */
export const MERGE_PATCH = 'application/merge-patch+json';

/** Parses merge patches on the routes of `app` only: others would mistake such a body for a whole document. */
export function registerMergePatches(app: Pick<FastifyInstance, 'addContentTypeParser'>): void {
  addParser(app, MERGE_PATCH, readJson);
}

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Parses form bodies on the routes of `app` only. If a field is repeated, the last value wins. U+0000 is refused. */
export function registerForms(app: Pick<FastifyInstance, 'addContentTypeParser'>): void {
  addParser(app, FORM_TYPE, (_request, bytes) => {
    const text = bytes.toString('utf8');
    if (!isUtf8(bytes) || !isPercentEncodedUtf8(text)) {
      throw new AppError('input.invalid', { detail: 'the form is not percent-encoded UTF-8' });
    }
    if (text.includes('%00') || text.includes('\0')) {
      throw new AppError('input.invalid', { detail: 'a field contains U+0000' });
    }
    return Object.fromEntries(new URLSearchParams(text));
  });
}

/** Drops the content type of a request without a body, because some clients send one anyway. */
export function dropTypeOfEmptyBody(request: FastifyRequest): void {
  const { headers } = request;
  if (headers['content-type'] === undefined) return;
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) {
    delete headers['content-type'];
  }
}
