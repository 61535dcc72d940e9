import { MAX_BATCH_OPERATIONS } from '@baobab/core';
import { Type } from 'typebox';
import { Failure } from './common.ts';

/** For the description only. The route checks a batch itself: an item has to keep its text. */
const BatchOperation = Type.Object(
  {
    method: Type.Enum(['GET', 'POST', 'PUT', 'DELETE'], { type: 'string' }),
    path: Type.String({ description: 'As of a request of its own, with its query: `/document/books/…`' }),
    body: Type.Optional(Type.Unknown({ description: 'Any JSON, where that request would have a body' })),
  },
  { title: 'BatchOperation', description: 'A call on one document, a field or a right; no lists' },
);

export const Batch = Type.Object(
  {
    atomic: Type.Optional(Type.Boolean({ description: 'All or nothing; else, as by default, each for itself' })),
    operations: Type.Array(BatchOperation, { maxItems: MAX_BATCH_OPERATIONS }),
  },
  { title: 'Batch' },
);

const { result, http_code, call_id, ...failure } = Failure.properties;

/** One schema for successes and failures: a union of the two makes no usable type in most languages. */
export const BatchAnswer = Type.Object(
  {
    result: Type.Enum(['ok', 'error'], { type: 'string' }),
    http_code,
    call_id,
    data: Type.Optional(Type.Unknown({ description: 'Of a success: what a request of its own would have got' })),
    ...Type.Partial(Type.Object(failure)).properties,
  },
  { title: 'BatchAnswer', description: 'A success, or a failure as in `Failure`' },
);
