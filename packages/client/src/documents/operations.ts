import { fieldPath } from '../query/paths.ts';
import { path } from '../transport/path.ts';
import type { Grants, Right } from '../wire.ts';
import { type Defined, operatorsOf, type Patch } from './changes.ts';
import { grantMembers, type Principal, principalPath } from './grants.ts';
import type { ElementOf, FieldPath, FieldValue, Stored } from './types.ts';

declare const RESULT: unique symbol;

/** An operation of a batch, as data. `R` is the type of its result. */
export interface Operation<R> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Exists only for the compiler. */
  readonly [RESULT]?: R;
}

export interface Versioned {
  /** Expected `@version`. The change fails with `document.stale` if the current version differs. */
  readonly version?: number | undefined;
}

export interface NewDocument {
  /** Initial grants. */
  readonly grants?: Grants | undefined;
  /** A UUID for the document; by default the server chooses one. Fails with `document.exists` if it is taken. */
  readonly id?: string | undefined;
}

/** Operations on the documents of a collection, for `batch`. */
export interface Operations<C> {
  create(content: C, options?: NewDocument): Operation<Stored<C>>;
  get(id: string): Operation<Stored<C>>;
  /** Replaces the whole content. */
  replace(id: string, content: C, options?: Versioned): Operation<Stored<C>>;
  /** Sets members, or changes them by operators such as `increment(1)`. */
  update<P extends Patch<C>>(id: string, patch: P & Defined<C, P>, options?: Versioned): Operation<Stored<C>>;
  remove(id: string): Operation<void>;
  setField<P extends FieldPath<C>>(
    id: string,
    field: P,
    value: FieldValue<C, P>,
    options?: Versioned,
  ): Operation<Stored<C>>;
  /** Appends an element to a list. */
  append<P extends FieldPath<C>>(id: string, field: P, value: ElementOf<FieldValue<C, P>>): Operation<Stored<C>>;
  removeField(id: string, field: FieldPath<C>, options?: Versioned): Operation<Stored<C>>;
  grant(id: string, right: Right, to: Principal): Operation<void>;
  revoke(id: string, right: Right, from: Principal): Operation<void>;
}

const VERSION = '@version';

const versionOf = ({ version }: Versioned) => (version === undefined ? {} : { [VERSION]: version });

export function createOperations<C>(collection: string): Operations<C> {
  const all = path`/document/${collection}`;
  const one = (id: string) => path`/document/${collection}/${id}`;
  return {
    create: (content, { grants, id } = {}) => ({
      method: 'POST',
      path: id === undefined ? all : `${all}?id=${encodeURIComponent(id)}`,
      body: grants === undefined ? content : { ...content, ...grantMembers(grants) },
    }),
    get: (id) => ({ method: 'GET', path: one(id) }),
    replace: (id, content, options = {}) => ({
      method: 'PUT',
      path: one(id),
      // A document that was read contains its version; only the option requests a check.
      body: { ...content, [VERSION]: undefined, ...versionOf(options) },
    }),
    update: (id, patch, options = {}) => ({
      method: 'PATCH',
      path: one(id),
      body: { ...operatorsOf(patch), ...versionOf(options) },
    }),
    remove: (id) => ({ method: 'DELETE', path: one(id) }),
    setField: (id, field, data, options = {}) => ({
      method: 'PUT',
      path: one(id) + fieldPath(field),
      body: { data, ...versionOf(options) },
    }),
    append: (id, field, data) => ({ method: 'PUT', path: one(id) + fieldPath(field, '[]'), body: { data } }),
    removeField: (id, field, options = {}) => ({
      method: 'DELETE',
      path: one(id) + fieldPath(field),
      ...(options.version === undefined ? {} : { body: versionOf(options) }),
    }),
    grant: (id, right, to) => ({ method: 'PUT', path: `${one(id)}${path`/${right}`}${principalPath(to)}` }),
    revoke: (id, right, from) => ({ method: 'DELETE', path: `${one(id)}${path`/${right}`}${principalPath(from)}` }),
  };
}
