import { EVERY_OBJECT, type UserLists, type UserPage, type UserPageResult } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  criteriaText,
  type ListRoutes,
  listQuery,
  searchPage,
  searchWithTotal,
  sendFound,
} from '../../lists/criteria.ts';
import { profilesJson, styleOf } from '../../render/profile.ts';
import { sendData } from '../../responses/envelope.ts';

/** Dependencies of routes that list users. */
export interface UserListOptions extends ListRoutes {
  readonly userLists: UserLists;
}

type List = (page: UserPage) => Promise<UserPageResult>;

/** Creates the function that sends the requested page of a list of users. */
export function createUserPager({ parseQuery, pages }: ListRoutes) {
  return async (request: FastifyRequest, reply: FastifyReply, list: List): Promise<FastifyReply> => {
    request.server.unread.assertRoom(request);
    const raw = listQuery(request);
    const text = criteriaText(raw);
    const page = searchPage(raw, text === null ? EVERY_OBJECT : parseQuery(text), pages);
    const countAll = async () => (await list({ ...page, countOnly: true })).count ?? 0;
    if (raw.count === 'true') return sendData(reply, [{ count: await countAll() }]);
    const counted = await searchWithTotal(raw, page, {
      search: () => list({ ...page, countOnly: false }),
      count: countAll,
    });
    return sendFound(reply, { page, ...counted, render: (profiles) => profilesJson(profiles, styleOf(request)) });
  };
}
