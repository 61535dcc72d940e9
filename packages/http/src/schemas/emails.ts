import { Type } from 'typebox';
import { Client, CurrentPassword, MAX_CODE_LENGTH, OptionalText } from './common.ts';

export const EmailBody = Type.Object({
  email: Type.String({ description: 'The address that the code and the link are sent to' }),
  current_password: CurrentPassword,
});

const code = Type.String({ maxLength: MAX_CODE_LENGTH, description: 'The six digits in the mail' });

export const EmailCodeBody = Type.Object({ code });
export const SignUpCodeBody = Type.Object({ code, client: Client });
export const SignUpResendBody = Type.Object({
  password: Type.String({ description: 'The password of the account' }),
  email: OptionalText('Another address, if the one of the sign-up was wrong'),
  client: Client,
});
