import type { AdminClient } from '@baobab/client/admin';

/** Client calls for indexes of users, files and assets, by operation. */
export const INDEX_USES: Readonly<Record<string, readonly ((client: AdminClient) => unknown)[]>> = {
  listIndexesOn: [({ admin }) => admin.indexes.list('users')],
  readIndexOn: [({ admin }) => admin.indexes.get('files', 'attachedData.kind')],
  declareIndexOn: [({ admin }) => admin.indexes.create('assets', 'name')],
  removeIndexOn: [({ admin }) => admin.indexes.remove('users', ['user.status', 'user.name'])],
};
