import { NOW, newFile, newUser, uuid } from '@baobab/contracts/storage';
import type { IndexedList, NewAsset, Path, Storage } from '@baobab/core';

/** More than the number of rows in a range that is sorted without first searching for a page. */
export const ASSETS = 2_600;
const FILES = 300;
const USERS = 200;
const INDEXES: Readonly<Record<IndexedList, readonly (readonly Path[])[]>> = {
  users: [
    [['user', 'name']],
    [['visibleByRegisteredUsers', 'city']],
    [['visibleByTheUser', 'n']],
    [
      ['user', 'status'],
      ['visibleByAnonymousUsers', 'n'],
    ],
    [['visibleByFriend', 'city']],
  ],
  files: [[['attachedData', 'kind']], [['contentLength']], [['contentType'], ['attachedData', 'n']]],
  assets: [
    [['name']],
    [
      ['meta', 'kind'],
      ['meta', 'n'],
    ],
    [['meta', 'n']],
    [['meta', 'u', 'a', 'files']],
  ],
};

const USER_IDS = Array.from({ length: USERS }, (_, i) => uuid(NOW + i));
export const [ANN_ID = '', BOB_ID = ''] = USER_IDS;
const users = USER_IDS.map((id, i) => {
  const [own, n] = [JSON.stringify({ n: (i * 7) % USERS }), JSON.stringify({ n: i % 11 })];
  const [city, friends] = [JSON.stringify({ city: `city ${i % 9}` }), JSON.stringify({ city: `city ${i % 5}` })];
  return newUser(`user ${String(i).padStart(3, '0')}`, {
    id,
    created: NOW + i,
    status: i % 3 === 0 ? 'SUSPENDED' : 'ACTIVE',
    sections: {
      visibleByTheUser: own,
      visibleByFriend: friends,
      visibleByRegisteredUsers: city,
      visibleByAnonymousUsers: n,
    },
  });
});
const files = Array.from({ length: FILES }, (_, i) =>
  newFile(i % 20 === 0 ? BOB_ID : ANN_ID, {
    id: uuid(NOW + i),
    created: NOW + i,
    fileName: `file ${i}`,
    contentType: i % 4 === 0 ? 'image/png' : 'text/plain',
    size: (i * 31) % FILES,
    attachedData: JSON.stringify({ kind: `k${i % 6}`, n: i % 17 }),
    grants: i % 7 === 0 ? [{ principal: 'r:registereduser', rights: 1 }] : [],
  }),
);
const assets = Array.from(
  { length: ASSETS },
  (_, i): NewAsset => ({
    id: uuid(NOW + i),
    name: `asset ${String((i * 7) % ASSETS).padStart(4, '0')}`,
    authorId: ANN_ID,
    created: NOW + i,
    meta: JSON.stringify({ kind: `k${i % 3}`, n: (i * 31) % ASSETS, u: { a: { files: i % 40 } } }),
    file: null,
  }),
);

/** Stores the rows and builds the indexes. */
export async function fill(storage: Storage): Promise<void> {
  await storage.migrate();
  for (const user of users) await storage.users.add(user);
  for (let i = 0; i < USERS; i += 4) await storage.follows.add(ANN_ID, USER_IDS[i + 1] ?? BOB_ID);
  await storage.blocks.add(USER_IDS[5] ?? '', ANN_ID);
  await storage.transaction(async (stores) => {
    for (const file of files) await stores.files.add(file);
    for (const asset of assets) await stores.assets.add(asset);
  });
  for (const [list, indexes] of Object.entries(INDEXES)) {
    for (const paths of indexes) {
      const name = uuid().replaceAll('-', '_');
      await storage.indexes.declare({ list: list as IndexedList, paths, name }, indexes.length);
    }
  }
  await storage.indexes.reconcile();
}
