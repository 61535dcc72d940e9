import { elementsOf, membersOf, type ParsedJson } from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import { jsonBody } from './content-types.ts';

export type RawQuery = Readonly<Record<string, unknown>>;

/** Maximum body of a list request, in bytes. */
export const MAX_LIST_BODY = 2 ** 20;

/** Returns the text of a parameter as in a query string. Numbers and lists retain the text that the client wrote. */
const textOf = ({ text, value }: ParsedJson): string => (typeof value === 'string' ? value : text);

/** Returns the parameters of a list, from the query string or from the validated JSON body of `POST …/query`. */
export function listQuery(request: FastifyRequest): RawQuery {
  if (request.method !== 'POST') return request.query as RawQuery;
  const members = membersOf(jsonBody(request)) ?? new Map<string, ParsedJson>();
  return Object.fromEntries(
    Array.from(members, ([name, part]) => [name, elementsOf(part)?.map(textOf) ?? textOf(part)]),
  );
}
