import { AppError } from '@baobab/core';
import type { Send } from './send.ts';
import { NEEDED } from './session-settings.ts';

/** Property of the database or of its user that the server cannot work with. */
export interface Unmet {
  readonly problem: string;
  readonly remedy: string;
}

/** Connections whose requirements are checked. */
export interface Checked {
  /** Connection with a session. */
  readonly direct: Send;
  /** Connection on which each transaction may have another session; null if there are none. */
  readonly pooled: Send | null;
  /** Connections of the pool of each process. */
  readonly connections: number;
  /** Processes of this node. */
  readonly processes: number;
}

const ENCODING = 'UTF8';
/** Connections of a node for migrations, checks and backups. */
const OCCASIONAL = 2;

const FACTS = `select d.datname as database, session_user as user, getdatabaseencoding() as encoding,
    d.datconnlimit as "databaseLimit", r.rolconnlimit as "userLimit", r.rolsuper as "isSuperuser",
    current_schema() as schema, current_setting('search_path') as path,
    has_schema_privilege(current_schema(), 'create') as "mayCreate",
    pg_get_userbyid(t.relowner) as owner, pg_has_role(t.relowner, 'usage') as "mayChange"
  from pg_database d join pg_roles r on r.rolname = session_user
    left join pg_class t on t.oid = to_regclass(quote_ident(current_schema()) || '.schema_version')
  where d.datname = current_database()`;

interface Facts {
  readonly database: string;
  readonly user: string;
  readonly encoding: string;
  /** -1 for no limit, like `userLimit`. */
  readonly databaseLimit: number;
  readonly userLimit: number;
  readonly isSuperuser: boolean;
  /** Schema of the tables; null if the search path names none that the user may use. */
  readonly schema: string | null;
  readonly path: string;
  readonly mayCreate: boolean | null;
  /** Owner of the tables; null if there are none. */
  readonly owner: string | null;
  readonly mayChange: boolean | null;
}

const SEARCH_PATH = 'search_path';
const SETTINGS = `select name, setting, source from pg_settings
  where name in (${[SEARCH_PATH, ...NEEDED.map(({ name }) => name)].map((name) => `'${name}'`).join(', ')})`;

interface Setting {
  readonly name: string;
  readonly setting: string;
  readonly source: string;
}

type Read = readonly [facts: Facts, settings: readonly Setting[]];

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Returns the command that removes a parameter from where it comes from; null for the defaults of the server. */
function resetOf({ name, source }: Pick<Setting, 'name' | 'source'>, { database, user }: Facts): string | null {
  switch (source) {
    case 'user':
      return `ALTER ROLE ${quoted(user)} RESET ${name}`;
    case 'database':
      return `ALTER DATABASE ${quoted(database)} RESET ${name}`;
    case 'database user':
      return `ALTER ROLE ${quoted(user)} IN DATABASE ${quoted(database)} RESET ${name}`;
    case 'global':
      return `ALTER ROLE ALL RESET ${name}`;
    default:
      return null;
  }
}

function unmetEncoding({ database, user, encoding }: Facts): Unmet[] {
  if (encoding === ENCODING) return [];
  const other = quoted(`${database}_utf8`);
  return [
    {
      problem: `the database ${quoted(database)} has the encoding ${encoding}, and only ${ENCODING} stores every character`,
      remedy: `create another one with CREATE DATABASE ${other} OWNER ${quoted(user)} ENCODING '${ENCODING}' LOCALE 'C' TEMPLATE template0, and name it in DATABASE_URL`,
    },
  ];
}

/** Returns the first schema that a search path names, other than that of the user's name. */
function firstSchema(path: string): string {
  const names = path.split(',').map((one) =>
    one
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .replaceAll('""', '"'),
  );
  return names.find((name) => name !== '' && name !== '$user') ?? 'public';
}

