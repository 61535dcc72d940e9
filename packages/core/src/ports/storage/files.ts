import type { AccessScope, Grant, Rights } from '../../access.ts';
import type { ListPage, SummaryPage, SummaryRow } from '../../criteria/pages.ts';
import type { Condition } from '../../criteria/syntax.ts';
import type { GrantStore, Refusal } from './documents.ts';

/** Metadata of a file. Its bytes are stored as a blob. */
export interface FileRecord {
  /** UUID, time-ordered. */
  readonly id: string;
  /** User name of the author. */
  readonly author: string;
  /** Name sent by the client, without folders. */
  readonly fileName: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, 64 hexadecimal digits in lower case. */
  readonly sha256: string;
  /** Canonical JSON text of an object, stored and returned character for character. */
  readonly attachedData: string;
  /** In milliseconds. */
  readonly created: number;
  /** Id of the document that the file belongs to; null without one. */
  readonly document: string | null;
  /** Name of the document's collection as spelled at creation; null without a document. */
  readonly collection: string | null;
}

export interface NewFile extends Omit<FileRecord, 'author'> {
  readonly authorId: string;
  /** Initial grants, each principal once. */
  readonly grants: readonly Grant[];
}

export interface FoundFile extends FileRecord {
  /** Rights on the file under the access scope; 0 for none. */
  readonly rights: Rights;
}

export interface FileSelection {
  readonly scope: AccessScope;
  /** Null for all. */
  readonly where: Condition | null;
  /** Selects the files of this document, by its id. Absent: files of any document, and without one. */
  readonly document?: string;
}

export interface FileList extends FileSelection, ListPage {}

export interface FileSummary extends FileSelection, SummaryPage {}

/**
 * Files belong to their authors. Followers of the author get no rights on files, whatever the access scope says. What
 * `scope.documents` allows on the document of a file adds to the rights on the file (see `inheritedByFile`) when reading:
 * callers of `remove`, `grant` and `revoke` lock the document, read the rights, and decide.
 *
 * A removed document, also one that goes with its author or collection, leaves its files behind: they are invisible in
 * every way, and `leftBehind` lists the document until it is forgotten.
 */
export interface FileStore extends GrantStore<string> {
  /**
   * Stores the file with its grants, atomically. The caller has locked its document.
   *
   * @throws `user.not_found` if there is no such author, `grant.group_unknown` if a group of the grants is gone
   */
  add(file: NewFile): Promise<FileRecord>;
  /** Returns the file with the rights under `scope`, even if they are 0; null if there is no such file. One read. */
  find(id: string, scope: AccessScope): Promise<FoundFile | null>;
  /** Removes the file with its grants if `scope` allows deleting. Of concurrent calls one gets `removed`. */
  remove(id: string, scope: AccessScope): Promise<'removed' | Refusal>;
  /** Returns the readable files that match the filter, in this order. */
  list(list: FileList): Promise<FileRecord[]>;
  /** Returns the number of readable files that match the filter. */
  count(selection: FileSelection): Promise<number>;
  summarize(summary: FileSummary): Promise<SummaryRow[]>;
  /** Returns true if any file belongs to a document, also to a removed one. */
  hasOwned(): Promise<boolean>;
  /** Returns the ids of up to `limit` removed documents that have left files behind. */
  leftBehind(limit: number): Promise<readonly string[]>;
  /** Returns the ids of up to `limit` files of a document, also of a removed one. */
  ofDocument(document: string, limit: number): Promise<readonly string[]>;
  /** Removes these files of a removed document, with their grants. */
  removeLeft(ids: readonly string[]): Promise<void>;
  /** Forgets a removed document whose files are removed. */
  forgetDocument(document: string): Promise<void>;
  /** Returns those of up to 1,000 ids that belong to files, in no particular order. */
  existing(ids: readonly string[]): Promise<string[]>;
}
