export { createWebAuthn, type WebAuthnOptions } from './webauthn.ts';
