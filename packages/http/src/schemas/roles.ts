import { Type } from 'typebox';
import { OptionalText } from './common.ts';

export const Role = Type.Object({
  name: Type.String(),
  description: Type.String(),
  isrole: Type.Boolean({ const: true }),
  internal: Type.Boolean({ description: 'True if the role is built in' }),
});

export const RoleBody = Type.Object({
  name: OptionalText('The new name'),
  description: Type.Optional(Type.String()),
});
