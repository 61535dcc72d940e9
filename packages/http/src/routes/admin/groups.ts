import type { Groups } from '@baobab/core';
import { Type } from 'typebox';
import { type PagedRoutes, pageRequest, sendRows } from '../../lists/paging.ts';
import { Page } from '../../schemas/common.ts';
import { GroupQuery, ListedGroup } from '../../schemas/groups.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('groups');

export const groupAdminRoutes: Routes<PagedRoutes & { groups: Groups }> = async (app, { groups, pages }) => {
  app.get(
    '/admin/group',
    operation('listAllGroups', 'List all groups, oldest first', {
      querystring: GroupQuery,
      response: { 200: Page(Type.Array(ListedGroup)) },
    }),
    async ({ actor, query }, reply) => {
      const found = await groups.all(actor, pageRequest(query, pages));
      const rows = found.groups.map(({ id, name, members }) => ({ id, name, members }));
      return sendRows(reply, rows, found.more);
    },
  );
};
