import { Type } from 'typebox';
import { criteriaQuery, FreeObject, NullableText, pageQuery } from './common.ts';

export const sections = {
  visibleByTheUser: Type.Optional(FreeObject),
  visibleByFriend: Type.Optional(FreeObject),
  visibleByFriends: Type.Optional(FreeObject),
  visibleByRegisteredUsers: Type.Optional(FreeObject),
  visibleByAnonymousUsers: Type.Optional(FreeObject),
};

export const UsernameParams = Type.Object({ username: Type.String() });

export const ProfileChange = Type.Object({
  username: Type.Optional(Type.String({ description: 'A new name, if the current one was generated' })),
  ...sections,
});

export const PasswordChange = Type.Object({ old: Type.String(), new: Type.String() });
export const Rename = Type.Object({ username: Type.String() });

export const UserCreation = Type.Object({
  username: Type.String(),
  password: Type.String(),
  role: Type.Optional(Type.String({ description: 'Default: registereduser' })),
  ...sections,
});

export const UserAdminChange = Type.Object({
  username: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
  ...sections,
});

export const UserQuery = Type.Object({ ...pageQuery, ...criteriaQuery });

export const ShownSession = Type.Object({
  id: Type.String(),
  device: Type.Unsafe<{ id: string; os: string | null } | null>({
    ...Type.Object({ id: Type.String(), os: NullableText }),
    type: ['object', 'null'],
  }),
  created: Type.String(),
  lastUse: Type.String({ description: 'Approximate' }),
  current: Type.Boolean(),
});

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

export const Setting = Type.Object({
  key: Type.String(),
  value: Type.String({ description: '`***` for a secret that is set' }),
  description: Type.String(),
  type: Type.String(),
});

/** For the OpenAPI document only: a number or a boolean is converted to text. */
export const SettingText = Type.Object({ value: Type.String({ description: 'The new value as text' }) });
export const SettingBody = Type.Object({ value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]) });
