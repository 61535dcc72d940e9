import { type PushMessages, wireDate } from '@baobab/core';
import { Type } from 'typebox';
import { cursorBounds, decodeCursor, type PagedRoutes, sendRows } from '../../lists/paging.ts';
import { Page, pageQuery } from '../../schemas/common.ts';
import { ListedPush } from '../../schemas/push.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('push');

const { recordsPerPage, recordPerPage, cursor } = pageQuery;
const ListQuery = Type.Object({ recordsPerPage, recordPerPage, cursor });

export const pushAdminRoutes: Routes<PagedRoutes & { pushMessages: PushMessages }> = async (
  app,
  { pushMessages, pages },
) => {
  app.get(
    '/admin/push/messages',
    operation('listPush', 'List the stored notifications of all senders, newest first', {
      querystring: ListQuery,
      response: { 200: Page(Type.Array(ListedPush)) },
    }),
    async ({ actor, query }, reply) => {
      const { limit } = cursorBounds(query, pages);
      const after = query.cursor === undefined ? null : decodeCursor(query.cursor, 'i');
      const { messages, more } = await pushMessages.list(actor, { after, limit });
      const data = messages.map(({ id, sender, text, created, expires }) => ({
        id,
        sender,
        message: text,
        created: wireDate(created),
        expires: wireDate(expires),
      }));
      return sendRows(reply, data, more);
    },
  );
};
