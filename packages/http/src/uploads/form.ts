import { IncomingMessage } from 'node:http';
import { AppError, isAppError } from '@baobab/core';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { release } from './release.ts';

export interface FormLimits {
  /** Bytes of the file. */
  readonly maxFileBytes: number;
  /** Bytes of each other field. */
  readonly maxFieldBytes: number;
}

/** The part of a form whose bytes are stored. */
export interface FormFile {
  /** As sent; empty when the part has no file name. */
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
   * Resolves when the part named `file` begins.
   *
   * @throws `file.missing`, `upload.invalid`, `input.too_large`
   */
  file(): Promise<FormFile>;
  /** The fields that have arrived so far. The last of several with one name wins. */
  readonly fields: ReadonlyMap<string, string>;
  /** Resolves when the form has ended. @throws `upload.invalid`, `input.too_large` */
  end(): Promise<void>;
  /** Stops parsing. Bytes that still arrive are dropped for a moment, so that the client gets to read its response. */
  abandon(): void;
}

const FILE = 'file';
/** The parser's replacement for bytes that are not UTF-8. A client that really sends U+FFFD cannot be told apart. */
const REPLACEMENT = '\uFFFD';
const MAX_FIELDS = 50;
const MAX_HEADER_BYTES = 16_384;
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

/**
 * The chunks of a file. Their memory is released after they have been read if Node allocated it and nobody else uses
 * it.
 *
 * @throws `upload.invalid`, what the stream is destroyed with
 */
async function* chunksOf(file: BusboyFileStream, isOurs: boolean): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of file as AsyncIterable<Uint8Array>) {
      yield chunk;
      if (isOurs) release(chunk);
    }
  } catch (cause) {
    // The parser reports a failure to the reader of the file before it reports it to us.
    throw isAppError(cause)
      ? cause
      : new AppError('upload.invalid', { detail: 'it is truncated or not a multipart form', cause });
  }
}

function createParser(headers: IncomingMessage['headers'], { maxFieldBytes }: FormLimits): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      defCharset: 'utf8',
      preservePath: true,
      fileHwm: 1, // one chunk at a time: waiting chunks would be joined, which copies them
      // Clients send fields as files, and files without a file name: only the name of the part decides.
      isPartAFile: (name) => name === FILE,
      limits: { fieldSize: maxFieldBytes, fields: MAX_FIELDS, files: 1, headerSize: MAX_HEADER_BYTES },
    });
  } catch (cause) {
    throw new AppError('upload.invalid', { cause });
  }
}

/**
 * Reads a multipart form with its parts in any order, with back-pressure from the reader of the file.
 *
 * @throws `upload.invalid` when the headers rule out a form
 */
export function readUploadForm(raw: IncomingMessage, limits: FormLimits): UploadForm {
  const { maxFileBytes, maxFieldBytes } = limits;
  const parser = createParser(raw.headers, limits);
  const fields = new Map<string, string>();
  const begun = deferred<FormFile>();
  const ended = deferred<void>();
  let stream: BusboyFileStream | null = null;
  let isOver = false;
  let received = 0;
  let kept = 0;
  let limit = setTimeout(() => fail(new AppError('upload.invalid', { detail: 'it took too long' })), UPLOAD_LIMIT_MS);
  limit.unref();

  function finish(): boolean {
    if (isOver) return false;
    isOver = true;
    clearTimeout(limit);
    return true;
  }

  function abandon(): void {
    finish();
    raw.unpipe(parser);
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

  const broken = (detail: string, cause?: unknown) => fail(new AppError('upload.invalid', { detail, cause }));
  const tooLarge = (detail: string) => fail(new AppError('input.too_large', { detail }));

  parser.on('file', (_name, file, fileName, _encoding, contentType) => {
    stream = file;
    // Without a listener the error would be uncaught. `end` reports the failure.
    file.on('error', () => undefined);
    file.once('end', () => {
      clearTimeout(limit);
      if (!isOver)
        limit = setTimeout(() => broken('the parts after the file did not arrive in time'), REST_LIMIT_MS).unref();
    });
    begun.resolve({ fileName: fileName ?? '', contentType, bytes: chunksOf(file, raw instanceof IncomingMessage) });
  });
  parser.on('field', (name: string | undefined, value, _nameTruncated, valueTruncated) => {
    kept += value.length;
    if (valueTruncated) tooLarge(`a field has at most ${maxFieldBytes} bytes`);
    else if (value.includes(REPLACEMENT))
      broken('a field is not UTF-8, or holds U+FFFD, which JSON can write as \\ufffd');
    else if (kept > FIELDS_KEPT * maxFieldBytes) tooLarge('the fields besides the file are too large together');
    else fields.set(name ?? '', value);
  });
  parser.on('filesLimit', () => broken('there are several parts named "file"'));
  parser.on('fieldsLimit', () => broken(`there are more than ${MAX_FIELDS} fields`));
  parser.on('error', (cause: unknown) => broken('it is truncated or not a multipart form', cause));
  parser.on('finish', () => {
    if (!finish()) return;
    begun.reject(new AppError('file.missing'));
    ended.resolve();
  });

  raw.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxFileBytes + FIELDS_BESIDE * maxFieldBytes) tooLarge('the form is larger than any file');
  });
  raw.on('error', (cause) => broken('the connection failed', cause));
  raw.on('close', () => {
    if (!raw.readableEnded) broken('the connection closed before the end of the form');
  });
  raw.pipe(parser);

  return { file: () => begun.promise, fields, end: () => ended.promise, abandon };
}
