export { type ApiKeys, createApiKeys, MAX_KEY_NAME_LENGTH, type ShownApiKey } from './api-keys.ts';
export { createKeyAuthentication, KEY_PREFIX, type KeyAuthentication } from './key-authentication.ts';
