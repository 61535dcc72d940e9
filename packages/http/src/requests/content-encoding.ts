import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { AppError } from '@baobab/core';
import type { FastifyRequest } from 'fastify';

/** Result of a decompression with the option `info`, which Node's types do not include. */
interface Decompressed {
  readonly buffer: Buffer;
  /** `bytesWritten`: number of input bytes consumed. */
  readonly engine: { readonly bytesWritten: number };
}

type Decompress = (
  bytes: Buffer,
  options: { readonly info: true; readonly maxOutputLength: number },
) => Promise<Decompressed>;

const GUNZIP = promisify(gunzip) as unknown as Decompress;

/** Functions by the name in `Content-Encoding`. `x-gzip` is an alias of `gzip` (RFC 9110, section 8.4.1.3). */
const DECOMPRESS: ReadonlyMap<string, Decompress> = new Map([
  ['gzip', GUNZIP],
  ['x-gzip', GUNZIP],
  ['deflate', promisify(inflate) as unknown as Decompress],
  ['br', promisify(brotliDecompress) as unknown as Decompress],
]);

const isMultipart = ({ headers }: FastifyRequest) => /^multipart\//i.test(headers['content-type'] ?? '');

/** Returns the `Accept-Encoding` of a response that rejects the request's content coding (RFC 7694). */
export const acceptedEncodings = (request: FastifyRequest): string =>
  isMultipart(request) ? 'identity' : 'gzip, deflate, br';

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

function failureOf(cause: Error, limit: number): AppError {
  const isTooLarge = 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
  return isTooLarge
    ? new AppError('input.too_large', { detail: `it has more than ${limit} bytes when decompressed` })
    : new AppError('input.encoding_invalid', { detail: cause.message, cause });
}

/**
 * Decompresses the body. Decompression stops as soon as the result exceeds the limit of the route.
 *
 * @throws `input.encoding_invalid`, `input.encoding_unsupported`, `input.too_large`
 */
export async function decoded(request: FastifyRequest, body: Buffer): Promise<Buffer> {
  const coding = codingOf(request);
  if (coding === null) return body;
  const decompress = DECOMPRESS.get(coding);
  if (decompress === undefined) throw new AppError('input.encoding_unsupported');
  if (body.length === 0) return body;
  const limit = request.routeOptions.bodyLimit;
  const { buffer, engine } = await decompress(body, { info: true, maxOutputLength: limit }).catch((error: Error) => {
    throw failureOf(error, limit);
  });
  // Node ignores bytes after the end of a stream.
  if (engine.bytesWritten < body.length) {
    throw new AppError('input.encoding_invalid', { detail: 'there are bytes after its end' });
  }
  return buffer;
}
