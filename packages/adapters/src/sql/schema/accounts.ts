import type { ColumnTypes } from './dialect.ts';

/** Users with their roles, sessions, devices and API keys. */
export const userTables = ({ uuid, text, integer }: ColumnTypes): readonly string[] => [
  `create table roles (
    role_key ${text} primary key,
    name ${text} not null unique,
    description ${text} not null,
    built_in ${integer} not null
  )`,
  `insert into roles (role_key, name, description, built_in) values
    ('registereduser', 'registereduser', 'Every signed-up user', 1),
    ('administrator', 'administrator', 'May do everything', 1),
    ('backoffice', 'BackOffice', 'Reaches every document and file', 1),
    ('anonymous', 'anonymous', 'Callers without credentials', 1)`,

  // A login reads the columns after the password in the same statement.
  // - second_factor: time of the 2FA confirmation; email_awaited: 1 until the first address is verified.
  // - email_verified: time of verification of the current address; email_changed: time of its last change or removal.
  // - guest_seen: last activity of a guest, null for all other users. A policy of null is the default.
  // - erase_at: time from which on a user who deleted the account is removed.
  `create table users (
    id ${uuid} primary key,
    name ${text} not null,
    name_key ${text} not null unique,
    skeleton ${text} not null,
    role ${text} not null references roles (name) on update cascade,
    status ${text} not null,
    password_hash ${text},
    second_factor ${integer},
    email_awaited ${integer},
    email_verified ${integer},
    email_changed ${integer},
    guest_seen ${integer},
    erase_at ${integer},
    generated ${integer} not null,
    created ${integer} not null,
    visible_user ${text} not null,
    visible_friend ${text} not null,
    visible_registered ${text} not null,
    visible_anonymous ${text} not null,
    follow_policy ${text},
    group_policy ${text}
  )`,
  `create index users_by_role on users (role)`,
  `create index users_by_skeleton on users (skeleton)`,
  `create index users_by_erasure on users (erase_at) where erase_at is not null`,
  `create index users_by_guest on users (guest_seen) where guest_seen is not null`,
  // Empty outside transactions, see `statements/claims.ts`.
  `create table claims (claimed ${text} primary key)`,

  // A name that its former owner can take back until then. Its skeleton has the form of the one in users.
  `create table former_names (
    name_key ${text} primary key,
    skeleton ${text} not null,
    user_id ${uuid} not null references users (id) on delete cascade,
    expires ${integer} not null
  )`,
  `create index former_names_by_skeleton on former_names (skeleton)`,
  `create index former_names_by_user on former_names (user_id)`,
  `create index former_names_by_expiry on former_names (expires)`,

  // logged_in: time of the login if it is older than the session, or else null. guest_session: 1 while its user is a guest.
  `create table sessions (
    id ${text} primary key,
    user_id ${uuid} not null references users (id) on delete cascade,
    created ${integer} not null,
    last_used ${integer} not null,
    logged_in ${integer},
    device ${text},
    network ${text},
    agent ${text},
    factor ${text},
    guest_session ${integer}
  )`,
  `create index sessions_by_user on sessions (user_id)`,
  `create index sessions_by_use on sessions (last_used)`,
  `create index sessions_by_use_of_others on sessions (last_used) where guest_session is null`,
  `create index sessions_by_device on sessions (device) where device is not null`,

  `create table devices (
    id ${text} primary key,
    user_id ${uuid} not null references users (id) on delete cascade,
    os ${text} not null,
    registered ${integer} not null
  )`,
  `create index devices_by_user on devices (user_id)`,

  // A key is removed with its owner and with its role.
  `create table api_keys (
    id ${uuid} primary key,
    name ${text} not null,
    digest ${text} not null unique,
    role ${text} not null references roles (name) on update cascade on delete cascade,
    owner ${uuid} not null references users (id) on delete cascade,
    created ${integer} not null,
    expires ${integer},
    last_used ${integer}
  )`,
  `create index api_keys_by_role on api_keys (role)`,
  `create index api_keys_by_owner on api_keys (owner)`,
];

/** Credentials, verified e-mail addresses and account lockouts. */
export const loginTables = ({ uuid, text, integer }: ColumnTypes): readonly string[] => [
  `create table totp_secrets (
    user_id ${uuid} primary key references users (id) on delete cascade,
    sealed ${text} not null,
    confirmed ${integer},
    last_step ${integer} not null
  )`,
  `create table recovery_codes (
    user_id ${uuid} not null references users (id) on delete cascade,
    digest ${text} not null,
    primary key (user_id, digest)
  )`,
  `create table login_challenges (
    digest ${text} primary key,
    user_id ${uuid} not null references users (id) on delete cascade,
    sealed ${text} not null,
    attempts ${integer} not null,
    expires ${integer} not null
  )`,
  `create index login_challenges_by_user on login_challenges (user_id)`,
  `create index login_challenges_by_expiry on login_challenges (expires)`,

  `create table passkeys (
    id ${uuid} primary key,
    user_id ${uuid} not null references users (id) on delete cascade,
    credential ${text} not null unique,
    public_key ${text} not null,
    counter ${integer} not null,
    transports ${text} not null,
    name ${text} not null,
    created ${integer} not null,
    last_used ${integer}
  )`,
  `create index passkeys_by_user on passkeys (user_id)`,

  `create table social_links (
    network ${text} not null,
    person ${text} not null,
    user_id ${uuid} not null references users (id) on delete cascade,
    sealed ${text} not null,
    details ${text} not null,
    primary key (network, person)
  )`,
  `create unique index social_links_by_user on social_links (user_id, network)`,

  `create table reset_tokens (
    user_id ${uuid} primary key references users (id) on delete cascade,
    digest ${text} not null unique,
    expires ${integer} not null
  )`,
  `create index reset_tokens_by_expiry on reset_tokens (expires)`,

  `create table email_claims (
    user_id ${uuid} primary key references users (id) on delete cascade,
    email ${text} not null,
    code ${text} not null,
    token ${text} not null,
    attempts ${integer} not null,
    expires ${integer} not null
  )`,
  `create unique index email_claims_by_token on email_claims (token)`,
  `create index email_claims_by_expiry on email_claims (expires)`,
  `create table verified_emails (
    email_key ${text} primary key,
    user_id ${uuid} not null references users (id) on delete cascade
  )`,
  `create index verified_emails_by_user on verified_emails (user_id)`,

  `create table lockouts (
    lock_key ${text} primary key,
    counted ${integer} not null,
    place ${integer} not null,
    allowed ${integer} not null,
    ends ${integer} not null,
    excused ${integer} not null,
    excused_at ${integer} not null
  )`,
  `create index lockouts_by_end on lockouts (ends)`,
];
