export { createPasskeyLogins, type PasskeyLogins } from './passkey-login.ts';
export { createPasskeys, type Passkeys, type ShownPasskey } from './passkeys.ts';
