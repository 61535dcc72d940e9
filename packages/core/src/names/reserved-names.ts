/**
 * Words of routes next to names of users: `PUT /admin/user/suspend/:username`, or `/admin/user/:username/sessions`, which
 * is `/admin/user/sessions` without the name. A test derives them from the OpenAPI document.
 */
export const USER_WORDS: readonly string[] = [
  'activate',
  'belongings',
  'email',
  'exists',
  'factors',
  'guest',
  'password',
  'sessions',
  'suspend',
];

/** The same for collections. */
export const COLLECTION_WORDS: readonly string[] = ['acl', 'count', 'index', 'names', 'query', 'rules', 'schema'];

/** Names behind which people would expect those who run the service. */
export const OFFICIAL_NAMES: readonly string[] = [
  'administrator',
  'backoffice',
  'root',
  'security',
  'support',
  'system',
];
