import { Readable } from 'node:stream';
import type { Progress, UploadSource } from '@baobab/client';
import { expect, it } from 'vitest';
import { codeOf } from '../support/client-failures.ts';
import { nameOf, onEveryService } from '../support/client-service.ts';
import { SAMPLES } from '../support/files.ts';

const CONTENT = 'Third door on the left — ж';
const BYTES = new TextEncoder().encode(CONTENT);

/** The content in small chunks. */
async function* chunks() {
  for (let at = 0; at < BYTES.length; at += 5) yield BYTES.slice(at, at + 5);
}

onEveryService('files through the client', (service) => {
  const sources: [string, () => UploadSource][] = [
    ['a File', () => new File([BYTES], 'plan ж.txt', { type: 'text/plain' })],
    ['a Blob', () => new Blob([BYTES], { type: 'text/plain' })],
    ['bytes', () => BYTES],
    ['a stream of Node', () => Readable.from(chunks())],
    ['a stream of the web', () => Readable.toWeb(Readable.from(chunks())) as ReadableStream<Uint8Array>],
    ['an iterable', () => chunks()],
  ];

  it.each(sources)('are stored from %s, with progress', async (_name, source) => {
    const client = await service.user();
    const name = 'plan ж.txt';
    for (const onProgress of [undefined, true]) {
      const seen: Progress[] = [];
      const file = await client.files.upload(source(), {
        name,
        type: 'text/plain',
        attachedData: { room: 12 },
        grants: { read: { roles: ['registereduser'] } },
        ...(onProgress === true && { onProgress: (progress: Progress) => seen.push(progress) }),
      });
      expect([file.fileName, file.contentType, file.contentLength, file.attachedData]).toEqual([
        name,
        'text/plain',
        BYTES.length,
        { room: 12 },
      ]);
      const other = await service.user();
      expect(await (await other.files.download(file.id)).text()).toBe(CONTENT);
      if (onProgress === true) expect(seen.at(-1)?.sent).toBe(BYTES.length);
    }
  });

  it('are described, found, shared and removed', async () => {
    const [client, other] = [await service.user(), await service.user()];
    const file = await client.files.upload(BYTES, { name: 'a.txt', attachedData: { room: 7 } });
    expect(await client.files.details(file.id)).toEqual(file);
    expect(await client.files.attachedData(file.id)).toEqual({ room: 7 });
    expect(await client.files.query().where('attachedData.room = ?', 7).list()).toEqual([file]);
    expect(await codeOf(other.files.download(file.id))).toBe('file.not_found');
    await client.files.grant(file.id, 'read', { user: nameOf(other) });
    expect((await client.files.grants(file.id))?.read).toEqual({ users: [nameOf(other)], roles: [], groups: [] });
    expect(await other.files.grants(file.id)).toBeNull();
    expect(await (await other.files.download(file.id)).text()).toBe(CONTENT);
    await client.files.revoke(file.id, 'read', { user: nameOf(other) });
    expect(await codeOf(other.files.details(file.id))).toBe('file.not_found');
    await client.files.remove(file.id);
    expect(await codeOf(client.files.details(file.id))).toBe('file.not_found');
  });

  it('belong to a document, and go with it', async () => {
    const [client, other] = [await service.user(), await service.user()];
    const name = await service.collection();
    const { id } = await client.collection(name).create({ title: 'Print' });
    const document = `${name}/${id}` as const;
    const alone = await client.files.upload(BYTES);
    const file = await client.files.upload(BYTES, { name: 'a.txt', document });
    expect([file.document, alone.document]).toEqual([document, undefined]);
    expect(await client.files.query({ document }).list()).toEqual([file]);
    expect(await client.files.query({ document }).where('fileName = ?', 'b.txt').count()).toBe(0);
    expect(await codeOf(other.files.query({ document }).list())).toBe('access.denied');
    expect(await codeOf(other.files.upload(BYTES, { document }))).toBe('access.denied');
    await client.collection(name).grant(id, 'read', { user: nameOf(other) });
    expect(await other.files.query({ document }).list()).toEqual([file]);
    await client.collection(name).remove(id);
    expect(await codeOf(client.files.details(file.id))).toBe('file.not_found');
    expect(await client.files.query().where('_author = ?', nameOf(client)).list()).toEqual([alone]);
  });

  it('have addresses for pages, also of images in other sizes', async () => {
    const client = await service.user();
    const { id } = await client.files.upload(new Blob([SAMPLES.png], { type: 'image/png' }), { name: 'dot.png' });
    for (const options of [{}, { size: '50%' }, { sizeId: 0 }, { download: true }]) {
      const response = await fetch(client.files.url(id, options));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
      await response.arrayBuffer();
    }
    const small = await client.files.download(id, { size: '50%' });
    expect(small.headers.get('content-type')).toBe('image/png');
    await small.arrayBuffer();
    expect(await codeOf(client.files.download(id, { size: 'huge' }))).toBe('image.format_invalid');
  });

  it('can be given up while they are sent, and leave nothing', async () => {
    const client = await service.user();
    const controller = new AbortController();
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) {
          yield new Uint8Array(1024);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      } finally {
        isClosed = true;
      }
    }
    const upload = client.files.upload(endless(), {
      signal: controller.signal,
      onProgress: ({ sent }) => sent > 4096 && controller.abort(),
    });
    expect(await codeOf(upload)).toBe('client.aborted');
    await expect.poll(() => isClosed).toBe(true);
    expect(await client.files.query().where('_author = ?', nameOf(client)).count()).toBe(0);
    expect(await codeOf(client.files.upload(BYTES, { signal: controller.signal }))).toBe('client.aborted');
  });

  it('fail when their own stream fails', async () => {
    const client = await service.user();
    async function* broken() {
      yield BYTES;
      throw new Error('the disk is gone');
    }
    expect(await codeOf(client.files.upload(broken()))).toBe('client.network');
    expect(await client.files.query().where('_author = ?', nameOf(client)).count()).toBe(0);
  });
});

onEveryService('assets through the client', (service) => {
  it('are published by administrators and read by everybody', async () => {
    const { admin } = await service.admin();
    const anybody = service.client();
    const [text, logo] = [service.unique('text'), service.unique('logo')];
    const greeting = await admin.assets.create(text, { meta: { hello: 'you' } });
    expect(await anybody.assets.get(text)).toEqual(greeting);
    const image = await admin.assets.create(logo, {
      file: new Blob([SAMPLES.png]),
      fileName: 'logo.png',
      type: 'image/png',
      meta: { alt: 'a dot' },
    });
    expect([image.fileName, image.contentType, image.meta]).toEqual(['logo.png', 'image/png', { alt: 'a dot' }]);
    expect((await (await anybody.assets.download(logo)).arrayBuffer()).byteLength).toBe(SAMPLES.png.length);
    for (const options of [{}, { size: { percent: 50 } }, { size: { sizeId: 1 }, download: true }]) {
      const response = await fetch(anybody.assets.url(logo, options));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
      await response.arrayBuffer();
    }
    expect(await admin.assets.query().where('name = ?', logo).list()).toEqual([image]);
    await admin.assets.remove(logo);
    expect(await codeOf(anybody.assets.get(logo))).toBe('asset.not_found');
    expect(await codeOf(anybody.assets.download(text))).toBe('asset.no_file');
  });
});
