import type {
  CollectionInfo,
  IndexAdvice,
  IndexInfo,
  Rules,
  RulesChange,
  RuleTest,
  RuleTestRequest,
  SearchInfo,
  Violations,
} from '../admin-wire.ts';
import type { AnyApp, AppTypes, CollectionName, ContentOf, Stored } from '../documents/types.ts';
import type { CallOptions, PresenceOptions, WriteOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import { type IndexFields, textOfFields } from './indexes.ts';
import type { RulesOf } from './rule-types.ts';

/** Administration of collections. `A` declares the types of their documents. */
export interface AdminCollections<A extends AppTypes = AnyApp> {
  /** Lists collections with the number of their documents, and their size, which is estimated if they are large. */
  list(options?: CallOptions): Promise<CollectionInfo[]>;
  /** Lists only the names, which is fast. */
  names(options?: CallOptions): Promise<string[]>;
  create(name: string, options?: WriteOptions): Promise<void>;
  /** Deletes a collection and its documents. */
  remove(name: string, options?: CallOptions): Promise<void>;
  rules(name: string, options?: CallOptions): Promise<Rules>;
  /**
   * Replaces the given rules. Absent rules stay unchanged. A change that gives more permissions requires a login within
   * the last ten minutes, or the password.
   */
  setRules<N extends CollectionName<A>, const R extends RulesChange>(
    name: N,
    rules: R & RulesOf<Stored<ContentOf<A, N>>, R>,
    options?: PresenceOptions,
  ): Promise<Rules>;
  /**
   * Resolves to the stored documents that would violate the checks after this change of the rules. Changes nothing.
   */
  ruleViolations<N extends CollectionName<A>, const R extends RulesChange>(
    name: N,
    rules: R & RulesOf<Stored<ContentOf<A, N>>, R>,
    options?: CallOptions,
  ): Promise<Violations>;
  /** Tests if a user can do something with a document, and why. Changes nothing. */
  testRules(name: string, test: RuleTestRequest, options?: CallOptions): Promise<RuleTest>;
  schema(name: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  /** Like `schema`, but resolves to null if the collection has none. */
  findSchema(name: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>> | null>;
  /** Resolves to the stored documents that violate the schema. With `dry`, the schema is checked but not stored. */
  setSchema(
    name: string,
    schema: Readonly<Record<string, unknown>>,
    options?: CallOptions & { readonly dry?: boolean },
  ): Promise<Violations>;
  removeSchema(name: string, options?: CallOptions): Promise<void>;
  indexes(name: string, options?: CallOptions): Promise<IndexInfo[]>;
  index(name: string, fields: IndexFields, options?: CallOptions): Promise<IndexInfo>;
  /** Creates an index. With `unique`, no two documents may have the same values. */
  createIndex(
    name: string,
    fields: IndexFields,
    options?: CallOptions & { readonly unique?: boolean },
  ): Promise<IndexInfo>;
  removeIndex(name: string, fields: IndexFields, options?: CallOptions): Promise<void>;
  search(name: string, options?: CallOptions): Promise<SearchInfo>;
  /** Like `search`, but resolves to null if search is not enabled. */
  findSearch(name: string, options?: CallOptions): Promise<SearchInfo | null>;
  /** Enables full-text search of these fields, each with its weight: `{ title: 3, text: 1 }`. */
  setSearch(
    name: string,
    fields: Readonly<Record<string, number>> | readonly string[],
    options?: CallOptions,
  ): Promise<SearchInfo>;
  removeSearch(name: string, options?: CallOptions): Promise<void>;
  /** Returns the slowest queries, and the indexes that would speed them up. */
  indexAdvice(name: string, options?: CallOptions): Promise<IndexAdvice>;
}

export function createAdminCollections<A extends AppTypes>(api: Api): AdminCollections<A> {
  const one = (name: string) => path`/admin/collection/${name}`;
  const index = (name: string, fields: IndexFields) => path`/admin/collection/${name}/index/${textOfFields(fields)}`;
  return {
    list: (options) => api.get('/admin/collection', {}, options),
    names: (options) => api.get('/admin/collection/names', {}, options),
    create: (name, options) => api.keyed({ method: 'POST', path: one(name), options }),
    remove: (name, options) => api.remove(one(name), ['collection.not_found'], options),
    rules: (name, options) => api.get(`${one(name)}/rules`, {}, options),
    setRules: (name, rules, { currentPassword, ...options } = {}) =>
      api.put(`${one(name)}/rules`, { ...rules, current_password: currentPassword }, options),
    ruleViolations: (name, rules, options) =>
      api.send({
        method: 'PUT',
        path: `${one(name)}/rules`,
        query: { dry: true },
        json: rules,
        repeat: 'always',
        options,
      }),
    testRules: (name, test, options) =>
      api.send({ method: 'POST', path: `${one(name)}/rules/test`, json: test, repeat: 'always', options }),
    schema: (name, options) => api.get(`${one(name)}/schema`, {}, options),
    findSchema: (name, options) => api.get(`${one(name)}/schema`, { optional: true }, options),
    setSchema: (name, schema, { dry, ...options } = {}) =>
      api.send({
        method: 'PUT',
        path: `${one(name)}/schema`,
        query: { dry },
        json: schema,
        repeat: 'always',
        options,
      }),
    removeSchema: (name, options) => api.remove(`${one(name)}/schema`, ['schema.not_found'], options),
    indexes: (name, options) => api.get(`${one(name)}/index`, {}, options),
    index: (name, fields, options) => api.get(index(name, fields), {}, options),
    createIndex: (name, fields, { unique, ...options } = {}) =>
      api.put(index(name, fields), unique === undefined ? undefined : { unique }, options),
    removeIndex: (name, fields, options) => api.remove(index(name, fields), ['index.not_found'], options),
    search: (name, options) => api.get(`${one(name)}/search`, {}, options),
    findSearch: (name, options) => api.get(`${one(name)}/search`, { optional: true }, options),
    setSearch: (name, fields, options) => api.put(`${one(name)}/search`, { fields }, options),
    removeSearch: (name, options) => api.remove(`${one(name)}/search`, ['search.not_found'], options),
    indexAdvice: (name, options) => api.get(`${one(name)}/index/advice`, {}, options),
  };
}
