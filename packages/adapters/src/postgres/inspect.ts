import { onConnection } from './executor.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { createPatientClient } from './patient-client.ts';
import { openPool } from './pool.ts';
import { createServers } from './servers.ts';
import { assertDelivery, createSessionCheck } from './session.ts';
import type { PostgresOptions } from './storage.ts';

/** Properties of a server. */
export interface PostgresFacts {
  /** As the server writes it, for example `15.8`. */
  readonly version: string;
  readonly majorVersion: number;
  /** The server's clock, in milliseconds since 1970, plus half a round trip. */
  readonly now: number;
  readonly maxConnections: number;
  /** True if it accepts no writes, like a standby. */
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
 * Connects like the storage, and checks its requirements for connections.
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
      // A separate query on an open connection: the answer is half a round trip old.
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
