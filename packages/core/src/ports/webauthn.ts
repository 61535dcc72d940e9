/** A new credential as sent by the client (RegistrationResponseJSON). Binary members are base64url. */
export interface RegistrationResponse {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly attestationObject: string;
}

/** A signature with a credential as sent by the client (AuthenticationResponseJSON). Binary members are base64url. */
export interface AssertionResponse {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  /** Owner of the credential according to the authenticator. */
  readonly userHandle: string | null;
}

/** Data of a credential to be stored. */
export interface VerifiedCredential {
  readonly credential: string;
  /** The COSE key, base64url. */
  readonly publicKey: string;
  readonly counter: number;
}

/** Expected values of an assertion. */
export interface ExpectedAssertion {
  readonly challenge: string;
  readonly credential: string;
  readonly publicKey: string;
  readonly userHandle: string;
}

/** Reason for rejecting a response; null if no details are available. */
export interface RefusedResponse {
  readonly refused: string | null;
}

/** Verifies authenticator responses (WebAuthn level 2) for one relying party. User verification is required. */
export interface WebAuthn {
  /** Id of the relying party: a host name. */
  readonly rpId: string;
  /** Accepted signature algorithms (COSE), the preferred one first. */
  readonly algorithms: readonly number[];
  /** Returns the challenge that a response answers, before anything is verified; null if the response has none. */
  challengeOf(clientDataJSON: string): string | null;
  /** Ignores attestations, because the make of an authenticator is irrelevant. */
  verifyRegistration(response: RegistrationResponse, challenge: string): Promise<VerifiedCredential | RefusedResponse>;
  /** Does not compare the counter: the caller does that while storing it. */
  verifyAssertion(
    response: AssertionResponse,
    expected: ExpectedAssertion,
  ): Promise<{ readonly counter: number } | RefusedResponse>;
}
