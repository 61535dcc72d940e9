import type { AuditEntry } from '../admin-wire.ts';
import type { CallOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { type Rows, rowsOf } from '../transport/pages.ts';

export interface AuditOptions extends CallOptions {
  /** Only this act, such as `user.role_changed`. */
  readonly act?: string | undefined;
  /** The id or the exact name of whoever did it. */
  readonly by?: string | undefined;
  /** The id or the exact name of whom or what it was done to. */
  readonly to?: string | undefined;
  /** Not before this date. */
  readonly from?: string | undefined;
  /** Before this date. */
  readonly until?: string | undefined;
}

/** What has happened that is relevant to security. */
export interface AuditEvents {
  /** Who did what to whom, and from where, newest first. */
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
