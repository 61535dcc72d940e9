import { Type } from 'typebox';
import { Client, MAX_CODE_LENGTH } from './common.ts';

/** Longer than any issued challenge, in characters. */
const MAX_CHALLENGE_LENGTH = 2048;
/** Longer than any name, in characters. */
const MAX_NAME_LENGTH = 512;

export const LoginCodeRequest = Type.Object({
  username: Type.Optional(Type.String({ maxLength: MAX_NAME_LENGTH, description: 'A name, or a verified address' })),
  email: Type.Optional(
    Type.String({ maxLength: MAX_NAME_LENGTH, description: 'A verified address, instead of `username`' }),
  ),
});

export const LoginCodeSent = Type.Object(
  { challenge: Type.String({ description: 'For `POST /login/code/confirm`, within 15 minutes' }) },
  { title: 'LoginCodeSent' },
);

export const LoginCodeAnswer = Type.Object({
  challenge: Type.String({ maxLength: MAX_CHALLENGE_LENGTH, description: 'The `challenge` of `POST /login/code`' }),
  code: Type.String({ maxLength: MAX_CODE_LENGTH, description: 'The six digits in the mail' }),
  client: Client,
  login_data: Type.Optional(Type.Unknown({ description: 'As in `POST /login`' })),
});
