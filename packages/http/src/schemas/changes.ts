import { AppError } from '@baobab/core';
import { Type } from 'typebox';
import type { RawQuery } from '../requests/target.ts';
import { Envelope, OneOf, OptionalText } from './common.ts';
import { Document } from './documents.ts';

/** Maximum collections that one request may name. */
const MAX_COLLECTIONS = 100;

const collection = Type.Optional(
  Type.Union([Type.String(), Type.Array(Type.String())], {
    description: 'Only changes in this collection; repeat the parameter for several. All collections when absent',
  }),
);
const since = OptionalText('The cursor to continue from; `0` for all changes from the beginning; absent: from now on');
export const feedQuery = { since, collection } as const;

const Change = Type.Object(
  {
    type: OneOf(['put', 'gone']),
    collection: Type.String({ description: 'The name of the collection' }),
    id: Type.String({ format: 'uuid' }),
    version: Type.Optional(Type.Integer({ description: 'Only for `put`' })),
    document: Type.Optional(Document),
  },
  {
    title: 'Change',
    description:
      '`put`: the current state of a document that the caller may read. `gone`: a document that the caller may no longer read',
  },
);

export const ChangesPage = Type.Object({
  ...Envelope(Type.Array(Change)).properties,
  more: Type.Boolean({
    description: 'True if there may be more changes now. A page can be short or empty nevertheless',
  }),
  next: Type.String({ description: 'The cursor to continue from: send it as `since`' }),
});

/** Returns the names of collections, or null for all. @throws `input.invalid` */
export function collectionsIn({ collection: given }: RawQuery): readonly string[] | null {
  if (given === undefined) return null;
  const names = [given].flat().map(String);
  if (names.length <= MAX_COLLECTIONS) return names;
  throw new AppError('input.invalid', { detail: `name at most ${MAX_COLLECTIONS} collections`, input: 'collection' });
}
