import { PostgresUrlError, parsePostgresUrl, placeOf, withPostgresVariables } from '@baobab/adapters/postgres-url';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../packages/server/src/config.ts';

const hosts = (url: string) => placeOf(parsePostgresUrl(url));

/** The keywords of libpq 17, in the order of its documentation. */
const SUPPORTED: Readonly<Record<string, string>> = {
  host: '/run/postgresql',
  port: '5433',
  dbname: 'app',
  user: 'ann',
  password: 'secret',
  channel_binding: 'prefer',
  connect_timeout: '10',
  client_encoding: 'UTF8',
  options: '-c geqo=off',
  application_name: 'shop',
  keepalives: '1',
  keepalives_idle: '30',
  sslmode: 'prefer',
  sslnegotiation: 'postgres',
  sslpassword: 'secret',
  sslcrl: '/crl.pem',
  sslsni: '1',
  ssl_min_protocol_version: 'TLSv1.2',
  ssl_max_protocol_version: 'TLSv1.3',
  gssencmode: 'disable',
  target_session_attrs: 'any',
};
const UNSUPPORTED = [
  'hostaddr',
  'passfile',
  'require_auth',
  'fallback_application_name',
  'keepalives_interval',
  'keepalives_count',
  'tcp_user_timeout',
  'replication',
  'requiressl',
  'sslcompression',
  'sslcertmode',
  'sslcrldir',
  'requirepeer',
  'krbsrvname',
  'gsslib',
  'gssdelegation',
  'service',
  'load_balance_hosts',
  // Those of other drivers and of servers.
  'ssl',
  'pgbouncer',
  'schema',
  'search_path',
  'statement_timeout',
  'sslmod',
];

