/** The proof of a person's identity that a client received from the network. */
export interface OAuthProof {
  /** An access token (RFC 6749), or an id_token (OpenID Connect Core 1.0) where the network gives those. */
  readonly token: string;
  /** The `nonce` that the client had the network put into the id_token; null when it sent none. */
  readonly nonce: string | null;
}

/** A person whose identity the network confirms. Texts are short, well-formed and without control characters. */
export interface OAuthPerson {
  /** 1 to 255 visible ASCII characters; this network never gives the id to another person. */
  readonly id: string;
  /** Null when there is none, or when the network says that the address is not verified. */
  readonly email: string | null;
  readonly name: string | null;
  /** An http or https URL. */
  readonly avatarUrl: string | null;
  /** Their page at the network, an http or https URL. */
  readonly pageUrl: string | null;
}

/** A social network, or another identity provider. */
export interface OAuthNetwork {
  /** Whether administrators have switched it on. @throws `storage.unavailable` */
  isEnabled(): Promise<boolean>;
  /**
   * Verifies a proof and resolves to the person whom it identifies. The proof must be issued to this app, by this
   * network, and must not have expired; if it carries a nonce, or `nonce` is given, the two must be equal. Settles
   * within 6 seconds and holds a bounded number of connections, however the network behaves. No error contains the token.
   *
   * @throws `social.refused` when the proof is not valid; `social.unavailable` when the network is not configured, cannot
   *   be reached, is too slow or sends an answer that cannot be understood, or when too many proofs are being verified
   */
  identify(proof: OAuthProof): Promise<OAuthPerson>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** The registered networks, by the name that they have in URLs and in `_social`. */
export type OAuthNetworks = Readonly<Record<string, OAuthNetwork>>;
