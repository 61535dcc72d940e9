import type { CollectionInfo, IndexInfo, Rules, Violations } from '../admin-wire.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';

export interface AdminCollections {
  /** With the number and size of the documents: the service reads every document for it. */
  list(options?: CallOptions): Promise<CollectionInfo[]>;
  /** Only the names, at once. */
  names(options?: CallOptions): Promise<string[]>;
  create(name: string, options?: WriteOptions): Promise<void>;
  /** Removes a collection with its documents. */
  remove(name: string, options?: CallOptions): Promise<void>;
  rules(name: string, options?: CallOptions): Promise<Rules>;
  /** Rules that are absent stay as they are. */
  setRules(name: string, rules: Partial<Rules>, options?: CallOptions): Promise<Rules>;
  schema(name: string, options?: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  /** Resolves to the stored documents that do not conform. With `dry` the schema is only tried. */
  setSchema(
    name: string,
    schema: Readonly<Record<string, unknown>>,
    options?: CallOptions & { readonly dry?: boolean },
  ): Promise<Violations>;
  removeSchema(name: string, options?: CallOptions): Promise<void>;
  indexes(name: string, options?: CallOptions): Promise<IndexInfo[]>;
  index(name: string, field: string, options?: CallOptions): Promise<IndexInfo>;
  createIndex(name: string, field: string, options?: CallOptions): Promise<IndexInfo>;
  removeIndex(name: string, field: string, options?: CallOptions): Promise<void>;
}

export function createAdminCollections(api: Api): AdminCollections {
  const one = (name: string) => path`/admin/collection/${name}`;
  const index = (name: string, field: string) => path`/admin/collection/${name}/index/${field}`;
  return {
    list: (options) => api.get('/admin/collection', {}, options),
    names: (options) => api.get('/admin/collection/names', {}, options),
    create: (name, options) => api.keyed({ method: 'POST', path: one(name), options }),
    remove: (name, options) => api.remove(one(name), ['collection.not_found'], options),
    rules: (name, options) => api.get(`${one(name)}/rules`, {}, options),
    setRules: (name, rules, options) => api.put(`${one(name)}/rules`, rules, options),
    schema: (name, options) => api.get(`${one(name)}/schema`, {}, options),
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
    index: (name, field, options) => api.get(index(name, field), {}, options),
    createIndex: (name, field, options) => api.put(index(name, field), undefined, options),
    removeIndex: (name, field, options) => api.remove(index(name, field), ['index.not_found'], options),
  };
}
