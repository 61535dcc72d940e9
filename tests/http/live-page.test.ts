import { createTestBackend } from '@baobab/server/testing';
import { expect, it } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { fences } from '../support/fences.ts';
import { openLive } from '../support/live-sockets.ts';
import { readDocument } from '../support/markdown.ts';
import { expectStatus } from '../support/people.ts';
import { openSocket } from '../support/sockets.ts';

const SENT = ['hello', 'subscribe', 'unsubscribe', 'join', 'state', 'send', 'leave'];
type Message = Readonly<Record<string, unknown>>;

it('the messages in docs/live.md are those of the socket', async () => {
  const backend = await createTestBackend({ appCode: '1234567890' });
  try {
    const world = createWorld(backend);
    await world.call('POST', '/admin/collection/groceries', { token: await world.admin() });
    const { token } = await world.user('mara');
    const live = await openLive(`http://127.0.0.1:${await openSocket(backend.app)}`, { hello: null });
    const blocks = fences(readDocument('docs/live.md')).filter(({ info }) => /^json (socket|room)$/.test(info));
    const lines = blocks.flatMap(({ text }) => text.trim().split('\n'));
    expect(lines.length).toBeGreaterThan(8);
    let document = '';
    for (const line of lines) {
      const message: Message = JSON.parse(line.replace('<token>', token).replaceAll('<id>', document));
      const { type, id } = message;
      if (SENT.includes(String(type))) {
        live.send(message);
        continue;
      }
      if (type === 'put') {
        const { data } = message as { data: { document: Message } };
        const body = data.document;
        const made = await expectStatus(world.call('POST', '/document/groceries', { token, body }), 200);
        document = made.data.id;
      }
      const arrived = await live.line(id === undefined ? String(type) : `${type} ${id}`);
      expect(Object.keys(arrived)).toEqual(Object.keys(message));
      if (type === 'put') expect(Object.keys(arrived.data)).toEqual(Object.keys(message.data as object));
    }
    expect(live.lines().filter((line) => line.startsWith('error'))).toEqual([]);
    live.close();
  } finally {
    await backend.close();
  }
});
