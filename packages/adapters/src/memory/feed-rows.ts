import type { VisibilityChange, VisibilityMark } from '@baobab/core';

/** A change of the visibility of a document for an audience: a grant, a revocation, or the removal of the document. */
export interface AccessChangeRow {
  /** Key of the collection. */
  readonly collection: string;
  readonly document: string;
  readonly audience: string;
  readonly position: number;
  readonly recorded: number;
}

export const accessChangeKey = ({ collection, document, audience }: AccessChangeRow) =>
  `${collection} ${document} ${audience}`;

export interface VisibilityMarkRow extends VisibilityChange {
  readonly recorded: number;
}

export const visibilityMarkKey = ({ audience, collection, reason }: VisibilityMark) =>
  `${audience} ${collection ?? ''} ${reason}`;

export interface FeedStateRow {
  readonly key: '';
  /** See `FeedState`. */
  readonly oldest: number;
}
