import { isBaobabError } from '../errors.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type { LiveCall, LiveHandlers, LiveQueries } from '../query/live.ts';
import { fieldPath } from '../query/paths.ts';
import { createQuery, type Query } from '../query/query.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import type { Grants } from '../wire.ts';
import { type Defined, operatorsOf, type Patch } from './changes.ts';
import { createGrantCalls, type GrantCalls, grantsIn } from './grants.ts';
import { createOperations, type NewDocument, type Operation, type Operations, type Versioned } from './operations.ts';
import type { ElementOf, FieldPath, FieldValue, Stored } from './types.ts';

export interface GetOptions extends CallOptions {
  /** Paths of fields that refer to documents, `_author` or `_updated_by`. The referenced documents are returned under `_expanded`. */
  readonly expand?: readonly string[];
}

export interface ChangeOptions extends WriteOptions, Versioned {}

/** A collection of documents. `C` is the type of their content. */
export interface Collection<C> extends GrantCalls {
  readonly name: string;
  create(content: C, options?: WriteOptions & NewDocument): Promise<Stored<C>>;
  get(id: string, options?: GetOptions): Promise<Stored<C>>;
  /** Like `get`, but resolves to null if the document does not exist or is not readable. */
  find(id: string, options?: GetOptions): Promise<Stored<C> | null>;
  /**
   * Sets all members of `patch`, or changes them by operators such as `increment(1)`; all or none. Other members stay
   * unchanged, including concurrent changes by other users.
   */
  update<P extends Patch<C>>(id: string, patch: P & Defined<C, P>, options?: ChangeOptions): Promise<Stored<C>>;
  /** Replaces the whole content. */
  replace(id: string, content: C, options?: ChangeOptions): Promise<Stored<C>>;
  remove(id: string, options?: WriteOptions): Promise<void>;
  /**
   * Calls the listener with the document, and again after each change; with null while it does not exist or is not
   * readable. Requires the option `live` of the client. Returns a function that unsubscribes.
   */
  live(id: string, listener: (document: Stored<C> | null) => void, options?: LiveHandlers): () => void;
  field<P extends FieldPath<C>>(id: string, field: P, options?: CallOptions): Promise<FieldValue<C, P>>;
  setField<P extends FieldPath<C>>(
    id: string,
    field: P,
    value: FieldValue<C, P>,
    options?: ChangeOptions,
  ): Promise<Stored<C>>;
  /** Appends an element to a list. Elements that are appended concurrently are kept. */
  append<P extends FieldPath<C>>(
    id: string,
    field: P,
    value: ElementOf<FieldValue<C, P>>,
    options?: WriteOptions,
  ): Promise<Stored<C>>;
  /** Removes a member, or an element of a list. */
  removeField(id: string, field: FieldPath<C>, options?: ChangeOptions): Promise<Stored<C>>;
  /** Returns the grants of a document; null if the caller may not see them. */
  grants(id: string, options?: CallOptions): Promise<Required<Grants> | null>;
  /** Replaces all grants. Permissions that are absent are revoked. */
  setGrants(id: string, grants: Grants, options?: CallOptions): Promise<void>;
  /** Queries the documents that the caller may read. */
  query(): Query<Stored<C>>;
  /** The same operations as data, for `batch`. */
  readonly operations: Operations<C>;
}

/** Returns the error of calls that need the option `live`. */
export const noLive = () =>
  new TypeError(
    "Live queries and rooms need the option `live` of createClient: import { live } from '@baobab/client/live'",
  );

export function createCollection<C>(api: Api, name: string, queries?: LiveQueries): Collection<C> {
  const operations = createOperations<C>(name);
  const one = (id: string) => path`/document/${name}/${id}`;

  const send = <T>({ method, path: to, body }: Operation<T>, options: WriteOptions | undefined) =>
    api.keyed<T>({ method, path: to, json: body, options });

  /**
   * Makes a change. If it took effect but its response was too large to store for a repetition, the document is read
   * instead.
   */
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

  async function update<P extends Patch<C>>(id: string, patch: P & Defined<C, P>, options?: ChangeOptions) {
    if (operatorsOf(patch) === null) return get(id, options);
    return change(id, operations.update<P>(id, patch, options), options);
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
        if (isBaobabError(error, 'document.not_found', 'access.denied')) return null;
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
      const one = query().whereUnchecked('id = ?', id.toLowerCase()).live as LiveCall<Stored<C>>;
      return one(([document = null]) => listener(document), { ...options });
    },
    query,
  };
}
