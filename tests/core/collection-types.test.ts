import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { collectionTypes } from '../../packages/server/src/types/collection-types.ts';

const ARTICLE = {
  type: 'object',
  description: 'What we */ publish',
  properties: {
    title: { type: 'string', description: 'Shown\nfirst' },
    'odd name"': { type: ['integer', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false, minItems: 1 },
    state: { enum: ['draft', 'public', 3, null, { a: [true] }] },
    kind: { const: 'article' },
    parent: { $ref: '#' },
    node: { $ref: '#/$defs/no~1de' },
    again: { $ref: '#thing', description: 'beside' },
    either: { anyOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'boolean' } } }] },
    both: { allOf: [{ type: 'object', required: ['x'] }, { $ref: '#thing' }] },
    scores: { type: 'object', additionalProperties: { type: 'number' } },
    any: true,
  },
  required: ['title', 'kind', 'constructor'],
  additionalProperties: false,
  $defs: {
    'no/de': {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/$defs/no~1de' } } },
    },
    thing: { $anchor: 'thing', type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false },
  },
};

/** Names that differ little, or that TypeScript and JavaScript know. */
const NAMES = [
  'articles',
  'my-notes',
  'my_notes',
  'MyNotes',
  'app',
  'string',
  'Object',
  'constructor',
  'Article',
  'x1-_',
];

/** Returns the strict compiler's errors for each module. One program compiles all, so that it reads its library once. */
function problemsIn(...texts: readonly string[]): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'types-'));
  try {
    const files = texts.map((text, at) => {
      const file = join(folder, `app${at}.ts`);
      writeFileSync(file, text);
      return file;
    });
    const options = { strict: true, noEmit: true, skipLibCheck: true, types: [], exactOptionalPropertyTypes: true };
    const program = ts.createProgram(files, options);
    return files.map((file) =>
      ts
        .getPreEmitDiagnostics(program, program.getSourceFile(file))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the TypeScript types of collections', () => {
  const types = collectionTypes(NAMES.map((name, at) => ({ name, schema: at % 3 === 2 ? null : ARTICLE })));

  it('compile, whatever the names of collections and fields', () => {
    expect(problemsIn(types)).toEqual([[]]);
  });

  it('accept documents that conform and refuse others', () => {
    const article = (members: string) =>
      `${types}\nexport const one: App['collections']['articles'] = { title: 'a', kind: 'article', "constructor": 1, ${members} };`;
    const right = [
      '"odd name\\"": null, tags: ["a"], place: [1], state: "draft"',
      'parent: { title: "b", kind: "article", "constructor": 2 }, node: { children: [{ children: [] }] }',
      'again: { n: 1 }, either: { a: true }, scores: { a: 1 }, any: [1, "a"]',
    ];
    const wrong = [
      'tags: [1]',
      'state: "gone"',
      'place: ["a"]',
      'other: 1',
      'node: { children: [1] }',
      'again: { m: 1 }',
      'scores: { a: "b" }',
    ];
    const problems = problemsIn(...[...right, ...wrong].map(article));
    expect(problems.slice(0, right.length)).toEqual(right.map(() => []));
    const accepted = wrong.filter((_members, at) => problems[right.length + at]?.length === 0);
    expect(accepted).toEqual([]);
  });

  it('need no collection', () => {
    expect(problemsIn(collectionTypes([]))).toEqual([[]]);
  });
});