function unmetRights(facts: Facts, path: Setting | undefined): Unmet[] {
  const { database, schema, mayCreate, owner, mayChange } = facts;
  const user = quoted(facts.user);
  if (schema === null) {
    const reset = path === undefined ? null : resetOf(path, facts);
    const name = quoted(firstSchema(facts.path));
    return [
      {
        problem: `the search_path of the user ${user} in the database ${quoted(database)} is ${facts.path}, which names no schema that exists and that it may use`,
        remedy: `use CREATE SCHEMA ${name} AUTHORIZATION ${user}; if it exists, GRANT ALL ON SCHEMA ${name} TO ${user}${reset === null ? '' : `; or ${reset}`}`,
      },
    ];
  }
  if (owner !== null && mayChange === false) {
    return [
      {
        problem: `the tables in the schema ${quoted(schema)} belong to the user ${quoted(owner)}, and the user ${user} may not change them`,
        remedy: `name the user ${quoted(owner)} in DATABASE_URL, or use GRANT ${quoted(owner)} TO ${user}`,
      },
    ];
  }
  if (mayCreate === true) return [];
  return [
    {
      problem: `the user ${user} may not create tables in the schema ${quoted(schema)} of the database ${quoted(database)}`,
      remedy: `use GRANT CREATE ON SCHEMA ${quoted(schema)} TO ${user}, or ALTER DATABASE ${quoted(database)} OWNER TO ${user}`,
    },
  ];
}

/** The server applies neither limit to superusers. */
function unmetLimits({ database, user, databaseLimit, userLimit, isSuperuser }: Facts, wanted: number): Unmet[] {
  if (isSuperuser) return [];
  const limits = [
    { whose: `user ${quoted(user)}`, limit: userLimit, command: `ALTER ROLE ${quoted(user)}` },
    { whose: `database ${quoted(database)}`, limit: databaseLimit, command: `ALTER DATABASE ${quoted(database)}` },
  ];
  return limits
    .filter(({ limit }) => limit >= 0 && limit < wanted)
    .map(({ whose, limit, command }) => ({
      problem: `this node opens up to ${wanted} connections, and the ${whose} is limited to ${limit}`,
      remedy: `use ${command} CONNECTION LIMIT ${wanted} for one node, more for several, or lower DATABASE_CONNECTIONS or WORKERS`,
    }));
}

function unmetSettings([facts, found]: Read): Unmet[] {
  return NEEDED.flatMap(({ name, value, suits }) => {
    const setting = found.find((one) => one.name === name);
    if (setting === undefined || suits(setting.setting)) return [];
    const reset = resetOf(setting, facts);
    return [
      {
        problem: `${name} is ${setting.setting} for the user ${quoted(facts.user)} in the database ${quoted(facts.database)}, and must be ${value}`,
        remedy: reset === null ? `set it to ${value} in the configuration of the server` : `use ${reset}`,
      },
    ];
  });
}

async function read(send: Send): Promise<Read> {
  const [facts] = (await send(FACTS)).rows as [Facts];
  return [facts, (await send(SETTINGS)).rows as Setting[]];
}

/** Returns the requirements that are not met. The start and `doctor` use the same ones. */
export async function unmetRequirements({ direct, pooled, connections, processes }: Checked): Promise<Unmet[]> {
  const found = await read(direct);
  const [facts, settings] = found;
  const path = settings.find(({ name }) => name === SEARCH_PATH);
  const unmet = [...unmetEncoding(facts), ...unmetRights(facts, path), ...unmetSettings(found)];
  for (const one of pooled === null ? [] : unmetSettings(await read(pooled))) {
    if (!unmet.some(({ problem }) => problem === one.problem)) unmet.push(one);
  }
  // A pooler has limits of its own.
  const wanted = processes * (pooled === null ? connections + 1 : 1) + OCCASIONAL;
  return [...unmet, ...unmetLimits(facts, wanted)];
}

/** @throws `storage.misconfigured` with the first requirement that is not met */
export async function assertRequirements(checked: Checked): Promise<void> {
  const [unmet] = await unmetRequirements(checked);
  if (unmet !== undefined) {
    throw new AppError('storage.misconfigured', { detail: `${unmet.problem}; ${unmet.remedy}` });
  }
}
