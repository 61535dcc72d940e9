export { createKeyAuthentication, KEY_PREFIX, type KeyAuthentication } from './key-authentication.ts';
export { createServerKeys, MAX_KEY_NAME_LENGTH, type ServerKeys, type ShownServerKey } from './server-keys.ts';
