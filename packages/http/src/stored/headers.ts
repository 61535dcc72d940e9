import { safeFileName } from '@baobab/core';
import { create } from 'content-disposition';

/**
 * Headers of all stored content, so that it never acts as a page of this origin: it runs no script, loads nothing, has
 * an origin of its own (`sandbox`), is not sniffed for another type, and sends no referrer, which may hold a session
 * token. Pages of any origin may embed it.
 */
export const STORED_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** `Content-Disposition` (RFC 6266), with names beyond ASCII by RFC 8187. */
export function disposition(type: 'inline' | 'attachment', fileName: string): string {
  return create(safeFileName(fileName), { type });
}
