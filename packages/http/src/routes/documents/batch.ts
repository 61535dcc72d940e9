import { parse } from 'node:querystring';
import {
  type Actor,
  AppError,
  type Batches,
  type BatchOperation,
  elementsOf,
  isAppError,
  isUuid,
  membersOf,
  type ParsedJson,
  requireSignedIn,
} from '@baobab/core';
import { type Static, Type } from 'typebox';
import { failureJson, operationFailure } from '../../errors/errors.ts';
import { jsonBody } from '../../requests/bodies.ts';
import { keyedRequest, sendKeyed } from '../../requests/idempotency.ts';
import { createPauses } from '../../requests/pauses.ts';
import { isUnambiguous, pathOf, refuseUnreadable, tolerantUrl } from '../../requests/target.ts';
import { okJson } from '../../responses/envelope.ts';
import { Batch, BatchAnswer, BatchBody } from '../../schemas/batch.ts';
import { ON_EXPAND, ON_FIELD_SET, ON_GRANTS } from '../../schemas/failing.ts';
import { bodyFailures, queryCheck } from '../../validation.ts';
import { operationsIn, type Routes } from '../describe.ts';
import {
  changedBy,
  DOCUMENT_OPERATIONS,
  type DocumentOperation,
  type DocumentOperationOptions,
  readById,
} from './operations.ts';

const operation = operationsIn('documents');

export interface BatchRouteOptions extends DocumentOperationOptions {
  readonly batches: Batches;
}

/** Maximum batch, in multiples of the maximum single body. */
const BODIES = 4;
/** No further operation starts once the responses exceed this multiple of the maximum single body. */
const ANSWERS = 8;

interface SentOperation {
  readonly method: string;
  readonly path: string;
  readonly body: ParsedJson | undefined;
  readonly contentType: string | undefined;
}

type Batched = Static<typeof BatchBody>;

/** Returns the operations with the text of each body. @param json source of `batch` */
function parseOperations(batch: Batched, json: ParsedJson): readonly SentOperation[] {
  const operations = membersOf(json)?.get('operations');
  const items = (operations && elementsOf(operations)) ?? [];
  return batch.operations.map(({ method, path, content_type: contentType }, index) => {
    const item = items[index];
    const body = item && membersOf(item)?.get('body');
    return { method: method.toUpperCase(), path: tolerantUrl({ url: path }), body, contentType };
  });
}

/**
 * Returns the path segments after `/document`, each decoded separately.
 *
 * @throws `path.segment_invalid`, `batch.operation_unknown`, `input.invalid`
 */
function partsOf(path: string): string[] {
  if (!isUnambiguous(path)) throw new AppError('path.segment_invalid');
  const problem = refuseUnreadable(path);
  if (problem !== undefined) throw problem;
  const [root, first, ...parts] = path.split('/');
  if (root !== '' || first !== 'document') throw new AppError('batch.operation_unknown');
  try {
    return parts.map(decodeURIComponent);
  } catch (cause) {
    throw new AppError('input.invalid', { detail: 'the path is not valid percent-encoded UTF-8', cause });
  }
}

/** Returns the parameters of a path if it matches the pattern, such as `/document/:collection/:id/.*`. */
function paramsOf(pattern: string, parts: readonly string[]): Record<string, string> | null {
  const pieces = pattern.split('/').slice(2);
  const isOpen = pieces.at(-1) === '.*';
  if (isOpen ? parts.length < pieces.length : parts.length !== pieces.length) return null;
  const params: Record<string, string> = {};
  for (const [at, piece] of pieces.entries()) {
    const part = parts[at] ?? '';
    if (piece.startsWith(':')) params[piece.slice(1)] = part;
    else if (piece === '.*' ? !part.startsWith('.') : piece !== part) return null;
  }
  return params;
}

interface FoundOperation extends Pick<DocumentOperation, 'method' | 'prepare' | 'options'> {
  readonly params: Readonly<Record<string, string>>;
}