describe('a connection URL of Postgres', () => {
  it.each([
    ['postgres://', 'localhost:5432'],
    ['postgresql://localhost', 'localhost:5432'],
    ['postgresql://localhost:5433', 'localhost:5433'],
    ['postgresql://localhost/mydb', 'localhost:5432'],
    ['postgresql://user@localhost', 'localhost:5432'],
    ['postgresql://user:secret@localhost', 'localhost:5432'],
    ['postgresql://other@localhost/otherdb?connect_timeout=10&application_name=myapp', 'localhost:5432'],
    ['postgresql://host1:123,host2:456/somedb?target_session_attrs=any', 'host1:123,host2:456'],
    ['postgresql://host1,host2:456/somedb', 'host1:5432,host2:456'],
    ['postgresql:///mydb?host=localhost&port=5433', 'localhost:5433'],
    ['postgresql://[2001:db8::1234]/database', '[2001:db8::1234]:5432'],
    ['postgresql://[::1]:5433,[::2]/database', '[::1]:5433,[::2]:5432'],
    ['postgresql:///dbname?host=/var/lib/postgresql', '/var/lib/postgresql:5432'],
    ['postgresql://%2Fvar%2Flib%2Fpostgresql/dbname', '/var/lib/postgresql:5432'],
    ['postgresql://%2Fvar%2Flib%2Fpostgresql:5433/dbname', '/var/lib/postgresql:5433'],
    ['postgres://u:p@/db?host=/a,/b&port=1,2', '/a:1,/b:2'],
    ['postgres:///db?host=a,b&port=6432', 'a:6432,b:6432'],
  ])('%s names %s, as in the documentation of libpq', (url, expected) => {
    expect(hosts(url)).toBe(expected);
  });

  it('decodes users, passwords and names', () => {
    expect(parsePostgresUrl('postgres://an%40n:p%2F%3A+%25w:rd@h/d%20b')).toMatchObject({
      user: 'an@n',
      password: 'p/:+%w:rd',
      database: 'd b',
    });
  });

  it.each(Object.entries(SUPPORTED))('may have the parameter %s', (name, value) => {
    expect(() => parsePostgresUrl(`postgres:///?${name}=${encodeURIComponent(value)}`)).not.toThrow();
  });

  it('takes the values of parameters as they are', () => {
    const query =
      'dbname=app&user=ann&password=a%2Bb+c&options=endpoint%3Dep-1&application_name=shop&connect_timeout=10';
    expect(parsePostgresUrl(`postgres://h/?${query}&keepalives_idle=30`)).toMatchObject({
      database: 'app',
      user: 'ann',
      password: 'a+b+c',
      options: 'endpoint=ep-1',
      applicationName: 'shop',
      connectTimeout: 10,
      keepAlive: 30,
    });
    expect(parsePostgresUrl('postgres://u:p@ss@h/d')).toMatchObject({ password: 'p@ss', hosts: [{ host: 'h' }] });
    expect(parsePostgresUrl('postgres://h/?keepalives=0&connect_timeout=0')).toMatchObject({
      keepAlive: 0,
      connectTimeout: null,
    });
  });

  it.each(UNSUPPORTED)('is refused by name for the parameter %s', (name) => {
    const problem = expect.stringMatching(new RegExp(`^DATABASE_URL cannot be used: the parameter "${name}" `));
    expect(() => parseConfig({ DATABASE_URL: `postgres://u:secret@h/d?${name}=1` })).toThrow(
      expect.objectContaining({ problems: [problem] }),
    );
  });

  it.each([
    ['postgres://a:b:c/d', 'a host is not of the form host:port; write / ? # @ and & in a password as %2F'],
    ['postgres://u:p#w@h/d', 'not of the form'],
    ['postgres://u:100%@h/d', 'percent sign'],
    ['postgres://h:99999/d', 'a port is not a whole number from 1 to 65535'],
    ['postgres://h:1,h:2,h:3/d?port=1,2', '2 ports are given for 3 hosts'],
    ['postgres://h/d?sslmode=on', 'the parameter sslmode must be disable or allow'],
    ['postgres://h/d?target_session_attrs=master', 'the parameter target_session_attrs must be any or'],
    ['postgres://h/d?connect_timeout=soon', 'the parameter connect_timeout must be a whole number of seconds'],
    ['postgres://h/d?client_encoding=latin1', 'the parameter client_encoding must be auto or UTF8'],
    ['postgres://h/d?application_name', '"application_name" has no value'],
    ['postgres://h/d?sslrootcert=system&sslmode=require', 'too weak'],
    ['postgres://h/d?sslnegotiation=direct', 'too weak'],
    ['postgres://h/d?sslcert=c.pem', 'sslcert and sslkey must be given together'],
    ['postgres://h/d?sslmode=disable&channel_binding=require', 'channel_binding=require needs encryption'],
  ])('%s is refused', (url, message) => {
    expect(() => parsePostgresUrl(url)).toThrow(PostgresUrlError);
    expect(() => parsePostgresUrl(url)).toThrow(message);
  });

  it.each([
    'postgres://ann:Hid/den@h/d',
    'postgres://ann:12/Hidden@h/d',
    'postgres://ann:12/Hid/den@h/d',
    'postgres://ann:Hid?den@h/d',
    'postgres://ann:12?Hidden@h/d',
    'postgres://ann:12?Hidden=1@h/d',
    'postgres://ann:12?sslmode=Hidden@h/d',
    'postgres://ann:12?port=Hidden@h/d',
    'postgres://ann:Hid#den@h/d',
    'postgres://ann:12#Hidden@h/d',
    'postgres://ann:H@Hid/den@h/d',
    'postgres://ann:H@Hid?den@h/d',
    'postgres://ann:Hid%den@h/d',
    'postgres://ann:Hidden:1',
    'postgres://ann:Hid:den/d',
    'postgres://h/d?password=H&Hidden',
    'postgres://h/d?password=H&Hidden=1',
    'postgres://h/d?sslpassword=H&Hidden',
    'postgres://h:99999999/Hidden',
    'postgres://h/d?keepalives=Hidden',
    'postgres://h/d?client_encoding=Hidden',
  ])('that is refused shows no part of a password: %s', (url) => {
    const names = ['DATABASE_URL', 'DATABASE_LISTEN_URL', 'DATABASE_READ_URL'];
    const messages = names.map((name) => {
      try {
        parseConfig({ DATABASE_URL: 'postgres://h/d', [name]: url });
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
      return 'accepted';
    });
    for (const [at, message] of messages.entries()) {
      expect(message).toMatch(new RegExp(`^${names[at]} cannot be used: [^\\n]+$`));
      expect(message).not.toMatch(/Hid|den@|99999999/);
    }
  });

  it('names the database with an @ that is escaped', () => {
    expect(parsePostgresUrl('postgres://u:p@h/a%40b')).toMatchObject({ database: 'a@b', hosts: [{ host: 'h' }] });
  });

  it.each([
    ['', 'prefer', 'nothing'],
    ['sslmode=disable', 'disable', 'nothing'],
    ['sslmode=allow', 'allow', 'nothing'],
    ['sslmode=require', 'require', 'nothing'],
    ['sslmode=require&sslrootcert=ca.pem', 'require', 'authority'],
    ['sslmode=verify-ca', 'verify-ca', 'authority'],
    ['sslmode=verify-full', 'verify-full', 'name'],
    ['sslrootcert=system', 'verify-full', 'name'],
    // The driver has no channel binding, so the certificate has to prove who answers.
    ['sslmode=require&channel_binding=require', 'verify-full', 'name'],
  ])('with "%s" has the mode %s and verifies %s', (query, mode, verifies) => {
    expect(parsePostgresUrl(`postgres://h/d?${query}`).tls).toMatchObject({ mode, verifies });
  });

  it('gets what it does not specify from the variables of libpq', () => {
    const env = {
      PGHOST: 'a,b',
      PGPORT: '1,2',
      PGUSER: 'ann',
      PGPASSWORD: 'p&w',
      PGSSLMODE: 'require',
      PGDATABASE: '',
    };
    expect(parsePostgresUrl(withPostgresVariables('postgres:///shop', env))).toMatchObject({
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
      ],
      database: 'shop',
      user: 'ann',
      password: 'p&w',
      tls: { mode: 'require' },
    });
    const url = 'postgres://bob:pw@c:3/shop?sslmode=disable';
    expect(withPostgresVariables(url, env)).toBe(url);
    const { database } = parseConfig({ DATABASE_URL: 'postgres://', ...env });
    expect(database).toMatchObject({ url: expect.stringContaining('host=a%2Cb&port=1%2C2&user=ann') });
  });
});
