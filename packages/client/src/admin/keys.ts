import type { NewServerKey, ServerKey, ServerKeyWithText } from '../admin-wire.ts';
import type { CallOptions, PresenceOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';

/** Keys with which other servers call. */
export interface ServerKeys {
  /** Needs a login of the last ten minutes, or the password. The answer shows the key, once. */
  create(key: NewServerKey, options?: PresenceOptions): Promise<ServerKeyWithText>;
  list(options?: CallOptions): Promise<ServerKey[]>;
  get(id: string, options?: CallOptions): Promise<ServerKey>;
  /** Ends a key, at once. */
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
