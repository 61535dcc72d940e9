import { contentTypeOf, safeFileName } from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import type { LongRequests } from '../program/connections.ts';
import { watchContentType } from './content-type.ts';
import { type FormLimits, readUploadForm } from './form.ts';

export interface ReceiveOptions extends FormLimits {
  readonly longRequests: LongRequests;
}

/** File being uploaded. */
export interface Upload {
  /** Can be read once, with back-pressure. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /**
   * Returns the name and content type of the file. Call this when all bytes are read; all fields have arrived by then.
   *
   * @throws `upload.invalid`, `input.too_large`
   */
  describe(): Promise<{ readonly fileName: string; readonly contentType: string }>;
}

/**
 * Calls `work` with the file of a multipart form while it arrives, or with null if there is none. Nothing more is read
 * after `work`.
 *
 * @throws `upload.invalid`, `input.encoding_unsupported`, `input.too_large`, errors of `work`
 */
export async function receiveUpload<T>(
  request: FastifyRequest,
  options: ReceiveOptions,
  work: (upload: Upload | null, fields: ReadonlyMap<string, string>) => Promise<T>,
): Promise<T> {
  const form = readUploadForm(request, options);
  options.longRequests.add(request.raw);
  try {
    const file = await form.file();
    if (file === null) return await work(null, form.fields);
    const watched = watchContentType(file.bytes);
    const upload: Upload = {
      bytes: watched.bytes,
      async describe() {
        await form.end();
        const fileName = safeFileName(file.fileName);
        return { fileName, contentType: contentTypeOf(await watched.evidence(file.contentType, fileName)) };
      },
    };
    return await work(upload, form.fields);
  } finally {
    form.abandon();
    options.longRequests.delete(request.raw);
  }
}
