import { type TSchema, Type } from 'typebox';

/** An object of whose members nothing is known: passed on as it is. */
export const FreeObject = Type.Object({}, { additionalProperties: true });

export function Envelope<T extends TSchema>(data: T, status = 200) {
  return Type.Object({
    result: Type.Literal('ok'),
    data,
    http_code: Type.Integer({ const: status }),
    call_id: Type.Optional(Type.String({ description: 'What `call_id` was in the query' })),
  });
}

/** As `Envelope`, of a page of a list. */
export function Page<T extends TSchema>(data: T) {
  return Type.Object({
    ...Envelope(data).properties,
    more: Type.Optional(Type.Boolean({ description: 'Whether there is another page' })),
    next: Type.Optional(Type.String({ description: 'Where it begins: send it as `cursor`' })),
  });
}

export const Failure = Type.Object(
  {
    result: Type.Literal('error'),
    message: Type.String(),
    code: Type.String({ description: 'The name of the failure, stable from release to release' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({
            description: 'A JSON Pointer into the body, or `query.<name>`, `path.<name>`, `header.<name>`',
          }),
          message: Type.String(),
        }),
        { description: 'What was wrong with the input' },
      ),
    ),
    bb_code: Type.Optional(Type.String({ description: 'The code that older clients know, where there is one' })),
    operation: Type.Optional(Type.Integer({ description: 'Which operation of a batch it was, from 0' })),
    resource: Type.String({ description: 'The path that was asked for' }),
    method: Type.String(),
    request_header: Type.Record(Type.String(), Type.Array(Type.String())),
    API_version: Type.String(),
    http_code: Type.Integer(),
    call_id: Type.Optional(Type.String()),
  },
  { title: 'Failure' },
);

/** The part of a form that is a file. */
export const FilePart = Type.Unsafe<string>({
  type: 'string',
  format: 'binary',
  description: 'The bytes, with their name',
});

export const Empty = Type.String({ maxLength: 0, description: 'Always empty' });
export const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });
export const Wire = { date: Type.String({ description: 'As in 2014-01-31T09:12:03.512+0000' }) } as const;

/** How failures look. Which of them a route has, it says in `config.fails`. */
export const failures = { '4xx': Failure, '5xx': Failure } as const;

/** For the description of a list; `reference/parameters.ts` names what it leaves out. */
export const LIST_NOTE =
  'An array of whole objects. `fields` and `groupBy` make rows of the members that they name, and `count=true` an ' +
  'array with one number: answers of other shapes, for which no client can be generated. They are not described here ' +
  'but in `docs/query-language.md`.';

/** What every list takes of its query, as `paging.ts` reads it. */
export const pageQuery = {
  page: Type.Optional(Type.String({ description: 'From 0' })),
  recordsPerPage: Type.Optional(
    Type.String({ description: '20 with a page; at most what `MAX_PAGE_SIZE` says, 1,000 by default' }),
  ),
  recordPerPage: Type.Optional(Type.String({ description: 'Alias of recordsPerPage' })),
  skip: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.String({ description: 'What `next` was in an earlier answer' })),
  count: Type.Optional(Type.String({ description: '`true`: only their number' })),
} as const;

const Params = Type.Optional(
  Type.Union([Type.String(), Type.Array(Type.String())], { description: 'What each `?` stands for, repeated' }),
);

/** What every list with criteria takes of its query, as `criteria.ts` reads it: `docs/query-language.md`. */
export const criteriaQuery = {
  where: Type.Optional(Type.String({ description: 'A condition' })),
  params: Params,
  'params[]': Params,
  orderBy: Type.Optional(Type.String({ description: 'Names to sort by, each with `asc` or `desc`' })),
  fields: Type.Optional(Type.String({ description: 'What is wanted: names, methods or aggregates, with `as`' })),
  groupBy: Type.Optional(Type.String({ description: 'Names to group by' })),
} as const;
