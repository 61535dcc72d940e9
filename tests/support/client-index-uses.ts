import type { AdminClient } from '@baobab/client/admin';

/** Client calls for indexes of users, files and assets, and for search, by operation. */
export const INDEX_USES: Readonly<Record<string, readonly ((client: AdminClient) => unknown)[]>> = {
  readSearchIndex: [({ admin }) => admin.collections.search('c'), ({ admin }) => admin.collections.findSearch('c')],
  setSearchIndex: [
    ({ admin }) => admin.collections.setSearch('c', { title: 3, text: 1 }),
    ({ admin }) => admin.collections.setSearch('c', ['title']),
  ],
  removeSearchIndex: [({ admin }) => admin.collections.removeSearch('c')],
  listIndexesOn: [({ admin }) => admin.indexes.list('users')],
  readIndexOn: [({ admin }) => admin.indexes.get('files', 'attachedData.kind')],
  declareIndexOn: [({ admin }) => admin.indexes.create('assets', 'name')],
  removeIndexOn: [({ admin }) => admin.indexes.remove('users', ['user.status', 'user.name'])],
};
