import type { ShownVariable } from '@baobab/http';
import { type Environment, VARIABLES, type Variable } from './config.ts';

const HIDDEN = '***';
/** Variables of which nothing is shown. The application code is no secret to clients, but it is to everybody else. */
const SECRET: ReadonlySet<string> = new Set([
  'ADMIN_PASSWORD',
  'APP_CODE',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'SECRET_KEY',
] satisfies Variable[]);
const SECRET_PARAMETER = /pass|secret|token|key|credential/i;

/** A URL without its credentials and without the values of parameters that may be secret; other texts as they are. */
function masked(value: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return value;
  return value
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#@:]*):[^/?#]*@/i, `$1$2:${HIDDEN}@`)
    .replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string) =>
      SECRET_PARAMETER.test(name) ? `${mark}${name}=${HIDDEN}` : whole,
    );
}

/** The variables as administrators see them: where each value comes from, and secrets masked. */
export function shownEnvironment(env: Environment): ShownVariable[] {
  return Object.entries(VARIABLES).map(([name, { default: initial, meaning }]) => {
    const given = env[name] ?? '';
    const secret = SECRET.has(name);
    const value = given === '' ? initial : given;
    return {
      name,
      value: secret ? (value === '' ? '' : HIDDEN) : masked(value),
      default: secret && initial !== '' ? HIDDEN : initial,
      source: given === '' ? 'default' : 'environment',
      description: meaning,
      secret,
    };
  });
}
