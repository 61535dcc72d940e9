import { type Authenticator, createAuthenticator, type Tampering } from '@baobab/contracts/webauthn';
import type { Answer, CallOptions, World } from './backend.ts';
import { expectStatus } from './people.ts';

/** A user with a passkey. */
export interface PasskeyUser {
  readonly name: string;
  readonly id: string;
  readonly token: string;
  readonly authenticator: Authenticator;
  /** Id of the passkey. */
  readonly passkey: string;
}

/** Creates the calls of passkey scenarios. */
export function createPasskeyCalls(world: World) {
  async function register(
    token: string,
    authenticator: Authenticator,
    tampering: Tampering = {},
    name = 'Phone',
  ): Promise<Answer> {
    const { data } = await expectStatus(world.call('POST', '/me/passkeys/options', { token }), 200);
    return world.call('POST', '/me/passkeys', { token, body: { ...authenticator.create(data, tampering), name } });
  }

  const options = async () => (await expectStatus(world.call('POST', '/login/passkey/options'), 200)).data;

  return {
    register,
    options,
    /** Adds a user with a passkey. */
    async owner(authenticator = createAuthenticator()): Promise<PasskeyUser> {
      const { name, id, token } = await world.user();
      const { data } = await expectStatus(register(token, authenticator), 201);
      return { name, id, token, authenticator, passkey: data.id };
    },
    send: (body: object, more: CallOptions = {}) => world.call('POST', '/login/passkey', { ...more, body }),
    async login(authenticator: Authenticator, tampering: Tampering = {}, more: object = {}): Promise<Answer> {
      const body = { ...authenticator.get(await options(), tampering), ...more };
      return world.call('POST', '/login/passkey', { body });
    },
    list: async (token: string) => (await expectStatus(world.call('GET', '/me/passkeys', { token }), 200)).data,
  };
}
