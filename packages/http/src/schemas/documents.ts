import { Type } from 'typebox';
import { criteriaQuery, FreeObject, pageQuery, Wire } from './common.ts';

/** Checked by hand: what is stored has to keep its text. */
export const AnyJson = Type.Unknown({ description: 'Any JSON; what is no object becomes `{"value": …}`' });
export const FieldBody = Type.Unknown({
  description: '`{"data": …}`, any JSON, with `@version` if it has to be the present one',
});
export const Grants = Type.Unknown({
  description: '`{"read":{"users":[…],"roles":[…]},"update":…,"delete":…,"all":…}`; what is absent is given to nobody',
});

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
  action: Type.String({ description: 'read, update, delete or all' }),
  username: Type.String(),
});
export const RoleGrantParams = Type.Object({
  collection: Type.String(),
  id: Type.String(),
  action: Type.String({ description: 'read, update, delete or all' }),
  rolename: Type.String(),
});

const withAcl = Type.Optional(
  Type.String({ description: '`true`: with what was granted, for those who may grant; only of one document' }),
);
export const DocumentQuery = Type.Object({ withAcl });

export const CriteriaQuery = Type.Object(criteriaQuery);
/** The members that `fields` asked for. */
export const Rows = Type.Array(FreeObject);

export const ListQuery = Type.Object({
  ...pageQuery,
  ...criteriaQuery,
  withAcl,
});

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
export const CountList = Type.Array(Count);
export const Collection = Type.Object(
  { name: Type.String(), records: Type.Integer(), size: Type.Integer({ description: 'Bytes of content' }) },
  { title: 'Collection' },
);
