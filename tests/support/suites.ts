import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the contract suites, one folder each. */
export const SUITES = join(import.meta.dirname, '../../packages/contracts/src');

/** The names of the contract suites. */
export const contractSuites = () =>
  readdirSync(SUITES, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort();
