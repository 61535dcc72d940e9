export { collect, noise, textBytes } from './bytes.ts';
export { blobsContract } from './contract.ts';
export type { OpenedBlobs } from './opened.ts';
