import { createTestBackend } from '@baobab/server/testing';
import type { OpenApi } from '../../../packages/http/src/reference/document.ts';
import { type Check, createCheck } from './check.ts';

/** Returns the OpenAPI document generated from the current sources, regardless of the committed one. */
export async function currentDocument(): Promise<{ readonly text: string; readonly document: OpenApi }> {
  const backend = await createTestBackend();
  const { body } = await backend.app.inject('/openapi.json');
  await backend.close();
  return { text: body, document: JSON.parse(body) };
}

interface Fetched {
  readonly response: Response;
  readonly method: string;
  readonly url: string;
  readonly text: string;
  /** The body that was sent; null if the request is intentionally invalid and must not be checked. */
  readonly body: string | undefined | null;
  readonly type?: string | undefined;
}

/** Checks responses of the program against the document; responses of a proxy are not checked. */
export async function expectDocumented({ response, method, url, text, body, type = '' }: Fetched): Promise<void> {
  const { headers, status } = response;
  if (!headers.has('x-request-id')) return;
  const sent = typeof body === 'string' ? { type, text: body } : body;
  (await conformance())({ method, url, sent, status, text, type: headers.get('content-type') ?? undefined });
}

let check: Promise<Check> | null = null;

/** Returns the check of this run, created once for all test files that share a process. */
export function conformance(): Promise<Check> {
  check ??= currentDocument().then(({ document }) => createCheck(document));
  return check;
}
