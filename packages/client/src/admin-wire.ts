/** Types of responses to administrators. A test compares them with docs/openapi.json. */

import type { AuditParty } from './admin-access-wire.ts';

export type * from './admin-access-wire.ts';
export type * from './admin-rules-wire.ts';

export interface Role {
  readonly name: string;
  readonly description: string;
  readonly isrole: boolean;
  /** True for built-in roles. */
  readonly internal: boolean;
}

export interface CollectionInfo {
  readonly name: string;
  readonly records: number;
  /** Size of the content, in bytes. */
  readonly size: number;
}

/** Stored documents that violate a schema, or checks. */
export interface Violations {
  readonly violations: number;
  readonly first: readonly {
    readonly id: string;
    readonly errors: readonly { readonly path: string; readonly message: string }[];
  }[];
}

export interface IndexInfo {
  /** A path; for an index on several fields, a JSON array of paths. */
  readonly path: string;
  readonly state: 'building' | 'ready';
  /** True if no two documents may have the same values. */
  readonly unique: boolean;
}

/** Full-text search of a collection. */
export interface SearchInfo {
  /** Weight of each searched field, by its path. */
  readonly fields: Readonly<Record<string, number>>;
  /** `building`: searches fail until the words of all documents are stored. */
  readonly state: 'building' | 'ready';
}

/** The slowest queries of a collection, in the process that responds. Filter values are not included. */
export interface IndexAdvice {
  /** Start of the measurement. */
  readonly since: string;
  /** Maximum number of documents that each query scans. */
  readonly documents: number;
  /** Ordered by time, longest first. */
  readonly criteria: readonly {
    readonly conditions: readonly { readonly field: string; readonly operator: string }[];
    readonly orderBy: readonly { readonly field: string; readonly descending: boolean }[];
    readonly searches: number;
    /** Total duration of these queries. */
    readonly milliseconds: number;
    /** Total number of returned rows. */
    readonly returned: number;
    /** Path whose index would help most; null if there is none. */
    readonly index: string | null;
  }[];
}

interface WebhookSettings {
  /** URL that receives the messages. */
  readonly url: string;
  readonly collections: readonly string[];
  readonly types: readonly ('put' | 'gone')[];
  /** Filter on one collection; null for all documents. */
  readonly where: string | null;
  readonly description: string;
  /** True if messages are sent. */
  readonly enabled: boolean;
}

export interface Webhook extends WebhookSettings {
  readonly id: string;
  readonly created: string;
}

export interface WebhookWithSecret extends Webhook {
  /** Signs the messages. Shown only once. */
  readonly secret: string;
}

export type WebhookChange = Partial<WebhookSettings>;
export type NewWebhook = WebhookChange & Pick<WebhookSettings, 'url' | 'collections'>;

export interface WebhookDelivery {
  readonly id: string;
  readonly type: 'document.put' | 'document.gone' | 'user.create' | 'test' | 'missed';
  readonly collection: string | null;
  /** Document id. */
  readonly document: string | null;
  readonly created: string;
  readonly state: 'delivered' | 'waiting' | 'parked';
  readonly attempts: number;
  /** Time of the next attempt. */
  readonly next: string | null;
  /** Status of the last response. */
  readonly status: number | null;
  /** Beginning of the last response. */
  readonly body: string | null;
  /** Reason why the last attempt failed. */
  readonly error: string | null;
}

/** A security event. */
export interface AuditEntry {
  /** Position in the chain of events, from 1. */
  readonly number: number;
  readonly at: string;
  /** Type of event, such as `user.role_changed`. */
  readonly act: string;
  readonly by: AuditParty;
  /** Null if there is no target or it is unknown. */
  readonly to: AuditParty | null;
  /** Network of the client, such as `192.0.2.0/24`. */
  readonly network: string | null;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  /** Hash of this event and the hash of the previous one. */
  readonly hash: string;
}

export interface NewApiKey {
  /** Purpose of the key. */
  readonly name: string;
  /** Role with which it acts. */
  readonly role: string;
  /** Expiry date; absent or null: never. */
  readonly expires?: string | null;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** The administrator who created it, and who owns the objects it creates. */
  readonly owner: string;
  readonly created: string;
  readonly expires: string | null;
  /** Accurate to the minute. */
  readonly lastUse: string | null;
}

