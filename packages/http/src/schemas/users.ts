import { type TSchema, Type } from 'typebox';
import { Wire } from './common.ts';
import { sections } from './people.ts';

export const SignUpBody = Type.Object({ username: Type.String(), password: Type.String(), ...sections });

const login = {
  username: Type.String(),
  password: Type.String(),
  appcode: Type.Optional(Type.String({ description: 'The application code, when no header has it' })),
};

export const LoginBody = Type.Object({ ...login, login_data: Type.Optional(Type.Unknown()) });

/** For the description only: what is wrong with it is told by codes of its own. */
const LoginDevice = Type.Object(
  {
    os: Type.Enum(['android', 'ios'], { type: 'string' }),
    deviceId: Type.String({ description: 'Where notifications go. `pushToken` is the same' }),
  },
  { title: 'LoginDevice', description: 'The device on which a session begins. A JSON text that holds it is taken too' },
);
/** The same in a form or a query. */
export const LoginDeviceText = Type.String({ description: 'JSON: `{"os":"ios"|"android","deviceId":"…"}`' });

/** The body that begins a session, by media type. Generators lose a second schema without a title. */
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
  description: 'null: the caller may not see it',
});

const profile = {
  user: Type.Object({
    name: Type.String(),
    status: Type.Enum(['ACTIVE', 'SUSPENDED'], { type: 'string' }),
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
};

export const Profile = Type.Object(profile, { title: 'Profile' });
export const SignedIn = Type.Object(
  { ...profile, 'X-BB-SESSION': Type.String({ description: 'The session token' }) },
  { title: 'SignedIn', description: 'The own profile, with the token of the session' },
);
