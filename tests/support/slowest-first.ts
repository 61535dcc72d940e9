import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const TESTS = join(import.meta.dirname, '..');

/**
 * The files that take longest, so that none of them runs alone at the end. Those that mostly compute alternate with
 * those that mostly wait. Vitest would start the largest files first, and most of these are small.
 */
const SLOWEST = [
  'http/authorization-model',
  'flows/push',
  'flows/file-memory',
  'contracts/storage',
  'flows/hanging-s3',
  'release',
  'client/transport',
  'code-tabs',
  'flows/webhook-nodes',
  'flows/secret-rotation',
  'contracts/blobs',
  'flows/stop-signals',
  'http/protection',
  'flows/stale-caches',
  'docs-followed',
  'flows/two-nodes',
  'adapter-example',
  'flows/late-answers',
  'http/idempotency-bytes',
  'flows/silent-postgres',
  'http/file-uploads',
  'flows/rolling-restart',
  'flows/criteria-agreement',
  'flows/durability',
  'http/expand-agreement',
  'flows/live-replicas',
  'core/collection-types',
  'flows/migrations-under-load',
  'flows/long-log',
  'browser/own-pages',
  'client/offline-convergence',
  'client/docs',
  'client/offline-browser',
  'core/criteria-find',
].map((name) => join(TESTS, `${name}.test.ts`));

/** Starts the files without coverage first, of these and of the others the slowest ones, and then in Vitest's order. */
export class SlowestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = SLOWEST.filter((path) => !existsSync(path));
    if (missing.length > 0) throw new Error(`slowest-first.ts names files that do not exist: ${missing.join(', ')}`);
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = SLOWEST.indexOf(moduleId);
      return place === -1 ? SLOWEST.length : place;
    };
    // A worker serves one project, so each is replaced once.
    const partOf = ({ project }: TestSpecification) => (project.name === 'counted' ? 1 : 0);
    return (await super.sort(specifications)).toSorted((a, b) => partOf(a) - partOf(b) || placeOf(a) - placeOf(b));
  }
}
