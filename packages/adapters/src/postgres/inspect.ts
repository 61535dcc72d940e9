import { onConnection } from './executor.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { createPatientClient } from './patient-client.ts';
import { openPool } from './pool.ts';
import { createServers } from './servers.ts';
import { assertDelivery, createSessionCheck } from './session.ts';
import type { PostgresOptions } from './storage.ts';

/** What a server says about itself. */
export interface PostgresFacts {
  /** `15.8`, as the server writes it. */
  readonly version: string;
  readonly majorVersion: number;
  /** The server's clock, milliseconds since 1970, half a round trip after it was asked. */
  readonly now: number;
  readonly maxConnections: number;
  /** Whether it accepts no writes, as a standby does. */
  readonly isReadOnly: boolean;
}

const VERSION_STEP = 10_000;

const FACTS = `select current_setting('server_version') as version, current_setting('server_version_num') as number,
  current_setting('max_connections') as most, current_setting('transaction_read_only') as read_only`;
const CLOCK = 'select extract(epoch from clock_timestamp()) * 1000 as now';

interface FactsRow {
  readonly version: string;
  readonly number: string;
  readonly most: string;
  readonly read_only: string;
}

/**
 * Connects as the storage does, and checks what it needs of its connections.
 *
 * @throws `storage.unavailable` with the driver's error as its cause, `storage.misconfigured`
 */
export async function inspectPostgres({
  url,
  listenUrl = null,
}: Pick<PostgresOptions, 'url' | 'listenUrl'>): Promise<PostgresFacts> {
  const servers = createServers(url, true);
  const direct = listenUrl === null ? servers : createServers(listenUrl, true);
  const pool = openPool({
    servers,
    connections: 1,
    maxWaiting: 0,
    limits: DEFAULT_LIMITS,
    watch: () => undefined,
    hasNoSession: listenUrl !== null,
  });
  const patient = createPatientClient(direct, 'baobab check');
  try {
    return await onConnection(pool, async (send) => {
      const [row] = (await send(FACTS)).rows as [FactsRow];
      // Asked alone, on an open connection: the answer is as old as half of the round trip.
      const begun = performance.now();
      const [clock] = (await send(CLOCK)).rows as [{ now: string }];
      const halfTrip = (performance.now() - begun) / 2;
      await createSessionCheck(direct).check(patient.send);
      if (row.read_only !== 'on') await assertDelivery(send, direct);
      return {
        version: row.version,
        majorVersion: Math.floor(Number(row.number) / VERSION_STEP),
        now: Number(clock.now) + halfTrip,
        maxConnections: Number(row.most),
        isReadOnly: row.read_only === 'on',
      };
    });
  } finally {
    await Promise.all([patient.end(1), pool.clients.close()]);
  }
}
