import { Type } from 'typebox';
import { Client, NullableText, OneOf } from './common.ts';

/** Longer than any authenticator response, in characters. */
const MAX_LENGTH = 65_536;
/** Length of an id of 1,023 bytes, in characters. */
const MAX_ID_LENGTH = 1364;

const base64url = (maxLength: number, description: string) =>
  Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]*$', description });

const credentialId = base64url(MAX_ID_LENGTH, 'The id of the credential, base64url');
const clientDataJSON = base64url(MAX_LENGTH, 'The client data that the browser collected, base64url');
const type = OneOf(['public-key']);

/** The use case limits this further, by code points. */
const Name = Type.String({ maxLength: 512, description: 'Up to 128 characters, for the list of passkeys' });

export const PasskeyName = Type.Object({ name: Name });

export const RegistrationBody = Type.Object({
  name: Name,
  id: credentialId,
  rawId: Type.Optional(credentialId),
  type,
  response: Type.Object({
    clientDataJSON,
    attestationObject: base64url(MAX_LENGTH, 'The new key, base64url'),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  }),
});

export const PasskeyLoginBody = Type.Object({
  id: credentialId,
  rawId: Type.Optional(credentialId),
  type,
  response: Type.Object({
    clientDataJSON,
    authenticatorData: base64url(MAX_LENGTH, 'The data that the authenticator signed, base64url'),
    signature: base64url(MAX_LENGTH, 'The signature, base64url'),
    userHandle: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: MAX_ID_LENGTH,
        description: 'The user to whom the passkey belongs, base64url',
      }),
    ),
  }),
  client: Client,
  login_data: Type.Optional(Type.Unknown({ description: 'As in `POST /login`' })),
});

export const ShownPasskey = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    credential: Type.String({ description: 'The id of the credential, base64url' }),
    transports: Type.Array(Type.String()),
    created: Type.String(),
    lastUse: NullableText('The last login with it'),
  },
  { title: 'Passkey' },
);

const timeout = Type.Integer({ description: 'Milliseconds' });
const challenge = Type.String({ description: 'Base64url; works once, within five minutes' });
const Verification = OneOf(['required']);

export const CreationOptions = Type.Object(
  {
    challenge,
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(Type.Object({ type, alg: Type.Integer() })),
    timeout,
    excludeCredentials: Type.Array(Type.Object({ type, id: Type.String(), transports: Type.Array(Type.String()) })),
    authenticatorSelection: Type.Object({
      residentKey: Verification,
      requireResidentKey: Type.Boolean(),
      userVerification: Verification,
    }),
    attestation: OneOf(['none']),
  },
  { title: 'PasskeyCreationOptions', description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON`' },
);

export const RequestOptions = Type.Object(
  {
    challenge,
    timeout,
    rpId: Type.String(),
    allowCredentials: Type.Array(Type.Object({ type, id: Type.String() })),
    userVerification: Verification,
  },
  { title: 'PasskeyRequestOptions', description: 'For `PublicKeyCredential.parseRequestOptionsFromJSON`' },
);
