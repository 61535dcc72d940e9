export { createErasurePages, ERASE_FIELD, type ErasurePages } from './erasure-pages.ts';
export { createErasures, type Erasures } from './erasures.ts';
