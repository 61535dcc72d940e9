export type { OAuthClientOptions } from './client.ts';
export { createFacebookVerifier, FACEBOOK_URL, type FacebookOptions, facebookNetwork } from './facebook.ts';
export { createGoogleVerifier, GOOGLE_URL, type GoogleOptions, googleNetwork } from './google.ts';
export { createOpenIdVerifier, type OpenIdOptions, openIdNetwork } from './openid.ts';
export type { OAuthApp, OAuthVerifier } from './verifier.ts';
