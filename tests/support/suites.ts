import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the contract suites, one subfolder each. */
export const SUITES = join(import.meta.dirname, '../../packages/contracts/src');

/** Returns the names of the contract suites. */
export const contractSuites = () =>
  readdirSync(SUITES, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort();
