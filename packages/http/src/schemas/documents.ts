import { type TSchema, Type } from 'typebox';
import { criteriaQuery, NullableText, OptionalText, pageQuery, Wire } from './common.ts';

/** Validated by hand, because stored content must retain its text. */
export const AnyJson = Type.Unknown({ description: 'Any JSON; anything but an object becomes `{"value": …}`' });
/** For the OpenAPI document only, like `Grants`. */
export const FieldBody = Type.Object({
  data: Type.Unknown({ description: 'The new value, any JSON' }),
  '@version': Type.Optional(Type.Integer({ description: 'Only change the document if it has this version' })),
});

export const FieldRemoval = Type.Object({
  '@version': Type.Optional(Type.Integer({ description: 'Only change the document if it has this version' })),
});
export const FieldRemovalQuery = Type.Object({
  version: OptionalText('The same as `@version` in the body, for clients that cannot send one with DELETE'),
});

export const RemovalQuery = Type.Object({
  version: OptionalText('Only remove the document if it has this version'),
});

const byPath = (value: TSchema, description: string) =>
  Type.Optional(Type.Object({}, { additionalProperties: value, description }));
const numbers = (description: string) => byPath(Type.Number(), description);
const lists = (description: string) => byPath(Type.Array(Type.Unknown()), description);

export const Patch = Type.Object(
  {
    set: byPath(Type.Unknown(), 'New values, any JSON, by the paths of their fields, such as `author.roles[3]`'),
    remove: Type.Optional(Type.Array(Type.String(), { description: 'Paths of fields to remove' })),
    increment: numbers('Numbers to add to the fields; a missing field gets the number'),
    min: numbers('Numbers that replace larger ones; a missing field gets the number'),
    max: numbers('Numbers that replace smaller ones; a missing field gets the number'),
    append: lists('Elements to add at the end of arrays; a missing array is created'),
    addToSet: lists('As `append`, without elements that the array already contains'),
    removeFrom: lists('Elements to remove from arrays, wherever they occur'),
    '@version': Type.Optional(Type.Integer({ description: 'Only change the document if it has this version' })),
  },
  { additionalProperties: false, title: 'Patch', description: 'Operators take effect in the order listed here' },
);

export const MergePatch = Type.Object(
  { '@version': Type.Optional(Type.Integer({ description: 'Only change the document if it has this version' })) },
  { additionalProperties: true, title: 'MergePatch', description: 'RFC 7396: members to set; null removes a member' },
);

const names = Type.Optional(Type.Array(Type.String()));
const Grantees = Type.Optional(Type.Object({ users: names, roles: names, groups: names }, { title: 'Grantees' }));
export const Grants = Type.Object(
  { read: Grantees, update: Grantees, delete: Grantees, all: Grantees },
  {
    title: 'Grants',
    additionalProperties: false,
    description: 'The grantees of each right: users, roles and groups (by id). An absent right has no grantees',
  },
);

export const FieldParams = Type.Object({
  collection: Type.String(),
  id: Type.String(),
  '*': Type.String({ description: 'The path of the field, such as `.author/.roles[3]`; `.roles[]` appends' }),
});
export const FieldValue = Type.Object({ result: Type.Unknown({ description: 'The value of the field' }) });

const expandQuery = {
  expand: OptionalText(
    'Paths of fields that contain ids of documents, `_author` or `_updated_by`. `_expanded` contains the referenced objects',
  ),
} as const;

export const DocumentQuery = Type.Object({
  ...expandQuery,
  withAcl: OptionalText('`true`: includes the grants, for callers that may change them'),
});

export const CreationQuery = Type.Object({
  id: OptionalText('A UUID for the document, chosen by the client'),
});

const searchQuery = {
  search: OptionalText('Words to find in the searched fields: `milk bread* -butter "exact phrase"`'),
} as const;

export const CountQuery = Type.Object({ ...criteriaQuery, ...searchQuery });
export const ListQuery = Type.Object({ ...pageQuery, ...criteriaQuery, ...searchQuery, ...expandQuery });

const outline = {
  id: Type.String({ format: 'uuid' }),
  '@ID': Type.String(),
  '@rid': Type.String(),
  '@version': Type.Integer(),
  '@class': Type.String({ description: 'The name of the collection' }),
  _creation_date: Wire.date,
  _update_date: Wire.date,
} as const;

const Author = NullableText('Null if the account is deleted');
const UpdatedBy = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'Name of the user who wrote the current version; null if the account no longer exists',
});

export const WrittenDocument = Type.Object(
  { ...outline, _author: Type.Optional(Author), _updated_by: Type.Optional(UpdatedBy) },
  {
    additionalProperties: true,
    title: 'WrittenDocument',
    description:
      'The whole document. Without `_author`, `_updated_by` and content for callers who may update but not read it',
  },
);

export const Document = Type.Object(
  {
    ...outline,
    _author: Author,
    _updated_by: UpdatedBy,
    _score: Type.Optional(
      Type.Integer({
        description: 'In results of a search: the number of hits in each field, multiplied by the weight of the field',
      }),
    ),
    _expanded: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'The objects that the fields of `expand` refer to, by path' },
      ),
    ),
  },
  { additionalProperties: true, title: 'Document', description: 'The content, and the fields that the server sets' },
);

export const Count = Type.Object({ count: Type.Integer() });
const BYTES = 'Bytes of content; estimated from the newest 1,000 documents if there are more';

export const Collection = Type.Object(
  { name: Type.String(), records: Type.Integer(), size: Type.Integer({ description: BYTES }) },
  { title: 'Collection' },
);
