import postgres, { type Sql } from 'postgres';
import { type PostgresHost, type PostgresTarget, parsePostgresUrl, placeOf } from '../postgres-url/index.ts';
import { createSend } from './send.ts';
import { assignments, type Settings } from './session-settings.ts';
import { connectionError, isSocketPath, openSocket, type SocketOptions } from './socket.ts';
import { TYPES } from './types.ts';

export type PostgresSql = Sql<{ bigint: number }>;

const CONNECT_TIMEOUT_S = 5;
const MS = 1_000;

export interface ConnectOptions {
  /** Name of the connection in `pg_stat_activity`, unless the URL specifies one. */
  readonly name: string;
  /**
   * Session parameters in addition to those of every session. All are set after connecting, since a pooler refuses
   * most of them at the start of a connection. Null to set none, for connections that have no session.
   */
  readonly settings?: Settings | null;
  /** True (the default) to prepare statements on the server. */
  readonly prepare?: boolean;
  readonly onclose?: () => void;
  readonly onnotify?: (channel: string, payload: string) => void;
  readonly signal?: AbortSignal;
}

/** Servers that a connection URL specifies. */
export interface Servers {
  /** Their addresses, for messages. */
  readonly place: string;
  /**
   * Opens one connection to the first suitable server. It is never replaced. Once it is lost, everything sent on it
   * fails.
   *
   * @throws the driver's errors, those of the system and of TLS, and `connectionError`s
   */
  connect(options: ConnectOptions): Promise<PostgresSql>;
  /** Calls `listener` when a connection is opened to a different server than the previous one. */
  onMove(listener: () => void): void;
}

/** Role of the server, and its refusal of writes. */
interface State {
  readonly standby: boolean;
  readonly readOnly: boolean;
}

type Attributes = PostgresTarget['sessionAttributes'];

const SUITS: Readonly<Record<NonNullable<Attributes>, (state: State) => boolean>> = {
  any: () => true,
  'read-write': ({ readOnly }) => !readOnly,
  'read-only': ({ readOnly }) => readOnly,
  primary: ({ standby }) => !standby,
  standby: ({ standby }) => standby,
  'prefer-standby': ({ standby }) => standby,
};

/** Reads the state and sets parameters in one round trip. */
const setUp = (settings: Settings | null) =>
  [
    `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as "readOnly"`,
    ...(settings === null ? [] : assignments(settings)),
  ].join(', ');

const ENCRYPTIONS: Readonly<Record<PostgresTarget['tls']['mode'], readonly SocketOptions['encryption'][]>> = {
  disable: ['none'],
  allow: ['none', 'required'],
  prefer: ['offered', 'none'],
  require: ['required'],
  'verify-ca': ['required'],
  'verify-full': ['required'],
};

