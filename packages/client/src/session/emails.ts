import type { CallOptions, PresenceOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';

/** The e-mail address of the user. */
export interface Emails {
  /**
   * Sends a mail with a code and a link to an address that the user claims. Needs a login of the last ten minutes, or the
   * password.
   */
  claim(email: string, options?: PresenceOptions): Promise<void>;
  /** Verifies the claimed address by the code in the mail. */
  confirm(code: string, options?: CallOptions): Promise<void>;
}

const EMAIL = '/me/email';

export function createEmails(api: Api): Emails {
  const post = (to: string, json: object, options: CallOptions | undefined): Promise<void> =>
    // Another mail would end the code of the first one, and another attempt would count.
    api.send({ method: 'POST', path: to, json, repeat: 'never', options });
  return {
    claim: (email, { currentPassword, ...options } = {}) =>
      post(EMAIL, { email, current_password: currentPassword }, options),
    confirm: (code, options) => post(`${EMAIL}/confirm`, { code }, options),
  };
}
