import { Type } from 'typebox';

export const Role = Type.Object({
  name: Type.String(),
  description: Type.String(),
  isrole: Type.Boolean({ const: true }),
  internal: Type.Boolean({ description: 'Whether the role is built in' }),
});

export const RoleBody = Type.Object({
  name: Type.Optional(Type.String({ description: 'The new name' })),
  description: Type.Optional(Type.String()),
});
