import type { ServedRoute } from './routes.ts';

/** Paths whose routes concern the caller as a user and refuse API keys (`key.user_required`). */
const OF_A_PERSON = [
  /^\/me(\/|$)/,
  /^\/(logout|refresh|follow|block|blocked|push\/enable|push\/disable|social)(\/|$)/,
  /^\/(followers|following)$/,
];
const OPERATIONS_OF_A_PERSON = [
  'DELETE /followers/:username',
  'GET /group',
  'POST /group',
  'POST /group/:id/invitation',
  'POST /invitation/:code',
  'POST /admin/backup/download',
  'POST /admin/key',
  'POST /admin/Fw/:follower/to/:tofollow',
  'POST /admin/follow/:follower/to/:tofollow',
  'POST /admin/webhook',
  'POST /admin/webhook/:id/secret',
  'GET /user',
  'PUT /user',
  'PUT /user/password',
];

/** True if a route is only for users, not for API keys. */
export function needsPerson({ method, url, config }: ServedRoute): boolean {
  if (config.access === 'anybody' || config.access === 'open') return false;
  return OF_A_PERSON.some((path) => path.test(url)) || OPERATIONS_OF_A_PERSON.includes(`${method} ${url}`);
}
