import { MAX_BATCH_OPERATIONS } from '@baobab/core';
import { Type } from 'typebox';
import { MERGE_PATCH } from '../requests/bodies.ts';
import { Failure, OneOf } from './common.ts';

/** Validated part of the body. Unknown methods are failures of their operations; bodies retain their text. */
export const BatchBody = Type.Object({
  atomic: Type.Optional(Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] })),
  operations: Type.Array(
    Type.Object({ method: Type.String(), path: Type.String(), content_type: Type.Optional(Type.String()) }),
    { maxItems: MAX_BATCH_OPERATIONS },
  ),
});

/** For the OpenAPI document only. */
const BatchOperation = Type.Object(
  {
    method: OneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: Type.String({ description: 'The path and query of the corresponding request: `/document/books/…`' }),
    body: Type.Optional(Type.Unknown({ description: 'Any JSON, if the corresponding request has a body' })),
    content_type: Type.Optional(OneOf(['application/json', MERGE_PATCH])),
  },
  { title: 'BatchOperation', description: 'An operation on one document, field or grant; lists are not possible' },
);

export const Batch = Type.Object(
  {
    atomic: Type.Optional(
      Type.Boolean({ description: '`true`: all operations or none. By default each operation is independent' }),
    ),
    operations: Type.Array(BatchOperation, { maxItems: MAX_BATCH_OPERATIONS }),
  },
  { title: 'Batch' },
);

const { result, http_code, call_id, ...failure } = Failure.properties;

/** One schema for successes and failures: in most languages, a union of the two does not generate a usable type. */
export const BatchAnswer = Type.Object(
  {
    result: OneOf(['ok', 'error']),
    http_code,
    call_id,
    data: Type.Optional(
      Type.Unknown({ description: 'The `data` of a success, as in the response of the corresponding request' }),
    ),
    ...Type.Partial(Type.Object(failure)).properties,
  },
  { title: 'BatchAnswer', description: 'A success, or a failure as in `Failure`' },
);
