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
  readonly path: string;
  readonly state: 'building' | 'ready';
}

export interface Setting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  readonly type: string;
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