/** The operation that reads a document by its collection and id. */
const READ = DOCUMENT_OPERATIONS.find(
  ({ method, path }) => method === 'get' && path === '/document/:collection/:id',
) as DocumentOperation;

/**
 * Returns the operation with this method and path, and the parameters in the path.
 *
 * @throws `batch.operation_unknown`, `path.segment_invalid`, `input.invalid`
 */
function find(method: string, path: string): FoundOperation {
  const parts = partsOf(path);
  const [collection = ''] = parts;
  if (method === 'GET' && parts.length === 1 && isUuid(collection)) {
    return { ...READ, prepare: readById, params: { collection } };
  }
  for (const operation of DOCUMENT_OPERATIONS) {
    const params = operation.method === method.toLowerCase() ? paramsOf(operation.path, parts) : null;
    if (params === null) continue;
    if (operation.isAlone === true) break;
    return { ...operation, params };
  }
  throw new AppError('batch.operation_unknown');
}

interface BatchContext extends DocumentOperationOptions {
  readonly actor: Actor;
  /** Called before each operation. */
  readonly pause: () => Promise<void>;
}

function operationOf(
  { method, path, body, contentType }: SentOperation,
  index: number,
  context: BatchContext,
): BatchOperation {
  const { actor, maxJsonBytes, pause } = context;
  const [resource = '', search = ''] = path.split(/\?(.*)/s, 2);
  const query = parse(search);
  const callId = typeof query.call_id === 'string' ? query.call_id : null;

  const refuse = (error: AppError): string =>
    failureJson({ ...operationFailure(error, index), resource: pathOf(resource), method, header: {}, id: callId });

  try {
    const { params, prepare, method: served, options } = find(method, resource);
    const isWrite = served !== 'get';
    if (isWrite) requireSignedIn(actor); // before the input is checked, as in the routes
    queryCheck(options)(query);
    const call = { actor, params, query, url: path, json: body ?? null, headers: { 'content-type': contentType } };
    return {
      isWrite,
      changes: isWrite ? changedBy(params.id) : [],
      refuse,
      async run(documents) {
        const isTooLarge = isWrite && body !== undefined && Buffer.byteLength(body.text) > maxJsonBytes;
        if (isTooLarge) throw new AppError('input.too_large');
        await pause();
        const data = await prepare(call, context)(documents);
        return data === '' ? okJson('""', 204, callId) : okJson(data, 200, callId);
      },
    };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { isWrite: false, changes: [], refuse, run: () => Promise.reject(error) };
  }
}

export const batchRoutes: Routes<BatchRouteOptions> = async (app, options) => {
  const { batches, maxJsonBytes } = options;
  app.post(
    '/batch',
    {
      bodyLimit: BODIES * maxJsonBytes,
      ...bodyFailures('batch.invalid'),
      ...operation('runBatch', 'Run up to 100 operations on documents, atomic or independent', {
        body: BatchBody,
        data: Type.Array(BatchAnswer),
        isKeyed: true,
        fails: [
          ...ON_FIELD_SET,
          ...ON_EXPAND,
          ...ON_GRANTS,
          'auth.required',
          'batch.answer_too_large',
          'batch.invalid',
          'batch.operation_unknown',
          'batch.work_too_large',
          'document.duplicate',
          'document.exists',
          'field.not_found',
          'field.type_invalid',
          'grant.action_unknown',
          'grant.too_many',
          'patch.invalid',
          'path.segment_invalid',
          'role.not_found',
          'user.not_found',
        ],
        describes: { body: { 'application/json': Batch } },
        access: 'anybody',
      }),
    },
    async (request, reply) => {
      const { body } = request;
      const asked = parseOperations(body, jsonBody(request));
      const context = { ...options, actor: request.actor, pause: createPauses() };
      const answer = await batches.run(request.actor, {
        atomic: body.atomic ?? false,
        operations: asked.map((one, index) => operationOf(one, index, context)),
        maxAnswers: ANSWERS * maxJsonBytes,
        keyed: keyedRequest(request),
      });
      return sendKeyed(reply, answer);
    },
  );
};
