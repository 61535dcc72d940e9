import { Type } from 'typebox';

/** The password, for when the last login is too long ago. */
export const CurrentPassword = Type.Optional(
  Type.String({ description: 'Your password; not needed within ten minutes of a login' }),
);
