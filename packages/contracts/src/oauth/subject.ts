import type { Clock, OAuthNetwork, OAuthPerson } from '@baobab/core';
import type { StandIn } from './stand-in.ts';
import type { Claims, IssuerKey } from './tokens.ts';

/** A token issued by the test's network. */
export interface IssuedToken {
  /** The identified person; absent members are unknown to the network. */
  readonly person: Partial<OAuthPerson> & Pick<OAuthPerson, 'id'>;
  /** Client id of the app it is issued to. */
  readonly clientId: string;
  /** Expiry in milliseconds; by default, the token stays valid for longer than a test takes. */
  readonly expires?: number;
  readonly nonce?: string;
}

/** A new adapter and its test network. */
export interface OpenedOAuth {
  /** A correctly configured network. */
  readonly network: OAuthNetwork;
  /** Client ids with which the app is configured. */
  readonly clientIds: readonly string[];
  /** Makes the network issue a token of one of the kinds that the subject names. */
  issue(kind: string, token: IssuedToken): Promise<string>;
  /** Closes the adapter and the network. */
  close(): Promise<void>;
}

/** A network to test with `oauthContract`. */
export interface OAuthSubject {
  /** Kinds of tokens that it issues; `hasNonce` is true if they carry a nonce. */
  readonly kinds: Readonly<Record<string, { readonly hasNonce: boolean }>>;
  /** Opens it with this clock, which the suite moves, for both the adapter and the network. */
  open(clock: Clock): Promise<OpenedOAuth>;
}

/** An adapter that sends requests to a mock server created by `startStandIn`. */
export interface OpenedRemoteOAuth extends OpenedOAuth {
  readonly standIn: StandIn;
}

/** Options with which the suite opens an adapter; production defaults if absent. */
export interface RemoteOAuthOptions {
  /** Time limit for identifying a person, in milliseconds. */
  readonly timeLimit?: number;
  /** Maximum number of identifications in progress; further ones are rejected immediately. */
  readonly concurrency?: number;
}

/** A network to test with `oauthNetworkContract`. */
export interface RemoteOAuthSubject {
  /** Paths that are requested from the server for each kind of token. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
  open(clock: Clock, options: RemoteOAuthOptions): Promise<OpenedRemoteOAuth>;
}

/** An issuer that signs id_tokens. */
export interface IdTokenSigner {
  /** Its keys, as published by its server; the first one signs. The suite changes the list. */
  keys: IssuerKey[];
  /** The `iss` claim of its tokens. */
  readonly issuer: string;
  /** Returns the claims of a valid id_token. */
  claims(token: IssuedToken): Claims;
}

export interface OpenedIdTokens extends OpenedRemoteOAuth {
  readonly signer: IdTokenSigner;
}

/** Client ids of the app in `idTokenContract`. */
export const CLIENT_IDS: readonly string[] = ['web.example', 'ios.example'];

/** A network to test with `idTokenContract`. */
export interface IdTokenSubject {
  /** Path of the keys on the server. */
  readonly keysAt: string;
  /**
   * True if the authorized party (`azp`), when present, must be the app. Required unless the network itself vouches for
   * tokens that its apps obtain for each other.
   */
  readonly checksParty: boolean;
  /** Opens it for an app with the client ids `CLIENT_IDS`. */
  open(clock: Clock): Promise<OpenedIdTokens>;
}
