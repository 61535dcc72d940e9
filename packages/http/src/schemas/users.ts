import { FOLLOW_POLICIES } from '@baobab/core';
import { type TSchema, Type } from 'typebox';
import { Client, CurrentPassword, FreeObject, OneOf, OneOfOrNull, OptionalText, Wire } from './common.ts';
import { Code } from './factors.ts';

const sections = {
  visibleByTheUser: Type.Optional(FreeObject),
  visibleByFriend: Type.Optional(FreeObject),
  visibleByFriends: Type.Optional(FreeObject),
  visibleByRegisteredUsers: Type.Optional(FreeObject),
  visibleByAnonymousUsers: Type.Optional(FreeObject),
};

export const SignUpBody = Type.Object({
  username: Type.String(),
  password: Type.String(),
  client: Client,
  email: OptionalText('Used as `visibleByTheUser.email`, unless that is present too'),
  ...sections,
});

/** For the OpenAPI document only: the body may be absent. */
export const GUEST_BODY = { 'application/json': Type.Object({ client: Client }, { title: 'GuestSignUp' }) };

export const Credentials = Type.Object({ username: Type.String(), password: Type.String(), client: Client });

export const ErasureCancellation = Type.Object({ username: Type.String(), password: Type.String(), client: Client });

export const Erasure = Type.Object(
  { at: Wire.date },
  { title: 'Erasure', description: 'The time of removal of the account' },
);

const login = {
  username: Type.String(),
  password: Type.String(),
  appcode: OptionalText('The application code, if no header contains it'),
  code: Type.Optional(Code),
  client: Client,
};

export const LoginBody = Type.Object({ ...login, login_data: Type.Optional(Type.Unknown()) });

/** For the OpenAPI document only: invalid login data has its own error codes. */
const LoginDevice = Type.Object(
  {
    os: OneOf(['android', 'ios']),
    deviceId: Type.String({ description: 'The push token of the device. `pushToken` is an alias' }),
  },
  { title: 'LoginDevice', description: 'The device of a new session. It may also be sent as JSON text' },
);
/** `LoginDevice` as text in a form or a query. */
export const LoginDeviceText = Type.String({ description: 'JSON: `{"os":"ios"|"android","deviceId":"…"}`' });

/** Returns the body of a login, by media type. Without titles, client generators drop a second schema. */
export const loginBodies = <T extends Readonly<Record<string, TSchema>>>(title: string, members: T) => ({
  'application/json': Type.Object({ ...members, login_data: Type.Optional(LoginDevice) }, { title }),
  'application/x-www-form-urlencoded': Type.Object(
    { ...members, login_data: Type.Optional(LoginDeviceText) },
    { title: `${title}Form` },
  ),
});
export const LOGIN_BODIES = loginBodies('Login', login);

const Section = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description: 'Null if the caller may not see it',
});

const profile = {
  user: Type.Object({
    name: Type.String(),
    status: OneOf(['ACTIVE', 'SUSPENDED', 'ERASING']),
    roles: Type.Array(Type.Object({ name: Type.String() })),
  }),
  id: Type.String({ format: 'uuid' }),
  visibleByTheUser: Section,
  visibleByFriend: Section,
  visibleByFriends: Type.Optional(Section),
  visibleByRegisteredUsers: Section,
  visibleByAnonymousUsers: Section,
  signUpDate: Wire.date,
  generated_username: Type.Boolean(),
  email_verified: Type.Optional(
    Type.Boolean({
      description: 'True if `visibleByTheUser.email` is verified; absent for callers who may not see it',
    }),
  ),
  guest: Type.Optional(
    Type.Boolean({ description: 'True for guests, who cannot log in again; absent for callers who may not see it' }),
  ),
};

export const Profile = Type.Object(profile, { title: 'Profile' });
const client = OptionalText(
  'Returned by a login or sign-up. Send it with the next login, so that strangers cannot lock you out',
);
export const SignedIn = Type.Object(
  { ...profile, 'X-BB-SESSION': Type.String({ description: 'The session token' }), client },
  { title: 'SignedIn', description: 'Your profile, with the session token' },
);
export const SignedUp = Type.Object(
  {
    ...profile,
    'X-BB-SESSION': OptionalText(
      'The session token; absent if the setting `registration.verified.email` demands a verified address',
    ),
    client,
  },
  { title: 'SignedUp', description: 'Your profile, with the session token if there is one' },
);

export const PermanentUser = Type.Object(
  {
    ...profile,
    'X-BB-SESSION': OptionalText(
      'The token of a new session; absent if the session of the request has ended meanwhile',
    ),
    client,
  },
  { title: 'PermanentUser', description: 'Your profile, with the token of a new session' },
);

export const FollowRequested = Type.Object(
  { status: OneOf(['requested']) },
  { title: 'FollowRequested', description: 'The user has to accept the request' },
);

/** Null selects the setting `following.default`. */
export const FollowingPolicy = Type.Object(
  {
    followers: OneOfOrNull(FOLLOW_POLICIES, 'Users who can follow you; null: the setting `following.default` applies'),
  },
  { title: 'FollowingPolicy' },
);

export const ProfileChange = Type.Object({
  username: OptionalText('A new name, if the current one was generated'),
  current_password: CurrentPassword,
  ...sections,
});

export const PasswordChange = Type.Object({
  old: OptionalText('The current password. Required unless the user has none'),
  current_password: OptionalText('Alias of `old`'),
  new: Type.String(),
});
export const Rename = Type.Object({ username: Type.String(), current_password: CurrentPassword });

export const UserCreation = Type.Object({
  username: Type.String(),
  password: Type.String(),
  role: OptionalText('Default: registereduser'),
  current_password: CurrentPassword,
  ...sections,
});

export const UserAdminChange = Type.Object({
  username: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
  current_password: CurrentPassword,
  ...sections,
});
