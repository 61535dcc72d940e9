import { BaobabError, isBaobabError } from '../errors.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type { LiveCall, LiveHandlers, LiveQueries } from '../query/live.ts';
import { fieldPath } from '../query/paths.ts';
import { createQuery, type Query } from '../query/query.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import type { Grants } from '../wire.ts';
import { createBatches } from './batch.ts';
import { createGrantCalls, type GrantCalls, grantsIn } from './grants.ts';
import {
  createOperations,
  type NewDocument,
  type Operation,
  type Operations,
  patchOperations,
  type Versioned,
} from './operations.ts';
import type { ElementOf, FieldPath, FieldValue, Stored } from './types.ts';

export interface GetOptions extends CallOptions {
  /** Paths of fields that refer to documents, or `_author`. What they refer to is answered under `_expanded`. */
  readonly expand?: readonly string[];
}

export interface ChangeOptions extends WriteOptions, Versioned {}

/** The documents of a collection. `C` is the type of their content. */
export interface Collection<C> extends GrantCalls {
  readonly name: string;
  create(content: C, options?: WriteOptions & NewDocument): Promise<Stored<C>>;
  get(id: string, options?: GetOptions): Promise<Stored<C>>;
  /** The same, but null for a document that does not exist. */
  find(id: string, options?: GetOptions): Promise<Stored<C> | null>;
  /** Sets the members of `patch`, all or none. Other members stay as they are, also those that others change meanwhile. */
  update(id: string, patch: Partial<C>, options?: ChangeOptions): Promise<Stored<C>>;
  /** Replaces the whole content. */
  replace(id: string, content: C, options?: ChangeOptions): Promise<Stored<C>>;
  remove(id: string, options?: WriteOptions): Promise<void>;
  /**
   * Calls the listener with a document, or null while there is none that the caller may read, and again whenever that
   * changes. Needs the option `live` of the client. Returns the function that ends it.
   */
  live(id: string, listener: (document: Stored<C> | null) => void, options?: LiveHandlers): () => void;
  field<P extends FieldPath<C>>(id: string, field: P, options?: CallOptions): Promise<FieldValue<C, P>>;
  setField<P extends FieldPath<C>>(
    id: string,
    field: P,
    value: FieldValue<C, P>,
    options?: ChangeOptions,
  ): Promise<Stored<C>>;
  /** Adds an element at the end of a list. Elements that others append at the same time are kept. */
  append<P extends FieldPath<C>>(
    id: string,
    field: P,
    value: ElementOf<FieldValue<C, P>>,
    options?: WriteOptions,
  ): Promise<Stored<C>>;
  /** Removes a member, or an element of a list. */
  removeField(id: string, field: FieldPath<C>, options?: ChangeOptions): Promise<Stored<C>>;
  /** The grants of a document; null for callers who may not see them. */
  grants(id: string, options?: CallOptions): Promise<Required<Grants> | null>;
  /** Replaces all grants: rights that are absent are revoked from everybody. */
  setGrants(id: string, grants: Grants, options?: CallOptions): Promise<void>;
  /** The documents that the caller may read. */
  query(): Query<Stored<C>>;
  /** The calls as data, for `batch`. */
  readonly operations: Operations<C>;
}

/** The message of a call that was made as a batch of one document. */
const OPERATION = /^operations\[\d+\]: /;

const noLive = () =>
  new TypeError("Live queries need the option `live` of createClient: import { live } from '@baobab/client/live'");

export function createCollection<C>(api: Api, name: string, queries?: LiveQueries): Collection<C> {
  const operations = createOperations<C>(name);
  const { batch } = createBatches(api);
  const one = (id: string) => path`/document/${name}/${id}`;

  const send = <T>({ method, path: to, body }: Operation<T>, options: WriteOptions | undefined) =>
    api.keyed<T>({ method, path: to, json: body, options });

  /** Makes a change. When it took effect but its answer was too large to be kept, the document is read instead. */
  async function change(id: string, operation: Operation<Stored<C>>, options: WriteOptions = {}): Promise<Stored<C>> {
    try {
      return await send(operation, options);
    } catch (error) {
      if (!isBaobabError(error, 'idempotency.not_kept')) throw error;
      return get(id, { signal: options.signal, timeout: options.timeout });
    }
  }

  function get(id: string, { expand = [], ...options }: GetOptions = {}): Promise<Stored<C>> {
    const params = { expand: expand.length === 0 ? undefined : expand.join(',') };
    return api.get<Stored<C>>(one(id), params, options);
  }

  async function update(id: string, patch: Partial<C>, options: ChangeOptions = {}): Promise<Stored<C>> {
    const changes = patchOperations(one(id), patch as object, options) as Operation<Stored<C>>[];
    const [only] = changes;
    if (only === undefined) return get(id, options);
    if (changes.length === 1) return change(id, only, options);
    try {
      return (await batch(changes, options)).at(-1) as Stored<C>;
    } catch (error) {
      if (isBaobabError(error, 'idempotency.not_kept')) return get(id, options);
      if (!isBaobabError(error) || error.operation === null) throw error;
      throw new BaobabError(error.code, error.message.replace(OPERATION, ''), { ...error, operation: null });
    }
  }

  const query = () =>
    createQuery<Stored<C>>({
      api,
      path: path`/document/${name}`,
      countPath: path`/document/${name}/count`,
      follow(request, ...handlers) {
        if (queries === undefined) throw noLive();
        return queries.follow({ ...request, collection: name, path: path`/document/${name}` }, ...handlers);
      },
    });

  return {
    name,
    operations,
    ...createGrantCalls(api, one),
    create: (content, options) => send(operations.create(content, options), options),
    get,
    async find(id, options) {
      try {
        return await get(id, options);
      } catch (error) {
        if (isBaobabError(error, 'document.not_found')) return null;
        throw error;
      }
    },
    update,
    replace: (id, content, options) => change(id, operations.replace(id, content, options), options),
    remove: (id, options) => send(operations.remove(id), options),
    async field<P extends FieldPath<C>>(id: string, field: P, options?: CallOptions) {
      const { result } = await api.get<{ readonly result: FieldValue<C, P> }>(one(id) + fieldPath(field), {}, options);
      return result;
    },
    setField: (id, field, value, options) => change(id, operations.setField(id, field, value, options), options),
    append: (id, field, value, options) => change(id, operations.append(id, field, value), options),
    removeField: (id, field, options) => change(id, operations.removeField(id, field, options), options),
    grants: async (id, options) => grantsIn(await api.get(one(id), { withAcl: true }, options)),
    setGrants: (id, grants, options) => api.put(`${one(id)}/acl`, grants, options),
    live(id, listener, options) {
      const one = query().whereUnchecked('id = ?', id).live as LiveCall<Stored<C>>;
      return one(([document = null]) => listener(document), { ...options });
    },
    query,
  };
}
