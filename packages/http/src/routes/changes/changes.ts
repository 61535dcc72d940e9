import { AppError, type Changes } from '@baobab/core';
import { Type } from 'typebox';
import type { PageLimits } from '../../lists/paging.ts';
import { changesJson } from '../../render/document.ts';
import { textOf } from '../../requests/target.ts';
import { sendPage } from '../../responses/envelope.ts';
import { ChangesPage, collectionsIn, feedQuery } from '../../schemas/changes.ts';
import { OptionalText } from '../../schemas/common.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('changes');

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 1000;

const ChangesQuery = Type.Object({
  ...feedQuery,
  limit: OptionalText(`Maximum number of changes, from 1 to ${MAX_LIMIT}; default ${DEFAULT_LIMIT}`),
});

/** @throws `input.invalid` */
function limitIn(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new AppError('input.invalid', {
    detail: `limit must be a whole number from 1 to ${MAX_LIMIT}`,
    input: 'limit',
  });
}

export const changeRoutes: Routes<{ readonly changes: Changes; readonly pages: PageLimits }> = async (
  app,
  { changes, pages },
) => {
  app.get(
    '/changes',
    operation('readChanges', 'List changes of the documents that the caller may read', {
      description:
        'Changes are in commit order, with only the newest state of each document. Without `since` the response ' +
        'contains only the current cursor.',
      querystring: ChangesQuery,
      response: { 200: ChangesPage },
      access: 'anybody',
      fails: [
        'changes.cursor_expired',
        'changes.cursor_invalid',
        'changes.resync_required',
        'collection.not_found',
        'search.too_long',
      ],
    }),
    async (request, reply) => {
      request.server.unread.assertRoom(request);
      const { actor, query } = request;
      const wanted = {
        since: textOf(query, 'since'),
        collections: collectionsIn(query),
        limit: limitIn(query.limit ?? null),
      };
      const page = await changes.read(actor, { ...wanted, maxBytes: pages.maxPageBytes });
      return sendPage(reply, changesJson(page.changes), page);
    },
  );
};
