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
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'Name and password of a user (UTF-8), in addition to the application code',
  },
} as const;

type Requirement = Readonly<Partial<Record<keyof typeof SECURITY_SCHEMES, readonly string[]>>>;

const CODE: readonly Requirement[] = [{ appCode: [] }, { appCodeInQuery: [] }];
const SESSION: readonly Requirement[] = [{ session: [] }, { sessionInQuery: [] }];
const USER: readonly Requirement[] = [...SESSION, { appCode: [], basic: [] }];
/** For routes where a session does not replace the application code. */
const USER_AND_CODE: readonly Requirement[] = [
  { appCode: [], session: [] },
  { appCodeInQuery: [], sessionInQuery: [] },
  { appCode: [], basic: [] },
];

/** The alternative credentials of a route; any one of them suffices. */
export function securityOf({ config }: ServedRoute): readonly Requirement[] {
  const { access = 'user', appCode, describes = {} } = config;
  if (describes.needs === 'session') return SESSION;
  if (describes.needs === 'user') return [...SESSION, { basic: [] }];
  if (access === 'open') return [];
  if (access === 'user') return appCode === 'always' ? USER_AND_CODE : USER;
  if (appCode === 'body' || appCode === 'unneeded') return [...CODE, ...USER, {}];
  return appCode === 'always' ? CODE : [...CODE, ...USER];
}
