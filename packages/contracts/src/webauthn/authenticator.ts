import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const ORIGIN = 'http://localhost';
const RP_ID = 'localhost';

/** Errors to introduce into a response. */
export interface Tampering {
  readonly origin?: string;
  readonly rpId?: string;
  readonly isVerified?: boolean;
  readonly isPresent?: boolean;
  readonly challenge?: string;
  readonly type?: string;
  readonly counter?: number;
  readonly userHandle?: string | null;
  /** Origin of the embedding page; null in browsers that do not report it. */
  readonly topOrigin?: string | null;
  /** Attestation format. */
  readonly format?: string;
}

export interface AuthenticatorOptions {
  /** An Ed25519 or P-256 key; default: a new P-256 key. */
  readonly key?: KeyObject;
  readonly id?: Buffer;
  /** Initial signature count; null for an authenticator without a counter. */
  readonly counter?: number | null;
}

const COUNTER_BYTES = 4;
const PRESENT = 0x01;
const VERIFIED = 0x04;
const WITH_KEY = 0x40;
const AAGUID = Buffer.alloc(16);

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

/** Returns the public key as COSE (RFC 9053). */
function coseOf(key: KeyObject): Buffer {
  const { crv, x = '', y = '' } = key.export({ format: 'jwk' });
  const coordinate = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
  const entries: readonly (readonly [number, number | Uint8Array])[] =
    crv === 'Ed25519'
      ? [
          [1, 1],
          [3, -8],
          [-1, 6],
          [-2, coordinate(x)],
        ]
      : [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, coordinate(x)],
          [-3, coordinate(y)],
        ];
  return Buffer.from(isoCBOR.encode(new Map(entries)));
}

function clientDataOf(type: string, { challenge }: { readonly challenge: string }, tampering: Tampering): Buffer {
  const { origin = ORIGIN, topOrigin } = tampering;
  const crossOrigin = topOrigin !== undefined;
  return Buffer.from(
    JSON.stringify({
      type: tampering.type ?? type,
      challenge: tampering.challenge ?? challenge,
      origin,
      crossOrigin,
      ...(typeof topOrigin === 'string' && { topOrigin }),
    }),
  );
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

/** Creates a software authenticator with one credential, its id and a signature counter. */
export function createAuthenticator({ key, id = randomBytes(16), counter = 0 }: AuthenticatorOptions = {}) {
  const privateKey = key ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const credential = id.toString('base64url');
  let signed = counter;
  let userHandle: string | null = null;

  function authenticatorData(tampering: Tampering, attached: readonly Buffer[] = []): Buffer {
    const { rpId = RP_ID, isVerified = true, isPresent = true } = tampering;
    if (signed !== null) signed++;
    const count = Buffer.alloc(COUNTER_BYTES);
    count.writeUInt32BE(tampering.counter ?? signed ?? 0);
    const flags = (isPresent ? PRESENT : 0) | (isVerified ? VERIFIED : 0) | (attached.length > 0 ? WITH_KEY : 0);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, ...attached]);
  }

  return {
    credential,
    /** Returns the response to the options of a registration (RegistrationResponseJSON). */
    create(options: { readonly challenge: string; readonly user: { readonly id: string } }, tampering: Tampering = {}) {
      userHandle = options.user.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const data = authenticatorData(tampering, [AAGUID, length, id, coseOf(privateKey)]);
      const attestation = new Map<string, string | Uint8Array | Map<string, string>>([
        ['fmt', tampering.format ?? 'none'],
        ['attStmt', new Map<string, string>()],
        ['authData', new Uint8Array(data)],
      ]);
      return {
        id: credential,
        rawId: credential,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientDataOf('webauthn.create', options, tampering).toString('base64url'),
          attestationObject: Buffer.from(isoCBOR.encode(attestation)).toString('base64url'),
          transports: ['internal', 'hybrid'],
        },
      };
    },
    /** Returns the response to the options of a login (AuthenticationResponseJSON). */
    get(options: { readonly challenge: string }, tampering: Tampering = {}) {
      const clientData = clientDataOf('webauthn.get', options, tampering);
      const data = authenticatorData(tampering);
      const algorithm = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
      return {
        id: credential,
        rawId: credential,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign(algorithm, Buffer.concat([data, sha256(clientData)]), privateKey).toString('base64url'),
          userHandle: tampering.userHandle === undefined ? userHandle : tampering.userHandle,
        },
      };
    },
  };
}
