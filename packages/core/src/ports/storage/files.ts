import type { AccessScope, Action, Grant, Principal, Rights } from '../../access.ts';
import type { SummaryRequest } from '../../criteria/summary.ts';
import type { Condition, ListPosition, OrderKey } from '../../criteria/syntax.ts';
import type { NamedGrant, Refusal, SummaryRow } from './documents.ts';

/** The description of a file; its bytes are a blob. */
export interface FileRecord {
  /** UUID, time-ordered. */
  readonly id: string;
  /** User name of the owner. */
  readonly author: string;
  /** The name that the client sent, without folders. */
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, 64 hexadecimal digits in lower case. */
  readonly sha256: string;
  /** Canonical JSON text of an object; stored and returned character for character. */
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
  /** The rights that the access scope gives on the file; 0 when none. */
  readonly rights: Rights;
}

export interface FileSelection {
  readonly scope: AccessScope;
  /** Null for all. */
  readonly where: Condition | null;
}

export interface FileList extends FileSelection {
  /** Ties are broken by ascending id; empty for the order of the ids alone. */
  readonly order: readonly OrderKey[];
  /** Only files after this position in that order; `null` from the beginning. Made by `storedSortValues`. */
  readonly after: ListPosition | null;
  /** The number of those files to skip. */
  readonly skip: number;
  readonly limit: number;
  /**
   * Limit in bytes for the attached data of all rows together (as UTF-8): the list ends with the row that exceeds
   * it, which is included, but not before the second row. Absent: no limit.
   */
  readonly maxBytes?: number;
}

/** Groups and aggregates of files: see `DocumentSummary`. */
export interface FileSummary extends FileSelection, SummaryRequest {
  readonly skip: number;
  readonly limit: number;
  /**
   * Limit in bytes for the texts of all rows together (as UTF-8): the list ends with the row that exceeds it, which
   * is included, but not before the second row. Absent: no limit.
   */
  readonly maxBytes?: number;
}

/** Files belong to their authors. Followers of the author get no rights from that, whatever the access scope says. */
export interface FileStore {
  /**
   * Stores the file with its grants, atomically.
   *
   * @throws `user.not_found` when there is no such author, `grant.group_unknown` when a group of the grants is gone
   */
  add(file: NewFile): Promise<FileRecord>;
  /** The file with the rights that `scope` gives, also when they are 0; null when there is no such file. One read. */
  find(id: string, scope: AccessScope): Promise<FoundFile | null>;
  /** Removes the file with its grants if `scope` gives the right to delete. Of concurrent calls one gets `removed`. */
  remove(id: string, scope: AccessScope): Promise<'removed' | Refusal>;
  /**
   * Adds a right to those that a principal holds; rights that it holds already stay. Allowed to the owner, to holders of
   * `all`, and where `scope.everything` is true.
   *
   * @throws `group.not_found` when the principal is a group that is gone
   */
  grant(id: string, scope: AccessScope, grant: Grant): Promise<'granted' | Refusal>;
  /** Takes one right back; `absent` when the principal holds none. Allowed to the same callers as `grant`. */
  revoke(
    id: string,
    scope: AccessScope,
    revoked: { readonly principal: Principal; readonly action: Action },
  ): Promise<'revoked' | 'absent' | Refusal>;
  /**
   * The grants on a file, empty when there is none: to groups in the order of their creation, to roles by name, then to
   * users in the order of sign-up.
   */
  grantsOn(id: string): Promise<NamedGrant[]>;
  /** The files that `scope` lets read and for which the condition holds, in this order. */
  list(list: FileList): Promise<FileRecord[]>;
  /** The number of files that `scope` lets read and for which the condition holds. */
  count(selection: FileSelection): Promise<number>;
  summarize(summary: FileSummary): Promise<SummaryRow[]>;
  /** Those of up to 1,000 ids that belong to files, in no particular order. */
  existing(ids: readonly string[]): Promise<string[]>;
}
