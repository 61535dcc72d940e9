import { dateOf } from '../dates.ts';
import { isBaobabError } from '../errors.ts';
import type { CallOptions, Credentials, Login, PresenceOptions, WriteOptions } from '../options.ts';
import type { Session } from '../session-source.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';
import type {
  AccountAccess,
  Device,
  OpenSession,
  Profile,
  ProfileSections,
  SignedIn,
  SignedUp,
  SocialConnection,
  SocialToken,
} from '../wire.ts';
import { createEmails, type Emails } from './emails.ts';
import type { KnownClient } from './known-client.ts';
import { createPasskeys, type PasskeyResponse, type Passkeys, signWithPasskey } from './passkeys.ts';
import { createSecondFactor, type Proof, proofBody, type SecondFactor } from './second-factor.ts';
import { type SessionKeeper, type SessionListener, sessionOf } from './session.ts';

export interface LoginOptions extends CallOptions {
  /** Registers the device for push notifications. */
  readonly device?: Device;
}

export interface PasskeyLoginOptions extends LoginOptions {
  /** The response of an authenticator to `passkeys.prepareLogin`. If absent, the browser prompts the user. */
  readonly response?: PasskeyResponse | undefined;
}

export interface NewUser extends Profile {
  /** True if the user is not logged in yet, because the address must be confirmed first. */
  readonly confirmationPending: boolean;
}

export interface Auth {
  /** Null if no user is logged in. With asynchronous storage it is available once `ready` resolves. */
  readonly session: Session | null;
  /** Resolves when the stored session is loaded. */
  readonly ready: Promise<void>;
  /**
   * Calls `listener` after each change of the session, including changes in other tabs. Returns a function that
   * unsubscribes.
   */
  onChange(listener: SessionListener): () => void;
  /**
   * Creates a user and logs in. If the server requires a verified address, it sends a mail instead, the result has
   * `confirmationPending`, and the user can log in after `confirmSignUp`.
   */
  signUp(user: Credentials & ProfileSections, options?: WriteOptions): Promise<NewUser>;
  /** Verifies the address of a sign-up with the code from the mail. */
  confirmSignUp(username: string, code: string, options?: CallOptions): Promise<void>;
  /** Sends the sign-up mail again, optionally to another address. */
  resendSignUpMail(user: Credentials & { readonly email?: string }, options?: CallOptions): Promise<void>;
  /** Creates a guest, a user without a chosen name and password, and logs in. */
  signUpGuest(options?: CallOptions): Promise<Profile>;
  /** Turns a guest into a regular user with name and password. All data is kept, and a new session begins. */
  makePermanent(credentials: Credentials, options?: CallOptions): Promise<Profile>;
  /**
   * Fails with `auth.second_factor_required` and a `challenge` if two-factor authentication is on; so does `loginWith`.
   */
  login(login: Login, options?: LoginOptions): Promise<Profile>;
  /** Completes the two-factor challenge of a login. */
  loginSecond(challenge: string, proof: Proof, options?: CallOptions): Promise<Profile>;
  /** Mails a login code to the user's verified address. Resolves to a challenge even if the user does not exist. */
  requestLoginCode(
    user: { readonly username: string } | { readonly email: string },
    options?: CallOptions,
  ): Promise<string>;
  /** Logs in with the code from the mail. */
  loginWithCode(challenge: string, code: string, options?: LoginOptions): Promise<Profile>;
  /** Logs in with a passkey that the user selects in the browser. 2FA is not required. */
  loginWithPasskey(options?: PasskeyLoginOptions): Promise<Profile>;
  /** Logs in with a token of `google`, `facebook`, `openid` or another configured network. */
  loginWith(network: string, token: SocialToken, options?: LoginOptions): Promise<Profile>;
  /** Adopts an existing session by its token. */
  resume(token: string, options?: CallOptions): Promise<Profile>;
  /** Extends the session. */
  refresh(options?: CallOptions): Promise<Profile>;
  /** Ends the session. It ends on this device even if the server is unreachable, or has ended it before. */
  logout(options?: CallOptions): Promise<void>;
  /** Ends the session and unregisters a device from push notifications. */
  logoutDevice(deviceId: string, options?: CallOptions): Promise<void>;
  /** Lists the user's sessions, newest first. */
  sessions(options?: CallOptions): Promise<OpenSession[]>;
  endSession(id: string, options?: CallOptions): Promise<void>;
  /** Ends all sessions of the user except this one. */
  endOtherSessions(options?: CallOptions): Promise<void>;
  /** Returns the credentials and sessions of the user: passkeys, linked social networks, second factor. */
  access(options?: CallOptions): Promise<AccountAccess>;
  /** Changes the password and ends all other sessions. `old` is required unless the user has no password yet. */
  changePassword(passwords: { readonly old?: string; readonly new: string }, options?: CallOptions): Promise<void>;
  readonly secondFactor: SecondFactor;
  readonly passkeys: Passkeys;
  readonly emails: Emails;
  /** Sends a mail with a link for setting a new password. */
  requestPasswordReset(username: string, options?: CallOptions): Promise<void>;
  /** Requires a login within the last ten minutes, or the password, unless the current name was generated. */
  rename(username: string, options?: PresenceOptions): Promise<void>;
  /**
   * Suspends the caller's account and ends its sessions. Only an administrator can activate it again. Requires a login
   * within the last ten minutes, or the password.
   */
  suspend(options?: PresenceOptions): Promise<void>;
  /**
   * Deletes the caller's account and ends all its sessions. Requires a login within the last ten minutes, or the
   * password. Returns the time from which on everything is removed; null if the response was lost.
   */
  deleteAccount(options?: PresenceOptions): Promise<Date | null>;
  /** Keeps an account that is being deleted: one whose login fails with `account.erasing`. */
  cancelDeletion(credentials: Credentials, options?: CallOptions): Promise<void>;
  /** Lists the networks linked to the user. */
  connections(options?: CallOptions): Promise<SocialConnection[]>;
  /** Requires a login within the last ten minutes, or the password. */
  link(network: string, token: SocialToken, options?: PresenceOptions): Promise<void>;
  /** Requires a login within the last ten minutes, or the password. */
  unlink(network: string, options?: PresenceOptions): Promise<void>;
}

