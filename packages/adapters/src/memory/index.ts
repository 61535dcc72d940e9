export { createMemoryStorage } from './storage.ts';
