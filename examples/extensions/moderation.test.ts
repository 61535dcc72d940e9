import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { moderation } from './moderation.ts';
import { start } from './start.ts';

/** Stands for the service. */
const service = createServer(async (request, response) => {
  const post = JSON.parse(await text(request)) as { text: string };
  response.end(JSON.stringify({ allowed: !post.text.includes('spam'), language: 'en' }));
}).listen(0, '127.0.0.1');
await once(service, 'listening');
const { port } = service.address() as AddressInfo;
const { user, close } = await start(moderation(`http://127.0.0.1:${port}/`, true), ['posts']);
after(async () => {
  await close();
  service.close();
});

test('stores allowed posts with their language, and refuses others', async () => {
  const ann = await user('ann');
  const posts = ann.collection('posts');
  const post = await posts.create({ text: 'Hello' });
  assert.equal(post.language, 'en');
  await assert.rejects(posts.create({ text: 'Buy spam' }), { code: 'post.refused', status: 422 });
  await assert.rejects(posts.update(post.id, { text: 'More spam' }), { code: 'post.refused' });
  assert.equal(await posts.query().count(), 1);
});
