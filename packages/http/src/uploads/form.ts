import type { AppError } from '@baobab/core';
import type { MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { refuseCompressed } from '../content-encoding.ts';
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
  /** Bytes of the file. */
  readonly maxFileBytes: number;
  /** Bytes of each other field. */
  readonly maxFieldBytes: number;
}

/** The part of a form whose bytes are stored. */
interface FormFile {
  /** Without escapes; empty when the part has no file name. */
  readonly fileName: string;
  /** As sent, in lower case and without parameters. */
  readonly contentType: string;
  /**
   * Can be read once. The rest of the form arrives after it has been read. A chunk is valid until the next one is
   * requested.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface UploadForm {
  /**
   * Resolves when the part named `file` begins, or to null when the form has ended without one.
   *
   * @throws `upload.invalid`, `input.too_large`
   */
  file(): Promise<FormFile | null>;
  /** The fields that have arrived so far. The last of several with one name wins. */
  readonly fields: ReadonlyMap<string, string>;
  /** Resolves when the form has ended. @throws `upload.invalid`, `input.too_large` */
  end(): Promise<void>;
  /** Stops parsing. Bytes that still arrive are dropped for a moment, so that the client gets to read its response. */
  abandon(): void;
}

/** The parser's replacement for bytes that are not UTF-8. A client that really sends U+FFFD cannot be told apart. */
const REPLACEMENT = '\uFFFD';
/** Limit on all fields together, in multiples of the largest field. */
const FIELDS_KEPT = 2;
/** Allowance for fields and separators besides the file, in multiples of the largest field. */
const FIELDS_BESIDE = 8;

/**
 * Limit on the time of an upload, however slowly it comes. It is less than the age at which blobs count as orphans.
 * Milliseconds.
 */
const UPLOAD_LIMIT_MS = 24 * 3_600_000;
/**
 * Limit on the time between the end of the file and the end of the form. The blob must have its row by then.
 * Milliseconds.
 */
const REST_LIMIT_MS = 600_000;
/** How long a refused upload is still read. Milliseconds. */
const LINGER_MS = 3_000;

const ESCAPES: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

/** Removes the escapes that browsers write into names (HTML Standard, multipart/form-data). All others are as typed. */
const unescaped = (name: string) => name.replace(/%(?:22|0D|0A)/g, (sequence) => ESCAPES[sequence] ?? sequence);

/** A promise with its resolve and reject functions. A rejection without a handler is not reported. */
function deferred<T>() {
  let settle: { resolve(value: T): void; reject(error: unknown): void } | null = null;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => undefined);
  const { resolve, reject } = settle as unknown as { resolve(value: T): void; reject(error: unknown): void };
  return { promise, resolve, reject };
}

/** The chunks of a file. @throws `upload.invalid`, what the stream is destroyed with */
async function* chunksOf(file: FileStream): AsyncGenerator<Uint8Array> {
  try {
    yield* file as AsyncIterable<Uint8Array>;
  } catch (cause) {
    // The parser reports a failure to the reader of the file before it reports it to us.
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
    fields.set(name ?? '', value);
  }

  async function readParts(): Promise<void> {
    for await (const part of partsOf(request, maxFieldBytes)) {
      if (isOver) return;
      if (part.type === 'file' && part.fieldname === FILE) begin(part);
      else keep(part.fieldname, await textOf(part, maxFieldBytes));
    }
    // The parser takes an empty body for an empty form, and a file that is dropped for the end.
    if (received === 0 || stream?.readableEnded === false) throw invalid('it is truncated');
    if (!finish()) return;
    begun.resolve(null);
    ended.resolve();
    raw.resume(); // what follows the form, so that the request ends
  }

  readParts().catch((error) => fail(failureOf(error)));
  raw.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxFileBytes + FIELDS_BESIDE * maxFieldBytes) fail(tooLarge('the form is larger than any file'));
  });
  raw.on('close', () => {
    if (!raw.readableEnded) fail(invalid('the connection closed before the end of the form'));
  });

  return { file: () => begun.promise, fields, end: () => ended.promise, abandon };
}
