import { Type } from 'typebox';
import { CurrentPassword } from './current-password.ts';

/** Longer than any code that we issue. Characters. */
const MAX_CODE_LENGTH = 64;

export const EmailBody = Type.Object({
  email: Type.String({ description: 'The address that the code and the link are sent to' }),
  current_password: CurrentPassword,
});

export const EmailCodeBody = Type.Object({
  code: Type.String({ maxLength: MAX_CODE_LENGTH, description: 'The six digits in the mail' }),
});
