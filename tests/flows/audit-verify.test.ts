import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { runCommand } from '../support/command.ts';
import { createDatabase, createFolder } from '../support/databases.ts';
import { loginAs, setSettings } from '../support/people.ts';

describe.each(['sqlite', 'postgres'])('baobab audit, on %s', (kind) => {
  let folder: ReturnType<typeof createFolder>;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let env: Record<string, string>;
  let backend: TestBackend;
  let world: World;

  beforeAll(async () => {
    folder = createFolder();
    database = await createDatabase();
    const url = kind === 'sqlite' ? `sqlite:${join(folder.path, 'a.db')}` : database.url;
    env = { DATABASE_URL: url, DATA_DIR: folder.path, SECRET_KEY: 'a key of the tests, forty characters long' };
    backend = await createTestBackend({ databaseUrl: url });
    world = createWorld(backend);
    for (const name of ['ann', 'bob']) {
      await world.call('POST', '/user', { body: { username: name, password: 'secret' } });
      await loginAs(world, name);
    }
  });
  afterAll(async () => {
    await backend.close();
    await database.drop();
    folder.remove();
  });

  /** Changes by an attacker who can write to the database. */
  async function tamper(statement: string): Promise<void> {
    if (kind === 'sqlite') {
      const file = new DatabaseSync(join(folder.path, 'a.db'));
      file.exec(statement);
      file.close();
      return;
    }
    const sql = postgres(database.url, { max: 1 });
    await sql.unsafe(statement);
    await sql.end();
  }

  /** Removal at the end of the retention. */
  const removedUpTo = (number: number) => `
    update audit_chain set anchor = ${number}, anchor_hash = (select hash from audit_events where number = ${number});
    delete from audit_events where number <= ${number}`;

  const json = async (...args: string[]) => {
    const { code, output, errors } = await runCommand(['audit', ...args, '--json'], env);
    expect([code, errors]).toEqual([0, '']);
    return JSON.parse(output);
  };
  const verify = (...args: string[]) => runCommand(['audit', 'verify', ...args], env);

  it('lists events, also those of commands', async () => {
    expect((await runCommand(['user', 'role', 'bob', 'BackOffice'], env)).code).toBe(0);
    const { data } = await json('list', '--to', 'bob');
    expect(data.map(({ act }: { act: string }) => act)).toEqual([
      'user.role_changed',
      'login.succeeded',
      'user.signed_up',
    ]);
    const { output } = await runCommand(['audit', 'list', '--act', 'user.signed_up', '--recordsPerPage', '1'], env);
    expect(output).toMatch(
      /^number +time +act +by +to +network +details\n.*user\.signed_up.* bob .*\nMore: --cursor n/s,
    );
  });

  it('verifies the chain, and that it contains an event that was noted', async () => {
    const { events, newest } = await json('verify');
    expect(events).toBeGreaterThanOrEqual(5);
    await loginAs(world, 'ann');
    expect((await verify('--contains', newest)).output).toMatch(/^\d+ audit events are intact\. The newest: \d+:/);
    expect((await verify('--contains', 'what')).errors).toContain('expected what "audit verify" printed');
  });

  it('stays intact when a user is erased from it', async () => {
    const { newest } = await json('verify');
    const { data } = await json('list', '--to', 'bob');
    await setSettings(world, 'Application', { 'erase.grace.days': 0 });
    const answer = await world.call('DELETE', '/me', { token: await loginAs(world, 'bob') });
    expect(answer.status).toBe(202);
    expect((await verify('--contains', newest)).code).toBe(0);
    expect((await json('list', '--to', 'bob')).data).toEqual([]);
    const numbers = (rows: readonly { number: number }[]) => rows.map(({ number }) => number);
    const { data: erased } = await json('list', '--act', 'user.erased');
    const { data: about } = await json('list', '--to', erased[0].to.id);
    expect(numbers(about)).toEqual(expect.arrayContaining(numbers(data)));
  });

  it('finds what was changed, removed and cut off', async () => {
    const { newest, events } = await json('verify');
    const broken = async (number: number, reason: string, ...args: string[]) => {
      const message = `baobab: The audit events are not intact from number ${number} on: ${reason}\n`;
      expect(await verify(...args)).toEqual({ code: 1, output: '', errors: message });
    };
    await tamper("update audit_events set network = '10.0.0.0/24' where number = 2");
    await broken(2, 'the event, or one before it, was changed');
    await tamper("update audit_events set network = '127.0.0.0/24' where number = 2");
    expect((await verify()).code).toBe(0);

    // Users are not part of the hash, but sealed.
    await tamper("update audit_events set to_name = to_name || 'x' where number = 2");
    await broken(2, 'the event, or one before it, was changed');
    await tamper('update audit_events set to_name = substr(to_name, 1, length(to_name) - 1) where number = 2');
    expect((await verify()).code).toBe(0);

    await tamper('delete from audit_events where number = 3');
    await broken(3, 'the event is missing');

    await tamper(`delete from audit_events where number > 2`);
    await broken(3, 'the event is missing');

    // A clever intruder moves the end of the chain too: the event that was noted outside of the database is missing.
    await tamper('update audit_chain set head = 2, head_hash = (select hash from audit_events where number = 2)');
    expect((await verify()).code).toBe(0);
    await broken(3, `the chain ends before event ${events}`, '--contains', newest);
  });

  it('compares with what was removed because of its age as long as it can', async () => {
    const { data } = await json('list');
    const [second, first] = data.map(({ number, hash }: { number: number; hash: string }) => `${number}:${hash}`);
    await tamper(removedUpTo(1));
    expect((await verify('--contains', first)).output).toMatch(/^1 audit event is intact/);
    expect((await verify('--contains', `1:${second.slice(2)}`)).errors).toContain('another hash');
    await tamper(removedUpTo(2));
    const errors =
      'baobab: Event 1 was removed because of its age, so it cannot be compared. The events from 3 on are intact\n';
    expect(await verify('--contains', first)).toEqual({ code: 1, output: '', errors });
  });
});
