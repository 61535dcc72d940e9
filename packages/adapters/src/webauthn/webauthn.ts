import type { AssertionResponse, RefusedResponse, RegistrationResponse, WebAuthn } from '@baobab/core';

export interface WebAuthnOptions {
  /** URL at which browsers reach the server: its host is the relying party. */
  readonly publicUrl: string;
  /** Origins of pages and apps whose passkeys are accepted; that of `publicUrl` by default. */
  readonly origins?: readonly string[];
  /** Origins of the pages that may embed those pages in frames; none by default. */
  readonly topOrigins?: readonly string[];
}

/** EdDSA, ES256 and RS256: algorithms that authenticators support (COSE). */
const ALGORITHMS = [-8, -7, -257];
/** Maximum length of a credential id in bytes (WebAuthn, section 4). */
const MAX_CREDENTIAL_BYTES = 1023;
/** Larger than an RSA key of 8,192 bits. */
const MAX_KEY_BYTES = 2048;

/** Loaded with the first passkey, because the library takes longer to load than the rest of the program. */
async function load() {
  const [server, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  return { ...server, ...helpers };
}

interface ClientData {
  readonly challenge: string;
  readonly origin: string;
  /** True if the page was in a frame below a page of another origin. */
  readonly isEmbedded: boolean;
  /** Origin of that page; null if the browser does not report it. */
  readonly topOrigin: unknown;
}

function clientDataOf(clientDataJSON: string): ClientData | null {
  try {
    const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    const { challenge, origin, crossOrigin = false, topOrigin = null } = data;
    if (typeof challenge !== 'string' || typeof origin !== 'string') return null;
    return { challenge, origin, isEmbedded: crossOrigin !== false || topOrigin !== null, topOrigin };
  } catch {
    return null;
  }
}

/** Reasons for the library's messages. Others are not shown, because their content is arbitrary. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/RP ID/, 'it was made for another host'],
  [/user verification/i, 'the authenticator did not verify the user'],
  [/user (was )?not present|user presence/i, 'nobody was present'],
  [/public key alg/, 'its algorithm is not among those of the options'],
];

function refusal(error: unknown): RefusedResponse {
  const message = error instanceof Error ? error.message : '';
  return { refused: REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? null };
}

/** Verifies passkeys with SimpleWebAuthn. */
export function createWebAuthn({ publicUrl, origins, topOrigins = [] }: WebAuthnOptions): WebAuthn {
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : null;
  const rpId = url?.hostname ?? '';
  const accepted = origins ?? (url === null ? [] : [url.origin]);

  /**
   * True if the page may be embedded. The library checks the embedding page of logins only. Safari does not report its
   * origin.
   */
  const mayEmbed = (topOrigin: unknown) =>
    topOrigins.length > 0 && [null, ...topOrigins].some((one) => one === topOrigin);

  function refusedOrigin(clientDataJSON: string): RefusedResponse | null {
    const data = clientDataOf(clientDataJSON);
    if (data === null || !accepted.includes(data.origin)) {
      return { refused: `the origin must be ${accepted.join(' or ')}` };
    }
    if (!data.isEmbedded || mayEmbed(data.topOrigin)) return null;
    return { refused: 'it was made in a frame of a page of another origin, which WEBAUTHN_TOP_ORIGINS does not allow' };
  }

  async function verifyRegistration(
    { id, clientDataJSON, attestationObject }: RegistrationResponse,
    challenge: string,
  ) {
    const library = await load();
    const { isoBase64URL, isoCBOR, decodeAttestationObject } = library;
    // Drops the attestation statement: we request none, but some clients send one anyway. Verifying it would parse
    // certificates.
    const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData');
    const withoutStatement = isoCBOR.encode(
      new Map<string, string | Uint8Array | Map<string, string>>([
        ['fmt', 'none'],
        ['attStmt', new Map<string, string>()],
        ['authData', authData],
      ]),
    );
    const { verified, registrationInfo } = await library.verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject: isoBase64URL.fromBuffer(withoutStatement) },
      },
      expectedChallenge: challenge,
      expectedOrigin: [...accepted],
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return { refused: null };
    const { credential } = registrationInfo;
    const [idBytes, keyBytes] = [isoBase64URL.toBuffer(credential.id).length, credential.publicKey.length];
    if (idBytes > MAX_CREDENTIAL_BYTES || keyBytes > MAX_KEY_BYTES) return { refused: 'its key or id is too long' };
    const publicKey = isoBase64URL.fromBuffer(credential.publicKey);
    return { credential: credential.id, publicKey, counter: credential.counter };
  }

  return {
    rpId,
    algorithms: ALGORITHMS,
    challengeOf: (clientDataJSON) => clientDataOf(clientDataJSON)?.challenge ?? null,
    async verifyRegistration(response, challenge) {
      const refused = refusedOrigin(response.clientDataJSON);
      if (refused !== null) return refused;
      await load();
      return verifyRegistration(response, challenge).catch(refusal);
    },
    async verifyAssertion(response: AssertionResponse, { challenge, credential, publicKey, userHandle }) {
      const refused = refusedOrigin(response.clientDataJSON);
      if (refused !== null) return refused;
      if (response.userHandle !== userHandle)
        return { refused: 'the userHandle is not that of the user of this passkey' };
      const { isoBase64URL, verifyAuthenticationResponse } = await load();
      const { id, clientDataJSON, authenticatorData, signature } = response;
      try {
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response: {
            id,
            rawId: id,
            type: 'public-key',
            clientExtensionResults: {},
            response: { clientDataJSON, authenticatorData, signature, userHandle },
          },
          expectedChallenge: challenge,
          expectedOrigin: [...accepted],
          expectedTopOrigin: [...topOrigins],
          expectedRPID: rpId,
          requireUserVerification: true,
          // 0, because the library would compare the counters before it verifies the signature.
          credential: { id: credential, publicKey: isoBase64URL.toBuffer(publicKey), counter: 0 },
        });
        return verified ? { counter: authenticationInfo.newCounter } : { refused: null };
      } catch (error) {
        return refusal(error);
      }
    },
  };
}
