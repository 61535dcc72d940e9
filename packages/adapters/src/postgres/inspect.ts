import { onConnection } from './executor.ts';
import { DEFAULT_CONNECTIONS, DEFAULT_LIMITS } from './limits.ts';
import { createPatientClient } from './patient-client.ts';
import { openPool } from './pool.ts';
import { type Unmet, unmetRequirements } from './requirements.ts';
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
  readonly isStandby: boolean;
  /** Requirements that the database or its user does not meet. */
  readonly unmet: readonly Unmet[];
}

const VERSION_STEP = 10_000;

const FACTS = `select current_setting('server_version') as version, current_setting('server_version_num') as number,
  current_setting('max_connections') as most, pg_is_in_recovery() as standby`;
const CLOCK = 'select extract(epoch from clock_timestamp()) * 1000 as now';

interface FactsRow {
  readonly version: string;
  readonly number: string;
  readonly most: string;
  readonly standby: boolean;
}

/**
 * Connects like the storage, and checks its requirements.
 *
 * @throws `storage.unavailable` with the driver's error as its cause, `storage.misconfigured`
 */
export async function inspectPostgres({
  url,
  listenUrl = null,
  connections = DEFAULT_CONNECTIONS,
  processes = 1,
}: Pick<PostgresOptions, 'url' | 'listenUrl' | 'connections' | 'processes'>): Promise<PostgresFacts> {
  const servers = createServers(url, true);
  const direct = listenUrl === null ? servers : createServers(listenUrl, true, 'DATABASE_LISTEN_URL');
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
      const pooled = listenUrl === null ? null : send;
      const unmet = await unmetRequirements({ direct: patient.send, pooled, connections, processes });
      await createSessionCheck(direct).check(patient.send);
      if (!row.standby) await assertDelivery(send, direct);
      return {
        version: row.version,
        majorVersion: Math.floor(Number(row.number) / VERSION_STEP),
        now: Number(clock.now) + halfTrip,
        maxConnections: Number(row.most),
        isStandby: row.standby,
        unmet,
      };
    });
  } finally {
    await Promise.all([patient.end(1), pool.clients.close()]);
  }
}
