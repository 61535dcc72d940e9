import { Type } from 'typebox';
import { criteriaQuery, pageQuery, Wire } from './common.ts';

/** Checked by hand: what is stored has to keep its text. */
export const AnyJson = Type.Unknown({ description: 'Any JSON; what is no object becomes `{"value": …}`' });
/** For the descriptions only, like `Grants`. */
export const FieldBody = Type.Object({
  data: Type.Unknown({ description: 'The new value, any JSON' }),
  '@version': Type.Optional(Type.Integer({ description: 'If the document has to be in this version' })),
});

const names = Type.Optional(Type.Array(Type.String()));
const Grantees = Type.Optional(Type.Object({ users: names, roles: names }, { title: 'Grantees' }));
export const Grants = Type.Object(
  { read: Grantees, update: Grantees, delete: Grantees, all: Grantees },
  { title: 'Grants', additionalProperties: false, description: 'Who is to have which right; what is absent, nobody' },
);

export const CollectionParams = Type.Object({ collection: Type.String() });
export const DocumentParams = Type.Object({ collection: Type.String(), id: Type.String() });
export const FieldParams = Type.Object({
  collection: Type.String(),
  id: Type.String(),
  '*': Type.String({ description: 'The path of the field, as in `.author/.roles[3]`; to append, `.roles[]`' }),
});
export const FieldValue = Type.Object({ result: Type.Unknown({ description: 'The value of the field' }) });
export const UserGrantParams = Type.Object({
  collection: Type.String(),
  id: Type.String(),
  action: Type.String(),
  username: Type.String(),
});
export const RoleGrantParams = Type.Object({
  collection: Type.String(),
  id: Type.String(),
  action: Type.String(),
  rolename: Type.String(),
});

export const DocumentQuery = Type.Object({
  withAcl: Type.Optional(Type.String({ description: '`true`: with what was granted, for those who may grant' })),
});

export const CriteriaQuery = Type.Object(criteriaQuery);
export const ListQuery = Type.Object({ ...pageQuery, ...criteriaQuery });

export const Document = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    '@ID': Type.String(),
    '@rid': Type.String(),
    '@version': Type.Integer(),
    '@class': Type.String({ description: 'Name of the collection' }),
    _creation_date: Wire.date,
    _update_date: Wire.date,
    _author: Type.String(),
  },
  { additionalProperties: true, title: 'Document', description: 'The content, and what the service knows of it' },
);

export const Count = Type.Object({ count: Type.Integer() });
export const Collection = Type.Object(
  { name: Type.String(), records: Type.Integer(), size: Type.Integer({ description: 'Bytes of content' }) },
  { title: 'Collection' },
);
