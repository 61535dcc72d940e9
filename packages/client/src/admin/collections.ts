import type { CollectionInfo, IndexAdvice, IndexInfo, Rules, Violations } from '../admin-wire.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import { type IndexFields, textOfFields } from './indexes.ts';

export interface AdminCollections {
  /** Lists collections with the number and size of their documents. Slow: the server reads every document. */
  list(options?: CallOptions): Promise<CollectionInfo[]>;
  /** Lists only the names, which is fast. */
  names(options?: CallOptions): Promise<string[]>;
  create(name: string, options?: WriteOptions): Promise<void>;
  /** Deletes a collection and its documents. */
  remove(name: string, options?: CallOptions): Promise<void>;
  rules(name: string, options?: CallOptions): Promise<Rules>;
  /** Replaces the given rules. Absent rules stay unchanged. */
  setRules(name: string, rules: Partial<Rules>, options?: CallOptions): Promise<Rules>;
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
  createIndex(name: string, fields: IndexFields, options?: CallOptions): Promise<IndexInfo>;
  removeIndex(name: string, fields: IndexFields, options?: CallOptions): Promise<void>;
  /** Returns the slowest queries, and the indexes that would speed them up. */
  indexAdvice(name: string, options?: CallOptions): Promise<IndexAdvice>;
}

export function createAdminCollections(api: Api): AdminCollections {
  const one = (name: string) => path`/admin/collection/${name}`;
  const index = (name: string, fields: IndexFields) => path`/admin/collection/${name}/index/${textOfFields(fields)}`;
  return {
    list: (options) => api.get('/admin/collection', {}, options),
    names: (options) => api.get('/admin/collection/names', {}, options),
    create: (name, options) => api.keyed({ method: 'POST', path: one(name), options }),
    remove: (name, options) => api.remove(one(name), ['collection.not_found'], options),
    rules: (name, options) => api.get(`${one(name)}/rules`, {}, options),
    setRules: (name, rules, options) => api.put(`${one(name)}/rules`, rules, options),
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
    createIndex: (name, fields, options) => api.put(index(name, fields), undefined, options),
    removeIndex: (name, fields, options) => api.remove(index(name, fields), ['index.not_found'], options),
    indexAdvice: (name, options) => api.get(`${one(name)}/index/advice`, {}, options),
  };
}
