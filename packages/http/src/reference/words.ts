/** Texts of the reference with more than one use. */

export const TITLE = 'Baobab';
export const INTRODUCTION = `A backend for mobile and web apps: users and sessions, profiles and followers, documents, files and assets, push
messages and social login.

Success is \`{"result":"ok","data":…,"http_code":200}\`; every failure has the same envelope, \`Failure\`. \`?call_id=x\` on
any request is repeated as \`"call_id":"x"\`. Every response has the header \`X-Request-Id\`, and \`BB-USERNAME\` when the
caller is known. CORS is open to every origin. Every \`GET\` answers \`HEAD\` too, except \`/live\`, which opens a
WebSocket, and \`/user/{username}/password/reset\`, which sends a mail. Other methods on an existing path are 405 with
\`Allow\`. Bodies of JSON and forms, except multipart ones, may have a \`Content-Encoding\` of gzip or deflate.`;

export const TAGS: Readonly<Record<string, string>> = {
  users: 'Your account: sign-up, profile, name, password',
  sessions: 'Log in, log out, list sessions',
  addresses: 'Verified e-mail addresses of users',
  'second factor': 'Codes from an authenticator app, required at each login',
  passkeys: 'Log in with a device or a security key, without a name and a password',
  'password reset': 'Set a new password through a link sent by mail',
  'social login': 'Log in with accounts of social networks',
  people: 'Other users, and follows between users',
  groups: 'Groups of users that can receive permissions',
  documents: 'JSON documents in collections, and grants on them',
  changes: 'Changes of documents: page by page, and live',
  files: 'Stored files, and grants on them',
  assets: 'Public files and objects, and resized images',
  push: 'Notifications to devices',
  'API keys': 'API keys, which servers use instead of a user',
  webhooks: 'Messages to other services about changes of documents',
  collections: 'Collections of documents, and their indexes',
  'user administration': 'All accounts, for administrators',
  roles: 'Roles that the application defines',
  settings: 'Settings that administrators can change at runtime',
  administration: 'Monitoring for operators, and the indexes of users, files and assets',
  extensions: 'Routes of this server’s extensions',
  health: 'Liveness and readiness checks',
  reference: 'This document',
};

/** Descriptions of parameters with the same meaning on every route. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  collection: 'The name of a collection, in any case',
  list: 'The indexed list',
  id: 'The id: a UUID',
  username: 'The name of a user, in any case',
  rolename: 'The name of a role, or an alias of one',
  groupId: 'The id of a group that the caller is in',
  delivery: 'The id of a delivery',
  invitation: 'The id of an invitation',
  code: 'The code of an invitation',
  name: 'The name',
  action: 'The right',
  network: 'The social network',
  deviceId: 'The id of the device, as sent at login',
  width: 'Pixels',
  height: 'Pixels',
  percent: 'Percentage of the image’s sides: `50`, `50%` or `50%25`',
  sizeId: 'The number of a size in the setting `image.allowed.automatic.resize.formats`',
  os: 'The operating system of the device',
  token: 'The token at the end of the link in the mail',
  follower: 'The name of the follower',
  tofollow: 'The name of the followed user',
  section: 'The section of the settings',
  key: 'The key of the setting',
  value: 'The new value as text',
  skip: 'Number of rows to skip',
  path: 'The rest of the path',
};

/** Meaning of each failing status, on every route. */
export const FAILURES: Readonly<Record<number, string>> = {
  400: 'The application code is missing or wrong, or the request is invalid',
  401: 'The credentials are missing, wrong or expired (`bb_code` 40101: the session)',
  403: 'The caller is not permitted to do this',
  404: 'Not found',
  409: 'Conflict with the current state, such as a concurrent change',
  410: 'The requested state is no longer stored',
  412: 'A precondition of the request failed',
  413: 'The body is too large',
  414: 'A part of the path is too long',
  415: 'The media type or the content coding of the body is not supported here; `Accept-Encoding` lists the supported codings',
  416: 'The requested range has no bytes',
  422: 'The idempotency key was used for another request',
  429: 'Too many attempts (`bb_code` 42901); see `Retry-After`',
  500: 'Internal error; the log contains it under the request id',
  503: 'The server is starting, stopping or busy, or a service that it depends on is unavailable; see `Retry-After`',
};
