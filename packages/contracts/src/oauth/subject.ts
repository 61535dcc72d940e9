import type { Clock, OAuthNetwork, OAuthPerson } from '@baobab/core';
import type { StandIn } from './stand-in.ts';
import type { Claims, IssuerKey } from './tokens.ts';

/** A token that the test's network issues. */
export interface IssuedToken {
  /** The person whom it identifies; the network does not know absent members. */
  readonly person: Partial<OAuthPerson> & Pick<OAuthPerson, 'id'>;
  /** The client id of the app to which it is issued. */
  readonly clientId: string;
  /** Milliseconds; when absent, the token stays valid for longer than a test takes. */
  readonly expires?: number;
  readonly nonce?: string;
}

/** A new adapter, and the network of the test that it uses. */
export interface OpenedOAuth {
  /** Configured correctly. */
  readonly network: OAuthNetwork;
  /** The client ids with which the app is configured. */
  readonly clientIds: readonly string[];
  /** Makes the network issue a token of one of the kinds that the subject names. */
  issue(kind: string, token: IssuedToken): Promise<string>;
  /** Closes the adapter and the network. */
  close(): Promise<void>;
}

/** A network to be tested by `oauthContract`. */
export interface OAuthSubject {
  /** The kinds of tokens that it issues, and whether they carry a nonce. */
  readonly kinds: Readonly<Record<string, { readonly hasNonce: boolean }>>;
  /** Opens it with this clock for both the adapter and the network: the suite moves the clock. */
  open(clock: Clock): Promise<OpenedOAuth>;
}

/** An adapter that sends requests to a server, which is a stand-in made by `startStandIn`. */
export interface OpenedRemoteOAuth extends OpenedOAuth {
  readonly standIn: StandIn;
}

/** The options with which the suite opens an adapter; as in production where they are absent. */
export interface RemoteOAuthOptions {
  /** Time limit for identifying a person, milliseconds. */
  readonly timeLimit?: number;
  /** Maximum number of identifications in progress: further ones are refused at once. */
  readonly concurrency?: number;
}

/** A network to be tested by `oauthNetworkContract`. */
export interface RemoteOAuthSubject {
  /** The paths that are requested from the server for each kind of token. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
  open(clock: Clock, options: RemoteOAuthOptions): Promise<OpenedRemoteOAuth>;
}

/** An issuer that signs id_tokens. */
export interface IdTokenSigner {
  /** Its keys, as its server publishes them; the first one signs. The suite changes the list. */
  keys: IssuerKey[];
  /** The `iss` claim of its tokens. */
  readonly issuer: string;
  /** The claims of a valid id_token. */
  claims(token: IssuedToken): Claims;
}

export interface OpenedIdTokens extends OpenedRemoteOAuth {
  readonly signer: IdTokenSigner;
}

/** The client ids of the app in `idTokenContract`. */
export const CLIENT_IDS: readonly string[] = ['web.example', 'ios.example'];

/** A network to be tested by `idTokenContract`. */
export interface IdTokenSubject {
  /** The path of the keys on the server. */
  readonly keysAt: string;
  /**
   * Whether the authorized party (`azp`) must be the app, too, where it is named. It must, unless the network itself
   * vouches for tokens that its apps get for each other.
   */
  readonly checksParty: boolean;
  /** Opens it for an app with the client ids `CLIENT_IDS`. */
  open(clock: Clock): Promise<OpenedIdTokens>;
}
