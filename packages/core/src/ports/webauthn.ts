/** A new credential as the client sends it (RegistrationResponseJSON). Binary members are base64url. */
export interface RegistrationResponse {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly attestationObject: string;
}

/** A signature with a credential as the client sends it (AuthenticationResponseJSON). Binary members are base64url. */
export interface AssertionResponse {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  /** The user to whom the authenticator says that the credential belongs. */
  readonly userHandle: string | null;
}

/** What has to be stored of a credential. */
export interface VerifiedCredential {
  readonly credential: string;
  /** The COSE key, base64url. */
  readonly publicKey: string;
  readonly counter: number;
}

/** What an assertion is compared with. */
export interface ExpectedAssertion {
  readonly challenge: string;
  readonly credential: string;
  readonly publicKey: string;
  readonly userHandle: string;
}

/** Why a response is not accepted; null where nothing more can be said. */
export interface RefusedResponse {
  readonly refused: string | null;
}

/** Verification of what authenticators answer (WebAuthn level 2), for one relying party. User verification is required. */
export interface WebAuthn {
  /** The id of the relying party: a host name. */
  readonly rpId: string;
  /** Accepted signature algorithms (COSE), the preferred first. */
  readonly algorithms: readonly number[];
  /** The challenge that a response answers, before anything is verified; null when the response has none. */
  challengeOf(clientDataJSON: string): string | null;
  /** Attestations are ignored: what a passkey is made of makes no difference. */
  verifyRegistration(response: RegistrationResponse, challenge: string): Promise<VerifiedCredential | RefusedResponse>;
  /** Does not compare the counter: the caller does that together with storing it. */
  verifyAssertion(
    response: AssertionResponse,
    expected: ExpectedAssertion,
  ): Promise<{ readonly counter: number } | RefusedResponse>;
}
