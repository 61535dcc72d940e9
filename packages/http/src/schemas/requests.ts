import { Type } from 'typebox';
import { NullableText } from './common.ts';

export const LoggedRequest = Type.Object(
  {
    id: Type.String({ description: 'Also in the response header `X-Request-Id` and in the log of the server' }),
    time: Type.String(),
    method: Type.String(),
    path: Type.String({ description: 'Without the query. Secrets in it are replaced' }),
    status: Type.Integer(),
    ms: Type.Number({ description: 'Duration in milliseconds' }),
    /** Name of the user. */
    user: NullableText(),
    /** Id of the API key. */
    key: NullableText(),
  },
  { title: 'LoggedRequest' },
);

/** Number of requests in a response if the caller specifies none. */
export const DEFAULT_LIMIT = 100;

export const RequestLogQuery = Type.Object({
  status: Type.Optional(
    Type.String({
      pattern: '^[1-5](?:xx|\\d\\d)$',
      description: 'A status such as `404`, or a class of them such as `4xx`',
    }),
  ),
  path: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the path' })),
  user: Type.Optional(Type.String({ maxLength: 200, description: 'Exact user name of the caller' })),
  limit: Type.Optional(
    Type.String({
      pattern: '^(?:[1-9]\\d?|[1-4]\\d\\d|500)$',
      description: `Maximum number of requests, from 1 to 500; default ${DEFAULT_LIMIT}`,
    }),
  ),
});
