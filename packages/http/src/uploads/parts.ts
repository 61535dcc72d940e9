import { AppError, isAppError } from '@baobab/core';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';

export type FileStream = MultipartFile['file'];

/** Name of the part whose bytes are stored. */
export const FILE = 'file';
export const MAX_FIELDS = 50;
const MAX_HEADER_BYTES = 16_384;

export const invalid = (detail: string, cause?: unknown) => new AppError('upload.invalid', { detail, cause });
export const tooLarge = (detail: string) => new AppError('input.too_large', { detail });
export const tooManyFields = () => invalid(`there are more than ${MAX_FIELDS} fields`);

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : null);

/** Converts an error of the parser or of a stream. */
export function failureOf(cause: unknown): AppError {
  if (isAppError(cause)) return cause;
  const code = codeOf(cause);
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_FILES_LIMIT') return tooManyFields();
  return invalid('it is truncated or not a multipart form', cause);
}

/**
 * Returns the parts of a form in order. A file has to be read before the next part arrives.
 *
 * The parser rejects fields named like a member of every object, but only at the end. Here, such a form ends normally,
 * without these fields.
 */
export async function* partsOf(request: FastifyRequest, maxFieldBytes: number): AsyncGenerator<Multipart> {
  const parts = request.parts({
    defCharset: 'utf8',
    preservePath: true,
    fileHwm: 1, // one chunk at a time, because the parser joins waiting chunks, which copies them
    // Clients send fields as files, and files without a file name, so only the name of the part matters. The parser
    // would replace JSON fields by their values, and reject some valid ones, so they are also read as files.
    isPartAFile: (name, type = '') => name === FILE || type.startsWith('application/json'),
    limits: {
      fieldSize: maxFieldBytes,
      fields: MAX_FIELDS,
      files: 1 + MAX_FIELDS,
      headerSize: MAX_HEADER_BYTES,
      // Their bytes are limited instead.
      fileSize: Number.POSITIVE_INFINITY,
      parts: Number.POSITIVE_INFINITY,
    },
  });
  try {
    yield* parts;
  } catch (error) {
    if (codeOf(error) !== 'FST_PROTO_VIOLATION') throw error;
  }
}

/** Returns the text of a part. @throws `input.too_large` */
export async function textOf(part: Multipart, maxBytes: number): Promise<string> {
  const refused = () => tooLarge(`a field has at most ${maxBytes} bytes`);
  if (part.type === 'field') {
    if (part.valueTruncated) throw refused();
    return part.value as string;
  }
  const { file } = part;
  let text = '';
  for await (const chunk of file.setEncoding('utf8') as AsyncIterable<string>) {
    if (file.bytesRead > maxBytes) throw refused();
    text += chunk;
  }
  return text;
}
