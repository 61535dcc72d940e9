/** A link between a user and a person at a social network. */
export interface SocialLink {
  readonly network: string;
  /** The network's id of the person. A person is linked to at most one user. */
  readonly personId: string;
  /** A user is linked to at most one person of each network. */
  readonly userId: string;
  /** Tokens last sent by the client, and the earlier uses of tokens, encrypted. */
  readonly sealed: string;
  /** The network's information about the person, as JSON text. */
  readonly details: string;
}

export interface SocialLinkStore {
  find(network: string, personId: string): Promise<SocialLink | null>;
  /** Returns the links of a user, ordered by network. */
  list(userId: string): Promise<SocialLink[]>;
  /**
   * Links the person to the user, or updates their link. A link of the user to another person of that network is
   * replaced. Resolves to false, without changes, if the person is linked to another user. Of concurrent calls with one
   * person exactly one user gets the link.
   *
   * @throws `user.not_found`
   */
  put(link: SocialLink): Promise<boolean>;
  /** Resolves to false if the user has no link to that network. */
  remove(userId: string, network: string): Promise<boolean>;
}
