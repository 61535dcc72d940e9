import type { Request } from '../measure/load.ts';
import type { Content } from './content.ts';

/** The collections: `few` and `many` are read, `changed` is updated, `created` grows. */
export type Collection = 'few' | 'many' | 'changed' | 'created';

/** The numbers of documents with which a run begins. */
export type Sizes = Readonly<Record<Collection, number>>;

/** A stored document of the caller. */
export interface Stored {
  readonly id: string;
  readonly n: number;
}

/** What a list is asked for: the caller's newest 20, of those with this value of a field if there is one. */
export interface Query {
  readonly field: 'category' | 'shade' | null;
  readonly value: string;
  readonly total: boolean;
}

export interface Listed {
  /** Member `n` of the documents. */
  readonly ns: readonly number[];
  readonly total: number | null;
}

/** One call as a peer has it: its requests, in order, and how their answers are read. */
export interface Call<T> {
  readonly requests: readonly Request[];
  read(answers: readonly string[]): T;
}

/** The calls of one user. A peer without a row of the table lacks the method. */
export interface Api {
  get(collection: Collection, id: string): Call<Content>;
  /** Answers with the id. */
  create(content: Content): Call<string>;
  update(id: string, content: Content): Call<unknown>;
  list(collection: Collection, query: Query): Call<Listed>;
  /** Answers with what `download` takes. */
  upload(text: string): Call<string>;
  download(file: string): Call<string>;
  /** Logs in the user of this number, with a password of {@link PASSWORD}. Answers with the token. */
  logIn?(user: number): Call<string>;
}

export const PASSWORD = 'a password';
/** The number of users that log in. */
export const USERS = 16;

/** One running peer. */
export interface Instance {
  readonly url: string;
  /** The processes whose processor time counts, with all their children. */
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

/** A peer's filled storage. */
export interface Place {
  readonly api: Api;
  /** The caller's documents, the newest first. */
  readonly newest: Readonly<Record<'few' | 'many' | 'changed', readonly Stored[]>>;
  /**
   * Removes the uploaded bytes, of which a run would keep gigabytes, and does what a database that runs for long has done on
   * its own. Only while the peer does not run.
   */
  settle(): Promise<void>;
  /** Starts new processes. For logins, limits on the number of logins are off. */
  start(isForLogins: boolean): Promise<Instance>;
  remove(): Promise<void>;
}

/** A program that is measured. */
export interface Peer {
  /** For `--only`. */
  readonly name: string;
  /** The heading of its column. */
  readonly title: string;
  /** How it is configured, for the report. */
  readonly configured: string;
  /** Whether a run without `--only` has it. */
  readonly isUsual: boolean;
  /** Fetches and builds the program unless it is there, and answers with its version. */
  install(): Promise<string>;
  /** Fills new storage. */
  fill(sizes: Sizes): Promise<Place>;
}
