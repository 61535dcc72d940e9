import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Media, OpenApi, Operation } from '../../packages/http/src/reference/document.ts';
import { readDocument } from '../support/markdown.ts';
import { currentDocument } from '../support/openapi/conformance.ts';
import { closed, createSchemas } from '../support/openapi/schemas.ts';
import { DOCUMENT_PATH, EXAMPLES_PATH, fileText, generate } from './generate.ts';

const STALE = 'is not what the sources say now: run "npm run openapi" and check what has changed';

const JSON_TYPE = 'application/json';
/** Members that differ from answer to answer, or are long; and calls that need a database and a store of backups. */
const WITHOUT_EXAMPLE = ['openApi', 'docsDocument', 'storeBackup', 'downloadBackup', 'removeBackup', 'restoreBackup'];

interface Described extends Operation {
  readonly place: string;
}

describe('docs/openapi.json', () => {
  let document: OpenApi;
  let operations: Described[];

  beforeAll(async () => {
    const made = await generate();
    // As a file contains it: JSON has no undefined.
    document = JSON.parse(JSON.stringify(made.document));
    expect(readDocument(EXAMPLES_PATH) === fileText(made.examples), `${EXAMPLES_PATH} ${STALE}`).toBe(true);
    expect(readDocument(DOCUMENT_PATH) === fileText(made.document), `${DOCUMENT_PATH} ${STALE}`).toBe(true);
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ ...operation, place: `${method.toUpperCase()} ${path}` })),
    );
  });

  it('equals the document that the service serves', async () => {
    expect((await currentDocument()).document).toEqual(document);
  });

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document) as never);
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('has no broken references', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, at = '']) => at);
    expect(references.length).toBeGreaterThan(100);
    const missing = references.filter(
      (at) =>
        at.split('/').reduce<unknown>((node, part) => (node as Record<string, unknown>)?.[part], document) ===
        undefined,
    );
    expect(missing).toEqual([]);
  });

  it('names every status: no ranges, no default', () => {
    for (const { place, responses } of operations) {
      expect([place, Object.keys(responses).filter((status) => !/^(?:101|[2-5]\d\d)$/.test(status))]).toEqual([
        place,
        [],
      ]);
      expect([place, Object.keys(responses)]).toEqual([place, expect.arrayContaining(['500', '503'])]);
    }
  });

  it('describes every parameter, tag and security scheme', () => {
    const tags = document.tags.map(({ name }) => name);
    for (const { place, parameters = [], tags: own, security } of operations) {
      const silent = parameters.filter(({ description = '' }) => description === '').map(({ name }) => name);
      expect([place, 'parameters without "description" in the schema', silent]).toEqual([place, expect.anything(), []]);
      expect([
        place,
        'tags that reference/words.ts does not describe',
        own.filter((tag) => !tags.includes(tag)),
      ]).toEqual([place, expect.anything(), []]);
      expect([place, security]).toEqual([place, expect.any(Array)]);
    }
  });

  it('names the schemas of bodies with several media types: generators write no model for the second one', () => {
    const inline = operations.filter(({ requestBody }) => {
      const shapes = Object.values(requestBody?.content ?? {}).map(({ schema }) => JSON.stringify(schema));
      return new Set(shapes).size > 1 && shapes.some((shape) => !shape.startsWith('{"$ref"'));
    });
    expect(inline.map(({ place }) => place)).toEqual([]);
  });

  it('shows a real answer for every JSON success, and a real body for every request', () => {
    for (const { place, operationId, responses, requestBody } of operations) {
      if (WITHOUT_EXAMPLE.includes(operationId)) continue;
      const wanted = `${place} has no example: add a call to tests/openapi/scenario.ts, and run "npm run openapi"`;
      const good = Object.entries(responses).filter(([status]) => Number(status) < 300);
      const answers = good.flatMap(([, response]) => ('content' in response ? [response.content?.[JSON_TYPE]] : []));
      const json = answers.filter((media) => media !== undefined);
      const isSilent = json.length > 0 && json.every(({ example }) => example === undefined);
      expect(isSilent, wanted).toBe(false);
      const bodies = Object.entries(requestBody?.content ?? {}).filter(([type]) => !type.startsWith('multipart/'));
      expect(bodies.length > 0 && bodies.every(([, { example }]) => example === undefined), wanted).toBe(false);
    }
  });

  it('has examples that match its schemas', () => {
    const [answers, requests] = [createSchemas(closed(document)), createSchemas(document)];
    let count = 0;
    const check = (schemas: typeof answers, place: string[], content: Record<string, Media> = {}) => {
      for (const [type, { example }] of Object.entries(content).filter(([, media]) => media.example !== undefined)) {
        expect([place, schemas([...place, type, 'schema'], example)]).toEqual([place, null]);
        count++;
      }
    };
    for (const { place, responses, requestBody } of operations) {
      const [method = '', path = ''] = place.split(' ');
      const at = ['paths', path, method.toLowerCase()];
      check(requests, [...at, 'requestBody', 'content'], requestBody?.content);
      for (const [status, response] of Object.entries(responses)) {
        if ('content' in response) check(answers, [...at, 'responses', status, 'content'], response.content);
      }
    }
    expect(count).toBeGreaterThan(100);
  });
});
