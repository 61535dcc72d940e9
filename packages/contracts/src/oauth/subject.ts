import type { Clock, OAuthNetwork, OAuthPerson } from '@baobab/core';
import type { StandIn } from './stand-in.ts';
import type { Claims, IssuerKey } from './tokens.ts';

/** A token that a network is to give out. */
export interface IssuedToken {
  /** Whom it stands for; what is absent the network does not know. */
  readonly person: Partial<OAuthPerson> & Pick<OAuthPerson, 'id'>;
  /** To which app. */
  readonly clientId: string;
  /** Milliseconds; when absent, it is good for longer than a test takes. */
  readonly expires?: number;
  readonly nonce?: string;
}

/** An adapter, new, and a network of the test's own behind it. */
export interface OpenedOAuth {
  /** Set up as it should be. */
  readonly network: OAuthNetwork;
  /** The client ids that the app is set up with. */
  readonly clientIds: readonly string[];
  /** Has the network give out a token of one of the kinds that the subject names. */
  issue(kind: string, token: IssuedToken): Promise<string>;
  /** Closes the adapter, and is rid of the network. */
  close(): Promise<void>;
}

/** A network under `oauthContract`. */
export interface OAuthSubject {
  /** The kinds of tokens that it gives out, and whether they carry a nonce. */
  readonly kinds: Readonly<Record<string, { readonly hasNonce: boolean }>>;
  /** Opens it with this clock for the adapter and for the network: the suite moves it. */
  open(clock: Clock): Promise<OpenedOAuth>;
}

/** An adapter that asks a server, which is a stand-in made by `startStandIn`. */
export interface OpenedRemoteOAuth extends OpenedOAuth {
  readonly standIn: StandIn;
}

/** What the suite asks for when it opens an adapter; as in production where it is absent. */
export interface RemoteOAuthOptions {
  /** How long it may take to identify somebody, milliseconds. */
  readonly timeLimit?: number;
  /** How many may be identified at once: more are refused at once. */
  readonly concurrency?: number;
}

/** A network under `oauthNetworkContract`. */
export interface RemoteOAuthSubject {
  /** What is asked of the server for each kind of tokens. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
  open(clock: Clock, options: RemoteOAuthOptions): Promise<OpenedRemoteOAuth>;
}

/** Who signs id_tokens. */
export interface IdTokenSigner {
  /** Its keys, as its server shows them; the first one signs. The suite changes the list. */
  keys: IssuerKey[];
  /** What it calls itself in its tokens. */
  readonly issuer: string;
  /** The claims of a good id_token. */
  claims(token: IssuedToken): Claims;
}

export interface OpenedIdTokens extends OpenedRemoteOAuth {
  readonly signer: IdTokenSigner;
}

/** The client ids that the app has under `idTokenContract`. */
export const CLIENT_IDS: readonly string[] = ['web.example', 'ios.example'];

/** A network under `idTokenContract`. */
export interface IdTokenSubject {
  /** The path of the keys on the server. */
  readonly keysAt: string;
  /**
   * Whether the party that a token was given to (`azp`) must be the app, too, where it is named. It must, unless the
   * network itself answers for tokens that its apps get for each other.
   */
  readonly checksParty: boolean;
  /** Opens it for an app with the client ids `CLIENT_IDS`. */
  open(clock: Clock): Promise<OpenedIdTokens>;
}