export interface ApiKeyWithText extends ApiKey {
  /** The key itself. Shown only once. */
  readonly key: string;
}

export interface Setting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly type: string;
  readonly default_value: string;
  /** Description of the accepted values. */
  readonly expected: string;
}

export interface SettingsSection {
  readonly section: string;
  readonly description: string;
  readonly 'sub sections': { readonly [name: string]: readonly { readonly [key: string]: unknown }[] };
}

interface Volume {
  readonly count: number;
  /** Size in bytes. */
  readonly size: number;
}

export interface Statistics {
  readonly measured: string;
  readonly keptUntil: string;
  readonly users: number;
  readonly sessions: number;
  readonly documents: Volume & { readonly collections: readonly CollectionInfo[] };
  readonly files: Volume;
  readonly assets: Volume;
  /** Objects created per day, in UTC. */
  readonly days: readonly {
    readonly date: string;
    readonly users: number;
    readonly documents: number;
    readonly files: number;
  }[];
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value: string;
  readonly default: string;
  readonly source: 'default' | 'environment';
  readonly description: string;
  readonly secret: boolean;
}

/** Result of a check of the running server. */
export interface ServiceCheck {
  readonly check:
    | 'database'
    | 'blobs'
    | 'backups'
    | 'mail'
    | 'push'
    | 'social'
    | 'password'
    | 'app_code'
    | 'public_url'
    | 'address'
    | 'secret_key'
    | 'secrets'
    | 'rate_limit'
    | 'webhooks'
    | 'proxy'
    | 'folders'
    | 'disk'
    | 'workers'
    | 'memory'
    | 'clock';
  /** `skipped`: not set up, or nothing to check. */
  readonly state: 'ok' | 'fault' | 'skipped';
  readonly text: string;
  readonly remedy: string | null;
  /** Environment variables that fix the problem. */
  readonly variables: readonly string[];
  /** Section of settings that fixes the problem. */
  readonly section: string | null;
}

/** Requests of the last hour. */
export interface Traffic {
  readonly since: string;
  /** Oldest first. */
  readonly minutes: readonly {
    readonly time: string;
    readonly requests: number;
    readonly clientErrors: number;
    readonly serverErrors: number;
    /** Milliseconds; null without requests. */
    readonly p50: number | null;
    readonly p95: number | null;
  }[];
}

/** Data that is deleted together with a user. Counts end at 1,000. */
export interface Belongings {
  readonly documents: number;
  readonly files: number;
  readonly sessions: number;
  readonly followers: number;
  readonly following: number;
  readonly groups: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: 'owner' | 'manager' | 'member';
  }[];
  readonly devices: readonly { readonly id: string; readonly os: string; readonly registered: string }[];
}

/** A request in the log of a node. */
export interface LoggedRequest {
  /** Also in the response header `X-Request-Id` and in the log of the server. */
  readonly id: string;
  readonly time: string;
  readonly method: string;
  /** Path without the query. Secrets in it are replaced. */
  readonly path: string;
  readonly status: number;
  /** Duration in milliseconds. */
  readonly ms: number;
  /** User name of the caller; null for anonymous callers and API keys. */
  readonly user: string | null;
  /** Id of the API key of the caller. */
  readonly key: string | null;
}

export interface StoredBackup {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly created: string;
}

export interface BackupState {
  /** False if the server stores nothing that could be copied. */
  readonly supported: boolean;
  /** True if the server has no data yet and can restore an archive. */
  readonly restorable: boolean;
  /** True while a backup to `BACKUP_URL` is being written. */
  readonly running: boolean;
  /** True if `BACKUP_URL` is set. */
  readonly configured: boolean;
  /** Newest first. */
  readonly stored: readonly StoredBackup[];
  /** Date of the next scheduled backup; null without one. */
  readonly next: string | null;
  /** Failure of the last backup; null if it succeeded. */
  readonly error: string | null;
  /** The last restore since the program was started; null without one. */
  readonly restored: { readonly at: string; readonly error: string | null } | null;
}
