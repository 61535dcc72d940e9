import type { IndexInfo } from '../admin-wire.ts';
import type { CallOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';

/** The field of an index, several fields of a compound index, or the `path` of an index. */
export type IndexFields = string | readonly string[];

type IndexedList = 'users' | 'files' | 'assets';

export const textOfFields = (fields: IndexFields) => (typeof fields === 'string' ? fields : JSON.stringify(fields));

/** Indexes of users, files and assets. Indexes of documents belong to their collections. */
export interface AdminIndexes {
  list(of: IndexedList, options?: CallOptions): Promise<IndexInfo[]>;
  get(of: IndexedList, fields: IndexFields, options?: CallOptions): Promise<IndexInfo>;
  create(of: IndexedList, fields: IndexFields, options?: CallOptions): Promise<IndexInfo>;
  remove(of: IndexedList, fields: IndexFields, options?: CallOptions): Promise<void>;
}

export function createAdminIndexes(api: Api): AdminIndexes {
  const one = (of: IndexedList, fields: IndexFields) => path`/admin/index/${of}/${textOfFields(fields)}`;
  return {
    list: (of, options) => api.get(path`/admin/index/${of}`, {}, options),
    get: (of, fields, options) => api.get(one(of, fields), {}, options),
    create: (of, fields, options) => api.put(one(of, fields), undefined, options),
    remove: (of, fields, options) => api.remove(one(of, fields), ['index.not_found'], options),
  };
}
