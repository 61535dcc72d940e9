import type { AuditEntry } from '../admin-wire.ts';
import type { CallOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { type Rows, rowsOf } from '../transport/pages.ts';

export interface AuditOptions extends CallOptions {
  /** Only events of this type, such as `user.role_changed`. */
  readonly act?: string | undefined;
  /** Id or exact name of the actor. */
  readonly by?: string | undefined;
  /** Id or exact name of the target. */
  readonly to?: string | undefined;
  /** Start date, inclusive. */
  readonly from?: string | undefined;
  /** End date, exclusive. */
  readonly until?: string | undefined;
}

/** The audit log of security events. */
export interface AuditEvents {
  /** Lists audit events, newest first. */
  list(options?: AuditOptions): Rows<AuditEntry>;
}

export function createAuditEvents(api: Api): AuditEvents {
  return {
    list: ({ act, by, to, from, until, ...options } = {}) =>
      rowsOf(api, {
        path: '/admin/audit',
        query: { act, by, to, from, until },
        rows: (page: AuditEntry[]) => page,
        options,
      }),
  };
}
