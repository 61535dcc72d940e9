export { type Authenticator, createAuthenticator, type Tampering } from './authenticator.ts';
export { webAuthnContract } from './contract.ts';
