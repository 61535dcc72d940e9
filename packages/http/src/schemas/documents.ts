import { type TSchema, Type } from 'typebox';
import { criteriaQuery, OptionalText, pageQuery, Wire } from './common.ts';

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
    increment: numbers('Numbers to add to those in the fields; a missing field gets the number'),
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
    description: 'The users, roles and groups (by id) that get each right; nobody gets an absent right',
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
    'Paths of fields that contain ids of documents, and `_author`: what they refer to is in `_expanded`',
  ),
} as const;

export const DocumentQuery = Type.Object({
  ...expandQuery,
  withAcl: OptionalText('`true`: includes the grants, for callers that may change them'),
});

export const CriteriaQuery = Type.Object(criteriaQuery);
export const ListQuery = Type.Object({ ...pageQuery, ...criteriaQuery, ...expandQuery });

const outline = {
  id: Type.String({ format: 'uuid' }),
  '@ID': Type.String(),
  '@rid': Type.String(),
  '@version': Type.Integer(),
  '@class': Type.String({ description: 'The name of the collection' }),
  _creation_date: Wire.date,
  _update_date: Wire.date,
} as const;

export const WrittenDocument = Type.Object(
  { ...outline, _author: Type.Optional(Type.String()) },
  {
    additionalProperties: true,
    title: 'WrittenDocument',
    description: 'The whole document. Without `_author` and content for callers who may update but not read it',
  },
);

export const Document = Type.Object(
  {
    ...outline,
    _author: Type.String(),
    _expanded: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'What the fields of `expand` refer to, by their paths' },
      ),
    ),
  },
  { additionalProperties: true, title: 'Document', description: 'The content, and the fields that the service owns' },
);

export const Count = Type.Object({ count: Type.Integer() });
export const Collection = Type.Object(
  { name: Type.String(), records: Type.Integer(), size: Type.Integer({ description: 'Bytes of content' }) },
  { title: 'Collection' },
);
