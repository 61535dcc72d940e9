import {
  AppError,
  type Batches,
  type BatchOperation,
  elementsOf,
  isAppError,
  membersOf,
  type ParsedJson,
} from '@baobab/core';
import { type Static, Type } from 'typebox';
import { bodyFailures } from '../body-failures.ts';
import { jsonBody } from '../content-types.ts';
import { okJson } from '../envelope.ts';
import { failureJson, operationFailure } from '../errors.ts';
import { keyedRequest, sendKeyed } from '../idempotency.ts';
import type { PagedRoutes } from '../paging.ts';
import { isUnambiguous, refuseUnreadable, tolerantUrl } from '../paths.ts';
import { Batch, BatchAnswer, BatchBody } from '../schemas/batch.ts';
import { ON_EXPAND, ON_FIELD_SET, ON_GRANTS } from '../schemas/failing.ts';
import { pathOf } from '../shown.ts';
import { type BatchContext, serve } from './batch-calls.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('documents');

export interface BatchRouteOptions extends PagedRoutes {
  readonly batches: Batches;
  /** Maximum body of one operation, in bytes. */
  readonly maxJsonBytes: number;
}

/** Maximum batch, in multiples of the maximum single body. */
const BODIES = 4;
/** No further operation starts once the responses exceed this multiple of the maximum single body. */
const ANSWERS = 8;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: ParsedJson | undefined;
  readonly contentType: string | undefined;
}

type Batched = Static<typeof BatchBody>;

/** Returns the operations with the text of each body. @param json source of `batch` */
function parseOperations(batch: Batched, json: ParsedJson): readonly Asked[] {
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

function operationOf({ method, path, body, contentType }: Asked, index: number, context: BatchContext): BatchOperation {
  const [resource = '', query = ''] = path.split(/\?(.*)/s, 2);
  const params = new URLSearchParams(query);
  const callId = params.get('call_id');

  function optionalBody(): ParsedJson | null {
    if (body === undefined) return null;
    if (Buffer.byteLength(body.text) > context.maxJsonBytes) throw new AppError('input.too_large');
    return body;
  }

  function sizedBody(): ParsedJson {
    const sized = optionalBody();
    if (sized === null) throw new AppError('input.empty');
    return sized;
  }

  const refuse = (error: AppError): string =>
    failureJson({ ...operationFailure(error, index), resource: pathOf(resource), method, header: {}, id: callId });

  try {
    const call = { method, parts: partsOf(resource), query: params, contentType, body: sizedBody, optionalBody };
    const { status, run, ...served } = serve(call, context);
    return { ...served, refuse, run: async (documents) => okJson(await run(documents), status, callId) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { isWrite: false, changes: null, refuse, run: () => Promise.reject(error) };
  }
}

export const batchRoutes: Routes<BatchRouteOptions> = async (app, { batches, maxJsonBytes, pages }) => {
  app.post(
    '/batch',
    {
      bodyLimit: BODIES * maxJsonBytes,
      ...bodyFailures('batch.invalid'),
      ...operation('runBatch', 'Up to 100 operations on documents in one request, atomic or independent', {
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
      const { maxPageBytes } = pages;
      const context = { actor: request.actor, maxJsonBytes, maxPageBytes };
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