interface LoginCodeSent {
  readonly challenge: string;
}

const bodyOf = ({ oauth_secret, ...token }: SocialToken) => ({
  ...token,
  oauth_secret: oauth_secret ?? token.oauth_token,
});
const deviceOf = ({ device }: LoginOptions) => (device === undefined ? {} : { login_data: device });

/** @param known identifies this device to the server */
export function createAuth(api: Api, keeper: SessionKeeper, known: KnownClient): Auth {
  /** Stores the session of a response. */
  function begin({ 'X-BB-SESSION': token, client, ...profile }: SignedUp): Profile {
    known.keep(client);
    if (token !== undefined) keeper.set(sessionOf(profile, token), 'login');
    return profile;
  }

  const send = async <T>(
    to: string,
    json: object,
    options: CallOptions | undefined,
    repeat: 'always' | 'never' = 'never',
  ) =>
    api.send<T>({ method: 'POST', path: to, json: { ...json, ...(await known.read()) }, token: null, repeat, options });

  const post = async (...call: Parameters<typeof send>) => begin(await send<SignedIn>(...call));
  const passkeys = createPasskeys(api);

  function renamed(username: string): void {
    const session = keeper.current();
    if (session !== null) keeper.set({ ...session, user: { ...session.user, username } }, 'login');
  }

  const refresh = (options?: CallOptions) => api.get<SignedIn>('/refresh', {}, options);

  /** Ends the local session, unless another one has started since. */
  function end(session: Session | null): void {
    if (session !== null && keeper.current()?.token === session.token) keeper.set(null, 'logout');
  }

  async function endAfter(request: {
    readonly path: string;
    readonly options: CallOptions | undefined;
  }): Promise<void> {
    await keeper.ready;
    const session = keeper.current();
    // After a session has ended, data of its user is still readable offline.
    keeper.set(null, 'logout');
    if (session === null) return;
    try {
      await api.send({ method: 'POST', ...request, token: session.token, repeat: 'always' });
    } catch (error) {
      if (!isBaobabError(error, 'session.invalid')) throw error;
    }
  }

  return {
    get session() {
      return keeper.current();
    },
    ready: keeper.ready,
    onChange: keeper.onChange,
    async signUp(user, options) {
      const json = { ...user, ...(await known.read()) };
      const made = await api.keyed<SignedUp>({ method: 'POST', path: '/user', json, token: null, options });
      return { ...begin(made), confirmationPending: made['X-BB-SESSION'] === undefined };
    },
    // A lost response may leave an unused guest, which the server eventually removes.
    signUpGuest: (options = {}) => post('/user/guest', {}, options),
    async makePermanent({ username, password }, options) {
      await keeper.ready;
      const json = { username, password, ...(await known.read()) };
      const token = keeper.current()?.token ?? null;
      const repeat = ['guest.required'] as const;
      const request = { method: 'PUT', path: '/me/credentials', json, token, repeat, options } as const;
      const permanent = await api.send<SignedUp | undefined>(request);
      if (permanent?.['X-BB-SESSION'] !== undefined) return begin(permanent);
      // If the first response was lost, the repeated call finds no guest and returns nothing.
      const profile = await api.get<Profile>('/me', {}, options);
      renamed(profile.user.name);
      return profile;
    },
    login: ({ username, password, code }, options = {}) =>
      // A code works once, so a repeated login would fail.
      post(
        '/login',
        { username, password, code, ...deviceOf(options) },
        options,
        code === undefined ? 'always' : 'never',
      ),
    confirmSignUp: (username, code, options) => send(path`/user/${username}/email/confirm`, { code }, options),
    resendSignUpMail: ({ username, ...json }, options) => send(path`/user/${username}/email`, json, options),
    loginSecond: (challenge, proof, options = {}) => post('/login/second', { challenge, ...proofBody(proof) }, options),
    requestLoginCode: async (json, options) =>
      (
        await api.send<LoginCodeSent>({
          method: 'POST',
          path: '/login/code',
          json,
          token: null,
          repeat: 'never',
          options,
        })
      ).challenge,
    loginWithCode: (challenge, code, options = {}) =>
      post('/login/code/confirm', { challenge, code, ...deviceOf(options) }, options),
    async loginWithPasskey({ response, ...options } = {}) {
      const signed = response ?? (await signWithPasskey(await passkeys.prepareLogin(options)));
      return post('/login/passkey', { ...signed, ...deviceOf(options) }, options);
    },
    loginWith: (network, token, options = {}) =>
      post(path`/social/${network}`, { ...bodyOf(token), ...deviceOf(options) }, options, 'always'),
    resume: async (token, options) =>
      begin(await api.send<SignedIn>({ method: 'GET', path: '/refresh', token, repeat: 'always', options })),
    async refresh(options) {
      const { 'X-BB-SESSION': _token, ...profile } = await refresh(options);
      return profile;
    },
    logout: (options) => endAfter({ path: '/logout', options }),
    logoutDevice: (deviceId, options) => endAfter({ path: path`/logout/${deviceId}`, options }),
    sessions: (options) => api.get('/me/sessions', {}, options),
    access: (options) => api.get('/me/access', {}, options),
    endSession: (id, options) => api.remove(path`/me/sessions/${id}`, ['session.not_found'], options),
    endOtherSessions: (options) => api.remove('/me/sessions', [], options),
    secondFactor: createSecondFactor(api),
    passkeys,
    emails: createEmails(api),
    changePassword: (passwords, options) =>
      api.send({ method: 'PUT', path: '/me/password', json: passwords, repeat: 'never', options }),
    requestPasswordReset: (username, options) =>
      api.send({ method: 'GET', path: path`/user/${username}/password/reset`, repeat: 'never', options }),
    async rename(username, { currentPassword, ...options } = {}) {
      await api.put('/me/username', { username, current_password: currentPassword }, options);
      renamed(username);
    },
    async suspend({ currentPassword, ...options } = {}) {
      const session = keeper.current();
      const json = { current_password: currentPassword };
      await api.send({ method: 'PUT', path: '/me/suspend', json, repeat: ['session.invalid'], options });
      end(session);
    },
    async deleteAccount({ currentPassword, ...options } = {}) {
      const session = keeper.current();
      const json = { current_password: currentPassword };
      const repeat = ['session.invalid'] as const;
      const request = { method: 'DELETE', path: '/me', json, repeat, options } as const;
      const { at } = (await api.send<{ readonly at?: string } | undefined>(request)) ?? {};
      end(session);
      return at === undefined ? null : dateOf(at);
    },
    cancelDeletion: (credentials, options) => send('/me/erase/cancel', credentials, options, 'always'),
    async connections(options) {
      try {
        return await api.get<SocialConnection[]>('/social', {}, options);
      } catch (error) {
        if (isBaobabError(error, 'social.none')) return [];
        throw error;
      }
    },
    link: (network, token, { currentPassword, ...options } = {}) =>
      api.put(path`/social/${network}`, { ...bodyOf(token), current_password: currentPassword }, options),
    unlink: (network, { currentPassword, ...options } = {}) => {
      const json = { current_password: currentPassword };
      const repeat = ['social.none', 'social.not_linked'] as const;
      return api.send({ method: 'DELETE', path: path`/social/${network}`, json, repeat, options });
    },
  };
}
