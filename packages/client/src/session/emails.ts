import type { CallOptions, PresenceOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';

/** The user's email address. */
export interface Emails {
  /**
   * Sends a mail with a code and a link to the given address. Requires a login within the last ten minutes, or the
   * password.
   */
  claim(email: string, options?: PresenceOptions): Promise<void>;
  /** Verifies the address with the code from the mail. */
  confirm(code: string, options?: CallOptions): Promise<void>;
}

const EMAIL = '/me/email';

export function createEmails(api: Api): Emails {
  const post = (to: string, json: object, options: CallOptions | undefined): Promise<void> =>
    // A repeated mail would invalidate the first code, and a repeated confirmation would count as another attempt.
    api.send({ method: 'POST', path: to, json, repeat: 'never', options });
  return {
    claim: (email, { currentPassword, ...options } = {}) =>
      post(EMAIL, { email, current_password: currentPassword }, options),
    confirm: (code, options) => post(`${EMAIL}/confirm`, { code }, options),
  };
}
