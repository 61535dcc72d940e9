import type { SearchableUsers, UserLists } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerSearch, type ListRoutes } from '../../lists/criteria.ts';
import { profilesJson, styleOf } from '../../render/profile.ts';

/** Dependencies of routes that list users. */
export interface UserListOptions extends ListRoutes {
  readonly userLists: UserLists;
}

/** Creates the function that sends the requested page of a list of users. */
export const createUserPager =
  ({ parseQuery, pages }: ListRoutes) =>
  (request: FastifyRequest, reply: FastifyReply, list: SearchableUsers): Promise<FastifyReply> => {
    const render = (profiles: Parameters<typeof profilesJson>[0]) => profilesJson(profiles, styleOf(request));
    return answerSearch(request, reply, { ...list, render, parseQuery, pages });
  };
