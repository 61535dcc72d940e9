import type { ShownVariable } from '@baobab/http';
import { textOf } from './config/environment.ts';
import { type Environment, VARIABLES } from './config.ts';

const HIDDEN = '***';
/** Secret variables in which only the credentials are masked. */
const URLS: ReadonlySet<string> = new Set([
  'BACKUP_URL',
  'BLOB_URL',
  'DATABASE_LISTEN_URL',
  'DATABASE_URL',
  'HTTPS_PROXY',
  'HTTP_PROXY',
] satisfies (keyof typeof VARIABLES)[]);
/** The application code is not a secret to clients, but it is to everyone else. */
const APP_CODE = 'APP_CODE' satisfies keyof typeof VARIABLES;
const SECRET_PARAMETER = /pass|secret|token|key|credential/i;

/** Masks the credentials of a URL and parameters that may be secret; other text is unchanged. */
function masked(value: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return value;
  return (
    value
      .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#@:]*):[^/?#]*@/i, `$1$2:${HIDDEN}@`)
      // Without a password, the user name may be a token.
      .replace(/^(https?:\/\/)[^/?#@:]+@/i, `$1${HIDDEN}@`)
      .replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string) =>
        SECRET_PARAMETER.test(name) ? `${mark}${name}=${HIDDEN}` : whole,
      )
  );
}

const isSecret = (name: string, { writeOnly }: { readonly writeOnly?: true }) =>
  name === APP_CODE || (writeOnly === true && !URLS.has(name));

const hidden = (value: string) => (value === '' ? '' : HIDDEN);

/** Returns the variables as administrators see them, with their sources, and with secrets masked. */
export function shownEnvironment(env: Environment): ShownVariable[] {
  return Object.entries(VARIABLES).map(([name, schema]) => {
    const initial = String(schema.default ?? '');
    const given = textOf(env, name);
    const secret = isSecret(name, schema);
    const show = secret ? hidden : masked;
    return {
      name,
      value: show(given || initial),
      default: show(initial),
      source: given === '' ? 'default' : 'environment',
      description: schema.description,
      secret,
    };
  });
}
