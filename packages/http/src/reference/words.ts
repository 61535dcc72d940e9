/** What the reference says of what stands in many places. */

export const TITLE = 'Baobab';
export const INTRODUCTION = `A backend for mobile and web apps: users and sessions, profiles and followers, documents, files and assets, push
messages and social login.

Success is \`{"result":"ok","data":…,"http_code":200}\`; every failure has the same envelope, \`Failure\`. \`?call_id=x\` on
any request comes back as \`"call_id":"x"\`. Every answer has the header \`X-Request-Id\`, and \`BB-USERNAME\` when the
caller is known. CORS is open to every origin. Every \`GET\` answers \`HEAD\` too; another method on a path that is there
is 405 with \`Allow\`.`;

export const TAGS: Readonly<Record<string, string>> = {
  users: 'The own account: sign up, profile, name, password',
  sessions: 'Log in and out, and where one is logged in',
  'password reset': 'A new password by mail',
  'social login': 'Log in with accounts of social networks',
  people: 'Other users, and who follows whom',
  documents: 'JSON documents in collections, and the rights on them',
  files: 'Stored files, and the rights on them',
  assets: 'Public files and objects, and images in other sizes',
  push: 'Notifications to devices',
  collections: 'The containers of documents',
  'user administration': 'Everybody’s account, for administrators',
  roles: 'Roles of the application’s own',
  settings: 'What administrators change while the service runs',
  administration: 'What operators look at',
  health: 'Whether the service lives and serves',
  reference: 'What you are reading',
};

/** Parameters that mean the same wherever they stand. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  collection: 'The name of a collection, in any case',
  id: 'The id that the service gave: a UUID',
  username: 'The name of a user, in any case',
  rolename: 'The name of a role, or an alias of one',
  name: 'The name',
  action: 'The right',
  network: 'The social network',
  deviceId: 'The id of the device, as it was sent at login',
  width: 'Pixels',
  height: 'Pixels',
  percent: 'Of its sides: `50`, `50%` or `50%25`',
  sizeId: 'Which of the sizes in the setting `image.allowed.automatic.resize.formats`',
  os: 'The system of the device',
  token: 'What the link in the mail ends with',
  follower: 'The name of who follows',
  tofollow: 'The name of who is followed',
  section: 'The section of the settings',
  key: 'The key of the setting',
  value: 'The new value as text',
  skip: 'How many rows to pass over',
  path: 'What follows',
};

/** What every route means by a status. */
export const FAILURES: Readonly<Record<number, string>> = {
  400: 'The application code is missing or wrong, or the request is not what it should be',
  401: 'The credentials are missing, wrong or expired (`bb_code` 40101: the session)',
  403: 'The caller may not do this',
  404: 'It is not there',
  409: 'It was changed at the same time',
  412: 'It is not in the state that the request wants it in',
  413: 'The body is too large',
  414: 'A part of the path is too long',
  415: 'The body is of a type that is not taken here',
  416: 'There is nothing in this range',
  422: 'The key was used for another request',
  429: 'Too many attempts (`bb_code` 42901); `Retry-After` says when to come back',
  500: 'The service failed; the request id names it in its log',
  503: 'The service is starting, stopping or busy, or something that it needs is away; `Retry-After` says when to come back',
};
