/** Values of session parameters: constants of this program, never input. */
export type Settings = Readonly<Record<string, string | number>>;

const DURABLE = 'synchronous_commit';

/**
 * Parameters of every session. `ALTER ROLE … SET` and `ALTER DATABASE … SET` give sessions other values, which would
 * end backups, fail requests that wait for a lock, change the rules of transactions, or round numbers.
 */
const OF_EVERY_SESSION: Settings = {
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  idle_session_timeout: 0,
  transaction_timeout: 0,
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  standard_conforming_strings: 'on',
  extra_float_digits: 1,
  gin_fuzzy_search_limit: 0,
};

/** Versions of the server that do not know a parameter keep its default, which is the one needed. */
const assignment = ([name, value]: [string, string | number]) =>
  `case when current_setting('${name}', true) is not null then set_config('${name}', '${value}', false) end`;

/** A commit must not be acknowledged before it is on disk. Stronger guarantees remain. */
const UNLESS_OFF = `case current_setting('${DURABLE}') when 'off' then set_config('${DURABLE}', 'on', false) end`;

/** Returns SQL expressions that set the parameters of a session. `own` replace those of every session. */
export const assignments = (own: Settings): readonly string[] => [
  ...Object.entries({ ...OF_EVERY_SESSION, ...own }).map(assignment),
  ...(DURABLE in own ? [] : [UNLESS_OFF]),
];

/** Parameter whose value in a session decides whether the server can work. */
export interface Needed {
  readonly name: string;
  readonly value: string;
  suits(value: string): boolean;
}

const needed = (name: string, value: string, suits = (given: string) => given === value): Needed => ({
  name,
  value,
  suits,
});

/**
 * Parameters that must be right on every connection. Sessions set most of them; without a session nothing can be set.
 * Time limits are not among them: they are how operators limit statements there. The first one is never set, because a
 * read-only database may be a protection against a full disk; only superusers may set the second one.
 */
export const NEEDED: readonly Needed[] = [
  needed('default_transaction_read_only', 'off'),
  needed('session_replication_role', 'origin'),
  needed('default_transaction_isolation', 'read committed'),
  needed('standard_conforming_strings', 'on'),
  needed('extra_float_digits', '1', (given) => Number(given) > 0),
  needed('gin_fuzzy_search_limit', '0'),
  needed(DURABLE, 'on', (given) => given !== 'off'),
];
