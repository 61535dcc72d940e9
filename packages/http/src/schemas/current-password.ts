import { OptionalText } from './common.ts';

/** The password, for when the last login is too long ago. */
export const CurrentPassword = OptionalText('Your password; not needed within ten minutes of a login');
