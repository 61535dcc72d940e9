/** What the service sends to administrators. A test compares these types with docs/openapi.json. */

export interface Role {
  readonly name: string;
  readonly description: string;
  readonly isrole: boolean;
  /** Whether it is built in. */
  readonly internal: boolean;
}

export interface CollectionInfo {
  readonly name: string;
  readonly records: number;
  /** Bytes of content. */
  readonly size: number;
}

/** The names of the roles that may do something to all documents of a collection, or create some. */
export interface Rules {
  readonly create: readonly string[];
  readonly read: readonly string[];
  readonly update: readonly string[];
  readonly delete: readonly string[];
}

/** The stored documents that do not conform to a schema. */
export interface Violations {
  readonly violations: number;
  readonly first: readonly {
    readonly id: string;
    readonly errors: readonly { readonly path: string; readonly message: string }[];
  }[];
}

export interface IndexInfo {
  /** A path; for an index on several fields, a JSON array of their paths. */
  readonly path: string;
  readonly state: 'building' | 'ready';
}

/** The searches of a collection that took longest, in the process that answers. There are no values of conditions in it. */
export interface IndexAdvice {
  /** When the process began to count. */
  readonly since: string;
  /** The number of documents that each search looks at, at most. */
  readonly documents: number;
  /** Those that took longest first. */
  readonly criteria: readonly {
    readonly conditions: readonly { readonly field: string; readonly operator: string }[];
    readonly orderBy: readonly { readonly field: string; readonly descending: boolean }[];
    readonly searches: number;
    /** What all these searches took together. */
    readonly milliseconds: number;
    /** The number of rows that they returned together. */
    readonly returned: number;
    /** The path whose index would help most; null when there is none. */
    readonly index: string | null;
  }[];
}

interface WebhookSettings {
  /** Where messages are sent. */
  readonly url: string;
  readonly collections: readonly string[];
  readonly types: readonly ('put' | 'gone')[];
  /** A condition on one collection; null for every document. */
  readonly where: string | null;
  readonly description: string;
  /** Whether messages are sent. */
  readonly enabled: boolean;
}

export interface Webhook extends WebhookSettings {
  readonly id: string;
  readonly created: string;
}

export interface WebhookWithSecret extends Webhook {
  /** Signs the messages. Shown only now. */
  readonly secret: string;
}

export type WebhookChange = Partial<WebhookSettings>;
export type NewWebhook = WebhookChange & Pick<WebhookSettings, 'url' | 'collections'>;

export interface WebhookDelivery {
  readonly id: string;
  readonly type: 'document.put' | 'document.gone' | 'test' | 'missed';
  readonly collection: string | null;
  /** The id of the document. */
  readonly document: string | null;
  readonly created: string;
  readonly state: 'delivered' | 'waiting' | 'parked';
  readonly attempts: number;
  /** When the next attempt is due. */
  readonly next: string | null;
  /** The status of the last answer. */
  readonly status: number | null;
  /** The beginning of the last answer. */
  readonly body: string | null;
  /** Why the last attempt failed. */
  readonly error: string | null;
}

/** Who acts, or to whom or what something is done. */
export interface AuditParty {
  /** Such as `user`, `key`, `setting`; `operator`: whoever runs commands on the machine. */
  readonly kind: string;
  readonly id: string | null;
  /** The name that it had then. */
  readonly name: string | null;
}

/** Something relevant to security that happened. */
export interface AuditEntry {
  /** The place in the chain of events, from 1. */
  readonly number: number;
  readonly at: string;
  /** What happened, such as `user.role_changed`. */
  readonly act: string;
  readonly by: AuditParty;
  /** Null where nobody is concerned, or nobody knows who. */
  readonly to: AuditParty | null;
  /** The network of the client, such as `192.0.2.0/24`. */
  readonly network: string | null;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
  /** Covers the event and the hash of the one before. */
  readonly hash: string;
}

export interface NewServerKey {
  /** What the key is for. */
  readonly name: string;
  /** The role as whose holder it acts. */
  readonly role: string;
  /** When it ends; absent or null: never. */
  readonly expires?: string | null;
}

export interface ServerKey {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** The administrator who made it, and who owns what it creates. */
  readonly owner: string;
  readonly created: string;
  readonly expires: string | null;
  /** To the minute. */
  readonly lastUse: string | null;
}

export interface ServerKeyWithText extends ServerKey {
  /** The key itself. Shown only now. */
  readonly key: string;
}

export interface Setting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly type: string;
  readonly default_value: string;
  /** The values that it takes, in words. */
  readonly expected: string;
}

export interface SettingsSection {
  readonly section: string;
  readonly description: string;
  readonly 'sub sections': { readonly [name: string]: readonly { readonly [key: string]: unknown }[] };
}

interface Volume {
  readonly count: number;
  /** Bytes. */
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
  /** What was created on each day, in UTC. */
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

/** What a check of the running service found. */
export interface ServiceCheck {
  readonly check:
    | 'database'
    | 'blobs'
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
    | 'workers';
  /** `skipped`: it is not set up, or there is nothing to check. */
  readonly state: 'ok' | 'fault' | 'skipped';
  readonly text: string;
  readonly remedy: string | null;
  /** The environment variables that mend it. */
  readonly variables: readonly string[];
  /** The section of settings that mends it. */
  readonly section: string | null;
}

/** The requests of the last hour. */
export interface Traffic {
  readonly since: string;
  /** The oldest first. */
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

/** What goes along when a user is removed. Counts end at 1,000. */
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
