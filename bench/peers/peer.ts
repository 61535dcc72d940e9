import type { Request } from '../measure/load.ts';
import type { Content } from './content.ts';

/** Collections: `few` and `many` are read, `changed` is updated, `created` grows. */
export type Collection = 'few' | 'many' | 'changed' | 'created';

/** Initial numbers of documents. */
export type Sizes = Readonly<Record<Collection, number>>;

/** A stored document of the caller. */
export interface Stored {
  readonly id: string;
  readonly n: number;
}

/** A list query: the caller's newest 20 documents, optionally with this value of a field. */
export interface Query {
  readonly field: 'category' | 'shade' | null;
  readonly value: string;
  readonly total: boolean;
}

export interface Listed {
  /** Members `n` of the documents. */
  readonly ns: readonly number[];
  readonly total: number | null;
}

/** A call in a peer's API: its requests, in order, and a function that reads the responses. */
export interface Call<T> {
  readonly requests: readonly Request[];
  read(answers: readonly string[]): T;
}

/** Calls of one user. A method is absent if the peer does not support that row. */
export interface Api {
  get(collection: Collection, id: string): Call<Content>;
  /** Returns the id. */
  create(content: Content): Call<string>;
  update(id: string, content: Content): Call<unknown>;
  list(collection: Collection, query: Query): Call<Listed>;
  /** Returns the argument of `download`. */
  upload(text: string): Call<string>;
  download(file: string): Call<string>;
  /** Logs in the user with this number and the password {@link PASSWORD}. Returns the token. */
  logIn?(user: number): Call<string>;
}

export const PASSWORD = 'a password';
/** Number of users that log in. */
export const USERS = 16;

/** A running peer. */
export interface Instance {
  readonly url: string;
  /** Process ids whose processor time counts, including all child processes. */
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

/** A peer's filled storage. */
export interface Place {
  readonly api: Api;
  /** The caller's documents, newest first. */
  readonly newest: Readonly<Record<'few' | 'many' | 'changed', readonly Stored[]>>;
  /**
   * Deletes the uploaded bytes, which would add up to gigabytes, and does the maintenance that a long-running database
   * has completed. Call it only while the peer is stopped.
   */
  settle(): Promise<void>;
  /** Starts new processes. For logins, rate limits of logins are off. */
  start(isForLogins: boolean): Promise<Instance>;
  remove(): Promise<void>;
}

/** A measured program. */
export interface Peer {
  /** Name for `--only`. */
  readonly name: string;
  /** Heading of its column. */
  readonly title: string;
  /** Configuration, for the report. */
  readonly configured: string;
  /** True if it is included in runs without `--only`. */
  readonly isUsual: boolean;
  /** Downloads and builds the program if necessary, and returns its version. */
  install(): Promise<string>;
  /** Fills new storage. */
  fill(sizes: Sizes): Promise<Place>;
}
