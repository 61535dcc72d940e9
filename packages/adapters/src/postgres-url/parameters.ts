/** Parameter of a connection URL, with its environment variable and valid values. */
interface Parameter {
  readonly variable?: string;
  readonly values?: readonly string[] | RegExp;
  /** Description of the values that a pattern matches. */
  readonly expected?: string;
}

const SWITCH = ['0', '1'];
const SECONDS = 'a whole number of seconds';
const TLS_VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const;

/**
 * Supported parameters, with the same meaning as in libpq.
 *
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
 */
export const PARAMETERS = {
  host: { variable: 'PGHOST' },
  port: { variable: 'PGPORT' },
  dbname: { variable: 'PGDATABASE' },
  user: { variable: 'PGUSER' },
  password: { variable: 'PGPASSWORD' },
  application_name: { variable: 'PGAPPNAME' },
  channel_binding: { variable: 'PGCHANNELBINDING', values: ['disable', 'prefer', 'require'] },
  client_encoding: { variable: 'PGCLIENTENCODING', values: /^(?:auto|utf-?8)$/i, expected: 'auto or UTF8' },
  connect_timeout: { variable: 'PGCONNECT_TIMEOUT', values: /^-?\d{1,4}$/, expected: SECONDS },
  gssencmode: { variable: 'PGGSSENCMODE', values: ['disable', 'prefer'] },
  keepalives: { values: SWITCH },
  keepalives_idle: { values: /^\d{1,5}$/, expected: SECONDS },
  options: { variable: 'PGOPTIONS' },
  ssl_max_protocol_version: { variable: 'PGSSLMAXPROTOCOLVERSION', values: TLS_VERSIONS },
  ssl_min_protocol_version: { variable: 'PGSSLMINPROTOCOLVERSION', values: TLS_VERSIONS },
  sslcert: { variable: 'PGSSLCERT' },
  sslcrl: { variable: 'PGSSLCRL' },
  sslkey: { variable: 'PGSSLKEY' },
  sslmode: {
    variable: 'PGSSLMODE',
    values: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'],
  },
  sslnegotiation: { variable: 'PGSSLNEGOTIATION', values: ['postgres', 'direct'] },
  sslpassword: {},
  sslrootcert: { variable: 'PGSSLROOTCERT' },
  sslsni: { variable: 'PGSSLSNI', values: SWITCH },
  target_session_attrs: {
    variable: 'PGTARGETSESSIONATTRS',
    values: ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'],
  },
} as const satisfies Readonly<Record<string, Parameter>>;

export type ParameterName = keyof typeof PARAMETERS;
export type Given = Partial<Record<ParameterName, string>>;

export const isParameter = (name: string): name is ParameterName => Object.hasOwn(PARAMETERS, name);

/** Describes the valid values of a parameter; null if `value` is one of them. */
export function expectedInstead(name: ParameterName, value: string): string | null {
  const { values, expected = 'another value' }: Parameter = PARAMETERS[name];
  if (values === undefined) return null;
  if (values instanceof RegExp) return values.test(value) ? null : expected;
  return values.includes(value) ? null : values.join(' or ');
}
