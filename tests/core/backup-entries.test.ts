import { type ArchiveEntry, type ArchiveRow, type ArchiveSource, type Blobs, backupEntries } from '@baobab/core';
import { describe, expect, it } from 'vitest';

type Tables = Record<string, ArchiveRow[]>;

const KEYS = { files: ['id'], file_grants: ['file', 'principal'], assets: ['id'], documents: ['id'] };
const fileOf = (id: string): ArchiveRow => ({ id, size: 1, sha256: 'of no importance' });
const original = (area: string, id: string) => `${area}/${id}/original`;

/** A store whose tables change during a backup. */
function createStore(tables: Tables) {
  const bytes = new Set<string>();
  let opened = 0;
  let closed = 0;
  const put = (area: 'files' | 'assets', id: string) => {
    tables[area] = [...(tables[area] ?? []), fileOf(id)];
    bytes.add(original(area, id));
  };
  const remove = (area: 'files' | 'assets', id: string) => {
    tables[area] = (tables[area] ?? []).filter((row) => row.id !== id);
    bytes.delete(original(area, id));
  };

  async function open(): Promise<ArchiveSource> {
    opened++;
    const picture = structuredClone(tables);
    return {
      kinds: Object.entries(KEYS).map(([name, key]) => ({ name, key })),
      count: async () => 0,
      estimate: async () => 0,
      async *read({ name }) {
        const rows = picture[name] ?? [];
        if (rows.length > 0) yield rows;
      },
      close: async () => {
        closed++;
      },
    };
  }

  const blobs: Pick<Blobs, 'get'> = {
    get: async (key) => {
      if (!bytes.has(key)) return null;
      async function* content() {
        yield new Uint8Array([7]);
      }
      return { size: 1, bytes: content(), dispose: () => undefined };
    },
  };
  return { open, blobs, put, remove, held: () => opened - closed };
}

/** The entries of an archive; `at` is called with the name of each entry before the next is made. */
async function backUp({ open, blobs }: ReturnType<typeof createStore>, at: (name: string) => void) {
  const counts: Record<string, number> = {};
  const progress = (step: string, done: number) => {
    counts[step] = done;
  };
  const names: string[] = [];
  const ids: Record<string, unknown[]> = {};
  const read = ({ name, ...entry }: ArchiveEntry) => {
    names.push(name);
    const [area, kind = ''] = name.split('/');
    if (area !== 'rows' || !('text' in entry)) return;
    const rows = entry.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ArchiveRow);
    ids[kind] = [...(ids[kind] ?? []), ...rows.map((row) => row.id ?? row.file)];
  };
  for await (const entry of backupEntries({ open, blobs, program: 'test', created: 'now', progress })) {
    read(entry);
    at(entry.name);
  }
  return { names, ids, counts };
}

describe('the entries of a backup', () => {
  it('contain the bytes of every file of the snapshot, also of files added while bytes were copied', async () => {
    const store = createStore({ documents: [{ id: 'd1' }] });
    store.put('files', 'a');
    store.put('assets', 'b');
    const { names, ids, counts } = await backUp(store, (name) => {
      if (name === 'blobs/files/a/original') store.put('files', 'late');
    });
    expect(names.filter((name) => name.startsWith('blobs/'))).toEqual([
      'blobs/files/a/original',
      'blobs/assets/b/original',
      'blobs/files/late/original',
    ]);
    expect(ids).toEqual({ files: ['a', 'late'], assets: ['b'], documents: ['d1'] });
    expect(counts).toMatchObject({ files: 2, assets: 1, documents: 1, file_grants: 0 });
  });

  it('contain no row of a file that was removed before its bytes were copied', async () => {
    const grants = ['a', 'late'].map((file) => ({ file, principal: 'p' }));
    const store = createStore({ file_grants: grants });
    for (const id of ['a', 'early']) store.put('files', id);
    store.put('assets', 'b');
    let snapshots = 0;
    async function open() {
      snapshots++;
      if (snapshots === 2) {
        store.put('files', 'late');
        store.put('assets', 'late');
      }
      const source = await store.open();
      if (snapshots === 2) {
        store.remove('files', 'late');
        store.remove('assets', 'late');
      }
      return source;
    }
    const { names, ids } = await backUp({ ...store, open }, (name) => {
      if (name === 'blobs/files/a/original') store.remove('files', 'early');
    });
    expect(names.filter((name) => name.startsWith('blobs/'))).toEqual([
      'blobs/files/a/original',
      'blobs/assets/b/original',
    ]);
    expect(ids).toEqual({ files: ['a'], file_grants: ['a'], assets: ['b'] });
  });

  it('hold no snapshot while bytes are copied, and release all in the end', async () => {
    const store = createStore({ documents: [{ id: 'd1' }] });
    store.put('files', 'a');
    const held: Record<string, number> = {};
    await backUp(store, (name) => {
      held[name] = store.held();
    });
    expect(held).toMatchObject({ 'blobs/files/a/original': 0, 'rows/documents/000001.ndjson': 1 });
    expect(store.held()).toBe(0);
  });
});
