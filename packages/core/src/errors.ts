import type { InputProblem } from './ports/schemas.ts';

/**
 * All failures shown to callers, by code. A table in the http package contains the HTTP status of each, and does not
 * compile if a code is missing.
 */
export const ERRORS = {
  'access.denied': 'You do not have permission to do this',
  'account.built_in': 'The built-in administrator cannot be deleted',
  'account.erasing': 'This account is being deleted. POST /me/erase/cancel cancels the deletion',
  'admin.required': 'the user is not an Admin',
  'app_code.invalid': 'invalid application code',
  'app_code.missing': 'The application code is missing',
  'asset.exists': 'An asset with this name already exists',
  'asset.name_invalid': 'An asset name must be 1 to 128 letters, digits, ".", "_" or "-"',
  'asset.no_file': 'The asset has no file',
  'asset.not_found': 'Asset not found',
  'auth.challenge_invalid': 'The challenge is unknown, used up or has expired: log in again',
  'auth.code_invalid': 'The code is wrong or has been used',
  'auth.email_unverified': 'Confirm the e-mail address of this account first: check your inbox',
  'auth.fresh_login_required': 'This needs a recent login: log in again, or send the password as current_password',
  'auth.invalid': 'Invalid username or password',
  'auth.locked':
    'Account temporarily locked after too many wrong passwords or codes: try again later, or use a device that has logged in before',
  'auth.method_disabled': 'This way to log in is disabled',
  'auth.passkey_cloned':
    'This passkey may have been copied: its counter is not higher than at an earlier login. Log in another way',
  'auth.passkey_invalid': 'The passkey is unknown, or its response was not accepted',
  'auth.required': 'Authentication required: send a session token or Basic credentials',
  'auth.second_factor_required': 'Two-factor authentication is required: send a code',
  'backup.busy': 'A backup or a restore is already running: wait for its end',
  'backup.invalid': 'This is not an archive that this version can restore',
  'backup.not_empty': 'The server has data: an archive can only be restored into a new one',
  'backup.not_found': 'Backup not found',
  'backup.unconfigured': 'The server has no place for backups: set BACKUP_URL',
  'backup.unsupported': 'This server does not support this with backups',
  'batch.answer_too_large': 'The responses of this batch are too large: send fewer operations at a time',
  'batch.invalid':
    'A batch must be {"atomic":true or false,"operations":[{"method","path","body"},…]} with at most 100 operations',
  'batch.operation_unknown': 'A batch accepts only calls on single documents, their fields and their grants',
  'batch.work_too_large':
    'The changes of this batch read too much stored data: send fewer of them at a time, or change several fields of a document with one PATCH',
  'blobs.misconfigured': 'The blob store rejects the configuration of the server',
  'blobs.missing': 'The bytes of this file are missing from the blob store',
  'blobs.unavailable': 'The blob store is unavailable: try again shortly',
  'block.not_found': 'You do not block this user',
  'block.self': 'Users cannot block themselves',
  'changes.cursor_expired':
    'The change feed no longer covers this cursor: reload the list, then continue from the current cursor',
  'changes.cursor_invalid': 'This is not a cursor of the change feed',
  'changes.resync_required': 'Your permissions have changed: reload the list, then continue from "since"',
  'changes.too_many_from_network':
    'Your network already has the maximum number of open streams: close some of them, or try again later',
  'changes.too_many_streams': 'You already have the maximum number of open streams: close one first',
  'changes.too_slow': 'The stream was ended because the client read nothing for too long: read faster, then resume',
  'changes.unavailable': 'This node already serves the maximum number of streams: try again shortly',
  'collection.exists': 'A collection with this name already exists',
  'collection.name_invalid':
    'A collection name must be a letter followed by at most 63 letters, digits, "_" or "-", and must not look like a UUID or be a word of a route',
  'collection.not_found': 'Collection not found',
  'criteria.invalid': 'Invalid query',
  'document.busy': 'The document was changed by other requests at the same time: read it and try again',
  'document.conflict': 'The document changed repeatedly while extensions checked the request: try again',
  'document.duplicate': 'Another document has the same value in a unique field',
  'document.exists': 'A document with this id exists, or existed until recently',
  'document.has_children': 'The document has children: remove them first',
  'document.invalid': 'The document does not conform to the schema of its collection',
  'document.not_found': 'Document not found',
  'document.parent_invalid': 'The document needs a parent',
  'document.stale': 'The document has changed: @version is not the current version',
  'document.too_large': 'The document would exceed the maximum size of a body',
  'document.version_invalid': '@version must be an integer',
  'email.not_awaited': 'This account is not waiting for an e-mail address to be confirmed',
  'email.taken': 'This e-mail address belongs to another user',
  'expand.limit': 'A response cannot expand this much',
  'extension.failed': 'An extension of this server failed',
  'extension.refused': 'An extension of this server refused this',
  'extension.timeout': 'An extension of this server did not finish in time',
  'field.data_missing': 'The body must be {"data": …} with the new value of the field',
  'field.not_found': 'Field not found in the document',
  'field.owned': 'This field is managed by the server and cannot be read or set by path',
  'field.path_invalid':
    'A field path must consist of names and indexes, such as author.roles[0] (in a URL /.author/.roles[0])',
  'field.type_invalid': 'The value of this field has the wrong type for this change',
  'field.unreachable': 'A parent of this path is neither an object nor an array',
  'file.missing': 'The form must have a part named "file"',
  'file.not_found': 'File not found',
  'file.too_large': 'The file is too large',
  'follow.exists': 'This follow relation already exists',
  'follow.not_found': 'Follow relation not found',
  'follow.refused': 'This user cannot be followed',
  'follow.request_not_found': 'This user has not asked to follow you',
  'follow.self': 'Users cannot follow themselves',
  'grant.action_unknown': 'Unknown permission: use read, update, delete or all',
  'grant.group_unknown': 'Unknown group in a grant',
  'grant.invalid': 'A grant must be an object with "name" and, for a role, "isrole", for a group "isgroup"',
  'grant.role_unknown': 'Unknown role in a grant',
  'grant.too_many': 'A request, or a whole batch, may name at most 1,000 users, roles and groups in grants',
  'grant.user_unknown': 'Unknown user in a grant',
  'group.add_refused': 'This user cannot be added to groups',
  'group.invitation_not_found': 'There is no such invitation',
  'group.limit': 'A limit on groups, which the settings define, has been reached',
  'group.member_not_found': 'This user is not in the group',
  'group.name_invalid': 'A group name must be 1 to 128 printable characters, without spaces at the ends',
  'group.not_found': 'Group not found',
  'group.owner_required': 'A group needs an owner: transfer the ownership first',
  'guest.disabled': 'Guests are not allowed: sign up, or log in',
  'guest.required': 'You are not a guest: use PUT /me/username and PUT /me/password',
  'idempotency.busy': 'The first request with this Idempotency-Key is still in progress: try again shortly',
  'idempotency.key_invalid':
    'An Idempotency-Key must be 1 to 255 visible ASCII characters, with or without double quotes',
  'idempotency.not_kept':
    'The request with this Idempotency-Key took effect, but its response was too large to store: read the result, and use a new key for a new request',
  'idempotency.mismatch': 'This Idempotency-Key was used for a different request: use a new key for a new request',
  'image.busy': 'Too many images are being resized: try again shortly',
  'image.format_invalid': 'Invalid image size: use a form such as 25%, <=80px or 100-200',
  'image.format_refused': 'This image size is not allowed: only administrators can use sizes outside the list',
  'image.format_unsupported': 'Images of this format cannot be resized; JPEG, PNG, GIF and WebP can',
  'image.resize_off': 'Resizing of images is disabled by the setting image.allows.automatic.resize',
  'image.too_large': 'The image is too large to be resized',
  'image.unreadable': 'The file is not an image that can be resized',
  'index.not_found': 'Index not found',
  'index.path_invalid': 'This path cannot be indexed',
  'index.too_many': 'This collection or list already has the maximum number of indexes',
  'index.unique_unsupported': 'This index cannot be unique',
  'input.array_expected': 'An array is expected',
  'input.empty': 'The request has no body: JSON is expected',
  'input.encoding_invalid': 'The compressed body is truncated, corrupt or not in the format of its Content-Encoding',
  'input.encoding_unsupported':
    'The Content-Encoding of the body is not supported here; Accept-Encoding lists the supported ones',
  'input.invalid': 'Invalid input',
  'input.json_invalid': 'This is not valid JSON',
  'input.too_large': 'The body is too large',
  'invitation.email_required': 'This invitation was sent to another e-mail address: verify that address to accept it',
  'invitation.invalid': 'This invitation does not exist, was used up or has expired',
  'json.number_inexact': 'This number cannot be stored without changing it: send it as a string',
  'key.invalid': 'The API key is unknown, has expired or was removed',
  'key.limit': 'The maximum number of API keys is reached: remove one first',
  'key.not_found': 'API key not found',
  'key.user_required': 'This request needs a user: an API key does not act for one',
  'mail.refused': 'The mail could not be sent: the mail server rejected it',
  'mail.unavailable': 'The mail could not be sent: mail is not configured, or the mail server is unavailable or busy',
  'page.too_large': 'The page is too large for one response: request fewer rows, or page by cursor',
  'passkey.challenge_invalid': 'The challenge is unknown, used up or has expired: ask for new options',
  'passkey.exists': 'This passkey is already registered',
  'passkey.invalid': 'The response of the authenticator was not accepted',
  'passkey.last':
    'This passkey is the only way to log in to the account: set a password or register another passkey first',
  'passkey.limit': 'You already have the maximum number of passkeys: remove one first',
  'passkey.name_invalid': 'The name of a passkey must be 1 to 128 printable characters, without spaces at the ends',
  'passkey.not_found': 'Passkey not found',
  'password.too_weak': 'The password is too weak',
  'passwords.busy': 'Too many logins at the moment: try again shortly',
  'patch.invalid': 'Invalid patch',
  'path.segment_invalid':
    'A path must not contain an empty segment, a trailing slash, "." or "..", or an encoded slash: send such a value in the body',
  'precondition.failed': 'The resource is not in the state that the request requires',
  'push.message_not_found': 'Message not found',
  'push.refused': 'The push service rejects the credentials or settings: an administrator must check the Push settings',
  'push.too_large': 'The notification exceeds the maximum size that push services accept',
  'push.unconfigured': 'Push notifications are not configured',
  'query.unknown': 'The query has a parameter that this route does not know',
  'range.unsatisfiable': 'Range not satisfiable',
  'rate.limited': 'Too many attempts: try again later',
  'registration.closed': 'New users cannot sign up: only an administrator can create them',
  'reset.address_missing': 'The user has no e-mail address to which a link can be sent',
  'role.built_in': 'Built-in roles cannot be changed or removed',
  'role.compared': 'Rules of collections compare caller.roles with the name of this role: change them first',
  'role.exists': 'A role with this name already exists',
  'role.name_invalid': 'A role name must be a letter followed by at most 63 letters, digits, "_", "-" or "."',
  'role.not_found': 'Role not found',
  'room.full': 'The room already has the maximum number of members on this node',
  'room.too_many_messages': 'Too many messages to rooms in a second',
  'rule.refused': 'A rule of the collection does not allow this change',
  'rule.unsupported': 'This database cannot apply this rule',
  'service.answers_unread': 'Too much unread response data: read the responses, or try again shortly',
  'service.bodies_busy': 'Too many large or compressed bodies are being processed: try again shortly',
  'service.overdue': 'The server could not respond in time and may still complete the request: try again shortly',
  'service.stopping': 'The server is starting or stopping: try again shortly',
  'session.not_found': 'Session not found',
  'setting.key_not_found': 'Setting not found',
  'setting.section_not_found': 'Settings section not found',
  'setting.value_invalid': 'Invalid value for this setting',
  'session.invalid': 'The session token is invalid or has expired',
  'social.busy': 'Another request is linking this account at the same time: try again',
  'social.disabled': 'Login with this social network is disabled',
  'social.last_link':
    'This link is the only way to log in to the account: set a password, register a passkey or link another network first',
  'social.network_unknown': 'Unknown social network',
  'social.none': 'The user is not linked to any social network',
  'social.not_linked': 'The user is not linked to this social network',
  'social.refused': 'The social network rejected the token, or the token was not issued to this app',
  'social.suspended': 'This account is suspended',
  'social.taken': 'This person is already linked to another user',
  'social.token_missing': 'oauth_token and oauth_secret are both required',
  'social.unavailable': 'The social network is not configured, unavailable or busy: try again shortly',
  'storage.schema_too_new': 'The database schema is newer than this version of the program supports',
  'storage.misconfigured': 'The database connection does not meet the requirements of the server',
  'storage.migration_blocked':
    'The schema could not be migrated because other transactions held locks for too long: start again when they have ended',
  'storage.transfer_unfinished': 'A transfer into this database is incomplete: resume it, or empty the database',
  'schema.invalid': 'This JSON Schema cannot be used',
  'schema.not_found': 'The collection has no schema',
  'search.invalid': 'The search is not valid',
  'search.not_enabled': 'The collection has no search index, or it is still being built',
  'search.not_found': 'The collection has no search index',
  'search.unsupported': 'Search is not available here',
  'search.too_long':
    'The search took too long: narrow it, or ask an administrator for an index on the fields that it filters or sorts by',
  'storage.unavailable': 'The database is unavailable: try again shortly',
  'totp.exists': 'Two-factor authentication is already enabled: disable it first',
  'totp.not_found': 'There is no two-factor authentication to confirm or disable',
  'upload.invalid': 'The body must be a complete multipart form',
  'user.email_invalid': 'A valid e-mail address is required',
  'user.email_required': 'Sign-up requires an e-mail address in visibleByTheUser.email',
  'user.exists': 'A user with this name, or with one that looks like it, already exists',
  'user.internal': 'This name is reserved, or looks like a reserved name',
  'user.name_invalid':
    'A user name must be 1 to 128 printable characters, at least one of them visible, without / \\ ? # %, and not . or ..',
  'user.not_found': 'User not found',
  'user.name_fixed': 'Only a generated name can be changed with the profile: use PUT /me/username',
  'user.old_password_invalid': 'The old password is wrong',
  'user.password_invalid': 'A password must have at most 1024 characters',
  'user.section_invalid': 'A visibility section must be an object',
  'webhook.delivery_not_found': 'Delivery not found',
  'webhook.limit': 'The maximum number of webhooks is reached: remove one first',
  'webhook.not_found': 'Webhook not found',
  'webhook.not_replayable':
    'This entry reports missed changes and cannot be sent again: reload the collections instead',
  'webhook.of_extension': 'This webhook belongs to an extension, which declares it: it can only be enabled or disabled',
  'webhook.url_refused': 'Webhooks cannot be sent to this URL',
} as const;

