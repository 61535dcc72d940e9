/**
 * Parts of the suite. `static` needs no servers and checks structure, texts and generated files; `quick` needs no
 * servers either; `everyday` is behaviour, without what is thorough or static; `thorough` is everything but `static`.
 */
export type Part = 'static' | 'quick' | 'everyday' | 'thorough';

/** Part of this run, set by `tests/run.ts`; undefined for all files, of which some are named. */
export const PART = process.env.TEST_PART as Part | undefined;
export const QUICK = PART === 'quick';

/** Length of a random run: a quarter in `npm test`, all of it in `npm run test:all` and in files that are named. */
export const randomRuns = (count: number): number => (PART === 'everyday' ? Math.ceil(count / 4) : count);

const paths = (...names: readonly string[]) => names.map((name) => `tests/${name}.test.ts`);

/** Checked before anything else: what a minute can find should not wait for behaviour. */
export const STATIC = paths(
  '{architecture,cli-page,copied-tables,docs,docs-claims,docs-diagrams,docs-reference,docs-site,query-language}',
  '{security-page,tutorial-quotes,workflow}',
  'client/{comparison,rule-types,routes,size,wire}',
  'console/{build,client-code,texts,weight}',
  'http/route-table',
  'openapi/{check,clients,idempotency-key,linters,openapi}',
);

/** Builds packages, installs them, or follows whole documents: minutes that few changes need. */
export const PACKAGING = paths('pack-client', 'release', 'release-failure');

/** Left to `npm run test:all`, where each of them shows something that no faster test shows. */
export const THOROUGH = [
  ...PACKAGING,
  ...paths('{adapter-example,docs-followed}', 'extensions/examples', 'flows/extension-new'),
];

/** True for files whose change requires the tests of packaging. */
export const isPackaging = (path: string): boolean =>
  /^(?:(?:packages\/[^/]+\/)?package(?:-lock)?\.json|scripts\/.+)$/.test(path);
