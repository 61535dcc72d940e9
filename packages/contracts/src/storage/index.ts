export { type OpenedStorage, storageContract } from './contract.ts';
export * from './fixtures.ts';
export { maintain } from './maintenance.ts';
export { type OpenedShared, sharedStorageContract } from './shared-signals.ts';
