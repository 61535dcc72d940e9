import { expoStore } from '@baobab/client/expo';
import { createExpoSqlite } from './expo-sqlite.ts';

// Counts two entries up in one transaction each, and prints each acknowledged count, until it is killed.
const [, , folder = ''] = process.argv;
const store = expoStore('app.db', createExpoSqlite({ folder }).openDatabaseAsync);
for (;;) {
  let count = 0;
  await store.update(['a'], ([a = 0]) => {
    count = Number(a) + 1;
    return [
      ['a', count],
      ['b', count],
    ];
  });
  process.stdout.write(`${count}\n`);
}