/** True if the server is unreachable, so that another form of encryption makes no difference. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && ('syscall' in error || ('code' in error && error.code === 'CONNECT_TIMEOUT'));

/** Parameters of one connection attempt. */
interface Attempt {
  readonly target: PostgresTarget;
  readonly host: PostgresHost;
  readonly encryption: SocketOptions['encryption'];
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Opens the socket once. The driver asks again when the connection is lost, but the session's state is gone. */
function socketOf({ host, encryption, target, signal }: Attempt) {
  let hasBegun = false;
  return async () => {
    if (hasBegun) throw connectionError('CONNECTION_CLOSED', 'the server closed the connection');
    hasBegun = true;
    return openSocket(host, { encryption, tls: target.tls, signal });
  };
}

function clientOf(attempt: Attempt, { name, prepare = true, onnotify }: ConnectOptions, onclose: () => void) {
  const { target, host, seconds } = attempt;
  const { applicationName, database, user, password, options, keepAlive } = target;
  return postgres({
    // As lists, because the driver would parse an IPv6 address as a host with a port.
    ...({ host: [host.host], port: [host.port] } as object),
    ...(database !== null && { database }),
    ...(user !== null && { user }),
    ...(password !== null && { password }),
    max: 1,
    prepare,
    ssl: false,
    types: TYPES,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: seconds,
    keep_alive: isSocketPath(host) ? 0 : keepAlive,
    onnotice: () => undefined,
    onclose,
    connection: { application_name: applicationName ?? name, ...(options !== null && { options }) },
    // Options of the driver that its types do not declare.
    ...({ fetch_types: false, socket: socketOf(attempt), ...(onnotify && { onnotify }) } as object),
  });
}

function assertSuitable(state: State | undefined, suits: (state: State) => boolean): void {
  if (state !== undefined && suits(state)) return;
  const what = state?.readOnly ? 'the server accepts no writes' : 'the server is not a standby';
  throw connectionError('CONNECTION_UNSUITABLE', what);
}

async function connectOnce(
  { target, host, encryption }: Pick<Attempt, 'target' | 'host' | 'encryption'>,
  suits: (state: State) => boolean,
  options: ConnectOptions,
): Promise<PostgresSql> {
  const seconds = target.connectTimeout ?? CONNECT_TIMEOUT_S;
  const giving = new AbortController();
  const late = connectionError('CONNECT_TIMEOUT', `${placeOf({ hosts: [host] })} does not answer within ${seconds} s`);
  const timer = setTimeout(() => giving.abort(late), seconds * MS);
  const signal = AbortSignal.any([giving.signal, ...(options.signal ? [options.signal] : [])]);
  let isOpen = false;
  const sql = clientOf({ target, host, encryption, seconds, signal }, options, () => {
    if (isOpen) options.onclose?.();
  });
  const giveUp = () => void sql.end({ timeout: 0 }).catch(() => undefined);
  signal.addEventListener('abort', giveUp);
  try {
    const send = createSend(sql, { due: 0, heard: 0 });
    const [state] = (await send(setUp(options.settings === undefined ? {} : options.settings))).rows as State[];
    assertSuitable(state, suits);
    isOpen = true;
    return sql;
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error;
    giving.abort(error);
    throw reason;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

async function connectTo(
  host: PostgresHost,
  target: PostgresTarget,
  ...rest: [(state: State) => boolean, ConnectOptions]
) {
  let first: unknown = null;
  for (const encryption of isSocketPath(host) ? (['none'] as const) : ENCRYPTIONS[target.tls.mode]) {
    try {
      return await connectOnce({ host, encryption, target }, ...rest);
    } catch (error) {
      first ??= error;
      if (isUnreachable(error) || rest[1].signal?.aborted) break;
    }
  }
  throw first;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message || String(error) : String(error));

interface Failure {
  readonly host: PostgresHost;
  readonly error: unknown;
}

/** Combines the errors of all servers that were tried. The error names the variable with their URL. */
function noneOf(failures: readonly Failure[], variable: UrlVariable): unknown {
  const [first, ...others] = failures;
  if (others.length === 0)
    return first?.error instanceof Error ? Object.assign(first.error, { variable }) : first?.error;
  const tried = failures.map(({ host, error }) => `${placeOf({ hosts: [host] })}: ${messageOf(error)}`);
  return Object.assign(connectionError('CONNECTION_NO_SERVER', [...new Set(tried)].join('; ')), { variable });
}

/** Variable with a connection URL. */
export type UrlVariable = 'DATABASE_URL' | 'DATABASE_LISTEN_URL' | 'DATABASE_READ_URL';

/**
 * @param needsWrites true to choose a server that accepts writes if the URL contains several servers and no
 * preference
 * @throws PostgresUrlError
 */
export function createServers(url: string, needsWrites: boolean, variable: UrlVariable = 'DATABASE_URL'): Servers {
  const target = parsePostgresUrl(url);
  const { hosts } = target;
  const attributes = target.sessionAttributes ?? (needsWrites && hosts.length > 1 ? 'read-write' : 'any');
  const passes = attributes === 'prefer-standby' ? [SUITS.standby, SUITS.any] : [SUITS[attributes]];
  const listeners: (() => void)[] = [];
  /** Server of the last connection, which is tried first. */
  let current: PostgresHost | null = null;

  function chose(host: PostgresHost): void {
    const hasMoved = current !== null && current !== host;
    current = host;
    if (hasMoved) for (const listener of listeners) listener();
  }

  return {
    place: placeOf(target),
    async connect(options) {
      const order = current === null ? hosts : [current, ...hosts.filter((host) => host !== current)];
      const failures: Failure[] = [];
      for (const { host, suits } of passes.flatMap((one) => order.map((host) => ({ host, suits: one })))) {
        try {
          const sql = await connectTo(host, target, suits, options);
          chose(host);
          return sql;
        } catch (error) {
          if (options.signal?.aborted) throw error;
          failures.push({ host, error });
        }
      }
      throw noneOf(failures, variable);
    },
    onMove: (listener) => void listeners.push(listener),
  };
}
