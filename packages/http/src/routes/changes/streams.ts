import { AppError, type ChangeStreams, type QueryParser } from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { clientAddress } from '../../callers/client-address.ts';
import { conditionIn } from '../../lists/criteria.ts';
import type { Answered } from '../../program/observers.ts';
import { type RawQuery, textOf } from '../../requests/target.ts';
import { collectionsIn, feedQuery } from '../../schemas/changes.ts';
import { criteriaQuery, OptionalText } from '../../schemas/common.ts';
import { createRenderEvent } from '../../streams/events.ts';
import { EVENT_STREAM_HEADERS, EVENT_STREAM_TYPE, openEventStream } from '../../streams/sink.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('changes');

export interface ChangeStreamRouteOptions {
  readonly changeStreams: ChangeStreams;
  readonly parseQuery: QueryParser;
  readonly answered: Answered;
}

const { where, params } = criteriaQuery;
const StreamQuery = Type.Object({
  ...feedQuery,
  lastEventId: OptionalText('The id of the last event, from polyfills of `EventSource`. Takes precedence over `since`'),
  where,
  params,
  'params[]': criteriaQuery['params[]'],
});

/**
 * Returns the position at which to resume. Clients that reconnect automatically send the id of the last event, which is
 * later than `since`: `EventSource` as a header, its polyfills as a parameter.
 */
function sinceOf({ headers, query }: FastifyRequest): string | null {
  const last = headers['last-event-id'];
  if (typeof last === 'string' && last !== '') return last;
  return textOf(query as RawQuery, 'lastEventId') || textOf(query as RawQuery, 'since');
}

export const changeStreamRoutes: Routes<ChangeStreamRouteOptions> = async (
  app,
  { changeStreams, parseQuery, answered },
) => {
  const render = createRenderEvent();

  app.get(
    '/changes/stream',
    operation('streamChanges', 'Stream changes of the documents that the caller may read', {
      description:
        'Server-sent events: `put`, `gone`, `ready`, `resync` and `end`. The id of an event is the cursor from which to ' +
        'resume.',
      querystring: StreamQuery,
      response: { 200: { content: { [EVENT_STREAM_TYPE]: { schema: Type.String() } } } },
      access: 'anybody',
      ignoresUnknownQueries: true,
      fails: [
        'changes.cursor_invalid',
        'changes.too_many_from_network',
        'changes.too_many_streams',
        'changes.unavailable',
        'collection.not_found',
        'criteria.invalid',
        'json.number_inexact',
        'search.unsupported',
      ],
      describes: {
        headers: {
          'Last-Event-ID': Type.String({ description: 'The id of the last event. Takes precedence over `since`' }),
        },
      },
    }),
    async (request, reply) => {
      const { actor, query, method } = request;
      const wanted = {
        since: sinceOf(request),
        collections: collectionsIn(query),
        where: conditionIn(query, parseQuery),
        address: clientAddress(request),
      };
      reply.headers(EVENT_STREAM_HEADERS);
      if (method === 'HEAD') return reply.send('');
      if (request.raw.socket.destroyed) throw new AppError('service.overdue');
      const close = await changeStreams.open(actor, wanted, () => {
        answered(request, reply);
        return openEventStream(reply, render);
      });
      if (reply.raw.destroyed) close();
      else reply.raw.once('close', close);
      return reply;
    },
  );
};
