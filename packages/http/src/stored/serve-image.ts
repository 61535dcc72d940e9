import { AppError, type ByteRange, type ErrorCode, type ResizedImage } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { evaluateConditions } from './conditions.ts';
import { type StoredBytes, serveBytes } from './serve.ts';

export interface StoredImage extends Omit<StoredBytes, 'size' | 'open'> {
  readonly image: ResizedImage;
  /** Error code if the original has just been removed. */
  readonly gone: ErrorCode;
}

/** Returns the index of a size requested by number; -1 if not a number. @param first number of the first size */
export const sizeIndex = (text: string, first: number) => (/^\d{1,6}$/.test(text) ? Number(text) - first : -1);

/**
 * Sends an image in another size. Conditional requests are answered before the variant is created.
 *
 * @throws errors of `ResizedImage.open` and `serveBytes`, and `gone`
 */
export async function serveImage(
  request: FastifyRequest,
  reply: FastifyReply,
  { image, gone, ...stored }: StoredImage,
): Promise<FastifyReply> {
  const refuse = () => Promise.reject(new AppError(gone));
  if (evaluateConditions(request.headers, stored) !== 'serve') {
    return serveBytes(request, reply, { ...stored, size: 0, open: refuse });
  }
  const content = await image.open();
  if (content === null) return refuse();
  if (content instanceof Uint8Array) {
    const part = (range?: ByteRange) =>
      range === undefined ? content : content.subarray(range.offset, range.offset + range.length);
    return serveBytes(request, reply, { ...stored, size: content.length, open: async (range) => part(range) });
  }
  const isWhole = request.method === 'GET' && request.headers.range === undefined;
  if (!isWhole) content.dispose();
  return serveBytes(request, reply, {
    ...stored,
    size: content.size,
    open: async (range) => (isWhole ? content : ((await image.read(range)) ?? refuse())),
  });
}
