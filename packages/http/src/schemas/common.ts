import { type TSchema, Type } from 'typebox';

export const OptionalText = (description: string) => Type.Optional(Type.String({ description }));

/** Object with arbitrary members, passed on unchanged. */
export const FreeObject = Type.Object({}, { additionalProperties: true });

export function Envelope<T extends TSchema>(data: T, status = 200) {
  return Type.Object({
    result: Type.Literal('ok'),
    data,
    http_code: Type.Integer({ const: status }),
    call_id: OptionalText('The `call_id` of the query'),
  });
}

/** Like `Envelope`, for a page of a list. */
export function Page<T extends TSchema>(data: T) {
  return Type.Object({
    ...Envelope(data).properties,
    more: Type.Optional(Type.Boolean({ description: 'True if there are more pages' })),
    next: OptionalText('The cursor of the next page: send it as `cursor`'),
  });
}

/** Like `Page`, for a list that counts its rows for `total=true`. */
export function CountedPage<T extends TSchema>(data: T) {
  return Type.Object({
    ...Page(data).properties,
    total: Type.Optional(Type.Integer({ description: 'With `total=true`: the number of rows on all pages' })),
  });
}

export const Failure = Type.Object(
  {
    result: Type.Literal('error'),
    message: Type.String(),
    code: Type.String({ description: 'The code of the failure, stable across releases' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({
            description: 'A JSON Pointer into the body, or `query.<name>`, `path.<name>`, `header.<name>`',
          }),
          message: Type.String(),
          operation: Type.Optional(
            Type.Integer({ description: 'In a batch: the index of the operation whose document is invalid, from 0' }),
          ),
        }),
        { description: 'The problems with the input' },
      ),
    ),
    bb_code: OptionalText('The code for older clients, if there is one'),
    rule: OptionalText('The check that the write does not satisfy: create, update or delete'),
    id: OptionalText('The document with the same value, if the caller may read it'),
    challenge: OptionalText('The data to complete a login with a second factor'),
    operation: Type.Optional(Type.Integer({ description: 'The index of the failed operation of a batch, from 0' })),
    since: OptionalText('The cursor of the change feed to continue from'),
    resource: Type.String({ description: 'The requested path' }),
    method: Type.String(),
    request_header: Type.Record(Type.String(), Type.Array(Type.String())),
    API_version: Type.String(),
    http_code: Type.Integer(),
    call_id: Type.Optional(Type.String()),
  },
  { title: 'Failure' },
);

/** Page for browsers. */
export const Html = { content: { 'text/html': { schema: Type.String() } } } as const;

/** File part of a form. */
export const FilePart = Type.Unsafe<string>({
  type: 'string',
  format: 'binary',
  description: 'The bytes, as an attachment with a file name',
});

export const Empty = Type.String({ maxLength: 0, description: 'Always empty' });
/** Client generators have no type for a union with null. */
export const NullableText = (description?: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...(description !== undefined && { description }) });
/** Not the format `date-time`: RFC 3339 requires a colon in the offset. */
export const DATE_PATTERN = String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$`;
export const Wire = {
  date: Type.String({ pattern: DATE_PATTERN, description: 'A date such as 2014-01-31T09:12:03.512+0000' }),
} as const;

/** One of these texts. */
export const OneOf = <const Values extends readonly string[]>(values: Values, description?: string) =>
  Type.Unsafe<Values[number]>(
    Type.Enum([...values], { type: 'string', ...(description !== undefined && { description }) }),
  );
export const OneOfOrNull = <const Values extends readonly string[]>(values: Values, description: string) =>
  Type.Unsafe<Values[number] | null>({ type: ['string', 'null'], enum: [...values, null], description });

/** Longer than any issued code, in characters. */
export const MAX_CODE_LENGTH = 64;

/** Longer than any issued token, in characters. */
const MAX_CLIENT_LENGTH = 512;

export const Client = Type.Optional(
  Type.String({
    maxLength: MAX_CLIENT_LENGTH,
    description: 'The `client` of an earlier login on this device, if there was one. Also as header `X-BB-CLIENT`',
  }),
);

/** Password, for calls that need a recent login. */
export const CurrentPassword = OptionalText('Your password; not needed within ten minutes of a login');

/** Schema of all failures. `config.fails` lists those of a route. */
export const failures = { '4xx': Failure, '5xx': Failure } as const;

/** For descriptions of lists. `reference/parameters.ts` names the omitted parameters. */
export const LIST_NOTE =
  'An array of whole objects. `fields` and `groupBy` turn them into rows of the named members, and `count=true` into an ' +
  'array with one number. Client generators cannot express these shapes, so they are not described here ' +
  'but in `docs/query-language.md`.';

/** Query parameters of every page, as `paging.ts` reads them. */
export const pagingQuery = {
  page: OptionalText('The number of the page, from 0'),
  recordsPerPage: OptionalText('Default 20 if `page` is given; at most `MAX_PAGE_SIZE`, 1,000 by default'),
  recordPerPage: OptionalText('Alias of recordsPerPage'),
  skip: Type.Optional(Type.String()),
  cursor: OptionalText('The `next` of an earlier response'),
} as const;

/** Query parameters of lists that count their rows. */
export const pageQuery = {
  ...pagingQuery,
  count: OptionalText('`true`: only the number of rows'),
  total: OptionalText('`true`: adds the number of rows on all pages as `total`'),
} as const;

const Params = Type.Optional(
  Type.Union([Type.String(), Type.Array(Type.String())], {
    description: 'The value of each `?`; repeat the parameter',
  }),
);

/** Query parameters of every list with criteria, as `criteria.ts` reads them: `docs/query-language.md`. */
export const criteriaQuery = {
  where: OptionalText('A condition'),
  params: Params,
  'params[]': Params,
  orderBy: OptionalText('Names to sort by, each with `asc` or `desc`'),
  fields: OptionalText('Members of the rows: names, methods or aggregates, with `as`'),
  groupBy: OptionalText('Names to group by'),
} as const;
