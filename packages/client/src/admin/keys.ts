import type { NewServerKey, ServerKey, ServerKeyWithText } from '../admin-wire.ts';
import type { CallOptions, PresenceOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';

/** API keys for other servers. */
export interface ServerKeys {
  /**
   * Requires a login within the last ten minutes, or the password. The response is the only place that contains the
   * key.
   */
  create(key: NewServerKey, options?: PresenceOptions): Promise<ServerKeyWithText>;
  list(options?: CallOptions): Promise<ServerKey[]>;
  get(id: string, options?: CallOptions): Promise<ServerKey>;
  /** Revokes a key immediately. */
  remove(id: string, options?: CallOptions): Promise<void>;
}

const ALL = '/admin/key';

export function createServerKeys(api: Api): ServerKeys {
  const one = (id: string) => ALL + path`/${id}`;
  return {
    create: (key, { currentPassword, ...options } = {}) => {
      const json = { ...key, current_password: currentPassword };
      return api.send({ method: 'POST', path: ALL, json, repeat: 'never', options });
    },
    list: (options) => api.get(ALL, {}, options),
    get: (id, options) => api.get(one(id), {}, options),
    remove: (id, options) => api.remove(one(id), ['key.not_found'], options),
  };
}
