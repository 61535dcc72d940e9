import { increment, isBaobabError } from '@baobab/client';
import { defineExtension, refuse } from '@baobab/server/extensions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STORAGES, type TestStorage } from '../support/databases.ts';
import { type ExtendedBackend, extended } from '../support/extensions.ts';

interface Seen {
  readonly event: string;
  readonly version?: number;
  readonly content?: unknown;
  readonly by: string | null;
}

describe.each(Object.entries(STORAGES))('hooks before writes of documents, on %s', (_name, open) => {
  let storage: TestStorage;
  let on: ExtendedBackend;
  let seen: Seen[] = [];
  /** Runs during the next hook: a concurrent write. */
  let meanwhile: (() => Promise<unknown>) | null = null;

  const hooked = defineExtension((app) => {
    app.before('document.create', { collection: 'notes' }, (event) => {
      seen.push({ event: 'create', content: structuredClone(event.content), by: event.caller?.username ?? null });
      if (event.content.title === 'forbidden') throw refuse('Not this title', { code: 'note.title', status: 422 });
      if (event.content.title === 'fault') throw new Error('a fault');
      event.content.checked = true;
    });
    app.before('document.update', { collection: 'Notes' }, async (event) => {
      const { version, content } = event.document;
      seen.push({ event: 'update', version, content, by: event.caller?.username ?? null });
      const work = meanwhile;
      meanwhile = null;
      await work?.();
      if (event.content.title === 'forbidden') throw refuse('Not this title');
      event.content = { ...event.content, before: content.title };
    });
    app.before('document.delete', { collection: 'notes' }, ({ document, data }) => {
      seen.push({ event: 'delete', version: document.version, by: 'data' in { data } ? document.author : null });
      if (document.content.locked === true) throw refuse('It is locked', { status: 409 });
    });
  });

  beforeAll(async () => {
    storage = await open();
    on = await extended([hooked], { databaseUrl: storage.url });
    await on.admin.admin.collections.create('notes');
    await on.admin.admin.collections.create('others');
  });
  afterAll(async () => {
    await on.close();
    await storage.dispose();
  });

  let count = 0;
  async function author() {
    const { client } = await on.user(`user${++count}`);
    seen = [];
    return { client, notes: client.collection('notes'), name: `user${count}` };
  }
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    );

  it('see a patch that changes nothing, and decide whether it makes a new version', async () => {
    const { notes } = await author();
    const { id } = await notes.create({ title: 'a' });
    expect(await notes.update(id, { title: 'a' })).toMatchObject({ before: 'a', '@version': 2 });
    expect(await notes.update(id, { title: 'a' })).toMatchObject({ before: 'a', '@version': 2 });
    expect(seen.map(({ event }) => event)).toEqual(['create', 'update', 'update']);
  });

  it('may change the content, and see who writes it', async () => {
    const { notes, name } = await author();
    const note = await notes.create({ title: 'a', big: 1 });
    expect(note).toMatchObject({ title: 'a', checked: true });
    expect(seen.at(-1)).toEqual({ event: 'create', content: { title: 'a', big: 1 }, by: name });
    const replaced = await notes.replace(note.id, { title: 'b' });
    expect(replaced).toMatchObject({ title: 'b', before: 'a', '@version': 2 });
    expect(await notes.get(note.id)).toMatchObject({ title: 'b', before: 'a' });
  });

  it('see patches and changes of fields as the resulting content', async () => {
    const { notes } = await author();
    const note = await notes.create({ title: 'a', likes: 1 });
    expect(await notes.update(note.id, { likes: increment(2) })).toMatchObject({ likes: 3, before: 'a' });
    expect(await notes.removeField(note.id, 'likes')).not.toHaveProperty('likes');
    expect(seen.map(({ event }) => event)).toEqual(['create', 'update', 'update']);
  });

  it('refuse with a message, a code and a status, and nothing is stored', async () => {
    const { notes } = await author();
    const error = await failure(notes.create({ title: 'forbidden' }));
    expect(error).toMatchObject({ code: 'note.title', status: 422, message: 'Not this title' });
    expect(await notes.query().list()).toEqual([]);
    const note = await notes.create({ title: 'a' });
    expect(await failure(notes.replace(note.id, { title: 'forbidden' }))).toMatchObject({
      code: 'extension.refused',
      status: 400,
    });
    expect(await notes.get(note.id)).toMatchObject({ title: 'a', '@version': 1 });
  });

  it('refuse removals', async () => {
    const { notes } = await author();
    const locked = await notes.create({ title: 'a', locked: true });
    const free = await notes.create({ title: 'b' });
    expect(await failure(notes.remove(locked.id))).toMatchObject({ status: 409 });
    await notes.remove(free.id);
    expect((await notes.query().list()).map(({ id }) => id)).toEqual([locked.id]);
  });

  it('answer a fault with 500, and nothing is stored', async () => {
    const { notes } = await author();
    expect(await failure(notes.create({ title: 'fault' }, { idempotencyKey: `fault${count}` }))).toMatchObject({
      status: 500,
      code: 'extension.failed',
    });
    expect(on.log.at(-1)?.values).toMatchObject({ part: 'before document.create' });
    expect(await notes.query().list()).toEqual([]);
  });

  it('run again if the document changes meanwhile, and see the new version', async () => {
    const { notes } = await author();
    const note = await notes.create({ title: 'a', likes: 0 });
    seen = [];
    const admin = on.admin.collection('notes');
    meanwhile = () => admin.update(note.id, { likes: increment(10) });
    const changed = await notes.update(note.id, { likes: increment(1) });
    expect(changed).toMatchObject({ likes: 11, '@version': 3 });
    // The hook of the other write runs in between.
    expect(seen.map(({ version }) => version)).toEqual([1, 1, 2]);
  });

  it('end with a conflict if the document never stays the same', async () => {
    const { notes } = await author();
    const note = await notes.create({ title: 'a', likes: 0 });
    const admin = on.admin.collection('notes');
    let writes = 0;
    const again = async () => {
      await admin.update(note.id, { likes: increment(1) });
      writes++;
      meanwhile = again;
    };
    meanwhile = again;
    const error = await failure(notes.update(note.id, { title: 'b' }, { timeout: 60_000 }));
    meanwhile = null;
    expect(isBaobabError(error, 'document.conflict')).toBe(true);
    expect(await notes.get(note.id)).toMatchObject({ title: 'a', likes: writes });
  });

  it('run once for each document of a batch, outside of its transaction', async () => {
    const { client, notes } = await author();
    const note = await notes.create({ title: 'a', likes: 1 });
    seen = [];
    const { operations } = client.collection('notes');
    const [made, changed, other] = await client.batch([
      operations.create({ title: 'n' }),
      operations.update(note.id, { likes: increment(1) }),
      client.collection('others').operations.create({ title: 'o' }),
    ]);
    expect([made, changed]).toMatchObject([{ checked: true }, { likes: 2, before: 'a' }]);
    expect(other).not.toHaveProperty('checked');
    expect(seen.map(({ event }) => event)).toEqual(['create', 'update']);
  });

  it('see the earlier operations of a batch, with their changes', async () => {
    const { client, notes } = await author();
    const note = await notes.create({ title: 'a', likes: 0 });
    const { operations } = client.collection('notes');
    seen = [];
    const [, , third] = await client.batch([
      operations.update(note.id, { likes: increment(1), title: 'b' }),
      operations.update(note.id, { likes: increment(1), title: 'c' }),
      operations.update(note.id, { likes: increment(1) }),
    ]);
    expect(third).toMatchObject({ likes: 3, title: 'c', before: 'c', '@version': 4 });
    expect(seen.map(({ version }) => version)).toEqual([1, 2, 3]);
  });

  it('refuse a whole batch, or one operation of it', async () => {
    const { client, notes } = await author();
    const { operations } = client.collection('notes');
    const batch = [operations.create({ title: 'a' }), operations.create({ title: 'forbidden' })] as const;
    expect(await failure(client.batch(batch))).toMatchObject({ code: 'note.title', operation: 1 });
    expect(await notes.query().list()).toEqual([]);
    const settled = await client.batchSettled(batch);
    expect(settled.map(({ ok }) => ok)).toEqual([true, false]);
    expect(settled[1]).toMatchObject({ error: { code: 'note.title', status: 422 } });
    expect(await notes.query().list()).toMatchObject([{ title: 'a', checked: true }]);
  });

  it('run once for a repeated request, whose refusal is repeated', async () => {
    const { notes } = await author();
    const [key, other] = [`k${count}`, `l${count}`];
    const first = await notes.create({ title: 'a' }, { idempotencyKey: key });
    expect(await notes.create({ title: 'a' }, { idempotencyKey: key })).toEqual(first);
    const errors = [
      await failure(notes.create({ title: 'forbidden' }, { idempotencyKey: other })),
      await failure(notes.create({ title: 'forbidden' }, { idempotencyKey: other })),
    ];
    expect(errors).toMatchObject([{ code: 'note.title' }, { code: 'note.title', status: 422 }]);
    expect(seen.map(({ event }) => event)).toEqual(['create', 'create']);
  });

  it('do not run for a write that is not allowed, or is based on another version', async () => {
    const { notes } = await author();
    const note = await notes.create({ title: 'a' });
    const other = await author();
    expect(await failure(other.notes.replace(note.id, { title: 'b' }))).toMatchObject({ code: 'access.denied' });
    expect(await failure(other.notes.remove(note.id))).toMatchObject({ code: 'access.denied' });
    expect(await failure(notes.replace(note.id, { title: 'b' }, { version: 7 }))).toMatchObject({
      code: 'document.stale',
    });
    expect(seen).toEqual([]);
  });

  it('cannot store what the schema of the collection forbids', async () => {
    const name = `strict${Object.keys(STORAGES).length}`;
    await on.admin.admin.collections.create(name);
    const properties = { title: { type: 'string' } };
    const schema = { type: 'object', properties, additionalProperties: false };
    await on.admin.admin.collections.setSchema(name, schema);
    expect(await on.admin.collection(name).create({ title: 'a' })).toMatchObject({ title: 'a' });
    await on.admin.admin.collections.setSchema('notes', schema);
    const { notes } = await author();
    expect(await failure(notes.create({ title: 'a' }))).toMatchObject({ code: 'document.invalid' });
    await on.admin.admin.collections.removeSchema('notes');
  });
});
