import { createTestBackend } from '@baobab/server/testing';
import { describeRoutes } from '../../packages/http/src/reference/describe.ts';
import type { OpenApi } from '../../packages/http/src/reference/document.ts';
import type { Examples } from '../../packages/http/src/reference/examples.ts';
import { collectRoutes } from '../../packages/http/src/reference/routes.ts';
import { captureExamples } from './scenario.ts';

/** The paths of the two files, from the root of the repository. */
export const DOCUMENT_PATH = 'docs/openapi.json';
export const EXAMPLES_PATH = 'packages/http/src/reference/examples.json';

/** As the files contain them. */
export const fileText = (value: unknown) => `${JSON.stringify(value, null, 1)}\n`;

/** The document generated from the current sources, with newly captured examples. */
export async function generate(): Promise<{ readonly document: OpenApi; readonly examples: Examples }> {
  const examples = await captureExamples();
  const backend = await createTestBackend();
  const routes = collectRoutes(backend.app);
  await backend.app.ready();
  await backend.close();
  return { document: await describeRoutes(routes, examples), examples };
}