export type ErrorCode = keyof typeof ERRORS;

export interface AppErrorOptions {
  /** Time after which to retry, in seconds, if known. */
  readonly retryAfter?: number;
  /** Details of the problem and the expected input. Shown to the caller, so never a secret. */
  readonly detail?: string;
  /**
   * The wrong input: a JSON Pointer (RFC 6901) into the request body (`/title`; a missing member by its own path), or
   * the name of a parameter (`where`).
   */
  readonly input?: string;
  /** Further members of the error body, with data that programs need to continue. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Message of an administrator; replaces that of the catalogue. */
  readonly message?: string;
  /** Problems of several inputs; replaces `input`. */
  readonly problems?: readonly InputProblem[];
  /** Set if an extension refused the call. Its members replace those of the code. */
  readonly refusal?: ExtensionRefusal;
  /** Underlying failure; logged, never shown. */
  readonly cause?: unknown;
}

/** Reason why an extension refused a call, as shown to the caller. */
export interface ExtensionRefusal {
  readonly message: string;
  /** Code of the extension's choice. */
  readonly code: string;
  /** HTTP status, from 400 to 499. */
  readonly status: number;
}

/** An expected failure. Recognize it by `code`, never by class, because two copies of this module may be loaded. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** Time after which to retry, in seconds; null if unknown. */
  readonly retryAfter: number | null;
  /** Details of the problem. */
  readonly detail: string | null;
  /** The wrong input, as in `AppErrorOptions`; null if it is not a single one. */
  readonly input: string | null;
  /** Problems of several inputs, as in `AppErrorOptions`; empty if there is a single `input`. */
  readonly problems: readonly InputProblem[];
  /** Data that clients need to continue, as in `AppErrorOptions`; null if there is none. */
  readonly beside: Readonly<Record<string, string>> | null;
  /** Refusal of an extension, as in `AppErrorOptions`; null for other failures. */
  readonly refusal: ExtensionRefusal | null;

  constructor(
    code: ErrorCode,
    { detail, input, problems = [], beside, cause, retryAfter, refusal, message = ERRORS[code] }: AppErrorOptions = {},
  ) {
    const shown = refusal?.message ?? (detail === undefined ? message : `${message}: ${detail}`);
    super(shown, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryAfter = retryAfter ?? null;
    this.detail = detail ?? null;
    this.input = input ?? null;
    this.problems = problems;
    this.beside = beside ?? null;
    this.refusal = refusal ?? null;
  }
}

/** Runs `work`, which reads one input. Its errors name that input, unless they name a part of it. */
export function readInput<T>(input: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isAppError(error) || error.input !== null) throw error;
    throw new AppError(error.code, { input, ...(error.detail !== null && { detail: error.detail }) });
  }
}

/** Returns true if `error` has a code in `ERRORS`. */
export function isAppError(error: unknown): error is AppError {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && Object.hasOwn(ERRORS, error.code)
  );
}
