import type { AppError } from '@baobab/core';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { SMALL_BODY } from '../callers/memory.ts';
import { refuseCompressed } from '../requests/bodies.ts';
import { checkMembers } from '../validation.ts';
import {
  FILE,
  type FileStream,
  failureOf,
  invalid,
  MAX_FIELDS,
  partsOf,
  textOf,
  tooLarge,
  tooManyFields,
} from './parts.ts';

export interface FormLimits {
  /** Maximum bytes of the file. */
  readonly maxFileBytes: number;
  /** Maximum bytes of each other field. */
  readonly maxFieldBytes: number;
}

/** Form part whose bytes are stored. */
interface FormFile {
  /** Unescaped; empty if the part has no file name. */
  readonly fileName: string;
  /** As sent, in lower case and without parameters. */
  readonly contentType: string;
  /** Can be read once. The rest of the form arrives afterwards. A chunk is valid until the next one is requested. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface UploadForm {
  /**
   * Resolves when the part named `file` begins, or to null if the form ends without one.
   *
   * @throws `upload.invalid`, `input.too_large`, `service.bodies_busy`
   */
  file(): Promise<FormFile | null>;
  /** Fields that have arrived so far. If a name is repeated, the last value wins. */
  readonly fields: ReadonlyMap<string, string>;
  /** Resolves at the end of the form. @throws `upload.invalid`, `input.too_large` */
  end(): Promise<void>;
  /** Stops parsing. Further bytes are discarded for a moment, so that the client can read its response. */
  abandon(): void;
}

/**
 * The parser's replacement for bytes that are not UTF-8. It cannot be distinguished from a U+FFFD that the client sent.
 */
const REPLACEMENT = '\uFFFD';
/** Maximum size of all fields together, in multiples of the largest field. */
const FIELDS_KEPT = 2;
/** Allowance for fields and separators in addition to the file, in multiples of the largest field. */
const FIELDS_BESIDE = 8;

/**
 * Maximum duration of an upload, regardless of its speed, in milliseconds. It is less than the age at which blobs count
 * as orphans.
 */
const UPLOAD_LIMIT_MS = 24 * 3_600_000;
/**
 * Maximum time between the end of the file and the end of the form, in milliseconds. The blob must have its row by
 * then.
 */
const REST_LIMIT_MS = 600_000;
/** Time during which a refused upload is still read, in milliseconds. */
const LINGER_MS = 3_000;

const ESCAPES: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

/** Removes the escapes that browsers add to names (HTML Standard, multipart/form-data). All others are literal. */
const unescaped = (name: string) => name.replace(/%(?:22|0D|0A)/g, (sequence) => ESCAPES[sequence] ?? sequence);

/** Creates a promise with its resolve and reject functions. An unhandled rejection is not reported. */
function deferred<T>() {
  let settle: { resolve(value: T): void; reject(error: unknown): void } | null = null;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => undefined);
  const { resolve, reject } = settle as unknown as { resolve(value: T): void; reject(error: unknown): void };
  return { promise, resolve, reject };
}

/** Returns the chunks of a file. @throws `upload.invalid`, the error that destroyed the stream */
async function* chunksOf(file: FileStream): AsyncGenerator<Uint8Array> {
  try {
    yield* file as AsyncIterable<Uint8Array>;
  } catch (cause) {
    // The parser reports a failure to the reader of the file first.
    throw failureOf(cause);
  }
}

/**
 * Reads a multipart form with its parts in any order, with back-pressure from the reader of the file.
 *
 * @throws `input.encoding_unsupported`
 */
export function readUploadForm(request: FastifyRequest, { maxFileBytes, maxFieldBytes }: FormLimits): UploadForm {
  refuseCompressed(request);
  const { raw } = request;
  const fields = new Map<string, string>();
  const begun = deferred<FormFile | null>();
  const ended = deferred<void>();
  let stream: FileStream | null = null;
  let isOver = false;
  let received = 0;
  let beside = 0;
  let count = 0;
  let kept = 0;
  let limit = setTimeout(() => fail(invalid('it took too long')), UPLOAD_LIMIT_MS);
  limit.unref();

  function finish(): boolean {
    if (isOver) return false;
    isOver = true;
    clearTimeout(limit);
    return true;
  }

  function abandon(): void {
    finish();
    raw.unpipe();
    if (raw.readableEnded || raw.destroyed) return;
    raw.resume();
    setTimeout(() => {
      if (!raw.readableEnded) raw.destroy();
    }, LINGER_MS).unref();
  }

  function fail(error: AppError): void {
    if (!finish()) return;
    begun.reject(error);
    ended.reject(error);
    stream?.destroy(error);
    abandon();
  }

  function begin({ file, filename, mimetype }: MultipartFile): void {
    if (stream !== null) throw invalid('there are several parts named "file"');
    stream = file;
    file.once('end', () => {
      clearTimeout(limit);
      if (isOver) return;
      limit = setTimeout(() => fail(invalid('the parts after the file did not arrive in time')), REST_LIMIT_MS);
      limit.unref();
    });
    const bytes = chunksOf(file);
    begun.resolve({ fileName: unescaped(filename ?? ''), contentType: mimetype, bytes });
  }

  function keep(name: string | undefined, value: string): void {
    kept += value.length;
    if (++count > MAX_FIELDS) throw tooManyFields();
    if (value.includes(REPLACEMENT)) {
      throw invalid('a field is not UTF-8, or holds U+FFFD, which JSON can write as \\ufffd');
    }
    if (kept > FIELDS_KEPT * maxFieldBytes) throw tooLarge('the fields besides the file are too large in total');
    checkMembers(request, [name ?? '']);
    if (value.length > SMALL_BODY) request.server.bodies.holdParsed(request, Buffer.from(value));
    fields.set(name ?? '', value);
  }

  async function readParts(): Promise<void> {
    for await (const part of partsOf(request, maxFieldBytes)) {
      if (isOver) return;
      if (part.type === 'file' && part.fieldname === FILE) begin(part);
      else keep(part.fieldname, await textOf(part, maxFieldBytes));
    }
    // The parser mistakes an empty body for an empty form, and a dropped file for the end.
    if (received === 0 || stream?.readableEnded === false) throw invalid('it is truncated');
    if (!finish()) return;
    begun.resolve(null);
    ended.resolve();
    raw.resume(); // bytes after the form, so that the request ends
  }

  readParts().catch((error) => fail(failureOf(error)));
  /** Counts the bytes of fields, which stay in memory. */
  function countBeside(bytes: number): void {
    beside += bytes;
    if (beside <= SMALL_BODY) return;
    try {
      request.server.bodies.hold(request, bytes);
    } catch (error) {
      fail(failureOf(error));
    }
  }

  raw.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (!isOver && (stream === null || stream.readableEnded)) countBeside(chunk.length);
    if (received > maxFileBytes + FIELDS_BESIDE * maxFieldBytes) fail(tooLarge('the form is larger than any file'));
  });
  raw.on('close', () => {
    if (!raw.readableEnded) fail(invalid('the connection closed before the end of the form'));
  });

  return { file: () => begun.promise, fields, end: () => ended.promise, abandon };
}
