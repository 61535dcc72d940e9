import type { Indexes, ShownIndex } from '@baobab/core';
import { Type } from 'typebox';
import { sendData, sendDone } from '../envelope.ts';
import { Empty, Envelope, failures } from '../schemas/common.ts';
import type { Routes } from './plugin.ts';

/** How long a request waits for an index before it reports that the index is being built. Milliseconds. */
const WAIT_MS = 10_000;

const CollectionParams = Type.Object({ name: Type.String() });
const IndexParams = Type.Object({
  name: Type.String(),
  path: Type.String({ description: 'A path in the query language, such as `author.name` or `tags[0]`' }),
});
const Index = Type.Object({
  path: Type.String(),
  state: Type.Enum(['building', 'ready'], { type: 'string' }),
});

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['collections'] });

/** The index after `work`, or the index as it was when `work` takes too long. */
async function inTime(index: ShownIndex, work: Promise<ShownIndex> | null): Promise<ShownIndex> {
  if (work === null) return index;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ShownIndex>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS, index);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const indexRoutes: Routes<{ indexes: Indexes }> = async (app, { indexes }) => {
  app.get(
    '/admin/collection/:name/index',
    {
      schema: {
        ...schema('listIndexes', 'The indexes of a collection'),
        params: CollectionParams,
        response: { 200: Envelope(Type.Array(Index)), ...failures },
      },
      config: { fails: ['collection.not_found'] },
    },
    async ({ actor, params }, reply) => sendData(reply, await indexes.list(actor, params.name)),
  );

  app.get(
    '/admin/collection/:name/index/:path',
    {
      schema: {
        ...schema('readIndex', 'One index'),
        params: IndexParams,
        response: { 200: Envelope(Index), ...failures },
      },
      config: { fails: ['collection.not_found', 'criteria.invalid', 'index.not_found', 'index.path_invalid'] },
    },
    async ({ actor, params: { name, path } }, reply) =>
      sendData(reply, await indexes.read(actor, { collection: name, path })),
  );

  app.put(
    '/admin/collection/:name/index/:path',
    {
      schema: {
        ...schema('declareIndex', 'Create an index on a path in the documents of a collection'),
        params: IndexParams,
        response: { 200: Envelope(Index), 201: Envelope(Index, 201), 202: Envelope(Index, 202), ...failures },
      },
      config: { fails: ['collection.not_found', 'criteria.invalid', 'index.path_invalid', 'index.too_many'] },
    },
    async ({ actor, params: { name, path } }, reply) => {
      const { isNew, index, work } = await indexes.declare(actor, { collection: name, path });
      const now = await inTime(index, work);
      if (now.state === 'building') return sendData(reply, now, 202);
      return sendData(reply, now, isNew ? 201 : 200);
    },
  );

  app.delete(
    '/admin/collection/:name/index/:path',
    {
      schema: {
        ...schema('removeIndex', 'Remove an index'),
        params: IndexParams,
        response: { 200: Envelope(Empty), ...failures },
      },
      config: { fails: ['collection.not_found', 'criteria.invalid', 'index.not_found', 'index.path_invalid'] },
    },
    async ({ actor, params: { name, path } }, reply) =>
      sendDone(reply, indexes.remove(actor, { collection: name, path })),
  );
};
