import { isUtf8 } from 'node:buffer';
import { AppError, type ParsedJson, parseJson } from '@baobab/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readBody } from './body-bytes.ts';
import { isPercentEncodedUtf8 } from './target.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Body as text and as parsed JSON, for routes that store it. Null without a body. */
    json: ParsedJson | null;
  }
}

/** Returns the JSON body. @throws `input.empty` without a body */
export function jsonBody({ json }: Pick<FastifyRequest, 'json'>): ParsedJson {
  if (json === null) throw new AppError('input.empty');
  return json;
}

/**
 * Adds a body parser. It runs after authentication, and decodes compressed bodies first. The memory for bodies is counted
 * until their requests are answered.
 */
function addParser(
  app: Pick<FastifyInstance, 'addContentTypeParser'>,
  type: string,
  parse: (request: FastifyRequest, bytes: Buffer) => unknown,
): void {
  function parseCounted(request: FastifyRequest, bytes: Buffer): unknown {
    request.server.bodies.holdParsed(request, bytes);
    return parse(request, bytes);
  }

  app.addContentTypeParser(type, (request, payload, done) => {
    readBody(request, payload, (error, bytes) => {
      if (error !== null) {
        done(error);
        return;
      }
      let value: unknown;
      try {
        value = parseCounted(request, bytes);
      } catch (failure) {
        done(failure as Error);
        return;
      }
      done(null, value);
    });
  });
}

function readJson(request: FastifyRequest, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  // Decoding would replace invalid bytes with U+FFFD and lose the original.
  if (!isUtf8(bytes)) throw new AppError('input.json_invalid', { detail: 'its bytes are not UTF-8' });
  request.json = parseJson(bytes.toString('utf8'));
  return request.json.value;
}

export const JSON_TYPE = 'application/json';

/** Parses JSON bodies on all routes. An empty body counts as absent, regardless of its content type. */
export function registerJson(app: FastifyInstance): void {
  app.decorateRequest('json', null);
  app.removeAllContentTypeParsers();
  addParser(app, JSON_TYPE, readJson);
}

/** Media type of merge patches (RFC 7396). */
export const MERGE_PATCH = 'application/merge-patch+json';

/** Parses merge patches on the routes of `app` only: others would mistake such a body for a whole document. */
export function registerMergePatches(app: Pick<FastifyInstance, 'addContentTypeParser'>): void {
  addParser(app, MERGE_PATCH, readJson);
}

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Parses form bodies on the routes of `app` only. If a field is repeated, the last value wins. U+0000 is refused. */
export function registerForms(app: Pick<FastifyInstance, 'addContentTypeParser'>): void {
  addParser(app, FORM_TYPE, (_request, bytes) => {
    const text = bytes.toString('utf8');
    if (!isUtf8(bytes) || !isPercentEncodedUtf8(text)) {
      throw new AppError('input.invalid', { detail: 'the form is not percent-encoded UTF-8' });
    }
    if (text.includes('%00') || text.includes('\0')) {
      throw new AppError('input.invalid', { detail: 'a field contains U+0000' });
    }
    return Object.fromEntries(new URLSearchParams(text));
  });
}

/** Drops the content type of a request without a body, because some clients send one anyway. */
export function dropTypeOfEmptyBody(request: FastifyRequest): void {
  const { headers } = request;
  if (headers['content-type'] === undefined) return;
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) {
    delete headers['content-type'];
  }
}
