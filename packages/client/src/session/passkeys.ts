import type { CallOptions, PresenceOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import type { Passkey, PasskeyCreationOptions, PasskeyRequestOptions } from '../wire.ts';

/** Response of an authenticator in the JSON form of WebAuthn (`toJSON()` of a browser's credential). */
export type PasskeyResponse = object;

/** The passkeys of the user. */
export interface Passkeys {
  list(options?: CallOptions): Promise<Passkey[]>;
  /**
   * Creates a passkey in the browser and registers it. Requires a login within the last ten minutes, or the password.
   */
  add(name: string, options?: PresenceOptions): Promise<Passkey>;
  /** First half of `add`, for platforms other than browsers. */
  prepare(options?: PresenceOptions): Promise<PasskeyCreationOptions>;
  /** Second half of `add`. */
  register(name: string, response: PasskeyResponse, options?: CallOptions): Promise<Passkey>;
  rename(id: string, name: string, options?: CallOptions): Promise<void>;
  /** Requires a login within the last ten minutes, or the password. */
  remove(id: string, options?: PresenceOptions): Promise<void>;
  /** First half of `auth.loginWithPasskey`, for platforms other than browsers. */
  prepareLogin(options?: CallOptions): Promise<PasskeyRequestOptions>;
}

const ALL = '/me/passkeys';

/** Prompts the user in the browser. Null: the user has chosen no passkey. */
const responseOf = async (asked: Promise<Credential | null>) => ((await asked) as PublicKeyCredential).toJSON();

/** Returns the response of a passkey in this browser. */
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
