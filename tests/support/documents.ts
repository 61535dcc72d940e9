import type { Answer, CallOptions, World } from './backend.ts';

/** A collection, a user who owns documents in it, and helpers for common calls. */
export interface Shelf {
  readonly collection: string;
  readonly owner: Awaited<ReturnType<World['user']>>;
  /** Stores a document of the owner's and resolves to it, as in the response. */
  // biome-ignore lint/suspicious/noExplicitAny: documents have any shape
  create(content: unknown): Promise<any>;
  /** Returns the path of a document. */
  path(id: string): string;
  /** Shares the document or revokes a grant. @throws Error for any status but 200 */
  share(id: string, grant: string, method?: 'PUT' | 'DELETE'): Promise<void>;
  /** Returns the ids in a list, as seen by a caller. */
  ids(options: CallOptions, query?: string): Promise<string[]>;
}

export async function createShelf(world: World): Promise<Shelf> {
  const [collection, owner] = [await world.collection(), await world.user()];
  const { token } = owner;

  function expectOk({ status, text }: Answer): void {
    if (status !== 200) throw new Error(text);
  }

  return {
    collection,
    owner,
    async create(content) {
      const answer = await world.call('POST', `/document/${collection}`, { token, body: content });
      expectOk(answer);
      return answer.data;
    },
    path: (id) => `/document/${collection}/${id}`,
    async share(id, grant, method = 'PUT') {
      expectOk(await world.call(method, `/document/${collection}/${id}/${grant}`, { token }));
    },
    async ids(options, query = '') {
      const answer = await world.call('GET', `/document/${collection}${query}`, options);
      expectOk(answer);
      return answer.data.map(({ id }: { id: string }) => id);
    },
  };
}

/** Creates a shelf with one document, and calls of its owner that read it and change its fields. */
export async function createBook(world: World, content: unknown) {
  const shelf = await createShelf(world);
  const document = await shelf.create(content);
  const { token } = shelf.owner;
  const url = shelf.path(document.id);
  const of = (field: string) => `${url}/${field}`;
  return {
    ...shelf,
    document,
    url,
    token,
    get: (field: string) => world.call('GET', of(field), { token }),
    set: (field: string, data: unknown) => world.call('PUT', of(field), { token, body: { data } }),
    remove: (field: string, options: CallOptions = {}) => world.call('DELETE', of(field), { token, ...options }),
    read: async () => (await world.call('GET', url, { token })).data,
    text: async () => (await world.call('GET', url, { token })).text,
  };
}

/** Formats of the fields that begin every document in a response. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const WIRE_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/;
/** Id of a document that does not exist. */
export const NOWHERE = '018f0000-0000-7000-8000-000000000000';

/** Rule by which tasks inherit the permissions of their board. */
export const taskOfBoard = (boards: string) => ({
  field: 'board',
  collection: boards,
  create: 'update',
  read: 'read',
  update: 'update',
  delete: 'update',
  onDelete: 'cascade',
});
