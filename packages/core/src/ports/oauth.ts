/** What a client shows to prove who a person is: what the network gave it. */
export interface OAuthProof {
  /** An access token (RFC 6749), or an id_token (OpenID Connect Core 1.0) where the network gives those. */
  readonly token: string;
  /** What the client had the network put into the id_token as `nonce`; null when it did not. */
  readonly nonce: string | null;
}

/** A person as the network vouches for them. Texts are bounded, well-formed and without control characters. */
export interface OAuthPerson {
  /** Of 1 to 255 visible ASCII characters; never given to anybody else by this network. */
  readonly id: string;
  /** Null when there is none, or when the network says that nobody has verified it. */
  readonly email: string | null;
  readonly name: string | null;
  /** An http or https URL. */
  readonly avatarUrl: string | null;
  /** Their page at the network, an http or https URL. */
  readonly pageUrl: string | null;
}

/** A social network, or another place where people can prove who they are. */
export interface OAuthNetwork {
  /** Whether administrators have switched it on. @throws `storage.unavailable` */
  isEnabled(): Promise<boolean>;
  /**
   * Tells whose proof this is. It was issued to this app, by this network, and has not expired; where it carries a
   * nonce, or one is given, both are the same. Settles within 6 seconds, and holds no more than a bounded number of
   * connections, however the network behaves. No error carries the token.
   *
   * @throws `social.refused` when the proof is not good; `social.unavailable` when the network is not set up, cannot be
   *   reached, is too slow, answers what cannot be understood, or when too many are being identified
   */
  identify(proof: OAuthProof): Promise<OAuthPerson>;
  /** Lets go of the connections. */
  close(): Promise<void>;
}

/** Those that are registered, by the name that they have in URLs and in `_social`. */
export type OAuthNetworks = Readonly<Record<string, OAuthNetwork>>;
