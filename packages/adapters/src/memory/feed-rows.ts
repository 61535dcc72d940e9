import type { SightChange, SightMark } from '@baobab/core';

/** The sight that an audience has of a document changed: it was granted, taken back, or the document was removed. */
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

export interface SightMarkRow extends SightChange {
  readonly recorded: number;
}

export const sightMarkKey = ({ audience, collection, reason }: SightMark) =>
  `${audience} ${collection ?? ''} ${reason}`;

export interface FeedStateRow {
  readonly key: '';
  /** See `FeedState`. */
  readonly oldest: number;
}
