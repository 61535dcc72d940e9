import type { ApiKey, ApiKeyWithText, NewApiKey } from '../admin-wire.ts';
import type { CallOptions, PresenceOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';

/** API keys for other servers. */
export interface ApiKeys {
  /**
   * Requires a login within the last ten minutes, or the password. The response is the only place that contains the
   * key.
   */
  create(key: NewApiKey, options?: PresenceOptions): Promise<ApiKeyWithText>;
  list(options?: CallOptions): Promise<ApiKey[]>;
  get(id: string, options?: CallOptions): Promise<ApiKey>;
  /** Revokes a key immediately. */
  remove(id: string, options?: CallOptions): Promise<void>;
}

const ALL = '/admin/key';

export function createApiKeys(api: Api): ApiKeys {
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
