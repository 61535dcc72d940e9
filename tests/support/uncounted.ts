import type { Plugin } from 'vitest/config';

/**
 * Files that run without coverage. Counting each executed block doubles the time of files that compute, such as random
 * schedules and models: 49 instead of 22 s for a part of `core`. Others here test clients, pages and documents, whose
 * code is not counted, or start the program. They cover hardly a line of the packages that other files do not.
 */
export const UNCOUNTED: string[] = [
  '*',
  '{browser,client,openapi}/*',
  'core/{collection-types,criteria-find,criteria-hostile,resize-formats,resizing,wire-date}',
  'flows/{criteria-agreement,index-plans,list-agreement,live-replicas,stored-criteria-agreement,user-criteria-agreement}',
  'http/{any-batch,anything,authorization-model,expand-agreement,idempotency-bytes,protection}',
].map((files) => `tests/${files}.test.ts`);

/** Turns coverage off for the files of one project; Vitest has no option for that. */
export const withoutCoverage: Plugin = {
  name: 'baobab:without-coverage',
  configureVitest({ project }) {
    project.config.coverage = { ...project.config.coverage, enabled: false };
  },
};
