import openapiTypescript, { astToString } from 'openapi-typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from '../support/markdown.ts';
import { DOCUMENT_PATH } from './generate.ts';

describe('the types that openapi-typescript generates from docs/openapi.json', () => {
  let types = '';
  beforeAll(async () => {
    types = astToString(await openapiTypescript(readDocument(DOCUMENT_PATH)));
  });

  /** The lines of an operation. */
  function operation(name: string): string {
    const [, lines = ''] = new RegExp(`^    ${name}: \\{\\n((?: {5,}.*\\n| {8}\\}.*\\n)+)`, 'm').exec(types) ?? [];
    if (lines === '') throw new Error(`there is no operation ${name}`);
    return lines;
  }

  it.each([
    ['listDocuments', 'Document'],
    ['listUsers', 'Profile'],
    ['listUsersAsAdmin', 'Profile'],
    ['following', 'Profile'],
    ['followingOf', 'Profile'],
    ['followers', 'Profile'],
    ['followersOf', 'Profile'],
    ['listFiles', 'StoredFile'],
    ['listAssets', 'Asset'],
  ])('%s answers with an array of %s', (name, schema) => {
    expect(operation(name)).toContain(`data: components["schemas"]["${schema}"][];`);
  });

  it('readDocument answers with one document', () => {
    expect(operation('readDocument')).toContain('data: components["schemas"]["Document"];');
  });

  it.each([
    ['listDocuments', 'page?: number;'],
    ['listDocuments', 'skip?: number;'],
    ['listDocuments', 'params?: string[];'],
    ['readDocument', 'withAcl?: boolean;'],
    ['grantDocumentToUser', 'action: "read" | "update" | "delete" | "all";'],
    ['setDocumentGrants', '"application/json": components["schemas"]["Grants"];'],
    ['runBatch', '"application/json": components["schemas"]["Batch"];'],
    ['setDocumentField', 'data: unknown;'],
    ['login', '"application/json": components["schemas"]["Login"];'],
  ])('%s accepts %s', (name, line) => {
    expect(operation(name)).toContain(line);
  });
});
