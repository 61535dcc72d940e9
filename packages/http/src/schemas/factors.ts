import { type TSchema, Type } from 'typebox';
import { Client, CurrentPassword, MAX_CODE_LENGTH, NullableText } from './common.ts';

export const Code = Type.String({
  maxLength: MAX_CODE_LENGTH,
  description: 'The current six digits of the authenticator app',
});

const proof = {
  code: Type.Optional(Code),
  recovery_code: Type.Optional(
    Type.String({ maxLength: MAX_CODE_LENGTH, description: 'A recovery code, instead of `code`' }),
  ),
};

export const CodeBody = Type.Object({ code: Code });
/** For the OpenAPI document only: the body may be absent. */
const optionally = (body: TSchema) => ({ body: { 'application/json': body }, bodyIsOptional: true });
export const PRESENCE = optionally(Type.Object({ current_password: CurrentPassword }));
export const REMOVAL = optionally(Type.Object({ ...proof, current_password: CurrentPassword }));
export const ChallengeBody = Type.Object({
  client: Client,
  challenge: Type.String({ maxLength: MAX_CODE_LENGTH, description: 'The `challenge` in the response to the login' }),
  ...proof,
});

export const TotpState = Type.Object(
  {
    enabled: Type.Boolean(),
    since: NullableText('The time of activation'),
    recovery_codes: Type.Integer({ description: 'The number of unused recovery codes' }),
    passkeys: Type.Integer({ description: 'The number of passkeys, which log in without a code' }),
  },
  { title: 'TotpState' },
);

export const NewTotp = Type.Object(
  {
    secret: Type.String({ description: 'Base32, for typing' }),
    uri: Type.String({ description: 'An `otpauth:` URI, for a QR code' }),
  },
  { title: 'NewTotp', description: 'Shown only once' },
);

export const RecoveryCodes = Type.Object(
  { recovery_codes: Type.Array(Type.String()) },
  { title: 'RecoveryCodes', description: 'Each replaces a code of the app once. Only this response shows them' },
);
