/**
 * Route words next to user names: `PUT /admin/user/suspend/:username`, or `/admin/user/:username/sessions`, which is
 * `/admin/user/sessions` without the name. A test derives them from the OpenAPI document.
 */
export const USER_WORDS: readonly string[] = [
  'access',
  'activate',
  'belongings',
  'email',
  'erase',
  'exists',
  'factors',
  'guest',
  'passkeys',
  'password',
  'secure',
  'sessions',
  'social',
  'suspend',
];

/** Route words next to collection names. */
export const COLLECTION_WORDS: readonly string[] = [
  'acl',
  'count',
  'index',
  'names',
  'query',
  'rules',
  'schema',
  'search',
];

/** Names that users would attribute to the operators of the server. */
export const OFFICIAL_NAMES: readonly string[] = [
  'administrator',
  'backoffice',
  'root',
  'security',
  'support',
  'system',
];
