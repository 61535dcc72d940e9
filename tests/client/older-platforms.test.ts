import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleClient } from '../support/bundle.ts';
import { type ClientService, openClientService } from '../support/client-service.ts';

const run = promisify(execFile);

/**
 * Removes what Node 18 does not have, and React Native often not either. Methods and `File` stay, because Node's own `fetch` uses
 * them: the compiler knows which ones there are (`lib` in packages/client/tsconfig.json).
 */
const MISSING = `
await fetch(process.argv[2] + '/health/live'); // newer versions of Node need some of it when they load this
for (const name of ['crypto', 'Crypto', 'CustomEvent', 'navigator', 'WebSocket', 'EventSource', 'Storage', 'BroadcastChannel']) {
  delete globalThis[name];
}
for (const [owner, names] of [
  [AbortSignal, ['any', 'timeout']],
  [Promise, ['withResolvers', 'try']],
  [Object, ['groupBy']],
  [Map, ['groupBy']],
  [Array, ['fromAsync']],
]) for (const name of names) delete owner[name];
`;

/** Not a scenario of its own: the calls that need something of the platform. */
const PROGRAM = `
const { createClient, createOffline, isBaobabError, live, memoryStore } = await import('./client.js');
const [, , url, appCode, collection] = process.argv;
const client = createClient({ url, appCode, live, storage: { getItem: async () => null, setItem: async () => {}, removeItem: async () => {} } });
await client.auth.signUp({ username: 'older', password: 'secret' });
const notes = client.collection(collection);
const { id } = await notes.create({ title: 'Milk', tags: [] });
await notes.append(id, 'tags', 'a');
await notes.update(id, { litres: 1, done: true });
for await (const note of notes.query().where('litres >= ?', 1).pageSize(1)) console.log(note.title, note['@version']);
const seen = [];
const onProgress = ({ sent }) => seen.push(sent);
async function* chunks() { yield new Uint8Array([65]); yield new Uint8Array([66, 67]); }
for (const [source, options] of [[new Blob(['x']), {}], [new Blob(['x']), { onProgress }], [new Uint8Array(3), {}], [chunks(), { onProgress }]]) {
  console.log((await client.files.upload(source, { name: 'a', ...options })).contentLength);
}
console.log(seen.join());
console.log(await (await client.files.download((await client.files.query().first()).id)).text());
await new Promise((resolve) => {
  const stop = notes.query().live((rows) => {
    console.log(rows.map(({ title }) => title).join());
    if (rows.length === 0) resolve(stop());
    else notes.remove(id);
  });
});
const offline = createOffline(client, { store: memoryStore(), collections: [collection] });
await offline.collection(collection).create({ title: 'Bread' });
while ((await notes.query().count()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
console.log((await offline.collection(collection).query().list()).map(({ title }) => title).join());
offline.close();
const controller = new AbortController();
controller.abort();
await client.users.me({ signal: controller.signal }).catch((error) => console.log(isBaobabError(error), error.code));
await client.auth.logout();
// The process now exits: the client leaves no timers or connections open.
`;

const PRINTED = 'Milk 3\n1\n1\n3\n3\n1,1,3\nx\nMilk\n\nBread\ntrue client.aborted\n';

describe('the client on older platforms', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baobab-older-'));
  let service: ClientService;

  beforeAll(async () => {
    service = await openClientService();
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(folder, 'client.js'),
      await bundleClient(
        "export * from '@baobab/client'; export * from '@baobab/client/live'; export * from '@baobab/client/offline';",
      ),
    );
    writeFileSync(join(folder, 'program.js'), MISSING + PROGRAM);
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  it('needs nothing that Node 18 does not have', async () => {
    const { url, backend } = service;
    const args = [join(folder, 'program.js'), url, backend.appCode, await service.collection()];
    // OLDER_NODE names another Node to try, such as a real Node 18.
    const { stdout } = await run(process.env.OLDER_NODE ?? process.execPath, args);
    expect(stdout).toBe(PRINTED);
  });
});
