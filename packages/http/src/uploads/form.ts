import { IncomingMessage } from 'node:http';
import { AppError, isAppError, release } from '@baobab/core';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';

export interface FormLimits {
  /** Bytes of the file. */
  readonly maxFileBytes: number;
  /** Bytes of each other field. */
  readonly maxFieldBytes: number;
}

/** The part of a form whose bytes are stored. */
export interface FormFile {
  /** As it was sent; empty when it has no name. */
  readonly fileName: string;
  /** As it was sent, in lower case and without parameters. */
  readonly contentType: string;
  /** To be read once; the rest of the form comes when it has been read. A piece is lent until the next is asked for. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface UploadForm {
  /**
   * Resolves when the part named `file` begins.
   *
   * @throws `file.missing`, `upload.invalid`, `input.too_large`
   */
  file(): Promise<FormFile>;
  /** The fields that have arrived so far; of several with one name the last. */
  readonly fields: ReadonlyMap<string, string>;
  /** Resolves when the form has ended. @throws `upload.invalid`, `input.too_large` */
  end(): Promise<void>;
  /** Stops reading: what still comes is dropped, for a moment, so that the client gets to read its answer. */
  abandon(): void;
}

const FILE = 'file';
/** What the parser puts for bytes that are not UTF-8. It does not tell whether it was sent so, which nobody does. */
const REPLACEMENT = '\uFFFD';
const MAX_FIELDS = 50;
const MAX_HEADER_BYTES = 16_384;
/** All fields together are kept up to so many of the largest size. */
const FIELDS_KEPT = 2;
/** What fields and separators may add to a file, in fields of the largest size. */
const FIELDS_BESIDE = 8;

/** An upload may take so long, however slowly it comes. Less than what counts as left over. Milliseconds. */
const UPLOAD_LIMIT_MS = 24 * 3_600_000;
/** What comes behind the file has to come soon: by then its bytes must have become known. Milliseconds. */
const REST_LIMIT_MS = 600_000;
/** For so long what is refused is still read. Milliseconds. */
const LINGER_MS = 3_000;

/** A promise and what settles it. Nobody has to wait for it. */
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
 * Pieces of a form, whose memory is given back when they have been read: that of what Node received itself, and which
 * nobody else has. @throws `upload.invalid`, what the stream is destroyed with
 */
async function* lent(file: BusboyFileStream, isOurs: boolean): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of file as AsyncIterable<Uint8Array>) {
      yield piece;
      if (isOurs) release(piece);
    }
  } catch (cause) {
    // The parser tells it to who reads the file before it tells us.
    throw isAppError(cause) ? cause : new AppError('upload.invalid', { detail: 'it is cut short or no form', cause });
  }
}

function createParser(headers: IncomingMessage['headers'], { maxFieldBytes }: FormLimits): BusboyInstance {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      defCharset: 'utf8',
      preservePath: true,
      fileHwm: 1, // one piece at a time: several that wait would be joined, and copied
      // Clients send fields as files, and files without a name: the name of the part decides.
      isPartAFile: (name) => name === FILE,
      limits: { fieldSize: maxFieldBytes, fields: MAX_FIELDS, files: 1, headerSize: MAX_HEADER_BYTES },
    });
  } catch (cause) {
    throw new AppError('upload.invalid', { cause });
  }
}

/**
 * Reads a multipart form with its parts in any order, as fast as the file in it is read. @throws `upload.invalid` when
 * it can be none
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
    // Somebody else may be reading it by then, or nobody: the failure is told by `end`.
    file.on('error', () => undefined);
    file.once('end', () => {
      clearTimeout(limit);
      if (!isOver) limit = setTimeout(() => broken('what follows the file does not come'), REST_LIMIT_MS).unref();
    });
    begun.resolve({ fileName: fileName ?? '', contentType, bytes: lent(file, raw instanceof IncomingMessage) });
  });
  parser.on('field', (name: string | undefined, value, _nameTruncated, valueTruncated) => {
    kept += value.length;
    if (valueTruncated) tooLarge(`a field has at most ${maxFieldBytes} bytes`);
    else if (value.includes(REPLACEMENT))
      broken('a field is not UTF-8, or holds U+FFFD, which JSON can write as \\ufffd');
    else if (kept > FIELDS_KEPT * maxFieldBytes) tooLarge('the fields beside the file are too large together');
    else fields.set(name ?? '', value);
  });
  parser.on('filesLimit', () => broken('there are several parts named "file"'));
  parser.on('fieldsLimit', () => broken(`there are more than ${MAX_FIELDS} fields`));
  parser.on('error', (cause: unknown) => broken('it is cut short or no form', cause));
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
    if (!raw.readableEnded) broken('the connection ended before it');
  });
  raw.pipe(parser);

  return { file: () => begun.promise, fields, end: () => ended.promise, abandon };
}
