import { needsPerson } from './persons.ts';
import type { ServedRoute } from './routes.ts';

export const SECURITY_SCHEMES = {
  appCode: {
    type: 'apiKey',
    in: 'header',
    name: 'X-SERVICE-APPCODE',
    description: 'The application code. `X-BAASBOX-APPCODE` is an alias',
  },
  appCodeInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'X-SERVICE-APPCODE',
    description: 'The application code, for callers that cannot set headers. `X-BAASBOX-APPCODE` is an alias',
  },
  session: {
    type: 'apiKey',
    in: 'header',
    name: 'X-BB-SESSION',
    description: 'The token of a session, from `POST /login`. It replaces the application code',
  },
  sessionInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'X-BB-SESSION',
    description: 'The token of a session, for callers that cannot set headers',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key (`bb_…`), from `POST /admin/key`. It replaces the application code',
  },
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'Name and password of a user (UTF-8), in addition to the application code',
  },
} as const;

type Requirement = Readonly<Partial<Record<keyof typeof SECURITY_SCHEMES, readonly string[]>>>;

const CODE: readonly Requirement[] = [{ appCode: [] }, { appCodeInQuery: [] }];
const SESSION: readonly Requirement[] = [{ session: [] }, { sessionInQuery: [] }];
const PERSON: readonly Requirement[] = [...SESSION, { appCode: [], basic: [] }];
/** Users, and servers that call with a key. */
const USER: readonly Requirement[] = [...PERSON, { apiKey: [] }];
/** For routes where a session does not replace the application code. */
const USER_AND_CODE: readonly Requirement[] = [
  { appCode: [], session: [] },
  { appCodeInQuery: [], sessionInQuery: [] },
  { appCode: [], basic: [] },
];

/** Returns the alternative credentials of a route; any one of them suffices. */
export function securityOf(route: ServedRoute): readonly Requirement[] {
  const { access = 'user', appCode, describes = {}, ignoresOldCredentials } = route.config;
  const known = ignoresOldCredentials === true || needsPerson(route) ? PERSON : USER;
  if (describes.needs === 'session') return SESSION;
  if (describes.needs === 'user') return [...SESSION, { basic: [] }, { apiKey: [] }];
  if (access === 'open') return [];
  if (access !== 'anybody') return appCode === 'always' ? USER_AND_CODE : known;
  if (appCode === 'body' || appCode === 'unneeded') return [...CODE, ...known, {}];
  return appCode === 'always' ? CODE : [...CODE, ...known];
}
