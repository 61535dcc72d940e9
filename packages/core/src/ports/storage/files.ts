import type { AccessScope, Action, Grant, Principal, Rights } from '../../access.ts';
import type { SummaryRequest } from '../../criteria/summary.ts';
import type { Condition, ListPosition, OrderKey } from '../../criteria/syntax.ts';
import type { Refusal, SummaryRow } from './documents.ts';

/** What is known of a file; its bytes are a blob. */
export interface FileRecord {
  /** UUID, time-ordered. */
  readonly id: string;
  /** User name of the owner. */
  readonly author: string;
  /** As it was called where it came from, without folders. */
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, 64 hexadecimal digits in lower case. */
  readonly sha256: string;
  /** Canonical JSON text of an object; every character comes back as it was given. */
  readonly attachedData: string;
  /** Milliseconds. */
  readonly created: number;
}

export interface NewFile extends Omit<FileRecord, 'author'> {
  readonly authorId: string;
  /** First grants, each principal once. */
  readonly grants: readonly Grant[];
}

export interface FoundFile extends FileRecord {
  /** The rights that the access scope gives on it; 0 when none. */
  readonly rights: Rights;
}

export interface FileSelection {
  readonly scope: AccessScope;
  /** Null for all. */
  readonly where: Condition | null;
}

export interface FileList extends FileSelection {
  /** What is alike in these comes by ascending id; empty for that alone. */
  readonly order: readonly OrderKey[];
  /** Only files behind this position in that order; `null` from the beginning. Made by `storedSortValues`. */
  readonly after: ListPosition | null;
  /** How many of those to pass over. */
  readonly skip: number;
  readonly limit: number;
  /**
   * Bytes of the attached data of rows (as UTF-8) behind which nothing more is read: the row with which they have more is the last
   * one, unless it is the first. Absent: any number.
   */
  readonly maxBytes?: number;
}

/** Files taken together: see `DocumentSummary`. */
export interface FileSummary extends FileSelection, SummaryRequest {
  readonly skip: number;
  readonly limit: number;
  /**
   * Bytes of the texts of rows (as UTF-8) behind which nothing more is read: the row with which they have more is the last
   * one, unless it is the first. Absent: any number.
   */
  readonly maxBytes?: number;
}

/** Files belong to their authors; that somebody follows the author gives no right, whatever the access scope says of it. */
export interface FileStore {
  /** Stores it with its grants, together or not at all. @throws `user.not_found` when there is no such author */
  add(file: NewFile): Promise<FileRecord>;
  /** The file with the rights that `scope` gives, whatever they are: the caller decides. One read. */
  find(id: string, scope: AccessScope): Promise<FoundFile | null>;
  /** Removes it with its grants if `scope` gives the right to delete. Of concurrent calls one gets `removed`. */
  remove(id: string, scope: AccessScope): Promise<'removed' | Refusal>;
  /**
   * Adds to what a principal holds. Owners, holders of `all` and everything-reaching callers may.
   * What was held already stays.
   */
  grant(id: string, scope: AccessScope, grant: Grant): Promise<'granted' | Refusal>;
  /** Takes one right back; that it was never given is no error. Allowed to the same callers as `grant`. */
  revoke(
    id: string,
    scope: AccessScope,
    revoked: { readonly principal: Principal; readonly action: Action },
  ): Promise<'revoked' | Refusal>;
  /** What `scope` lets read and the condition holds for, in this order. */
  list(list: FileList): Promise<FileRecord[]>;
  /** How many files `scope` lets read and the condition holds for. */
  count(selection: FileSelection): Promise<number>;
  summarize(summary: FileSummary): Promise<SummaryRow[]>;
  /** Those of up to 1,000 ids that there are files of, in no order. */
  existing(ids: readonly string[]): Promise<string[]>;
}
