/** Proof of identity that a client received from the network. */
export interface OAuthProof {
  /** An access token (RFC 6749), or an id_token (OpenID Connect Core 1.0) for networks that issue one. */
  readonly token: string;
  /** The `nonce` that the client requested for the id_token; null if it sent none. */
  readonly nonce: string | null;
}

/** A person whose identity the network confirms. Texts are short, well-formed and without control characters. */
export interface OAuthPerson {
  /** 1 to 255 visible ASCII characters. The network never reassigns an id to another person. */
  readonly id: string;
  /** Null if there is none, or if the network reports the address as not verified. */
  readonly email: string | null;
  readonly name: string | null;
  /** An http or https URL. */
  readonly avatarUrl: string | null;
  /** Profile page at the network, an http or https URL. */
  readonly pageUrl: string | null;
}

/** A social network or another identity provider. */
export interface OAuthNetwork {
  /** Returns true if administrators have enabled it. @throws `storage.unavailable` */
  isEnabled(): Promise<boolean>;
  /**
   * Verifies a proof and resolves to the person it identifies. The proof must be issued to this app, by this network,
   * and must not have expired. If it carries a nonce, or `nonce` is given, the two must be equal. Settles within 6
   * seconds and uses a bounded number of connections, regardless of the network's behaviour. Errors never contain the
   * token.
   *
   * @throws `social.refused` if the proof is not valid; `social.unavailable` if the network is not configured, cannot
   * be reached, is too slow or sends an invalid answer, or if too many proofs are being verified
   */
  identify(proof: OAuthProof): Promise<OAuthPerson>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** Registered networks, by their name in URLs and in `_social`. */
export type OAuthNetworks = Readonly<Record<string, OAuthNetwork>>;
