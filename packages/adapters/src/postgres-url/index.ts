import { expectedInstead, type Given, isParameter, PARAMETERS, type ParameterName } from './parameters.ts';

/** Server by host name, address, or folder of its socket. */
export interface PostgresHost {
  readonly host: string;
  readonly port: number;
}

type SslMode = (typeof PARAMETERS.sslmode.values)[number];
type SessionAttributes = (typeof PARAMETERS.target_session_attrs.values)[number];
type TlsVersion = (typeof PARAMETERS.ssl_min_protocol_version.values)[number];

/** Encryption of the connection, and verification of the server's certificate. */
export interface PostgresTls {
  readonly mode: SslMode;
  /** `name` also verifies that it belongs to the host. */
  readonly verifies: 'nothing' | 'authority' | 'name';
  /** True if the URL requires channel binding, which is replaced by verifying the certificate. */
  readonly bindsChannel: boolean;
  /** File with trusted authorities, or `system`; null for those that Node trusts. */
  readonly rootCert: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  readonly keyPassword: string | null;
  readonly crl: string | null;
  readonly sendsName: boolean;
  /** True if encryption begins without asking the server. */
  readonly isDirect: boolean;
  readonly minVersion: TlsVersion | null;
  readonly maxVersion: TlsVersion | null;
}

/** Parsed connection URL. */
export interface PostgresTarget {
  /** At least one; tried in order. */
  readonly hosts: readonly PostgresHost[];
  /** Null to use the user name. */
  readonly database: string | null;
  /** Null to use the name of this process's user. */
  readonly user: string | null;
  readonly password: string | null;
  readonly applicationName: string | null;
  readonly options: string | null;
  /** For each server, in seconds; null for the default. */
  readonly connectTimeout: number | null;
  /** Seconds; 0 for none. */
  readonly keepAlive: number;
  /** Null if not specified. */
  readonly sessionAttributes: SessionAttributes | null;
  readonly tls: PostgresTls;
}

/**
 * Unusable connection URL. The message is one line without values: an unescaped character in a password moves the rest
 * of it to any other part of the URL.
 */
export class PostgresUrlError extends Error {}

const DEFAULT_HOST = 'localhost';
const DEFAULT_PORT = '5432';
const MAX_PORT = 65_535;
const KEEP_ALIVE_S = 60;

const FORM = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
/** Queries in which the name of a parameter may be the rest of a password with an unescaped `?` or `&`. */
const MAY_SHOW_PASSWORD = /@|(?:^|&)(?:ssl)?password=/;
const ESCAPES = 'write / ? # @ and & in a password as %2F %3F %23 %40 and %26';
const MALFORMED = `it is not of the form postgres://user:password@host:port/database; ${ESCAPES}`;
const HOST = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new PostgresUrlError('a percent sign is not followed by two hexadecimal digits: write it as %25');
  }
}

/** Returns the hosts and the ports as comma-separated lists, in the format of the parameters. */
function addresses(authority: string): Given {
  if (authority === '') return {};
  const pairs = authority.split(',').map((one) => {
    const [, host, port] = HOST.exec(one) ?? [];
    if (host === undefined) throw new PostgresUrlError(`a host is not of the form host:port; ${ESCAPES}`);
    return { host: decoded(host).replace(/^\[(.*)\]$/, '$1'), port: port ?? '' };
  });
  const host = pairs.map((one) => one.host).join(',');
  const port = pairs.map((one) => one.port).join(',');
  return { ...(/[^,]/.test(host) && { host }), ...(/\d/.test(port) && { port }) };
}

function query(text: string): Given {
  const given: Given = {};
  for (const pair of text.split('&').filter((one) => one !== '')) {
    const at = pair.indexOf('=');
    const [name, value] = [decoded(pair.slice(0, at === -1 ? undefined : at)), decoded(pair.slice(at + 1))];
    if (!isParameter(name)) {
      if (MAY_SHOW_PASSWORD.test(text)) {
        throw new PostgresUrlError(`a parameter is not supported; remove it, or ${ESCAPES}`);
      }
      throw new PostgresUrlError(
        `the parameter "${name}" is not supported; remove it, or set a parameter of the server with options=-c%20name%3Dvalue`,
      );
    }
    if (at === -1) throw new PostgresUrlError(`the parameter "${name}" has no value`);
    given[name] = value;
  }
  return given;
}

/** Returns the parameters that the URL specifies. @throws PostgresUrlError */
function parametersOf(url: string): Given {
  const [, user, authority = '', path = '', search = ''] = FORM.exec(url) ?? [];
  if (!FORM.test(url) || path.includes('@')) throw new PostgresUrlError(MALFORMED);
  const [name = '', ...rest] = (user ?? '').split(':');
  return {
    ...addresses(authority),
    ...(name !== '' && { user: decoded(name) }),
    ...(rest.length > 0 && { password: decoded(rest.join(':')) }),
    ...(path !== '' && { dbname: decoded(path) }),
    ...query(search),
  };
}

