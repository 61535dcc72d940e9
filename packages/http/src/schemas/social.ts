import { Type } from 'typebox';
import { Client, CurrentPassword, NullableText, OptionalText } from './common.ts';
import { LoginDeviceText, loginBodies } from './users.ts';

/** Proof as query parameters. A form or JSON body may contain the same. */
export const ProofQuery = Type.Object({
  oauth_token: OptionalText('An access token or id_token of the network'),
  oauth_secret: OptionalText('The secret of OAuth 1; otherwise the token again'),
  nonce: OptionalText('The nonce in the id_token, if there is one'),
});

export const LoginProofQuery = Type.Object({
  ...ProofQuery.properties,
  client: Client,
  login_data: Type.Optional(LoginDeviceText),
});
/** For the OpenAPI document only. */
const LinkBody = Type.Object({ ...ProofQuery.properties, current_password: CurrentPassword });
/** For the OpenAPI document only. */
export const LINK_BODIES = { 'application/json': LinkBody, 'application/x-www-form-urlencoded': LinkBody };
export const LOGIN_PROOF_BODIES = loginBodies('SocialLogin', { ...ProofQuery.properties, client: Client });

export const Connection = Type.Object({
  username: Type.String(),
  password: Type.Unsafe<null>({ type: ['string', 'null'], maxLength: 0, description: 'Always null' }),
  from: Type.String({ description: 'The network' }),
  token: Type.String({ description: 'The last oauth_token that was sent' }),
  secret: Type.String({ description: 'The last oauth_secret that was sent' }),
  id: Type.String({ description: 'The id of the person at the network' }),
  additionalData: Type.Object({
    email: NullableText(),
    name: NullableText(),
    avatarUrl: NullableText(),
    personal_url: NullableText(),
  }),
});
