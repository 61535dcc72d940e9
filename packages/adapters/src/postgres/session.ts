import { randomBytes } from 'node:crypto';
import { AppError } from '@baobab/core';
import { createPatientClient } from './patient-client.ts';
import type { Send } from './send.ts';
import type { Servers } from './servers.ts';

const BEGIN = 'begin; select pg_backend_pid() as pid';
/** Maximum wait of the second transaction for a connection, in milliseconds: a pooler may have only one. */
const TURN_MS = 1_000;
/** Maximum time for a notification to arrive, in milliseconds. */
const DELIVERY_MS = 10_000;

const misconfigured = (detail: string) => new AppError('storage.misconfigured', { detail });

const NO_SESSION = () =>
  misconfigured(
    'a pooler in between runs transactions on changing connections (transaction mode), where notifications and locks are lost; ' +
      'pool by session, or name a direct connection to the same database in DATABASE_LISTEN_URL',
  );

async function pidIn(send: Send): Promise<unknown> {
  const [row] = (await send(BEGIN)).rows as { pid: number }[];
  return row?.pid;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Runs two overlapping transactions, which end in the order of their begin. Returns the ids of their server
 * processes.
 */
async function overlap(first: Send, second: Send): Promise<[unknown, unknown]> {
  const one = await pidIn(first);
  const other = pidIn(second);
  await Promise.race([other, pause(TURN_MS)]);
  await first('commit');
  const two = await other;
  await second('commit');
  return [one, two];
}

/**
 * Checks that a connection keeps its server process across transactions. A pooler in transaction mode assigns the
 * connection that was returned last, or the one that has been free longest. In these orders, two clients get each
 * other's.
 *
 * @throws `storage.misconfigured`
 */
async function assertSession(first: Send, servers: Servers): Promise<void> {
  const other = createPatientClient(servers, 'baobab check');
  const second = other.send;
  const seen = new Map<Send, unknown>();
  try {
    for (const [one, two] of [
      [first, second],
      [first, second],
      [second, first],
      [second, first],
    ] as const) {
      const pids = await overlap(one, two);
      const isKept = [one, two].every((send, at) => (seen.get(send) ?? pids[at]) === pids[at]);
      if (pids[0] === pids[1] || !isKept) throw NO_SESSION();
      seen.set(one, pids[0]).set(two, pids[1]);
    }
  } finally {
    await other.end(1);
  }
}

/** Checks that connections to these servers have a session. */
export interface SessionCheck {
  /** Checks with one more connection, unless the result is known. @throws `storage.misconfigured` */
  check(send: Send): Promise<void>;
  /** Forgets the result, since a pooler may have been reconfigured. */
  forget(): void;
}

export function createSessionCheck(servers: Servers): SessionCheck {
  let known: Promise<void> | null = null;
  return {
    check(send) {
      if (known === null) {
        const checked = assertSession(send, servers);
        known = checked;
        checked.catch(() => {
          if (known === checked) known = null;
        });
      }
      return known;
    },
    forget() {
      known = null;
    },
  };
}

/**
 * Checks that notifications sent on one connection arrive on another.
 *
 * @throws `storage.misconfigured`
 */
export async function assertDelivery(from: Send, to: Servers): Promise<void> {
  const channel = `baobab_check_${randomBytes(8).toString('hex')}`;
  let arrive: (value: true) => void = () => undefined;
  const arrived = new Promise<true>((resolve) => {
    arrive = resolve;
  });
  const sql = await to.connect({ name: 'baobab check', onnotify: () => arrive(true) });
  try {
    await sql`listen ${sql(channel)}`;
    await from(`select pg_notify('${channel}', '')`);
    if ((await Promise.race([arrived, pause(DELIVERY_MS)])) !== true) {
      throw misconfigured(
        'notifications that are sent through DATABASE_URL do not arrive at DATABASE_LISTEN_URL; both must name the same database, and the latter without a pooler in transaction mode',
      );
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
}