function portOf(text: string): number {
  const port = Number(text === '' ? DEFAULT_PORT : text);
  if (!Number.isInteger(port) || port < 1 || port > MAX_PORT) {
    throw new PostgresUrlError(`a port is not a whole number from 1 to ${MAX_PORT}`);
  }
  return port;
}

function hostsOf({ host = DEFAULT_HOST, port = '' }: Given): PostgresHost[] {
  const [hosts, ports] = [host.split(','), port.split(',')];
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new PostgresUrlError(`${ports.length} ports are given for ${hosts.length} hosts`);
  }
  return hosts.map((one, at) => ({
    host: one === '' ? DEFAULT_HOST : one,
    port: portOf((ports.length === 1 ? ports[0] : ports[at]) ?? ''),
  }));
}

/** @throws PostgresUrlError for contradictory parameters */
function assertConsistent(given: Given, mode: SslMode): void {
  const { sslrootcert, sslnegotiation, channel_binding, sslcert, sslkey } = given;
  if (sslrootcert === 'system' && mode !== 'verify-full') {
    throw new PostgresUrlError(`sslmode=${mode} is too weak for sslrootcert=system; use verify-full`);
  }
  if (sslnegotiation === 'direct' && !/^(?:require|verify-)/.test(mode)) {
    throw new PostgresUrlError(`sslmode=${mode} is too weak for sslnegotiation=direct; use require`);
  }
  if (channel_binding === 'require' && mode === 'disable') {
    throw new PostgresUrlError('channel_binding=require needs encryption, and sslmode=disable prevents it');
  }
  if ((sslcert === undefined) !== (sslkey === undefined)) {
    throw new PostgresUrlError('sslcert and sslkey must be given together');
  }
}

function verifies(mode: SslMode, rootCert: string | undefined): PostgresTls['verifies'] {
  if (mode === 'verify-full') return 'name';
  return mode === 'verify-ca' || (mode === 'require' && rootCert !== undefined) ? 'authority' : 'nothing';
}

/**
 * Returns the TLS options. Channel binding proves that the server at the other end of the encrypted connection knows
 * the password. The driver does not support it, so if it is required, the server has to prove its name with a
 * certificate.
 */
function tlsOf(given: Given): PostgresTls {
  const asked = (given.sslmode ?? (given.sslrootcert === 'system' ? 'verify-full' : 'prefer')) as SslMode;
  assertConsistent(given, asked);
  const bindsChannel = given.channel_binding === 'require';
  const mode = bindsChannel ? 'verify-full' : asked;
  return {
    mode,
    verifies: verifies(mode, given.sslrootcert),
    bindsChannel,
    rootCert: given.sslrootcert ?? null,
    cert: given.sslcert ?? null,
    key: given.sslkey ?? null,
    keyPassword: given.sslpassword ?? null,
    crl: given.sslcrl ?? null,
    sendsName: given.sslsni !== '0',
    isDirect: given.sslnegotiation === 'direct',
    minVersion: (given.ssl_min_protocol_version as TlsVersion | undefined) ?? null,
    maxVersion: (given.ssl_max_protocol_version as TlsVersion | undefined) ?? null,
  };
}

/** Parses a connection URL as libpq does. @throws PostgresUrlError */
export function parsePostgresUrl(url: string): PostgresTarget {
  const given = parametersOf(url);
  for (const [name, value] of Object.entries(given) as [ParameterName, string][]) {
    const expected = expectedInstead(name, value);
    if (expected !== null) throw new PostgresUrlError(`the parameter ${name} must be ${expected}`);
  }
  const timeout = Number(given.connect_timeout ?? 0);
  return {
    hosts: hostsOf(given),
    database: given.dbname ?? null,
    user: given.user ?? null,
    password: given.password ?? null,
    applicationName: given.application_name ?? null,
    options: given.options ?? null,
    connectTimeout: timeout > 0 ? timeout : null,
    keepAlive: given.keepalives === '0' ? 0 : Number(given.keepalives_idle ?? 0) || KEEP_ALIVE_S,
    sessionAttributes: (given.target_session_attrs as SessionAttributes | undefined) ?? null,
    tls: tlsOf(given),
  };
}

/** Completes the URL with the variables that libpq reads (`PGHOST` and so on). */
export function withPostgresVariables(url: string, env: Readonly<Record<string, string | undefined>>): string {
  let given: Given;
  try {
    given = parametersOf(url);
  } catch {
    return url; // reported when it is parsed
  }
  const added = Object.entries(PARAMETERS).flatMap(([name, parameter]) => {
    const value = 'variable' in parameter ? env[parameter.variable] : undefined;
    return value === undefined || value === '' || Object.hasOwn(given, name)
      ? []
      : [`${name}=${encodeURIComponent(value)}`];
  });
  return added.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${added.join('&')}`;
}

/** Returns the servers of a target as `host:port`, separated by commas. */
export const placeOf = ({ hosts }: Pick<PostgresTarget, 'hosts'>): string =>
  hosts.map(({ host, port }) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)).join(',');
