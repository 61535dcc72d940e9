import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const TESTS = join(import.meta.dirname, '..');

/**
 * The slowest files, started first so that none of them runs alone at the end. Files that mostly compute alternate with
 * those that mostly wait. Vitest would start the largest files first, and most of these are small.
 */
const SLOWEST = [
  'flows/extension-nodes',
  'release',
  'client/transport',
  'http/authorization-model',
  'browser/console-tasks',
  'docs-followed',
  'adapter-example',
  'client/live',
  'http/protection',
  'client/offline-browser',
  'http/expand-agreement',
  'browser/console',
  'http/idempotency-bytes',
  'flows/live-replicas',
  'flows/criteria-agreement',
  'browser/own-pages',
  'browser/console-overview',
  'flows/index-plans',
  'flows/read-replicas',
  'contracts/storage',
  'flows/hanging-s3',
  'flows/push',
  'flows/live-restore',
  'flows/migrations',
  'flows/webhook-nodes',
  'flows/cli-administration',
  'flows/two-nodes',
  'flows/workers',
  'flows/late-answers',
  'flows/file-memory',
  'flows/long-log',
  'flows/replica-failures',
  'http/file-uploads',
  'http/social-trouble',
  'flows/silent-postgres',
  'flows/list-index-plans',
  'flows/start',
  'contracts/images',
  'flows/stale-caches',
  'flows/stop-signals',
  'flows/backup-places',
  'flows/cli',
  'http/lockout',
  'http/sessions',
  'flows/stored-content',
  'contracts/blobs',
  'flows/rolling-restart',
  'http/document-refusals',
  'flows/migrations-under-load',
  'http/group-grants',
  'flows/durability',
  'http/asset-images',
  'flows/long-searches',
].map((name) => join(TESTS, `${name}.test.ts`));

/**
 * Starts the files without coverage first, then the others. In each group, the slowest ones come first, then Vitest's
 * order applies.
 */
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
