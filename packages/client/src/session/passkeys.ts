import type { CallOptions, PresenceOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import type { Passkey, PasskeyCreationOptions, PasskeyRequestOptions } from '../wire.ts';

/** What an authenticator makes, in the JSON form of WebAuthn (`toJSON()` of a browser's credential). */
export type PasskeyResponse = object;

/** The passkeys of the user. */
export interface Passkeys {
  list(options?: CallOptions): Promise<Passkey[]>;
  /** Asks the browser to create a passkey, and registers it. Needs a login of the last ten minutes, or the password. */
  add(name: string, options?: PresenceOptions): Promise<Passkey>;
  /** The first half of `add`, for platforms that are no browsers. */
  prepare(options?: PresenceOptions): Promise<PasskeyCreationOptions>;
  /** The second half of `add`. */
  register(name: string, response: PasskeyResponse, options?: CallOptions): Promise<Passkey>;
  rename(id: string, name: string, options?: CallOptions): Promise<void>;
  /** Needs a login of the last ten minutes, or the password. */
  remove(id: string, options?: PresenceOptions): Promise<void>;
  /** The first half of `auth.loginWithPasskey`, for platforms that are no browsers. */
  prepareLogin(options?: CallOptions): Promise<PasskeyRequestOptions>;
}

const ALL = '/me/passkeys';

/** Asks the browser, which asks the user. Null: the user has chosen none. */
const responseOf = async (asked: Promise<Credential | null>) => ((await asked) as PublicKeyCredential).toJSON();

/** The answer of a passkey in this browser. */
export const signWithPasskey = (options: PasskeyRequestOptions): Promise<PasskeyResponse> =>
  responseOf(
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options as never) }),
  );

export function createPasskeys(api: Api): Passkeys {
  const one = (id: string) => ALL + path`/${id}`;
  const passkeys: Passkeys = {
    list: (options) => api.get(ALL, {}, options),
    async add(name, options) {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON((await passkeys.prepare(options)) as never);
      return passkeys.register(name, await responseOf(navigator.credentials.create({ publicKey })), options);
    },
    prepare: ({ currentPassword, ...options } = {}) => {
      const json = { current_password: currentPassword };
      return api.send({ method: 'POST', path: `${ALL}/options`, json, repeat: 'always', options });
    },
    register: (name, response, options) =>
      api.send({ method: 'POST', path: ALL, json: { ...response, name }, repeat: 'never', options }),
    rename: (id, name, options) => api.put(one(id), { name }, options),
    remove: (id, { currentPassword, ...options } = {}) => {
      const json = { current_password: currentPassword };
      return api.send({ method: 'DELETE', path: one(id), json, repeat: ['passkey.not_found'], options });
    },
    prepareLogin: (options) =>
      api.send({ method: 'POST', path: '/login/passkey/options', token: null, repeat: 'always', options }),
  };
  return passkeys;
}
