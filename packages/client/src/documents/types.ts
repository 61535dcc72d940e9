import type { PathOf, ValueAt } from '../query/types.ts';
import type { DocumentFields } from '../wire.ts';

/** What `baobab types` writes, or types of one's own: the content of documents, by collection. */
export interface AppTypes {
  readonly collections: object;
}

/** An app of which nothing is known. */
export interface AnyApp {
  readonly collections: { readonly [name: string]: { [name: string]: unknown } };
}

export type CollectionName<A extends AppTypes> = keyof A['collections'] & string;
export type ContentOf<A extends AppTypes, N extends CollectionName<A>> = A['collections'][N];

/** A document as the service answers it: its content, and the fields that the service manages. */
export type Stored<C> = C & DocumentFields;

/** The names of members that can be set. */
export type FieldPath<C> = PathOf<C>;
export type FieldValue<C, P extends string> = ValueAt<C, P>;

/** The type of the elements of a list. */
export type ElementOf<V> = unknown extends V ? unknown : V extends readonly (infer E)[] ? E : never;
