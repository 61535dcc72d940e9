import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientPages } from './client-reference.ts';
import { createHttpReference, type OpenApi, type Page } from './http-reference.ts';

const openApi: OpenApi = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8'));

/** The generated pages by the folder of `docs/reference` under which the site shows them. */
export const REFERENCE: Readonly<Record<'client' | 'http', () => Page[]>> = {
  client: clientPages,
  http: createHttpReference(openApi).pages,
};

/** The pages of a folder, as the site generator takes them. */
export const routesOf = (folder: keyof typeof REFERENCE) => ({
  paths: () => REFERENCE[folder]().map(({ name, text }) => ({ params: { page: name }, content: text })),
});
