import type { CallOptions, PresenceOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import type { NewSecondFactor, SecondFactorState } from '../wire.ts';

/** A code of the authenticator app, or a recovery code. */
export type Proof = { readonly code: string } | { readonly recoveryCode: string };

/** The user's two-factor authentication (2FA). */
export interface SecondFactor {
  state(options?: CallOptions): Promise<SecondFactorState>;
  /** Creates a secret for an authenticator app. Takes effect only after `confirm`. */
  prepare(options?: PresenceOptions): Promise<NewSecondFactor>;
  /** Turns 2FA on and ends all other sessions. Resolves to the recovery codes, which are shown only once. */
  confirm(code: string, options?: CallOptions): Promise<string[]>;
  /** Turns 2FA off. Without a proof, it requires a login within the last ten minutes, or the password. */
  remove(proof?: Proof | null, options?: PresenceOptions): Promise<void>;
}

export const proofBody = (proof: Proof) =>
  'code' in proof ? { code: proof.code } : { recovery_code: proof.recoveryCode };

const TOTP = '/me/totp';

export function createSecondFactor(api: Api): SecondFactor {
  return {
    state: (options) => api.get(TOTP, {}, options),
    prepare: ({ currentPassword, ...options } = {}) => {
      const json = { current_password: currentPassword };
      return api.send({ method: 'POST', path: TOTP, json, repeat: 'always', options });
    },
    async confirm(code, options) {
      const request = { method: 'POST', path: `${TOTP}/confirm`, json: { code }, repeat: 'never', options } as const;
      return (await api.send<{ readonly recovery_codes: string[] }>(request)).recovery_codes;
    },
    remove: (proof, { currentPassword, ...options } = {}) => {
      const json = { ...(proof && proofBody(proof)), current_password: currentPassword };
      return api.send({ method: 'DELETE', path: TOTP, json, repeat: ['totp.not_found'], options });
    },
  };
}
