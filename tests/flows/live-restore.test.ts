import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/backend.ts';
import { createClient } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { openEventStream, type StreamEvent } from '../support/live/event-stream.ts';
import { until } from '../support/patience.ts';
import { startCommand } from '../support/program.ts';
import { createSetUp, SETTINGS } from '../support/set-up.ts';

const setUp = createSetUp();

/** Environments on two databases of a kind: a migrated one, and one that nothing has touched yet. */
const DATABASES = {
  SQLite: async () => [{ DATA_DIR: setUp.folder() }, { DATA_DIR: setUp.folder() }] as const,
  Postgres: async () => {
    const urls = [await setUp.database(), await setUp.database({ empty: true })] as const;
    const [here, there] = urls.map((DATABASE_URL) => ({ DATABASE_URL, DATA_DIR: setUp.folder() }));
    if (here === undefined || there === undefined) throw new Error('no databases');
    return [here, there] as const;
  },
};

async function serve(environment: Readonly<Record<string, string>>) {
  const program = setUp.start({ ...SETTINGS, ...environment });
  const client = createClient(await program.ready(), SETTINGS.APP_CODE);

  async function expectOk(answer: Promise<Answer>): Promise<Answer> {
    const { status, text } = await answer;
    if (status >= 300) throw new Error(text);
    return answer;
  }

  const body = { username: 'admin', password: SETTINGS.ADMIN_PASSWORD };
  const token = (await expectOk(client('POST', '/login', { body }))).data['X-BB-SESSION'];
  return {
    program,
    client,
    token,
    changes: (query: string) => client('GET', `/changes?${query}`, { token }),
    add: async (n: number) => (await expectOk(client('POST', '/document/books', { token, body: { n } }))).data.id,
    call: (method: string, path: string) => expectOk(client(method, path, { token })),
    /** The first event of a stream that is resumed. */
    async firstEvent(cursor: string): Promise<StreamEvent | undefined> {
      const events: StreamEvent[] = [];
      const stream = openEventStream(`${client.address}/changes/stream`, {
        headers: { 'x-service-appcode': SETTINGS.APP_CODE, 'x-bb-session': token, 'last-event-id': cursor },
        on: (event) => events.push(event),
      });
      await until(() => events.length > 0);
      stream.close();
      return events[0];
    },
  };
}

const nextOf = async (answer: Promise<Answer>): Promise<string> => (await answer).body.next;

describe.each(Object.entries(DATABASES))('the change feed after a restore, on %s', (_name, open) => {
  it('takes no cursor from before, and has no gap afterwards', async () => {
    const [here, there] = await open();
    const archive = join(setUp.folder(), 'backup.tar');
    const before = await serve(here);
    await before.call('POST', '/admin/collection/books');
    const cursors = [await nextOf(before.changes(''))];
    const saved = [await before.add(1), await before.add(2)];
    cursors.push(await nextOf(before.changes('since=0&limit=1')), await nextOf(before.changes('')));
    const { code, errors } = await startCommand(['backup', '--to', archive, '--throttle', '0'], {
      ...SETTINGS,
      ...here,
    }).ended;
    expect([code, errors]).toEqual([0, '']);
    await before.call('DELETE', `/document/books/${saved[0]}`);
    await before.add(3);
    cursors.push(await nextOf(before.changes('')));
    expect((await before.changes(`since=${cursors[0]}`)).status).toBe(200);
    await before.program.dispose();

    const restored = await runCommand(['restore', '--from', archive], { ...SETTINGS, ...there });
    expect([restored.code, restored.errors]).toEqual([0, '']);
    const after = await serve(there);
    // As many changes as there were before: positions alone would not tell the two histories apart.
    const added = [await after.add(4), await after.add(5), await after.add(6)];
    for (const cursor of cursors) {
      const { status, body } = await after.changes(`since=${encodeURIComponent(cursor)}`);
      expect([status, body.code]).toEqual([410, 'changes.cursor_expired']);
      expect(await after.firstEvent(cursor)).toMatchObject({ event: 'resync', data: { reason: 'expired' } });
    }
    const replica = new Set<string>();
    let since = '0';
    for (let more = true; more; ) {
      const { status, body } = await after.changes(`since=${encodeURIComponent(since)}`);
      expect(status).toBe(200);
      for (const { type, id } of body.data) expect([type, replica.add(id)]).toEqual(['put', replica]);
      since = body.next;
      more = body.more;
    }
    expect(replica).toEqual(new Set([...saved, ...added]));
    await after.call('DELETE', `/document/books/${saved[1]}`);
    const found = new Set<string>();
    await until(async () => {
      const { body } = await after.changes(`since=${encodeURIComponent(since)}`);
      since = body.next;
      for (const { type, id } of body.data) found.add(`${type} ${id}`);
      return found.has(`gone ${saved[1]}`);
    });
    expect(found.has(`gone ${saved[0]}`)).toBe(false);
  });
});
