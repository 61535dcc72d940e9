import type { PathOf, ValueAt } from '../query/types.ts';
import type { DocumentFields } from '../wire.ts';

/** Types of an app, written by `baobab types` or by hand: the content of documents, by collection. */
export interface AppTypes {
  readonly collections: object;
}

/** An app without declared types. */
export interface AnyApp {
  readonly collections: { readonly [name: string]: { [name: string]: unknown } };
}

export type CollectionName<A extends AppTypes> = keyof A['collections'] & string;
export type ContentOf<A extends AppTypes, N extends CollectionName<A>> = A['collections'][N];

/** A document as returned by the server: its content and the fields that the server manages. */
export type Stored<C> = C & DocumentFields;

/** Paths of the members that can be set. */
export type FieldPath<C> = PathOf<C>;
export type FieldValue<C, P extends string> = ValueAt<C, P>;

/** Element type of a list. */
export type ElementOf<V> = unknown extends V ? unknown : V extends readonly (infer E)[] ? E : never;
