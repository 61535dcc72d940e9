import postgres from 'postgres';

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

const CONNECT_TIMEOUT_S = 5;
const VERSION_STEP = 10_000;

/** Asks the server on a connection of its own. @throws the driver's errors, which name the reason by `code` */
export async function inspectPostgres(url: string): Promise<PostgresFacts> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_S,
    fetch_types: false,
    onnotice: () => undefined,
  });
  try {
    const [row] = await sql<[{ version: string; number: string; most: string; read_only: string }]>`
      select current_setting('server_version') as version, current_setting('server_version_num') as number,
        current_setting('max_connections') as most, current_setting('transaction_read_only') as read_only`;
    // Asked alone, on an open connection: the answer is as old as half of the round trip.
    const begun = performance.now();
    const [clock] = await sql<[{ now: string }]>`select extract(epoch from clock_timestamp()) * 1000 as now`;
    const halfTrip = (performance.now() - begun) / 2;
    return {
      version: row.version,
      majorVersion: Math.floor(Number(row.number) / VERSION_STEP),
      now: Number(clock.now) + halfTrip,
      maxConnections: Number(row.most),
      isReadOnly: row.read_only === 'on',
    };
  } finally {
    await sql.end({ timeout: CONNECT_TIMEOUT_S });
  }
}
