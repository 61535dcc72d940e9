import type { VisibilityChange, VisibilityMark } from '@baobab/core';

/** The visibility of a document for an audience changed: it was granted, taken back, or the document was removed. */
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
