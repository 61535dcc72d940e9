import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where the contract suites are, each in a folder. */
export const SUITES = join(import.meta.dirname, '../../packages/contracts/src');

/** Their names. */
export const contractSuites = () =>
  readdirSync(SUITES, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort();
