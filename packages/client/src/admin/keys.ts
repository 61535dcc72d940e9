import type { NewServerKey, ServerKey, ServerKeyWithText } from '../admin-wire.ts';
import type { CallOptions, PresenceOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';

export interface ServerKeys {
  /** The answer shows the key, once. It is not repeated when it is lost. */
  create(key: NewServerKey, options?: PresenceOptions): Promise<ServerKeyWithText>;
  /** Every key, oldest first. */
  list(options?: CallOptions): Promise<ServerKey[]>;
  get(id: string, options?: CallOptions): Promise<ServerKey>;
  /** Ends a key at once. */
  remove(id: string, options?: CallOptions): Promise<void>;
}

const ALL = '/admin/key';

export function createServerKeys(api: Api): ServerKeys {
  const one = (id: string) => ALL + path`/${id}`;
  return {
    create: (key, { currentPassword, ...options } = {}) =>
      api.send({
        method: 'POST',
        path: ALL,
        json: { ...key, current_password: currentPassword },
        repeat: 'never',
        options,
      }),
    list: (options) => api.get(ALL, {}, options),
    get: (id, options) => api.get(one(id), {}, options),
    remove: (id, options) => api.remove(one(id), ['key.not_found'], options),
  };
}
